// What the passes are told: which of them run, what a melding has to gain, and which functions are left
// alone. Read from the text in `meld<...>`, MELD_PLUGIN_OPTIONS and the requests of libmeld.
//
// Plain values, copied into each pass; no global state (no cl::opt: comgr resets those).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <set>
#include <string>

namespace meld::passes {

class MeldChoice;
class FpSettling;

struct MeldOptions {
  /// Comma list out of passNames(), with or without "meld-" in front. Empty: all that run unless
  /// told otherwise. "none": nothing.
  std::string passes;
  /// Passes that are left out, by name; read from "no-switch" and the like.
  std::set<std::string> without;
  /// Least gain, in percent of the estimated cycles of the two sides, for which a region is melded.
  double minProfit = 0.0;
  /// Melds whatever is legal, at any cost: for tests of what the costs would leave alone.
  bool force = false;
  /// How often the melder looks again at a function it has changed.
  unsigned maxIterations = 16;
  /// Run the IR verifier after each melding; a function that fails is put back as it was.
  bool verify = true;
  /// Take lost waves off a plan's gain (transform/lost_waves.h); for where nobody looks at the
  /// machine code afterwards.
  bool pressure = true;
  /// Regular expressions over function names; empty include means all, empty exclude means none.
  std::string kernelInclude;
  std::string kernelExclude;
  /// Functions left alone by their exact name, next to kernelExclude; null means none. For lists
  /// too long for a regular expression.
  std::shared_ptr<const std::set<std::string>> leaveAlone;
  /// Numbers the meldings and leaves some out (transform/meld_choice.h); null: all are done.
  std::shared_ptr<MeldChoice> choice;
  /// Which floating point is settled before anything is melded (transform/fp_choices.h); null:
  /// none, and flags mean what LLVM says.
  std::shared_ptr<FpSettling> settling;
  /// Record what was melded with what, for people; changes nothing else.
  bool recordSides = false;
  /// The two points of the pipeline, switchable for measurements.
  bool early = true;
  bool late = true;

  /// Reads "min-profit=5;force;no-tail-merge;passes=cfm;include=RE": the parameters of `meld<...>`.
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
};

/// Whether it is "meld-" and one of the passes that meld-scalarize is made of.
bool isScalarizer(llvm::StringRef name);

} // namespace meld::passes
