#include "passes/analysis/ordered_accesses.h"
#include "passes/analysis/own_memory.h"
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
  if (!instruction.isAtomic() && !instruction.isVolatile())
    return isOnlyOurs(instruction, gpu_) ? none : plain(instruction);
  return isa<LoadInst>(instruction) ? reads : isa<StoreInst>(instruction) ? stores : updates;
}

unsigned OrderedAccesses::of(const BasicBlock &block) {
  unsigned kinds = none;
  for (const Instruction &instruction : block)
    kinds |= of(instruction);
  return kinds;
}

bool OrderedAccesses::areIn(const BasicBlock &block) {
  return any_of(block, [&](const Instruction &instruction) { return of(instruction) & ordered; });
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
  if (!callee || callee->isDeclaration() || callee->isInterposable())
    return anything;
  return known_.ask(*callee, [&] {
    unsigned kinds = none;
    for (const Instruction &instruction : instructions(*callee))
      kinds |= of(instruction);
    return kinds;
  });
}

} // namespace meld::passes
