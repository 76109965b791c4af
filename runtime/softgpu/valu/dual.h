// Instructions that are two operations, see dual.cpp.
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu::valu {

/// Fills `e` for an instruction of encoding VOPD; false: one of its operations is not executed.
bool prepareDual(ExecInst &e, isa::Target target);

} // namespace meld::softgpu::valu
