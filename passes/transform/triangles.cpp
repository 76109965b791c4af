#include "passes/transform/triangles.h"
#include "passes/analysis/wave_state.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/melder/branch_analyses.h"
#include "passes/melder/keep_apart.h"
#include "passes/melder/legality.h"
#include "passes/melder/meld_choice.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <optional>

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t maxSideBlocks = 256;
constexpr long maxMiddle = 64; // instructions

// Two ifs in a row, as found.
struct Pair {
  BranchInst *first = nullptr;    // D's
  BranchInst *second = nullptr;   // M's
  BasicBlock *middle = nullptr;   // M
  BasicBlock *sideEnd = nullptr;  // the block of A that jumps to M
  BasicBlock *otherEnd = nullptr; // D, or the end of an else side
  bool sideWhen = true;           // A runs when the first condition is this
  bool afterSide = false;         // the second condition's value behind A; its inverse from D
};

// Both compares of the same two values: is `asked` what `known` is, or its inverse? For floating
// point too, where the inverse of an ordered predicate is the unordered opposite one.
std::optional<bool> comparedAlike(const Value *known, bool knownIs, const Value *asked) {
  auto *k = dyn_cast<CmpInst>(known), *a = dyn_cast<CmpInst>(asked);
  if (!k || !a || k->getOpcode() != a->getOpcode())
    return std::nullopt;
  CmpInst::Predicate predicate = a->getPredicate();
  if (k->getOperand(0) == a->getOperand(1) && k->getOperand(1) == a->getOperand(0))
    predicate = CmpInst::getSwappedPredicate(predicate);
  else if (k->getOperand(0) != a->getOperand(0) || k->getOperand(1) != a->getOperand(1))
    return std::nullopt;
  if (predicate == k->getPredicate())
    return knownIs;
  if (predicate == CmpInst::getInversePredicate(k->getPredicate()))
    return !knownIs;
  return std::nullopt;
}

// What `asked` is, once a branch on `known` has gone the way of `knownIs`. Neither is poison: both
// are branched on.
std::optional<bool> implied(const Value *known, bool knownIs, const Value *asked,
                            const DataLayout &layout) {
  bool flip = false;
  const Value *inner;
  for (; match(asked, PatternMatch::m_Not(PatternMatch::m_Value(inner))); asked = inner)
    flip = !flip;
  for (; match(known, PatternMatch::m_Not(PatternMatch::m_Value(inner))); known = inner)
    knownIs = !knownIs;
  std::optional<bool> answer = comparedAlike(known, knownIs, asked);
  if (!answer)
    if (auto found = isImpliedCondition(known, asked, layout, knownIs))
      answer = *found;
  return answer ? std::optional(*answer != flip) : std::nullopt;
}

// The ends of D's two ways that meet in `middle` and nowhere else: the block with the last edge, by
// the first condition's value; D itself where a way is empty.
bool waysMeet(const BranchInst *first, BasicBlock *middle, const DominatorTree &dominators,
              BasicBlock *(&ends)[2]) {
  if (!middle->hasNPredecessors(2))
    return false;
  ends[0] = ends[1] = nullptr;
  for (bool value : {false, true}) {
    BasicBlock *way = first->getSuccessor(value ? 0 : 1);
    for (BasicBlock *predecessor : predecessors(middle)) {
      bool comes = way == middle
                       ? predecessor == first->getParent()
                       : way->getSinglePredecessor() && dominators.dominates(way, predecessor);
      if (comes)
        ends[value] = predecessor;
    }
  }
  return ends[0] && ends[1] && ends[0] != ends[1];
}

std::optional<Pair> findPair(BasicBlock &block, const BranchAnalyses &context) {
  auto *first = dyn_cast<BranchInst>(block.getTerminator());
  if (!first || !first->isConditional() || first->getSuccessor(0) == first->getSuccessor(1) ||
      !context.divergence.isDivergentBranch(&block))
    return std::nullopt;
  for (const DomTreeNode *below : context.dominators.getNode(&block)->children()) {
    BasicBlock *middle = below->getBlock();
    auto *second = dyn_cast<BranchInst>(middle->getTerminator());
    if (!second || !second->isConditional() || second->getSuccessor(0) == second->getSuccessor(1))
      continue;
    BasicBlock *ends[2];
    if (!waysMeet(first, middle, context.dominators, ends))
      continue;
    // One round of one loop, so that all mean the same instance of the condition.
    const Loop *loop = context.loops.getLoopFor(&block);
    auto elsewhere = [&](BasicBlock *end) { return context.loops.getLoopFor(end) != loop; };
    if (elsewhere(middle) || any_of(ends, elsewhere))
      continue;
    const DataLayout &layout = block.getModule()->getDataLayout();
    // Both ways must be known, and differ: of two conditions that only exclude each other an
    // else-if would come, which costs more than two ifs.
    bool after[2];
    bool known = true;
    for (bool value : {false, true}) {
      auto found = implied(first->getCondition(), value, second->getCondition(), layout);
      known &= found.has_value();
      after[value] = found.value_or(false);
    }
    if (!known || after[false] == after[true])
      continue;
    Pair pair;
    pair.first = first;
    pair.second = second;
    pair.middle = middle;
    pair.sideWhen = ends[true] != &block;
    pair.sideEnd = ends[pair.sideWhen];
    pair.otherEnd = ends[!pair.sideWhen];
    pair.afterSide = after[pair.sideWhen];
    return pair;
  }
  return std::nullopt;
}

// Blocks from `entry` on that `entry` dominates, without `stop`; false when one of them holds a
// convergent operation or there are too many.
bool freeOfConvergence(BasicBlock *entry, const BasicBlock *stop, const BranchAnalyses &context) {
  SmallPtrSet<BasicBlock *, 16> seen{entry};
  std::vector<BasicBlock *> work{entry};
  for (size_t i = 0; i < work.size(); ++i) {
    if (i == maxSideBlocks || any_of(*work[i], isConvergentOperation))
      return false;
    for (BasicBlock *successor : successors(work[i]))
      if (successor != stop && context.dominators.dominates(entry, successor) &&
          seen.insert(successor).second)
        work.push_back(successor);
  }
  return true;
}

// What becomes of M's code.
struct MiddlePlan {
  std::vector<Instruction *> up, down;
  int copied = 0; // cycles
};

bool hasOrderedEffect(const Instruction &instruction) {
  return instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects();
}

MiddlePlan planMiddle(const Pair &pair, const BasicBlock *join, const BranchAnalyses &context) {
  MiddlePlan plan;
  SmallPtrSet<const Instruction *, 16> gone;
  for (Instruction &instruction : *pair.middle) {
    if (isa<PHINode>(instruction) || instruction.isTerminator() || isIgnorable(instruction))
      continue;
    bool above = all_of(instruction.operands(), [&](const Use &use) {
      auto *operand = dyn_cast<Instruction>(use.get());
      return !operand || gone.count(operand) || operand->getParent() != pair.middle;
    });
    // Operands from elsewhere dominate M and are not A's (A does not dominate M), so they stand in
    // D or above.
    if (above && maySpeculate(instruction)) {
      plan.up.push_back(&instruction);
      gone.insert(&instruction);
    }
  }
  const bool joinIsOurs = join && join != pair.middle && join != pair.first->getParent() &&
                          context.dominators.dominates(pair.middle, join) &&
                          context.loops.getLoopFor(join) == context.loops.getLoopFor(pair.middle);
  for (Instruction &instruction : reverse(*pair.middle)) {
    if (isa<PHINode>(instruction) || instruction.isTerminator() || isIgnorable(instruction) ||
        gone.count(&instruction))
      continue;
    bool after = joinIsOurs && !hasOrderedEffect(instruction) && !instruction.use_empty() &&
                 all_of(instruction.uses(), [&](const Use &use) {
                   auto *user = cast<Instruction>(use.getUser());
                   if (gone.count(user))
                     return is_contained(plan.down, user);
                   auto *phi = dyn_cast<PHINode>(user);
                   const BasicBlock *place = phi ? phi->getIncomingBlock(use) : user->getParent();
                   return place != pair.middle && context.dominators.dominates(join, place);
                 });
    if (after) {
      plan.down.push_back(&instruction); // last one first
      gone.insert(&instruction);
    }
  }
  for (Instruction &instruction : *pair.middle)
    if (!isa<PHINode>(instruction) && !instruction.isTerminator() && !isIgnorable(instruction) &&
        !gone.count(&instruction) && &instruction != pair.second->getCondition())
      plan.copied += context.cost.instruction(instruction);
  return plan;
}

// The first if, and what is between, comes before the second if in every run. Brought together, the
// lanes of one way do all of theirs before or after those of the other way. So what a way has in the
// first if is held against what the other has in the second, and what is between, which both run,
// against all of that and itself.
bool keepsAccessOrder(const Pair &pair, const BasicBlock *join, const BranchAnalyses &context) {
  auto kindsFrom = [&](const BranchInst &branch, bool way, const BasicBlock *stop) {
    unsigned kinds = OrderedAccesses::none;
    SmallPtrSet<const BasicBlock *, 16> seen{stop};
    SmallVector<const BasicBlock *, 16> open{branch.getSuccessor(way ? 0 : 1)};
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      if (context.dominators.dominates(block, branch.getParent()) || !seen.insert(block).second)
        continue;
      kinds |= context.accesses.of(*block);
      append_range(open, successors(block));
    }
    return kinds;
  };
  const unsigned middle = context.accesses.of(*pair.middle);
  auto overtakes = [&](bool isSide) {
    const bool first = pair.sideWhen == isSide, second = pair.afterSide != isSide; // the others'
    return OrderedAccesses::keepOrder(middle | kindsFrom(*pair.first, first, pair.middle),
                                      middle | kindsFrom(*pair.second, second, join));
  };
  return overtakes(true) || overtakes(false);
}

std::string obstacleOf(const Pair &pair, const BasicBlock *join, const BranchAnalyses &context) {
  if (any_of(*pair.middle, isConvergentOperation))
    return "a convergent operation between two ifs";
  if (any_of(*pair.middle, hangsOnMode) && changesMode(*pair.middle->getParent()))
    return "floating point between two ifs, and the function changes the MODE register";
  BasicBlock *side = pair.first->getSuccessor(pair.sideWhen ? 0 : 1);
  BasicBlock *other = pair.first->getSuccessor(pair.sideWhen ? 1 : 0);
  for (BasicBlock *way : {side, other})
    if (way != pair.middle && !freeOfConvergence(way, pair.middle, context))
      return "a convergent operation in the first of two ifs";
  for (BasicBlock *successor : successors(pair.middle)) {
    if (context.dominators.dominates(successor, pair.middle))
      return "the second of two ifs ends a loop";
    if (successor != join && !freeOfConvergence(successor, join, context))
      return "a convergent operation in the second of two ifs";
  }
  if (pair.middle->sizeWithoutDebug() > maxMiddle)
    return "too much code between two ifs";
  for (const Instruction &instruction : *pair.middle) {
    if (isa<AllocaInst>(instruction) || instruction.getType()->isTokenTy())
      return "an alloca or token between two ifs";
    if (auto *call = dyn_cast<CallBase>(&instruction); call && call->cannotDuplicate())
      return "a call between two ifs that must not be copied";
  }
  if (context.progress.waitsBetween(*pair.first->getParent(), join))
    return "threads may wait in one of two ifs for those of the other";
  if (keepsAccessOrder(pair, join, context))
    return "what two ifs in a row read and write for other threads keeps its order";
  return "";
}

// What the branches cost less afterwards. An if alone is a guard; code copied to both ways needs an
// else.
int branchesSaved(const Pair &pair, const BasicBlock *join, const MiddlePlan &plan,
                  const CostModel &cost) {
  const bool firstAlone = pair.otherEnd == pair.first->getParent();
  const bool secondAlone = is_contained(successors(pair.middle), join);
  auto price = [&](bool alone) { return alone ? cost.guard() : cost.divergentIfElse(); };
  const bool same = pair.second->getSuccessor(pair.afterSide ? 0 : 1) != join;
  return price(firstAlone) + price(secondAlone) -
         price(firstAlone && secondAlone && same && plan.copied == 0);
}

// M's branch becomes a jump: only `taken` is left.
void settle(BranchInst *branch, bool taken) {
  BasicBlock *block = branch->getParent();
  branch->getSuccessor(taken ? 1 : 0)->removePredecessor(block, /*KeepOneInputPHIs=*/true);
  BranchInst *jump =
      BranchInst::Create(branch->getSuccessor(taken ? 0 : 1), compat::before(branch));
  jump->setDebugLoc(branch->getDebugLoc());
  branch->eraseFromParent();
}

void bringTogether(const Pair &pair, MiddlePlan plan, BasicBlock *join) {
  BasicBlock *middle = pair.middle;
  for (Instruction *instruction : plan.up) {
    compat::moveBefore(instruction, pair.first);
    compat::dropPromises(*instruction);
  }
  for (Instruction *instruction : plan.down)
    compat::moveBefore(instruction, &*join->getFirstInsertionPt());

  // A's own copy of what is left of M, with the branch settled.
  ValueToValueMapTy map;
  BasicBlock *copy = CloneBasicBlock(middle, map, ".meld.side", middle->getParent());
  copy->moveAfter(pair.sideEnd);
  for (PHINode &phi : middle->phis()) {
    auto *clone = cast<PHINode>(map[&phi]);
    Value *value = phi.getIncomingValueForBlock(pair.sideEnd);
    clone->replaceAllUsesWith(value);
    clone->eraseFromParent();
    map[&phi] = value;
    phi.removeIncomingValue(pair.sideEnd, /*DeletePHIIfEmpty=*/false);
  }
  for (Instruction &instruction : *copy)
    RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  for (BasicBlock *successor : successors(middle))
    for (PHINode &phi : successor->phis()) {
      Value *value = phi.getIncomingValueForBlock(middle);
      if (Value *mapped = map.lookup(value))
        value = mapped;
      phi.addIncoming(value, copy);
    }
  pair.sideEnd->getTerminator()->replaceSuccessorWith(middle, copy);

  // M's values now come from two blocks.
  for (Instruction &instruction : *middle) {
    Value *twin = map.lookup(&instruction);
    if (!twin || instruction.getType()->isVoidTy())
      continue;
    SmallVector<Use *, 8> outside;
    for (Use &use : instruction.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      BasicBlock *place = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (place != middle && place != copy)
        outside.push_back(&use);
    }
    if (outside.empty())
      continue;
    SSAUpdater updater;
    updater.Initialize(instruction.getType(), instruction.getName());
    updater.AddAvailableValue(middle, &instruction);
    updater.AddAvailableValue(copy, twin);
    for (Use *use : outside)
      updater.RewriteUse(*use);
  }
  WeakTrackingVH conditions[] = {cast<BranchInst>(copy->getTerminator())->getCondition(),
                                 pair.second->getCondition()};
  settle(cast<BranchInst>(copy->getTerminator()), pair.afterSide);
  settle(pair.second, !pair.afterSide);
  for (WeakTrackingVH &condition : conditions)
    if (condition)
      RecursivelyDeleteTriviallyDeadInstructions(condition);
  // One block where control cannot part: the melder pairs blocks.
  BasicBlock *behind[] = {copy->getSingleSuccessor(), middle->getSingleSuccessor()};
  for (BasicBlock *next : behind)
    MergeBlockIntoPredecessor(next);
  MergeBlockIntoPredecessor(copy);
  MergeBlockIntoPredecessor(middle);
}

} // namespace

PreservedAnalyses MeldTrianglesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!worthLooking(function) || !options_.wantsKernel(function.getName()))
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-triangles", point_);
  CurrentAnalyses current(function, analyses);
  bool changed = false, again = true;
  for (unsigned round = 0; again && round < options_.maxIterations * 64; ++round) {
    again = false;
    const BranchAnalyses &context = current.get();
    ReversePostOrderTraversal<Function *> order(&function);
    for (BasicBlock *block : order) {
      auto pair = findPair(*block, context);
      if (!pair)
        continue;
      auto *node = context.postDominators.getNode(pair->middle);
      BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
      Decision decision = recorder.at(*pair->first);
      DebugLoc where = pair->first->getDebugLoc();
      decision.reason = obstacleOf(*pair, join, context);
      MiddlePlan plan;
      if (decision.reason.empty()) {
        plan = planMiddle(*pair, join, context);
        const int saved = branchesSaved(*pair, join, plan, context.cost);
        decision.profit = 100.0 * (saved - plan.copied) / (saved + context.cost.divergentIfElse());
        // The copied code is run by both ways.
        if (plan.copied > saved && !options_.force)
          decision.reason = "the code between two ifs costs more than a branch";
        else if (!mayMeld(*pair->first, options_))
          decision.reason = leftOutReason;
      }
      if (!decision.reason.empty()) {
        recorder.record(std::move(decision), where);
        continue;
      }
      decision.melded = true;
      decision.reason = pair->second->getSuccessor(pair->afterSide ? 0 : 1) == join
                            ? "ifs on opposite conditions"
                            : "ifs on one condition";
      decision.alignment = "moved up " + std::to_string(plan.up.size()) + ", moved down " +
                           std::to_string(plan.down.size()) + ", cycles copied " +
                           std::to_string(plan.copied);
      bringTogether(*pair, std::move(plan), join);
      current.changed();
      recorder.record(std::move(decision), where);
      changed = again = true;
      break;
    }
  }
  if (!changed)
    return PreservedAnalyses::all();
  keepApart(function);
  current.leave();
  return keepAnalyses(function, analyses);
}

} // namespace meld::passes
