// Per-instruction profile: how often each instruction of each kernel ran, with how many lanes, and
// how often all its vector operands held one value ("uniform").
//
// The uniform share is the dynamic oracle of Lee, Krashinsky, Grover, Keckler and Asanovic,
// "Convergence and Scalarization for Data-Parallel Architectures" (CGO 2013): what a perfect
// scalarizer could move to the scalar unit. Format: docs/counters.md, "Profile".
//
// Thread rule: InstProfile and KernelProfile belong to one thread; ProfileSink is thread-safe.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace meld::softgpu {

/// One instruction. Everything is summed over waves, one execution per wave.
struct InstProfile {
  uint64_t executions = 0;
  uint64_t converged =
      0;                 ///< executions by all lanes with anything left to do (execute/converged.h)
  uint64_t lanes = 0;    ///< active lanes, summed over executions; any instruction
  uint64_t execZero = 0; ///< executions of a vector instruction with no active lane
  uint64_t oneLane = 0;  ///< ... with exactly one: the same in all active lanes trivially
  uint64_t uniformSources = 0; ///< ... with every register source the same in all active lanes
  uint64_t uniformResult = 0;  ///< ... with a result the same in all active lanes
  uint64_t taken = 0, takenLanes = 0; ///< branches: executions that went elsewhere, their lanes
  uint64_t parted = 0; ///< executions that took some lanes out of EXEC and left others in it
  /// Vector instructions: lanes that did not take part although the wave began with them, by the
  /// offset of the instruction that parted them from the others (watch/lost_lanes.h).
  std::map<int64_t, uint64_t> lost;
  std::string text; ///< disassembly
  std::string kind; ///< valu, salu, smem, vmem_read, ...
  bool vector = false, hasResult = false;
  /// Registers that one execution reads and writes, in dwords (vector: of each active lane).
  uint16_t vectorReads = 0, vectorWrites = 0, scalarReads = 0, scalarWrites = 0;

  void add(const InstProfile &other);
};

struct KernelProfile {
  std::string kernel;
  bool replaced = false;
  isa::Target device = isa::Target::gfx90a;
  int deviceIndex = -1;      ///< which of several devices; -1 where the process has only one
  unsigned computeUnits = 0; ///< of the device; 0: recorded by an older version
  unsigned waveSize = 64;    ///< lanes
  uint64_t entry = 0;        ///< address of the first instruction; offsets count from there
  uint64_t dispatches = 0, waves = 0;
  uint64_t startLanes = 0;                     ///< lanes that waves began with, summed over them
  std::map<int64_t, InstProfile> instructions; ///< by byte offset from `entry`
};

/// Collects the profiles of the process; writes the JSON at exit when MELD_GPU_PROFILE names a
/// file.
class ProfileSink {
public:
  static ProfileSink &instance();
  /// An empty file name: off. "%p" stands for the process id.
  explicit ProfileSink(std::string fileName);
  ~ProfileSink();
  bool enabled() const { return enabled_; }
  /// Adds to the kernel of the same name, address, origin and device.
  void record(KernelProfile profile);
  void clear(); ///< forgets what was recorded
  std::string toJson() const;
  void flush() noexcept;

private:
  struct State;
  std::unique_ptr<State> state_;
  bool enabled_ = false;
};

} // namespace meld::softgpu
