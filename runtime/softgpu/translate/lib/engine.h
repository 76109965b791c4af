// Compiles a module with one unit's function to host code, through ORC.
#pragma once

#include "runtime/softgpu/translate/abi.h"

#include "llvm/Support/Error.h"

namespace meld::softgpu::translate {

llvm::Expected<Compiled> compileUnit(const UnitInst *insts, uint32_t count, isa::Target target);
void releaseUnit(void *handle);

} // namespace meld::softgpu::translate
