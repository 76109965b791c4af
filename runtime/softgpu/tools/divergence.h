// Where the lanes of a kernel are lost, and what parts them: the analysis behind `meld divergence`.
//
// A vector instruction has a slot for each lane that its wave began with; a slot is lost when the
// lane sat it out. Each lost slot belongs to the source line of its instruction (where it was lost)
// and to a parting point: the branch or the loop that the lane waited for (why). Lanes that a wave
// never had, in a workgroup that does not fill it, are `empty` and not counted as lost.
//
// Cycles are what the instructions keep their unit busy for by the timing model's parameters
// (runtime/softgpu/timing): the vector ALU by the opcode's rate, memory and LDS the least that one
// takes. A lost slot is its share of them: a 64th, in waves of 32 lanes a 32nd. Time spent waiting
// for memory is not in them: they say how much of the issue carries nothing, not how much faster a
// program would be.
//
// docs/divergence.md is the page for people. Thread rule: none.
#pragma once

#include "runtime/softgpu/tools/condition_lines.h"

#include <optional>
#include <vector>

namespace meld::softgpu {

/// Sums over vector instructions.
struct SlotCounts {
  uint64_t executions = 0;     ///< by waves
  uint64_t lanes = 0;          ///< slots in which a lane took part
  uint64_t lost = 0;           ///< slots that a lane of the wave sat out
  uint64_t cycles = 0;         ///< issue cycles, modelled
  uint64_t lostLaneCycles = 0; ///< 64ths of issue cycles

  void add(const SlotCounts &other);
  double lostShare() const { return lanes + lost ? double(lost) / double(lanes + lost) : 0; }
  double lostCycles() const { return double(lostLaneCycles) / 64; }
};

struct LineCounts {
  SourceLine where; ///< line 0: unknown
  SlotCounts counts;
};

/// What is known of a loop's trips: a wave goes round until its last lane is through.
struct LoopTrips {
  int64_t header = 0;
  unsigned depth = 1;
  uint64_t entries = 0, rounds = 0;         ///< by waves
  uint64_t laneEntries = 0, laneRounds = 0; ///< by lanes
  double waveMean() const { return entries ? double(rounds) / double(entries) : 0; }
  double laneMean() const { return laneEntries ? double(laneRounds) / double(laneEntries) : 0; }
};

/// One machine instruction that takes lanes out of EXEC.
struct Parting {
  int64_t offset = 0;
  std::string text;
  uint64_t executions = 0;
  uint64_t parted = 0; ///< those in which some lanes went and others stayed
  uint64_t lost = 0;
};

/// A branch or a loop of the source. Without source lines, one machine instruction each.
struct PartingPoint {
  SourceLine where;              ///< line 0: unknown
  bool isLoop = false;           ///< lanes wait for others that go round once more
  std::vector<Parting> partings; ///< most lost first
  uint64_t lost = 0, lostLaneCycles = 0;
  uint64_t ended = 0; ///< of `lost`: at least these by lanes with nothing left to do
  std::optional<LoopTrips> trips;
  std::vector<LineCounts> lines; ///< where it loses them, most first; only `lost*` are set
  double lostCycles() const { return double(lostLaneCycles) / 64; }
};

struct KernelDivergence {
  std::string kernel, device;
  int deviceIndex = -1;
  bool replaced = false;
  uint64_t dispatches = 0, waves = 0;
  unsigned waveSize = 64; ///< lanes
  SlotCounts all;
  uint64_t empty = 0;               ///< slots of lanes that waves never had
  std::vector<PartingPoint> points; ///< most lost cycles first
  std::vector<LineCounts> lines;    ///< by file and line
  bool hasLines = false;
  std::string note; ///< why there are no lines
};

KernelDivergence divergenceOf(const KernelProfile &kernel, const LineOf &lineOf);

/// Issue cycles of one execution, 0 for what is no vector instruction.
uint32_t issueCycles(const InstProfile &instruction, isa::Target target, unsigned waveSize = 64);

} // namespace meld::softgpu
