#include "passes/transform/else_if.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/codegen.h"
#include "passes/melder/function_copy.h"
#include "passes/melder/legality.h"
#include "passes/melder/meld_choice.h"
#include "passes/melder/occupancy_loss.h"
#include "passes/melder/planner.h"
#include "passes/melder/side_by_side.h"
#include "passes/transform/one_by_one.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr unsigned mostAsked = 8;   ///< instructions that decide whether the second side runs
constexpr unsigned mostTrials = 16; ///< copies of one function

/// A branch one side of which is a question.
struct ElseIf {
  unsigned side = 0;              ///< of the branch, the one that asks
  BasicBlock *question = nullptr; ///< G
  unsigned onwards = 0;           ///< of the question's branch, what leads to B
  BasicBlock *join = nullptr;
};

/// For threads of the other side, too, and cheap enough for them.
bool mayStandAbove(const BasicBlock &question) {
  unsigned count = 0;
  for (const Instruction &instruction : question) {
    if (instruction.isTerminator() || isa<DbgInfoIntrinsic>(instruction))
      continue;
    if (isa<PHINode>(instruction) || isa<CallInst>(instruction) ||
        instruction.mayReadOrWriteMemory() || !maySpeculate(instruction) ||
        instruction.getOpcode() == Instruction::FDiv ||
        instruction.getOpcode() == Instruction::FRem || instruction.getType()->isVectorTy() ||
        ++count > mostAsked)
      return false;
  }
  return true;
}

bool holdsLoop(const Node &node) { return node.isLoop || node.hasLoop; }

/// Whether the planner could pair loops of the two: a copy of the function is too much to find out.
bool haveLikeLoops(const Arm &first, const Arm &second) {
  return any_of(first.nodes, [&](const Node &left) {
    return holdsLoop(left) && any_of(second.nodes, [&](const Node &right) {
             return holdsLoop(right) && !matchNodes(left, right).blocks.empty();
           });
  });
}

std::optional<ElseIf> elseIfAt(BranchInst &branch, const BranchAnalyses &now) {
  for (unsigned side : {1u, 0u}) {
    BasicBlock *question = branch.getSuccessor(side), *other = branch.getSuccessor(1 - side);
    auto *asks = dyn_cast<BranchInst>(question->getTerminator());
    if (question == other || !question->getSinglePredecessor() || !asks || !asks->isConditional() ||
        !mayStandAbove(*question))
      continue;
    const Arm first = buildArm(other, now.dominators, now.postDominators, /*cutHeads=*/false);
    for (unsigned onwards : {0u, 1u}) {
      BasicBlock *second = asks->getSuccessor(onwards);
      if (!first.end || asks->getSuccessor(1 - onwards) != first.end || second == first.end)
        continue;
      const Arm rest = buildArm(second, now.dominators, now.postDominators, /*cutHeads=*/false);
      if (rest.end == first.end && haveLikeLoops(first, rest))
        return ElseIf{side, question, onwards, first.end};
    }
  }
  return std::nullopt;
}

/// The question stands in front of the branch, and the branch, which is returned, in a block of its
/// own.
BranchInst &askFirst(BranchInst &branch, const ElseIf &at) {
  BasicBlock *above = branch.getParent(), *other = branch.getSuccessor(1 - at.side);
  auto *asks = cast<BranchInst>(at.question->getTerminator());
  BasicBlock *second = asks->getSuccessor(at.onwards);
  // What a debugger is told there is not so for the other side's threads.
  for (Instruction &instruction : make_early_inc_range(*at.question))
    if (&instruction != asks && !isa<DbgInfoIntrinsic>(instruction))
      compat::moveBefore(&instruction, &branch);
  IRBuilder<> builder(&branch);
  Value *first = branch.getCondition(), *more = asks->getCondition();
  if (at.side == 0)
    first = builder.CreateNot(first);
  if (at.onwards == 1)
    more = builder.CreateNot(more);
  auto *either = BasicBlock::Create(above->getContext(), "meld.either", above->getParent(), other);
  builder.CreateCondBr(builder.CreateSelect(first, builder.getTrue(), more), either, at.join);
  branch.removeFromParent();
  IRBuilder<>(either).Insert(&branch);
  branch.setSuccessor(at.side, second);
  branch.setMetadata(LLVMContext::MD_prof, nullptr);
  other->replacePhiUsesWith(above, either);
  second->replacePhiUsesWith(at.question, either);
  at.join->replacePhiUsesWith(at.question, above);
  at.question->eraseFromParent();
  return branch;
}

class ElseIfMelder {
public:
  ElseIfMelder(Function &function, const MeldOptions &options, DecisionRecorder &recorder)
      : function_(function), options_(options), recorder_(recorder) {}

  /// True when a copy with this branch melded has been taken.
  bool tryAt(BranchInst &branch, const BranchAnalyses &now) {
    if (now.progress.keepsOrder(*branch.getParent()))
      return false;
    const auto found = elseIfAt(branch, now);
    if (!found || trials_ == mostTrials)
      return false; // not of this shape: the melder has said what there is to say
    ++trials_;
    Decision decision = recorder_.at(branch);
    const DebugLoc where = branch.getDebugLoc();
    decision.reason = "loop with a guarded loop: gain too small";
    FunctionCopy trial(function_, FunctionCopy::Use::trial);
    auto *copied = cast<BranchInst>(trial.twin(*branch.getParent())->getTerminator());
    BranchInst &both = askFirst(*copied, {found->side, trial.twin(*found->question), found->onwards,
                                          trial.twin(*found->join)});
    BranchAnalyses asked(trial.get());
    Planner planner(asked.divergence, asked.cost, asked.dominators, asked.postDominators,
                    asked.progress);
    Plan plan = planner.planWhole(both);
    if (options_.pressure && plan.gain > 0 && !options_.takesLosses())
      plan.gain -= OccupancyLoss(asked).of(plan);
    decision.profit = plan.percent();
    decision.alignment = plan.summary();
    const bool joined = any_of(plan.nodes, [](const NodePlan &node) {
      return node.pairs > 0 && node.left && holdsLoop(*node.left);
    });
    if (joined && options_.isEnough(plan.percent()) && (plan.gain > 0 || options_.takesLosses())) {
      if (options_.recordSides)
        recordSides(plan, decision);
      carryOut(plan);
      if (options_.verify && verifyFunction(trial.get()))
        decision.reason = "melded code failed the verifier";
      else if (!mayMeld(branch, options_))
        decision.reason = leftOutReason;
      else
        decision.melded = true;
    }
    if (decision.melded) {
      trial.replaceBody();
      decision.reason = "loop with a guarded loop";
    }
    const bool melded = decision.melded;
    recorder_.record(std::move(decision), where);
    return melded;
  }

private:
  Function &function_;
  const MeldOptions &options_;
  DecisionRecorder &recorder_;
  unsigned trials_ = 0;
};

} // namespace

PreservedAnalyses MeldElseIfPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!worthLooking(function) || !options_.wantsKernel(function.getName()))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-else-if", point_);
  ElseIfMelder melder(function, options_, recorder);
  return meldOneByOne(
      function, analyses, options_.maxIterations,
      [&](BranchInst &branch, const BranchAnalyses &now) { return melder.tryAt(branch, now); });
}

} // namespace meld::passes
