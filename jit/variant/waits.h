// Whether a kernel may wait for a work-group that is not running yet.
//
//   while (atomicLoad(arrived) < groups) {}    a barrier of the program's own over all work-groups:
//                                              the host has launched as many as fit on the device
//                                              at once, by the registers and LDS of the original
//
// A version that needs more of these lets fewer run at once; the others would be waited for by those
// that are there, for ever. So such a kernel's versions may not lower the occupancy. The work-group's
// own barrier does not count: all of its waves run at once or none.
//
// Looked at is the optimised module, in which variables are values (in memory of the thread's own
// the value that a loop polls would be lost sight of). Terminates: each cycle of each function once.
// Errs to "waits" (waiting_cycles.h, waiting_calls.h).
#pragma once

#include "llvm/IR/Module.h"

namespace meld::jit {

bool mayWaitForWorkgroups(llvm::Module &module);

} // namespace meld::jit
