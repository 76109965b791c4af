// Memory that no other thread changes: private, constant, or by the program's word only read.
#pragma once

#include "passes/analysis/gpu_info.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

/// Nothing but this thread writes where the load or store goes for as long as the kernel runs.
bool isOnlyOurs(const llvm::Instruction &access, const GpuInfo &gpu);

} // namespace meld::passes
