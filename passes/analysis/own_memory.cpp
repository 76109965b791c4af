#include "passes/analysis/own_memory.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"

namespace meld::passes {

using namespace llvm;

bool isOnlyOurs(const Instruction &access, const GpuInfo &gpu) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  if (!pointer)
    return false;
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  if (access.hasMetadata(LLVMContext::MD_invariant_load) || gpu.isConstantAddressSpace(space) ||
      space == gpu.privateAddressSpace())
    return true;
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects, [&](const Value *object) {
    if (auto *global = dyn_cast<GlobalVariable>(object))
      return global->isConstant();
    return isa<AllocaInst>(object) || gpu.isReadOnlyArgument(*object);
  });
}

} // namespace meld::passes
