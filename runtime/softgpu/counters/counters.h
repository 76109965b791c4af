// What the software GPU counts, in rocprof's names and definitions, and where it is written.
//
// Thread rule: WaveCounters belong to one host thread; a dispatch adds them up when its workers are
// done.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <cstdint>
#include <memory>
#include <string>

namespace meld::softgpu {

/// Hot counters, bumped once per instruction by the executor's loop. Indexed by isa::Category.
struct WaveCounters {
  static constexpr unsigned kCategories = 12;
  uint64_t insts[kCategories] = {};
  uint64_t activeLanesValu =
      0; ///< sum of popcount(EXEC) over VALU instructions (SQ_THREAD_CYCLES_VALU / 4)
  uint64_t cacheLines = 0; ///< TCP_TOTAL_CACHE_LINES: distinct lines per vector memory instruction
  uint64_t ldsBankConflicts = 0;
  uint64_t waves = 0;

  void add(const WaveCounters &other);
  uint64_t total() const; ///< SQ_INSTS: all categories
};

/// One finished dispatch.
struct DispatchRecord {
  std::string kernel;
  uint32_t grid[3] = {}, workgroup[3] = {};
  uint32_t waveSize = 64; ///< lanes
  WaveCounters counters;
  uint64_t cycles = 0; ///< 0 when the timing model is off
  uint32_t vgprs = 0, sgprs = 0, ldsBytes = 0, scratchBytes = 0, occupancy = 0;
  isa::Target device = isa::Target::gfx90a;
  unsigned deviceIndex = 0, deviceCount = 1; ///< which of the process's devices it ran on
  unsigned computeUnits = 0;                 ///< that device has
  bool replaced = false; ///< the code object came from libmeld (it carries the .meld note)
};

/// Collects records of the process; writes the JSON of docs/counters.md at exit when MELD_COUNTERS
/// names a file, a table when it is "-". Thread-safe.
class CounterSink {
public:
  static CounterSink &instance();
  /// An empty file name collects nothing and writes nothing. "%p" stands for the process id.
  explicit CounterSink(std::string fileName);
  ~CounterSink();
  bool enabled() const { return enabled_; }
  void record(DispatchRecord record);
  std::string toJson() const;
  /// Sums per kernel, most instructions first, and of all; one table for each device.
  std::string toTable() const;
  /// Writes the JSON to the file, the table to standard error for "-"; one warning on failure,
  /// never throws.
  void flush() noexcept;

private:
  struct State;
  std::unique_ptr<State> state_;
  bool enabled_ = false;
};

} // namespace meld::softgpu
