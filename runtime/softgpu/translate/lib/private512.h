// Private memory (an array in scratch, spills), through a buffer or by scratch_*, for hosts with AVX-512:
// stand-ins for the interpreter's handlers.
//
// Lanes at any dword-aligned offsets within 64 dwords of each other, all in range: one gather or
// scatter for each 16 lanes and dword. Private memory is interleaved, row r has dword r of all
// lanes:
//
//   lane l, offset o    base + (o / 4) * 4 * lanes + 4 l
//
// so distinct lines are distinct rows among the lanes of a line. Anything else goes to the
// interpreter's handler before anything is written: results, faults and counters are the same.
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu::translate {

/// A handler that does what e->run does when the wave has no address mapper, or nullptr.
Handler private512Handler(const ExecInst *e);

} // namespace meld::softgpu::translate
