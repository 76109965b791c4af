// A code object's module cut down to one of its kernels, before it is optimised: what the kernel
// does not reach goes, and with it the time to compile it.
//
// The variables stay what they are, definitions of the module, so that the optimiser sees what it
// saw when the original was made; they are bound to the original's behind it (bind.h). Refused is
// what only works inside the original object:
//
// - variables that have no name outside of it (internal linkage) and are written by anybody: the
//   version would have one of its own. Who writes is asked of the whole module, before the other
//   kernels go;
// - assembly at file level, of which nobody knows what it names.
//
// A use that the optimiser would have taken out counts, too: such a kernel has no version.
#pragma once

#include "llvm/IR/Module.h"

#include <string>

namespace meld::jit {

/// Why there can be no version of the kernel, or "" when `module` holds nothing but it and what it
/// reaches.
std::string isolateKernel(llvm::Module &module, llvm::StringRef kernel);

} // namespace meld::jit
