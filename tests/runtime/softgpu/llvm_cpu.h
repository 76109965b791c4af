// The name by which the LLVM at hand knows a target, and the features that go with it.
#pragma once

#include "runtime/softgpu/isa/decoder.h"

#include <llvm/Config/llvm-config.h>
#include <string>

namespace meld::softgpu::test {

inline std::string cpuName(isa::Target target) {
  // gfx950 came with LLVM 20; gfx942 has most of its instructions.
  if (target == isa::Target::gfx950 && LLVM_VERSION_MAJOR < 20)
    return cpuName(isa::Target::gfx942);
  // GFX12 came with LLVM 18. What stands in has few of its instructions and is asked for none.
  if (target == isa::Target::gfx1201 || target == isa::Target::gfx1201w64)
    return LLVM_VERSION_MAJOR < 18 ? "gfx1100" : "gfx1201";
  // gfx942 came with LLVM 17; its predecessor, which was not sold, has the same instructions.
  if (target == isa::Target::gfx942 && LLVM_VERSION_MAJOR < 17)
    return "gfx940";
  return std::string(isa::targetName(target));
}

/// Machine code does not say how many lanes a wave has: GFX10 is told.
inline std::string cpuFeatures(isa::Target target) {
  if (isa::traitsOf(target).generation < 10)
    return "-xnack";
  return isa::traitsOf(target).waveSize == 32 ? "+wavefrontsize32,-wavefrontsize64"
                                              : "-wavefrontsize32,+wavefrontsize64";
}

/// For the names of parametrised tests.
inline std::string testName(isa::Target target) {
  const std::string name(isa::targetName(target));
  return isa::withWaveSize(target, 32) != target && isa::traitsOf(target).generation >= 10
             ? name + "w64"
             : name;
}

} // namespace meld::softgpu::test
