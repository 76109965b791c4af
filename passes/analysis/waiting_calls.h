// Which single instructions may wait for another thread: calls, since nothing else stays.
//
//   s_barrier()              waits: for other waves of the workgroup, which may wait for this one
//   asm volatile("...")      may be a loop of its own
//   tryLock(l)               does not: its body has no waits
//   lock(l)                  waits: its body has a cycle that does
//   (*f)(x), declared()      may, unless someone has promised that it returns (`willreturn`)
//
// Of LLVM's intrinsics those wait that are convergent and have effects (barriers of all kinds; not
// the scheduling barriers, which are no instruction of the machine), and those of the target that
// have effects and are not known to end: accesses to memory, s_sleep and priorities are.
//
// Of functions that are called by per_callee.h; what that calls unknown counts as waiting.
#pragma once

#include "passes/analysis/per_callee.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

class WaitingCalls {
public:
  bool mayWait(const llvm::Instruction &instruction);

private:
  bool mayWait(const llvm::Function &callee);

  PerCallee<bool> known_{true}; ///< unknown: it waits
};

} // namespace meld::passes
