// Which machine code runs as often as which marker: where a sampled program counter belongs
// (docs/profile.md, "On hardware").
//
//   B1:  s_nop 0x10                      run 1, of marker 0x10
//        v_add_f32 v0, v0, v1
//        s_and_saveexec_b64 s[0:1], vcc
//        v_mov_b32 v2, 0                 run 2, of no marker: other lanes
//        s_cbranch_execz B3
//   B2:  v_mul_f32 v0, v0, v0            run 3, of markers 0x11 and 0x13
//        s_nop 0x11
//        s_nop 0x13
//
// A run is a straight line that nothing enters or leaves in the middle and in which EXEC stays as it
// is: all its instructions are executed equally often and by the same lanes, the markers among them.
// What writes EXEC is executed with what was in it, and ends the run. LLVM moves instructions past a
// marker, but not past a write to EXEC nor out of their block, so that they stay in the marker's run.
//
// Linear. Where control may go to a place that is not known (a jump through registers), or what an
// instruction does (one that LLVM cannot decode), there are no runs at all.
//
// Thread rule: pure functions.
#pragma once

#include "passes/cost/machine_code.h"

#include <vector>

namespace meld::jit {

/// Numbers of markers; 15 and less is the compiler's own s_nop.
constexpr unsigned firstMark = 16, lastMark = 0xffff;

struct MarkedRun {
  uint64_t begin = 0, end = 0; ///< bytes from the kernel's first instruction
  /// Instructions of the kinds that hardware reports as issued each time they are executed: vector,
  /// scalar, memory; not s_nop, s_waitcnt and the like, nor branches.
  uint32_t issued = 0;
  std::vector<unsigned> marks; ///< one that stands there twice is there twice
  bool operator==(const MarkedRun &) const = default;
};

/// Runs that have a marker, in the order of addresses.
std::vector<MarkedRun> markedRuns(const passes::MachineFunction &kernel);

} // namespace meld::jit
