#include "jit/variant/waits.h"

#include "passes/analysis/waiting_calls.h"
#include "passes/analysis/waiting_cycles.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace meld::jit {

namespace {

bool isWorkgroupBarrier(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::amdgcn_s_barrier;
}

} // namespace

bool mayWaitForWorkgroups(Module &module) {
  passes::WaitingCalls calls;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    // What a function that is called here does, is seen when its own turn comes.
    for (const Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration())
        continue;
      if (!isWorkgroupBarrier(instruction) && calls.mayWait(instruction))
        return true;
    }
    CycleInfo cycles;
    cycles.compute(function);
    const DominatorTree dominators(function);
    const passes::GpuInfo gpu(function);
    SmallVector<const Cycle *, 8> open(cycles.toplevel_begin(), cycles.toplevel_end());
    while (!open.empty()) {
      const Cycle *cycle = open.pop_back_val();
      if (passes::goesRoundForOthers(*cycle, cycles, dominators, gpu))
        return true;
      open.append(cycle->child_begin(), cycle->child_end());
    }
  }
  return false;
}

} // namespace meld::jit
