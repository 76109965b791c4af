#include "passes/transform/cfm.h"
#include "passes/transform/codegen.h"
#include "passes/transform/legality.h"
#include "passes/transform/plan.h"
#include "passes/transform/rollback.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace meld::passes {

using namespace llvm;

// An unnamed block is named by its place in the function: LLVM's own numbering would have to look
// at the whole function each time.
static std::string locationOf(const BranchInst &branch) {
  std::string text;
  raw_string_ostream out(text);
  const BasicBlock *block = branch.getParent();
  if (block->hasName())
    out << "%" << block->getName().take_front(120);
  else
    out << "block " << std::distance(block->getParent()->begin(), Function::const_iterator(block));
  if (const DebugLoc &location = branch.getDebugLoc()) {
    out << " at " << cast<DIScope>(location.getScope())->getFilename() << ":" << location.getLine();
  }
  return out.str();
}

static const char *passName(MeldScope scope) {
  switch (scope) {
  case MeldScope::tails:
    return "meld-tail-merge";
  case MeldScope::diamonds:
    return "meld-branch-fusion";
  case MeldScope::all:
    break;
  }
  return "meld-cfm";
}

static bool worthLooking(const Function &function) {
  if (function.isDeclaration() || function.hasFnAttribute(Attribute::OptimizeNone) ||
      function.hasPersonalityFn())
    return false;
  for (const BasicBlock &block : function)
    if (block.hasAddressTaken() || isa<IndirectBrInst>(block.getTerminator()) ||
        isa<CallBrInst>(block.getTerminator()))
      return false;
  return true;
}

PreservedAnalyses MeldCfmPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!worthLooking(function) || !options_.wantsKernel(function.getName()))
    return PreservedAnalyses::all();

  auto &remarks = analyses.getResult<OptimizationRemarkEmitterAnalysis>(function);
  bool changed = false;
  unsigned rounds = 0;
  const unsigned most = options_.maxIterations * 64;
  SmallPtrSet<const BasicBlock *, 4> givenUp; // melded into something the verifier refused
  while (true) {
    DominatorTree dominators(function);
    PostDominatorTree postDominators(function);
    LoopInfo loops(dominators);
    DivergenceOptions divergenceOptions;
    divergenceOptions.assumeOneDimension = true; // leaving a branch alone is always right
    DivergenceInfo divergence(function, loops, dominators, postDominators, divergenceOptions);
    CostModel cost(function, divergence.gpu());
    Planner planner(divergence, cost, dominators, postDominators, scope_, point_ != "early");

    std::vector<Decision> rejected;
    std::optional<Plan> chosen;
    ReversePostOrderTraversal<Function *> order(&function);
    for (BasicBlock *block : order) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() || givenUp.count(block))
        continue;
      Decision decision;
      decision.kernel = function.getName().str();
      decision.pass = passName(scope_);
      decision.point = point_;
      if (!divergence.isDivergentBranch(block)) {
        decision.location = locationOf(*branch);
        decision.reason = std::string("does not diverge within a wave (width ") +
                          passes::name(divergence.branchWidth(block)) + ")";
        rejected.push_back(std::move(decision));
        continue;
      }
      Plan plan = planner.plan(*branch);
      decision.location = locationOf(*branch);
      decision.profit = plan.percent();
      decision.reason = plan.reason;
      decision.alignment = plan.summary();
      if (plan.nodes.empty()) {
        rejected.push_back(std::move(decision));
        continue;
      }
      if (plan.gain <= 0 || plan.percent() < options_.minProfit) {
        decision.reason = plan.reason + ": gain too small";
        rejected.push_back(std::move(decision));
        continue;
      }
      decision.melded = true;
      chosen = std::move(plan);
      rejected.push_back(std::move(decision)); // last, so found again below
      break;
    }

    if (!chosen || rounds++ >= most) {
      for (Decision &decision : rejected) {
        if (decision.melded) // the ceiling
          continue;
        remarks.emit([&] {
          return OptimizationRemarkMissed("meld", "NotMelded",
                                          function.getEntryBlock().getTerminator())
                 << decision.pass << " left " << decision.location << ": " << decision.reason;
        });
        if (log_)
          log_->add(std::move(decision));
      }
      break;
    }

    Decision decision = std::move(rejected.back());
    std::optional<Rollback> rollback;
    if (options_.verify)
      rollback.emplace(function);
    remarks.emit([&] {
      return OptimizationRemark("meld", "Melded", chosen->branch)
             << decision.pass << " melded " << decision.location << " (" << decision.reason
             << "): " << decision.alignment;
    });
    carryOut(*chosen);
    changed = true;
    std::string why;
    raw_string_ostream whyStream(why);
    if (options_.verify && verifyFunction(function, &whyStream)) {
      rollback->restore();
      decision.melded = false;
      decision.reason = "melded code failed the verifier: " + whyStream.str();
      if (log_)
        log_->add(std::move(decision));
      break; // block addresses have changed; the function is as it was before this step
    }
    if (log_)
      log_->add(std::move(decision));
  }
  // LLVM 15 recomputes live intervals wrongly where it forms load clauses for XNACK: LiveRangeCalc
  // takes "undefined later in this block" for "undefined on entry", and a register is reused too
  // early. Melded code, with its long if/else regions and phis, meets it more often. Clauses of one
  // load avoid it; ordinary targets lose nothing else.
  if (changed)
    function.addFnAttr("amdgpu-max-memory-clause", "1");
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace meld::passes
