// Global loads and stores of whole dwords for hosts with AVX-512: stand-ins for the interpreter's
// handlers.
//
// When the active lanes' addresses are consecutive groups of N dwords (base + 4 N lane), naturally
// aligned, the access is N masked vector loads or stores per 16 lanes; for N of 2 and 4 the dwords
// change places between memory and registers by permutes. Masked-off lanes are not touched, so one
// path serves every EXEC. Aligned groups anywhere within 60 cache lines are gathered and scattered.
// Anything else goes to the interpreter's handler before anything is written: results, faults and
// counters are the same.
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu::translate {

/// A handler that does what e->run does when the wave has no address mapper, or nullptr.
Handler global512Handler(const ExecInst *e);

} // namespace meld::softgpu::translate
