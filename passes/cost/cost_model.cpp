#include "passes/cost/cost_model.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace meld::passes {

using namespace llvm;

static constexpr int full = 4;     // full-rate VALU, SALU
static constexpr int quarter = 16; // transcendental, 32-bit integer multiply

CostModel::CostModel(const Function &function, const GpuInfo &gpu)
    : layout_(function.getParent()->getDataLayout()), gpu_(gpu) {}

int CostModel::words(Type *type) const {
  if (!type->isSized())
    return 1;
  if (auto *vector = dyn_cast<FixedVectorType>(type); vector && vector->getScalarSizeInBits() >= 32)
    return int(vector->getNumElements()) * words(vector->getElementType());
  uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  if (bits == 0) // pointers and aggregates: the layout has to look them up
    bits = layout_.getTypeSizeInBits(type).getFixedValue();
  return std::max(1, int((bits + 31) / 32));
}

int CostModel::select(Type *type) const {
  if (type->isIntegerTy(1))
    return 3 * full;
  return full * words(type);
}

int CostModel::memory(unsigned space, Type *type, bool store) const {
  int size = words(type);
  if (space == gpu_.localAddressSpace())
    return 4 + 4 * size; // neighbours are fused into ds_read2/ds_write2, so one is about half
  if (gpu_.isConstantAddressSpace(space))
    return 12 + 2 * size;
  // Global, flat and scratch go through the vector memory unit; latency is shared by the waves of a
  // SIMD.
  int issue = space == 0 ? 28 : 24;
  return issue + (store ? 2 : 4) * size;
}

int CostModel::call(const CallBase &call) const {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic)
    return call.isInlineAsm() ? 8 : 200;
  int size = words(call.getType());
  switch (intrinsic->getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_label:
  case Intrinsic::dbg_value:
  case Intrinsic::donothing:
  case Intrinsic::expect:
    return 0;
  case Intrinsic::fabs: // a source modifier
    return 0;
  case Intrinsic::sqrt:
    return call.getType()->getScalarType()->isDoubleTy() ? 160 : 48;
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
  case Intrinsic::pow:
    return 2 * quarter * size;
  case Intrinsic::ctpop:
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
    return 2 * full * size;
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
  case Intrinsic::memset:
    return 200;
  default:
    break;
  }
  StringRef callee = intrinsic->getCalledFunction()->getName();
  if (callee.contains("amdgcn.rcp") || callee.contains("amdgcn.rsq") ||
      callee.contains("amdgcn.sqrt") || callee.contains("amdgcn.sin") ||
      callee.contains("amdgcn.cos") || callee.contains("amdgcn.log") ||
      callee.contains("amdgcn.exp"))
    return quarter * size;
  if (call.mayReadOrWriteMemory())
    return 32;
  return full * size;
}

// By a power of two or the negative of one: a shift, and a sum that mostly becomes a difference. Any
// other constant is multiplied by, also one of two bits (v_mul_lo_u32, v_mad_u64_u32).
int CostModel::multiply(const Instruction &instruction, const Value *factor) const {
  Type *type = instruction.getType();
  const int size = words(type);
  if (type->getScalarSizeInBits() > 32)
    return 4 * quarter;
  if (type->getScalarSizeInBits() <= 16)
    return full * size;
  if (auto *constant = dyn_cast_or_null<ConstantInt>(factor)) {
    const APInt &value = constant->getValue();
    if (value.isZero() || value.isPowerOf2() || value.isNegatedPowerOf2())
      return full;
  }
  return quarter * size;
}

int CostModel::divide(const Instruction &instruction, const Value *divisor) const {
  Type *type = instruction.getType();
  if (divisor && isa<Constant>(divisor))
    return 2 * quarter * words(type);
  return (type->getScalarSizeInBits() > 32 ? 400 : 110) * words(type);
}

int CostModel::merged(const Instruction &left, const Instruction &right, bool swapped) const {
  const bool sameSecond = left.getNumOperands() > 1 && right.getNumOperands() > 1 &&
                          left.getOperand(1) == right.getOperand(swapped ? 0 : 1);
  if (left.getOpcode() == Instruction::Mul && !sameSecond)
    return multiply(left, nullptr);
  if (left.isIntDivRem() && !sameSecond)
    return divide(left, nullptr);
  return std::max(instruction(left), instruction(right));
}

int CostModel::instruction(const Instruction &instruction) const {
  Type *type = instruction.getType();
  int size = words(type);
  bool isDouble = type->getScalarType()->isDoubleTy();
  bool isLong = type->getScalarType()->isIntegerTy() && type->getScalarSizeInBits() > 32;
  switch (instruction.getOpcode()) {
  case Instruction::PHI:
  case Instruction::BitCast:
  case Instruction::IntToPtr:
  case Instruction::PtrToInt:
  case Instruction::Trunc:
  case Instruction::Freeze:
  case Instruction::Alloca:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
  case Instruction::FNeg:
  case Instruction::Unreachable:
    return 0;
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return full * size;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return isLong ? 2 * full * size : full * size;
  case Instruction::Mul:
    return multiply(instruction, instruction.getOperand(1));
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return divide(instruction, instruction.getOperand(1));
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
    return isDouble ? 2 * full * size : full * size;
  case Instruction::FDiv:
    if (instruction.hasAllowReciprocal() || instruction.hasApproxFunc())
      return (quarter + full) * size;
    return isDouble ? 80 * size : 64 * size;
  case Instruction::FRem:
    return 120 * size;
  case Instruction::FPTrunc:
  case Instruction::FPExt:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return full * std::max(size, words(instruction.getOperand(0)->getType()));
  case Instruction::AddrSpaceCast:
    return 2 * full;
  case Instruction::ICmp:
  case Instruction::FCmp:
    return full * words(instruction.getOperand(0)->getType());
  case Instruction::Select:
    return select(type);
  case Instruction::GetElementPtr: {
    auto &gep = cast<GetElementPtrInst>(instruction);
    if (gep.hasAllConstantIndices())
      return full * size;
    return full * size + full; // shift and (wide) add
  }
  case Instruction::Load:
    return memory(cast<LoadInst>(instruction).getPointerAddressSpace(), type, false);
  case Instruction::Store:
    return memory(cast<StoreInst>(instruction).getPointerAddressSpace(),
                  instruction.getOperand(0)->getType(), true);
  case Instruction::AtomicRMW:
    return 24 + memory(cast<AtomicRMWInst>(instruction).getPointerAddressSpace(), type, false);
  case Instruction::AtomicCmpXchg:
    return 24 + memory(cast<AtomicCmpXchgInst>(instruction).getPointerAddressSpace(), type, false);
  case Instruction::Fence:
    return 8;
  case Instruction::ExtractElement:
    return isa<Constant>(instruction.getOperand(1)) ? 0 : 4 * full;
  case Instruction::InsertElement:
    return isa<Constant>(instruction.getOperand(2)) ? full : 4 * full;
  case Instruction::ShuffleVector:
    return full;
  case Instruction::Call:
    return call(cast<CallBase>(instruction));
  case Instruction::Br:
    return uniformBranch(cast<BranchInst>(instruction).isConditional());
  case Instruction::Switch:
    return uniformBranch(true) * int(1 + cast<SwitchInst>(instruction).getNumCases());
  default:
    return full * size;
  }
}

} // namespace meld::passes
