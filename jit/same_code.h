// Whether two kernels are the same machine code, wherever they and what they refer to stand.
//
//   s_getpc_b64 s[4:5]                   the distance to a variable or function, which hangs on the
//   s_add_u32 s4, s4, 0x1234       <-    sizes of the kernels in between
//   s_addc_u32 s5, s5, 0
//
// All else is compared bit by bit. Linear. Thread rule: as Disassembler.
#pragma once

#include "jit/machine_code.h"

namespace meld::jit {

bool isSameCode(const Disassembler &disassembler, const Kernel &a, const Kernel &b);

} // namespace meld::jit
