// What the passes are told: which of them run, what a melding has to gain, and which functions are left
// alone. Read from the text in `meld<...>`, MELD_PLUGIN_OPTIONS and the requests of libmeld.
//
// Plain values, copied into each pass; no global state (no cl::opt: comgr resets those).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <set>
#include <string>

namespace meld::passes {

class MeldChoice;
class FpSettling;
struct Specialization;

namespace optiontype {
using Flag = bool;
using Number = uint32_t;
using Real = double;
using Regex = std::string;
using List = std::string;
} // namespace optiontype

struct MeldOptions {
  // passes, minProfit, force, maxIterations, meldings, kernelInclude, kernelExclude, verify, ...: what
  // each means stands in options.def.
#define MELD_OPTION(kind, field, key, byDefault, environment, help)                                \
  optiontype::kind field{byDefault};
#define MELD_OPTION_OF_OPT(kind, field, key, byDefault) optiontype::kind field{byDefault};
#include "passes/options.def"

  /// Passes that are left out, by name; read from "no-switch", alone and as a word of `passes`.
  std::set<std::string> without;
  /// Functions left alone by their exact name, next to kernelExclude; null means none. For lists
  /// too long for a regular expression.
  std::shared_ptr<const std::set<std::string>> leaveAlone;
  /// Numbers the meldings and leaves some out (melder/meld_choice.h); null: all are done.
  std::shared_ptr<MeldChoice> choice;
  /// Which floating point is settled before anything is melded (transform/fp_choices.h); null:
  /// none, and flags mean what LLVM says.
  std::shared_ptr<FpSettling> settling;
  /// The kernel that is specialised, and for which facts (specialize/specialization.h); null: none.
  std::shared_ptr<Specialization> specialization;
  /// Record what was melded with what, for people; changes nothing else.
  bool recordSides = false;

  /// Reads "min-profit=5;force;no-tail-merge;passes=cfm;include=RE", as runtime/settings/
  /// pass_options.h writes it. A semicolon within a value is written twice.
  static llvm::Expected<MeldOptions> parse(llvm::StringRef text);

  /// The passes that can be chosen and left out, in the order in which they run (passes.def).
  static llvm::ArrayRef<llvm::StringRef> passNames();
  /// Whether the pass with this name, one of passNames(), runs.
  bool wants(llvm::StringRef pass) const;
  bool wantsKernel(llvm::StringRef name) const;
  /// A gain of this many percent is enough.
  bool isEnough(double percent) const { return force || percent >= minProfit; }
  /// The gain need not even be one: a negative threshold asks for all that costs less than that.
  bool takesLosses() const { return force || minProfit < 0; }

private:
  void leaveOutNamed();
};

/// Whether it is "meld-" and one of the passes that meld-scalarize is made of.
bool isScalarizer(llvm::StringRef name);

} // namespace meld::passes
