// meld-cfm: the general melder, and the loop around it.
//
//   for each branch that diverges within a wave, outermost first:
//     plan
//     if the gain is above the threshold:
//       keep a copy of the function, meld, and verify; put the copy back where that fails
//
// Terminates: every melding lowers the estimated cost, and makes one instruction of two or leaves
// fewer branches (planner.h); and there is a ceiling on rounds. Analyses are recomputed after each
// melding. Branches that were left are planned again only when a melding has touched what is above
// or below them, or when nothing else is left to find.
#pragma once

#include "passes/logged_pass.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/planner.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace meld::passes {

/// Where the melder looks.
struct MeldSearch {
  MeldScope scope = MeldScope::all;
  bool loops = true; ///< may loops be paired? See Planner
  /// The function is a trial's copy: what the verifier rejects stays in it, for the caller to find.
  bool disposable = false;
  /// Only branches in these blocks; null means all. Asked anew after each melding.
  std::function<bool(const llvm::BasicBlock &, const llvm::DominatorTree &)> within;
};

using DecisionSink = llvm::function_ref<void(Decision, llvm::DebugLoc)>;

/// Melds what pays, until nothing does. Returns how often it melded; also hears of what was left.
/// `function` may be a copy that no pass manager knows; `known` is what holds for it at the start;
/// `last` gets what holds at the end, where that is known and differs.
unsigned meldBranches(llvm::Function &function, const MeldOptions &options,
                      const MeldSearch &search, DecisionSink sink,
                      const BranchAnalyses *known = nullptr,
                      std::unique_ptr<BranchAnalyses> *last = nullptr);

class MeldCfmPass : public LoggedPass<MeldCfmPass> {
public:
  MeldCfmPass(MeldOptions options, DecisionLog *log, Point point = Point::byName,
              MeldScope scope = MeldScope::all)
      : LoggedPass(std::move(options), log, point), scope_(scope) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  MeldScope scope_;
};

/// meld-branch-fusion: two single blocks with one join, and nothing else.
class MeldBranchFusionPass : public MeldCfmPass {
public:
  MeldBranchFusionPass(MeldOptions options, DecisionLog *log, Point point = Point::byName)
      : MeldCfmPass(std::move(options), log, point, MeldScope::diamonds) {}
};

} // namespace meld::passes
