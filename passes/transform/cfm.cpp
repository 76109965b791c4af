#include "passes/transform/cfm.h"
#include "passes/transform/branch_analyses.h"
#include "passes/transform/codegen.h"
#include "passes/transform/decisions.h"
#include "passes/transform/plan.h"
#include "passes/transform/rollback.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace meld::passes {

using namespace llvm;

static const char *passName(MeldScope scope) {
  return scope == MeldScope::diamonds ? "meld-branch-fusion" : "meld-cfm";
}

unsigned meldBranches(Function &function, const MeldOptions &options, const MeldSearch &search,
                      DecisionSink sink) {
  unsigned melded = 0, rounds = 0;
  // A negative threshold (tests that meld all that is legal) has no falling cost to end by.
  const bool forced = options.minProfit < 0;
  const unsigned most = options.maxIterations * (forced ? 2 : 64);
  while (true) {
    BranchAnalyses now(function);
    Planner planner(now.divergence, now.cost, now.dominators, now.postDominators, search.scope,
                    search.loops);

    std::vector<Decision> rejected;
    std::optional<Plan> chosen;
    Decision decision;
    ReversePostOrderTraversal<Function *> order(&function);
    for (BasicBlock *block : order) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() ||
          (search.within && !search.within(*block, now.dominators)))
        continue;
      decision = {};
      decision.pass = passName(search.scope);
      decision.location = locationOf(*branch);
      if (!now.divergence.isDivergentBranch(block)) {
        decision.reason = std::string("does not diverge within a wave (width ") +
                          passes::name(now.divergence.branchWidth(block)) + ")";
        rejected.push_back(std::move(decision));
        continue;
      }
      Plan plan = planner.plan(*branch);
      decision.profit = plan.percent();
      decision.reason = plan.reason;
      decision.alignment = plan.summary();
      if (plan.nodes.empty() || (plan.gain <= 0 && !forced) || plan.percent() < options.minProfit) {
        if (!plan.nodes.empty())
          decision.reason += ": gain too small";
        rejected.push_back(std::move(decision));
        continue;
      }
      decision.melded = true;
      chosen = std::move(plan);
      break;
    }

    if (!chosen || rounds++ >= most) {
      for (Decision &other : rejected)
        sink(std::move(other), {});
      return melded;
    }

    std::optional<Rollback> rollback;
    if (options.verify)
      rollback.emplace(function);
    DebugLoc where = chosen->branch->getDebugLoc();
    carryOut(*chosen);
    ++melded; // also when it is put back: the blocks are new ones
    std::string why;
    raw_string_ostream whyStream(why);
    const bool broken = options.verify && verifyFunction(function, &whyStream);
    if (broken) {
      rollback->restore();
      decision.melded = false;
      decision.reason = "melded code failed the verifier: " + whyStream.str();
    }
    sink(std::move(decision), where);
    if (broken)
      return melded; // the function is as it was before this step
  }
}

PreservedAnalyses MeldCfmPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!worthLooking(function) || !options_.wantsKernel(function.getName()))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, passName(scope_), point_);
  MeldSearch search;
  search.scope = scope_;
  search.loops = point_ != "early";
  const unsigned melded =
      meldBranches(function, options_, search, [&](Decision decision, DebugLoc where) {
        recorder.record(std::move(decision), where);
      });
  if (melded == 0)
    return PreservedAnalyses::all();
  avoidLoadClauses(function);
  return PreservedAnalyses::none();
}

} // namespace meld::passes
