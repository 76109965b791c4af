#include "passes/llvm_fixes/keep_joins.h"

#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/few_bits.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/preserved.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

bool isCondition(const Value &value) { return value.getType()->isIntegerTy(1); }

bool isAnd(const Instruction &condition) {
  return match(&condition, m_And(m_Value(), m_Value())) ||
         match(&condition, m_Select(m_Value(), m_Value(), m_Zero())) ||
         match(&condition, m_Select(m_Value(), m_Zero(), m_Value()));
}

/// What code generation may make an `or` of conditions of: also a choice between them, a negated
/// `and`, and an `or` of numbers that are conditions extended.
bool isJoin(const Instruction &instruction) {
  if (match(&instruction, m_Or(m_Value(), m_Value())))
    return true;
  if (!isCondition(instruction))
    return false;
  if (isAnd(instruction))
    return any_of(instruction.users(),
                  [](const User *user) { return match(user, m_Not(m_Value())); });
  return isa<SelectInst>(instruction) ||
         (isa<ICmpInst>(instruction) && isCondition(*instruction.getOperand(0)));
}

/// Made of other conditions or, extended, of one: what is kept are those.
bool isMadeOfConditions(const Instruction &instruction) {
  if (isa<ZExtInst>(instruction) || isa<SExtInst>(instruction))
    return isCondition(*instruction.getOperand(0));
  return isCondition(instruction) &&
         (isa<BinaryOperator>(instruction) || isa<SelectInst>(instruction) ||
          isa<FreezeInst>(instruction) || isa<PHINode>(instruction) ||
          (isa<ICmpInst>(instruction) && isCondition(*instruction.getOperand(0))));
}

/// Conditions that code generation may come to know, of which joins are made. In the order of `joins`.
SmallVector<Instruction *, 16> joinedConditions(ArrayRef<Instruction *> joins) {
  SmallVector<Instruction *, 16> found;
  SmallPtrSet<const Value *, 32> seen;
  SmallVector<Value *, 16> open;
  for (Instruction *join : joins) {
    open.append(join->op_begin(), join->op_end());
    while (!open.empty()) {
      auto *made = dyn_cast<Instruction>(open.pop_back_val());
      if (!made || !seen.insert(made).second)
        continue; // an argument is unknown as it is
      if (isMadeOfConditions(*made))
        open.append(made->op_begin(), made->op_end());
      else if (isCondition(*made) && !made->isTerminator() && !isa<LoadInst>(made))
        found.push_back(made);
    }
  }
  return found;
}

/// As far as is looked through choices.
constexpr unsigned mostChoices = 4;

/// Bits of an element of a vector that are ones. Of a choice LLVM says what all elements have.
APInt onesOf(const Value &vector, unsigned element, const DataLayout &layout, unsigned depth = 0) {
  const unsigned elements = cast<FixedVectorType>(vector.getType())->getNumElements();
  if (const auto *choice = dyn_cast<SelectInst>(&vector); choice && depth != mostChoices)
    return onesOf(*choice->getTrueValue(), element, layout, depth + 1) &
           onesOf(*choice->getFalseValue(), element, layout, depth + 1);
  return computeKnownBits(&vector, APInt::getOneBitSet(elements, element), layout).One;
}

/// Words of each element of `number` that are known to be all ones, as bits of the element; none
/// where it is a constant, which instruction selection folds. What an element has beyond its last
/// whole word counts as a word: it may be extended by signs.
SmallVector<APInt, 4> wordsOfOnes(const Value &number, const DataLayout &layout) {
  const auto *vector = dyn_cast<FixedVectorType>(number.getType());
  const unsigned elements = vector ? vector->getNumElements() : 1;
  const unsigned bits = number.getType()->getScalarSizeInBits();
  SmallVector<APInt, 4> found(elements, APInt(bits, 0));
  if (isa<Constant>(number))
    return found;
  for (unsigned i = 0; i != elements; ++i) {
    const APInt ones = vector ? onesOf(number, i, layout) : computeKnownBits(&number, layout).One;
    for (unsigned at = 0; at < bits; at += wordBits) {
      const APInt mask = APInt::getBitsSet(bits, at, std::min(at + wordBits, bits));
      if (mask.isSubsetOf(ones))
        found[i] |= mask;
    }
  }
  return found;
}

/// A reading from a lane, of which SIFoldOperands makes a constant where what is read is one. What
/// is loaded, or an argument, is none.
bool readsFromLane(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call &&
         (call->getIntrinsicID() == Intrinsic::amdgcn_readfirstlane ||
          call->getIntrinsicID() == Intrinsic::amdgcn_readlane) &&
         !isa<LoadInst>(call->getArgOperand(0)) && !isa<Argument>(call->getArgOperand(0));
}

/// What is read stays a register of the vector unit, of which nothing is known: no instruction.
bool keepReading(Instruction &reading) {
  IRBuilder<> builder(&reading);
  Value *same = hiddenForReading(builder, *reading.getOperand(0));
  if (same)
    reading.setOperand(0, same);
  return same;
}

class Keeper {
public:
  explicit Keeper(Function &function) : function_(function) {}

  /// Branches, and selects of numbers, go by the condition itself.
  void keep(Instruction &condition) {
    IRBuilder<> builder(condition.getNextNode());
    auto *same = cast<Instruction>(builder.CreateXor(&condition, &none()));
    condition.replaceUsesWithIf(same, [&](const Use &use) {
      const auto *user = cast<Instruction>(use.getUser());
      return user != same && (isCondition(*user) || isMadeOfConditions(*user));
    });
  }

  /// Numbers that another block has made, and that may be all ones by what is known here.
  bool keepNumbers(Instruction &join, const DataLayout &layout) {
    if (!join.getType()->isIntegerTy() || join.getType()->getIntegerBitWidth() > wordBits)
      return keepWords(join, layout);
    const Value *sides[] = {join.getOperand(0), join.getOperand(1)};
    bool changed = false;
    for (Use &operand : join.operands()) {
      const auto *made = dyn_cast<Instruction>(operand);
      if (!made || isa<PHINode>(made) || isa<LoadInst>(made) ||
          made->getParent() == join.getParent())
        continue;
      const Value &other = *sides[1 - operand.getOperandNo()];
      if (!computeKnownBits(made, layout).Zero.isZero() ||
          computeKnownBits(&other, layout).isConstant())
        continue;
      IRBuilder<> builder(&join);
      operand.set(builder.CreateXor(operand, builder.CreateTrunc(&zero(), join.getType())));
      changed = true;
    }
    return changed;
  }

private:
  /// Of numbers of several words those that are all ones whatever the others are: they are what the
  /// machine's `or` has for an operand.
  bool keepWords(Instruction &join, const DataLayout &layout) {
    if (isa<ScalableVectorType>(join.getType()))
      return false;
    bool changed = false;
    for (Use &operand : join.operands()) {
      const SmallVector<APInt, 4> ones = wordsOfOnes(*operand, layout);
      if (all_of(ones, [](const APInt &words) { return words.isZero(); }))
        continue;
      IRBuilder<> builder(&join);
      Type *element = join.getType()->getScalarType();
      Value *nothing = Constant::getNullValue(join.getType());
      for (unsigned i = 0; i != ones.size(); ++i) {
        Value *zeros = zeroIn(builder, element, ones[i]);
        nothing = join.getType()->isVectorTy()
                      ? builder.CreateInsertElement(nothing, zeros, uint64_t{i})
                      : zeros;
      }
      operand.set(builder.CreateXor(operand, nothing));
      changed = true;
    }
    return changed;
  }

  /// 0, of which nothing is known in these words.
  Value *zeroIn(IRBuilder<> &builder, Type *type, const APInt &words) {
    Value *result = nullptr;
    for (unsigned at = 0; at < words.getBitWidth(); at += wordBits) {
      if (!words[at])
        continue;
      Value *word = builder.CreateZExtOrTrunc(&zero(), type);
      word = at ? builder.CreateShl(word, at) : word;
      result = result ? builder.CreateOr(result, word) : word;
    }
    return result ? result : Constant::getNullValue(type);
  }

  /// A scalar register that is 0, of which nothing is known.
  CallInst &zero() {
    if (!zero_) {
      IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
      zero_ = emptyStatement(builder, builder.getInt32Ty(), {builder.getInt32(0)}, "=s,0");
      zero_->setName("zero");
    }
    return *zero_;
  }

  /// A mask without lanes, of which nothing is known either.
  Value &none() {
    if (!none_) {
      IRBuilder<> builder(zero().getNextNode());
      none_ = builder.CreateICmpNE(zero_, builder.getInt32(0), "none");
    }
    return *none_;
  }

  Function &function_;
  CallInst *zero_ = nullptr;
  Value *none_ = nullptr;
};

} // namespace

PreservedAnalyses KeepJoinsPass::run(Function &function, FunctionAnalysisManager &) {
  if (function.isDeclaration() || !options_.wantsKernel(function.getName()) ||
      hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  const GpuInfo gpu(function);
  if (gpu.kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getParent()->getDataLayout();
  SmallVector<Instruction *, 32> joins, numbers, readings;
  for (Instruction &instruction : instructions(function)) {
    if (isJoin(instruction) && gpu.waveSize() == 32)
      joins.push_back(&instruction);
    if (instruction.getOpcode() == Instruction::Or && !isCondition(instruction))
      numbers.push_back(&instruction);
    if (readsFromLane(instruction))
      readings.push_back(&instruction);
  }
  Keeper keeper(function);
  bool changed = false;
  for (Instruction *condition : joinedConditions(joins)) {
    keeper.keep(*condition);
    changed = true;
  }
  for (Instruction *join : numbers)
    changed |= keeper.keepNumbers(*join, layout);
  for (Instruction *reading : readings)
    changed |= keepReading(*reading);
  return blocksKept(changed);
}

} // namespace meld::passes
