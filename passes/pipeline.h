// The door to the passes: options, the record of decisions, and where the passes sit in -O<n>.
//
//   llvm::PassBuilder builder(targetMachine);
//   meld::passes::DecisionLog log;
//   meld::passes::registerMeldCallbacks(builder, options, &log);
//   auto pipeline = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
//
// Our passes run at two points of the pipeline: an early one, inside the function simplification
// after inlining, SROA and the first instcombine (before loops are unrolled and before common code
// is hoisted or sunk), and a late one, at the end, where unrolling has made new candidates.
//
// A function in which nothing is melded leaves exactly as it came: recompiling stays
// byte-identical.
//
// Thread rule: one DecisionLog per compilation; the log itself is guarded, the rest holds no global
// state (no cl::opt: comgr resets those).
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace meld::passes {

class MeldChoice;
class FpSettling;

struct MeldOptions {
  /// Comma list out of passNames(), with or without "meld-" in front. Empty: all. "none": nothing.
  std::string passes;
  /// Passes that are left out, by name; read from "no-switch" and the like.
  std::set<std::string> without;
  /// Least gain, in percent of the estimated cycles of the two sides, for which a region is melded.
  double minProfit = 0.0;
  /// Melds whatever is legal, at any cost: for tests of what the costs would leave alone.
  bool force = false;
  /// How often the melder looks again at a function it has changed.
  unsigned maxIterations = 16;
  bool scalarize = true;
  bool branchFusion = true;
  bool tailMerge = true;
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

  /// The transforms that `meld` is made of, in the order in which they run.
  static llvm::ArrayRef<llvm::StringRef> passNames();
  bool wants(llvm::StringRef pass) const;
  bool wantsKernel(llvm::StringRef name) const;
  /// A gain of this many percent is enough.
  bool isEnough(double percent) const { return force || percent >= minProfit; }
  /// The gain need not even be one: a negative threshold asks for all that costs less than that.
  bool takesLosses() const { return force || minProfit < 0; }
};

/// One line of two melded sides next to each other.
struct AlignedRow {
  std::string whose;       ///< "both", "left", "right", "left, run by all", "right, run by all";
                           ///< "blocks": what follows is from these
  std::string left, right; ///< the instruction, with file:line when debug information is there
};

/// What was found at one divergent branch, switch or run of code and what became of it.
struct Decision {
  std::string kernel;
  std::string location;  ///< block name, and file:line when debug information is there
  std::string pass;      ///< "meld-cfm", ...
  std::string point;     ///< "early", "late" or "" (run by name)
  bool melded = false;   ///< melded | rejected
  std::string reason;    ///< why rejected, or which case was melded
  double profit = 0.0;   ///< estimated percent of the two sides' cycles
  std::string alignment; ///< e.g. "blocks 3 paired, 12 paired, 2 guarded, 1 speculated, 4 selects"
  std::vector<AlignedRow> sides; ///< melded ones, with MeldOptions::recordSides
  size_t sidesLeftOut = 0;       ///< rows beyond the first (transform/side_by_side.h)
};

class DecisionLog {
public:
  /// A pass looks at a function many times: a rejection that is already recorded is not added
  /// again.
  void add(Decision decision);
  std::vector<Decision> entries() const;
  /// Melded decisions only, in the order they were taken.
  size_t meldedCount() const;
  void clear();

private:
  mutable std::mutex mutex_;
  std::vector<Decision> entries_;
  std::set<std::string> rejected_; ///< what is recorded of the rejections
};

/// Puts our analyses, our passes (by name) and our two pipeline points into `builder`. `log` may be
/// null and must outlive the pipelines that the builder makes.
void registerMeldCallbacks(llvm::PassBuilder &builder, const MeldOptions &options,
                           DecisionLog *log);

} // namespace meld::passes
