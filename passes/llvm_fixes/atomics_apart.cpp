#include "passes/llvm_fixes/atomics_apart.h"
#include "passes/analysis/address_spaces.h"
#include "passes/compat.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/preserved.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// The operand that has to be the same in all lanes for the atomic to be combined; null: none.
Use *combinedBy(Instruction &instruction) {
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction)) {
    const unsigned space = atomic->getPointerAddressSpace();
    if (space != flatSpace && space != globalSpace && space != ldsSpace)
      return nullptr; // and what no register holds: a buffer's fat pointer
    return &atomic->getOperandUse(AtomicRMWInst::getPointerOperandIndex());
  }
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return nullptr;
  // Value, descriptor, then an offset or an index; all but the value have to be uniform.
  const StringRef name = call->getCalledFunction()->getName();
  for (const char *prefix :
       {"llvm.amdgcn.buffer.atomic.", "llvm.amdgcn.raw.buffer.atomic.",
        "llvm.amdgcn.struct.buffer.atomic.", "llvm.amdgcn.raw.ptr.buffer.atomic.",
        "llvm.amdgcn.struct.ptr.buffer.atomic."})
    if (compat::startsWith(name, prefix))
      return name.contains(".cmpswap") ? nullptr : &call->getArgOperandUse(2);
  return nullptr;
}

} // namespace

PreservedAnalyses AtomicsApartPass::run(Function &function, FunctionAnalysisManager &) {
  if (!compat::targetTriple(*function.getParent()).isAMDGPU())
    return PreservedAnalyses::all();
  SmallVector<Use *, 8> found;
  for (Instruction &instruction : instructions(function))
    if (Use *use = combinedBy(instruction))
      found.push_back(use);
  for (Use *use : found) {
    IRBuilder<> builder(cast<Instruction>(use->getUser()));
    use->set(hidden(builder, **use));
  }
  return blocksKept(!found.empty());
}

} // namespace meld::passes
