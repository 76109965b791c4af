// A resident workgroup: its waves, registers, LDS and scratch, and how they are set up.
//
// Memory layout
//   registers  one block of rows: wave k's VGPRs, then its AGPRs (gfx90a) at Wave::accOffset, wave
//              after wave, and 512 rows of slack so that a register number the kernel did not
//              allocate stays inside the block
//   LDS        the packet's group segment, zeroed for every workgroup
//   scratch    byte b of lane l of a wave of n lanes at waveScratch + (b/4)*4*n + l*4 + b%4: what
//              swizzled buffer accesses through the private segment SRD (add_tid, index stride n,
//              element size 4) reach, too
//
// Registers and LDS start as zero, and so does scratch up to kZeroScratch bytes per wave (more
// would cost more than the kernel): a kernel that reads registers or LDS it never wrote gives the
// same result on every run.
//
// Thread rule: a Workgroup belongs to one worker; waves may be touched only by that worker's
// thread.
#pragma once

#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/execute/launch.h"
#include "runtime/softgpu/execute/wave.h"

#include <memory>

namespace meld::softgpu {

/// Page-aligned memory from mmap that only grows. Contents are lost when it grows.
class PageBuffer {
public:
  PageBuffer() = default;
  PageBuffer(const PageBuffer &) = delete;
  ~PageBuffer();
  /// At least `size` bytes; nullptr when the system has no more.
  uint8_t *reserve(size_t size);
  /// Takes what another owns, and outlives it; only of a buffer that has nothing.
  void use(uint8_t *data, size_t size) { data_ = data, size_ = size, owned_ = false; }
  uint8_t *data() const { return data_; }
  size_t size() const { return size_; }

private:
  uint8_t *data_ = nullptr;
  size_t size_ = 0;
  bool owned_ = true;
};

struct Workgroup {
  uint64_t flatId = 0;
  uint32_t id[3] = {};
  uint32_t size[3] = {}; ///< work-items per dimension; smaller than the launch's at the grid's edge
  uint32_t numWaves = 0;
  uint32_t ended = 0,
           arrived = 0; ///< waves at s_endpgm / s_barrier, or behind s_barrier_signal (GFX12)
  uint32_t computeUnits = 1;
  void (*interrupt)(Workgroup &, uint32_t eventId) = nullptr; ///< s_sendmsg(MSG_INTERRUPT)
  const DispatchRequest *request = nullptr;

  std::unique_ptr<Wave[]> waves;
  uint32_t waveCapacity = 0;
  PageBuffer registers, lds, scratch;

  bool done() const { return ended == numWaves; }
};

/// What does not depend on the workgroup.
struct WorkgroupEnv {
  const DeviceConfig *config = nullptr;
  AddressMapper *mapper = nullptr; ///< nullptr: device addresses are host addresses, unchecked
  CodeCache *code = nullptr;
  const ExecInst *entry = nullptr;
};

/// Makes `g` workgroup `flatId` of the launch, ready to run. False: no memory.
bool startWorkgroup(Workgroup &g, uint64_t flatId, const Launch &launch, const WorkgroupEnv &env,
                    const DispatchRequest &request);

/// Counts a wave that stopped at the barrier, unless it has been counted where it signalled.
void waitAtBarrier(Workgroup &g, const Wave &w);

/// Counts a wave that has ended, whether it has signalled or not.
void endWave(Workgroup &g, Wave &w);

/// Lets the waves at the barrier go on when nobody else is on the way to it; true if it did.
bool releaseBarrier(Workgroup &g);

inline constexpr size_t kZeroScratch = 16 << 10;

} // namespace meld::softgpu
