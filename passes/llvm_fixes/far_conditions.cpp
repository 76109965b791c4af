#include "passes/llvm_fixes/far_conditions.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/undefined_lanes.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/code_motion.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/melder/first_lane.h"
#include "passes/melder/place.h"
#include "passes/preserved.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// What decides over a branch, or a switch over one bit: what a negation negates, for which code
/// generation swaps the sides.
struct Decision {
  Value *condition = nullptr;
  bool negated = false;
};

struct Branches {
  SmallVector<std::pair<Instruction *, bool>, 2>
      asked;          ///< those to be changed; and whether they negate
  bool far = false;   ///< one is in another block than the condition
  bool moved = false; ///< the condition may be made outside of a cycle of one
  unsigned count = 0;
};

Decision decisionOf(const Instruction &terminator, const DominatorTree &dominators) {
  Value *condition = nullptr;
  if (auto *branch = dyn_cast<BranchInst>(&terminator); branch && branch->isConditional())
    condition = branch->getCondition();
  else if (auto *choice = dyn_cast<SwitchInst>(&terminator))
    condition = choice->getCondition();
  if (!condition || !condition->getType()->isIntegerTy(1))
    return {};
  Decision decision;
  decision.condition = &sameBehindPhis(*condition, dominators);
  Value *negated = nullptr;
  while (match(decision.condition, PatternMatch::m_Not(PatternMatch::m_Value(negated)))) {
    decision.condition = &sameBehindPhis(*negated, dominators);
    decision.negated ^= true;
  }
  auto *made = dyn_cast<Instruction>(decision.condition);
  if (made ? made->isTerminator() : !isa<Argument>(decision.condition))
    return {};
  return decision;
}

/// Whether code generation may make a number of the condition for another user than a branch.
bool isNumber(const Value &condition) {
  return any_of(condition.users(), [&](const User *user) {
    if (auto *chosen = dyn_cast<SelectInst>(user))
      return isa<Constant>(chosen->getTrueValue()) && isa<Constant>(chosen->getFalseValue());
    if (match(user, PatternMatch::m_Not(PatternMatch::m_Specific(&condition))))
      return isNumber(*user);
    auto *instruction = cast<Instruction>(user);
    return !instruction->isTerminator() && !isa<PHINode>(user) && !instruction->isBitwiseLogicOp();
  });
}

/// By condition, in the order of the blocks.
MapVector<Value *, Branches> farConditions(Function &function, FunctionAnalysisManager &analyses) {
  const auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  CodeMotion motion(analyses.getResult<AAManager>(function), dominators);
  CycleInfo cycles;
  cycles.compute(function);
  MapVector<Value *, Branches> found;
  for (BasicBlock &block : function) {
    if (!dominators.isReachableFromEntry(&block)) // a value may hang on itself there
      continue;
    Instruction *terminator = block.getTerminator();
    const auto [condition, negated] = decisionOf(*terminator, dominators);
    if (!condition)
      continue;
    Branches &of = found[condition];
    ++of.count;
    auto *made = dyn_cast<Instruction>(condition);
    const bool far = (made ? made->getParent() : &function.getEntryBlock()) != &block;
    const Cycle *around = cycles.getCycle(&block);
    const bool moved = around && motion.mayLeave(*condition, *around);
    of.far |= far;
    of.moved |= moved;
    if (far || moved)
      of.asked.push_back({terminator, negated});
  }
  found.remove_if([](const auto &entry) {
    const auto &[condition, of] = entry;
    return !of.moved && !(of.far && (of.count > 1 || isNumber(*condition)));
  });
  return found;
}

/// Behind what makes `condition`; an argument is there at the entry.
Instruction *behind(Value &condition, Function &function) {
  auto *made = dyn_cast<Instruction>(&condition);
  return made ? firstPlaceBehind(*made) : &*function.getEntryBlock().getFirstInsertionPt();
}

/// Whether some lane may have anything in what `condition` is made of; what is large may.
bool mayBeAnything(const Value &condition) {
  constexpr unsigned most = 64;
  SmallSetVector<const Value *, 16> made;
  made.insert(&condition);
  for (unsigned i = 0; i != made.size(); ++i) {
    auto *instruction = dyn_cast<Instruction>(made[i]);
    if (!instruction)
      continue;
    if (i == most)
      return true;
    for (const Use &operand : instruction->operands()) {
      if ((isa<PHINode>(instruction) || isa<FreezeInst>(instruction)) &&
          mayBeUndefined(operand, *instruction))
        return true;
      made.insert(operand);
    }
  }
  return false;
}

/// Lets `terminator` go by `number`, which is -1 where its condition was true or, if `negated`, false.
void decideBy(Value &number, Instruction &terminator, bool negated) {
  IRBuilder<> builder(&terminator);
  Value *read = firstLane(builder, &number);
  const auto compare = negated ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE;
  if (auto *branch = dyn_cast<BranchInst>(&terminator)) {
    branch->setCondition(builder.CreateICmp(compare, read, builder.getInt32(0)));
    return;
  }
  auto &choice = cast<SwitchInst>(terminator);
  if (negated)
    read = builder.CreateNot(read);
  choice.setCondition(read);
  for (auto way : choice.cases())
    way.setValue(builder.getInt(way.getCaseValue()->getValue().sext(32)));
}

} // namespace

PreservedAnalyses FarConditionsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  const auto conditions = farConditions(function, analyses);
  if (conditions.empty())
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  if (divergence.gpu().kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const BackendView backend(function, analyses, divergence);
  const ReversePostOrderTraversal<const Function *> order(&function);
  const bool irreducible = containsIrreducibleCFG<const BasicBlock *>(order, divergence.loops());
  auto isUniform = [&](const Instruction &terminator) {
    const bool known = divergence.firstLaneBranchWidth(terminator.getParent()) >= Width::wave;
    return irreducible ? known
                       : backend.isScalar(terminator) &&
                             (known || !mayBeAnything(*terminator.getOperand(0)));
  };
  bool changed = false;
  for (const auto &[condition, branches] : conditions) {
    Value *number = nullptr;
    for (const auto &[terminator, negated] : branches.asked) {
      if (!isUniform(*terminator))
        continue;
      if (!number) {
        IRBuilder<> builder(behind(*condition, function));
        number = hiddenNumber(builder, *condition);
      }
      decideBy(*number, *terminator, negated);
      changed = true;
    }
  }
  return blocksKept(changed);
}

} // namespace meld::passes
