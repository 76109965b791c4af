#include "passes/analysis/ordered_accesses.h"
#include "passes/analysis/call_limits.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

static unsigned plain(const Instruction &instruction) {
  return (instruction.mayReadFromMemory() ? OrderedAccesses::plainReads : OrderedAccesses::none) |
         (instruction.mayWriteToMemory() ? OrderedAccesses::plainStores : OrderedAccesses::none);
}

// Nobody else gets there, or nobody writes there.
static bool isOwn(const Instruction &access, const GpuInfo &gpu) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  if (!pointer)
    return false;
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  return space == gpu.privateAddressSpace() || gpu.isConstantAddressSpace(space) ||
         isa<AllocaInst>(getUnderlyingObject(pointer)) ||
         access.hasMetadata(LLVMContext::MD_invariant_load);
}

static unsigned ofIntrinsic(const IntrinsicInst &intrinsic) {
  if (auto *copy = dyn_cast<AnyMemIntrinsic>(&intrinsic))
    return copy->isVolatile() || !isa<MemIntrinsic>(copy) ? OrderedAccesses::anything
                                                          : plain(*copy);
  // Of LLVM's own the others are plain accesses, or none.
  if (!intrinsic.getCalledFunction()->isTargetIntrinsic())
    return intrinsic.isAssumeLikeIntrinsic() ? OrderedAccesses::none : plain(intrinsic);
  const StringRef name = intrinsic.getCalledFunction()->getName();
  if (name.contains(".ldg.") || name.contains(".ldu."))
    return OrderedAccesses::none; // NVPTX: of memory that nobody writes meanwhile
  const bool hasPolicy =
      name.contains(".raw.") || name.contains(".struct.") || name.contains(".image.");
  if (hasPolicy && !name.contains("atomic")) {
    auto *policy = dyn_cast<ConstantInt>(intrinsic.getArgOperand(intrinsic.arg_size() - 1));
    return policy && policy->isZero() ? plain(intrinsic) : OrderedAccesses::anything;
  }
  return intrinsic.onlyReadsMemory()    ? OrderedAccesses::reads
         : intrinsic.onlyWritesMemory() ? OrderedAccesses::stores
                                        : OrderedAccesses::updates;
}

unsigned OrderedAccesses::of(const Instruction &instruction) {
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return ofCall(*call);
  if (isa<FenceInst>(instruction))
    return fences;
  if (!instruction.isAtomic() && !instruction.isVolatile()) {
    if (!gpu_)
      gpu_.emplace(*instruction.getFunction());
    return isOwn(instruction, *gpu_) ? none : plain(instruction);
  }
  return isa<LoadInst>(instruction) ? reads : isa<StoreInst>(instruction) ? stores : updates;
}

unsigned OrderedAccesses::of(const BasicBlock &block) {
  unsigned kinds = none;
  for (const Instruction &instruction : block)
    kinds |= of(instruction);
  return kinds;
}

bool OrderedAccesses::keepOrder(unsigned before, unsigned behind) {
  unsigned seen = reads | stores | updates;
  if ((before | behind) & fences)
    seen |= plainReads | plainStores;
  before &= seen;
  behind &= seen;
  const unsigned all = before | behind;
  return before && behind && (all & ~(reads | plainReads)) && all != updates;
}

unsigned OrderedAccesses::ofCall(const CallBase &call) {
  if (call.doesNotAccessMemory())
    return none;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return ofIntrinsic(*intrinsic);
  if (call.isInlineAsm())
    return cast<InlineAsm>(call.getCalledOperand())->getAsmString().empty() ? none : anything;
  const Function *callee = call.getCalledFunction();
  return callee && !callee->isDeclaration() && !callee->isInterposable() ? ofBody(*callee)
                                                                         : anything;
}

unsigned OrderedAccesses::ofBody(const Function &callee) {
  // What recursion finds while we are at work: anything.
  auto [known, isNew] = known_.try_emplace(&callee, anything);
  if (!isNew)
    return known->second;
  if (depth_ == maxChainOfCalls || callee.getInstructionCount() > maxInstructionsOfCallee)
    return anything;
  ++depth_;
  unsigned kinds = none;
  for (const Instruction &instruction : instructions(callee))
    kinds |= of(instruction);
  --depth_;
  known_[&callee] = kinds;
  return kinds;
}

} // namespace meld::passes
