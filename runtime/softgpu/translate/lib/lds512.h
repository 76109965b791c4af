// LDS reads and writes for hosts with AVX-512: stand-ins for the interpreter's handlers.
//
// Most accesses of a pass (32 lanes of b32, 16 of b64, 8 of b128) lie within 32 consecutive dwords:
// consecutive elements, permutations of them, rows of a tile, broadcasts. Such a pass has no bank
// conflict, and a read of it is two loads and a permute instead of a gather:
//
//   window  W = 32 dwords from the first active lane's address, or from the multiple of 128 below
//   lane l  dst = W[(address_l - base) / 4]                                          (vpermt2d)
//
// Anything else (a lane outside, misaligned, near the end of LDS) goes to the interpreter's handler
// before a register is written: results and counters are the same.
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu::translate {

/// A handler that does what e->run does, or nullptr.
Handler lds512Handler(const ExecInst *e);

} // namespace meld::softgpu::translate
