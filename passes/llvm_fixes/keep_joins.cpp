#include "passes/llvm_fixes/keep_joins.h"

#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/preserved.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
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

/// What code generation may make an `or` of conditions of: also a choice between them, a negated `and`, and an `or` of numbers that are
/// conditions extended.
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

/// What is read from a lane, for only SIFoldOperands finds a constant behind that; null: nothing is read, or what is none.
const Value *readFromLane(const Value &value) {
  auto *call = dyn_cast<IntrinsicInst>(&value);
  if (!call || (call->getIntrinsicID() != Intrinsic::amdgcn_readfirstlane &&
                call->getIntrinsicID() != Intrinsic::amdgcn_readlane))
    return nullptr;
  const Value *read = call->getArgOperand(0);
  return isa<LoadInst>(read) || isa<Argument>(read) ? nullptr : read;
}

/// Made of constants and of what is read from lanes, and of that at least one, by what SIFoldOperands computes or sees through.
bool isMadeOfReadings(const Value &made) {
  SmallVector<const Value *, 8> open{&made};
  SmallPtrSet<const Value *, 8> seen;
  bool reads = false;
  while (!open.empty()) {
    const Value *value = open.pop_back_val();
    if (isa<Constant>(value) || !seen.insert(value).second)
      continue;
    auto *instruction = dyn_cast<Instruction>(value);
    if (readFromLane(*value))
      reads = true;
    else if (instruction &&
             (instruction->isBitwiseLogicOp() || instruction->isShift() || instruction->isCast() ||
              isa<FreezeInst>(instruction) || isa<InsertElementInst>(instruction) ||
              isa<ExtractElementInst>(instruction) || isa<ShuffleVectorInst>(instruction)))
      open.append(instruction->op_begin(), instruction->op_end());
    else if (auto *select = dyn_cast<SelectInst>(value))
      open.append({select->getTrueValue(), select->getFalseValue()});
    else
      return false;
  }
  return reads;
}

KnownBits knownBits(const Value &number, const DataLayout &layout) {
  const Value *read = readFromLane(number);
  return computeKnownBits(read && read->getType()->isIntegerTy() ? read : &number, layout);
}

/// A register of the number may be all ones by what is known here, and that of the other is no constant, which would be folded rightly.
bool mayBeLost(const KnownBits &number, const KnownBits &other) {
  const unsigned bits = number.getBitWidth(); // of a vector: of an element
  for (unsigned from = 0; from < bits; from += 32) {
    const unsigned size = std::min(32u, bits - from);
    if (number.extractBits(size, from).Zero.isZero() && !other.extractBits(size, from).isConstant())
      return true;
  }
  return false;
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

  /// Numbers that may be all ones, by what is known here.
  bool keepNumbers(Instruction &join, const DataLayout &layout) {
    const unsigned bits = join.getType()->getPrimitiveSizeInBits().getFixedValue();
    if (bits > 64)
      return false;
    const Value *sides[] = {join.getOperand(0), join.getOperand(1)};
    bool changed = false;
    for (Use &operand : join.operands()) {
      const auto *made = dyn_cast<Instruction>(operand);
      if (!made || isa<PHINode>(made) || isa<LoadInst>(made))
        continue;
      const bool handedOn =
          made->getParent() != join.getParent() && join.getType()->isIntegerTy() && bits <= 32;
      if (!handedOn && !isMadeOfReadings(*made))
        continue;
      const Value &other = *sides[1 - operand.getOperandNo()];
      if (!mayBeLost(knownBits(*made, layout), knownBits(other, layout)))
        continue;
      IRBuilder<> builder(&join);
      Value *zeros =
          bits > 32 ? &longZero() : builder.CreateTrunc(&zero(), builder.getIntNTy(bits));
      operand.set(builder.CreateXor(operand, builder.CreateBitCast(zeros, join.getType())));
      changed = true;
    }
    return changed;
  }

private:
  /// A scalar register that is 0, of which nothing is known.
  CallInst &zero() {
    if (!zero_) {
      IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
      Type *type = builder.getInt32Ty();
      auto *assembly = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=s,0",
                                      /*hasSideEffects=*/false);
      zero_ = builder.CreateCall(assembly, {builder.getInt32(0)}, "zero");
      zero_->setDoesNotAccessMemory();
      zero_->setDoesNotThrow();
    }
    return *zero_;
  }

  /// Two of them.
  Value &longZero() {
    if (!longZero_) {
      IRBuilder<> builder(zero().getNextNode());
      Value *low = builder.CreateZExt(zero_, builder.getInt64Ty());
      longZero_ = builder.CreateOr(low, builder.CreateShl(low, 32));
    }
    return *longZero_;
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
  Value *none_ = nullptr, *longZero_ = nullptr;
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
  SmallVector<Instruction *, 32> joins, numbers;
  for (Instruction &instruction : instructions(function)) {
    if (isJoin(instruction) && gpu.waveSize() == 32)
      joins.push_back(&instruction);
    if (instruction.getOpcode() == Instruction::Or && !isCondition(instruction) &&
        !instruction.getType()->getPrimitiveSizeInBits().isScalable())
      numbers.push_back(&instruction);
  }
  Keeper keeper(function);
  bool changed = false;
  for (Instruction *condition : joinedConditions(joins)) {
    keeper.keep(*condition);
    changed = true;
  }
  for (Instruction *join : numbers)
    changed |= keeper.keepNumbers(*join, layout);
  return blocksKept(changed);
}

} // namespace meld::passes
