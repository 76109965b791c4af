// The name by which the LLVM at hand knows a target.
#pragma once

#include "runtime/softgpu/isa/decoder.h"

#include <llvm/Config/llvm-config.h>
#include <string>

namespace meld::softgpu::test {

inline std::string cpuName(isa::Target target) {
  // gfx942 came with LLVM 17; its predecessor, which was not sold, has the same instructions.
  if (target == isa::Target::gfx942 && LLVM_VERSION_MAJOR < 17)
    return "gfx940";
  return std::string(isa::targetName(target));
}

} // namespace meld::softgpu::test
