// Memory instructions of the software GPU: SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF (GFX9, GFX10.3
// and GFX11).
//
// The entry point is prepareMemory() of execute/wave.h. This header holds what the core and the driver
// must agree on with it.
//
// Memory model: a device address is a host address. Accesses are plain host loads and stores;
// global atomics are host atomics. An access to an unmapped page raises SIGSEGV in the thread that
// runs the wave: every memory handler sets `wave.next` to its own ExecInst before it touches
// memory, holds no lock and owns nothing with a destructor, so the core may leave it with
// siglongjmp and build the message from wave.next, si_addr and faultingLane().
//
// Thread rule: like Wave, only the host thread that runs the workgroup.
#pragma once

#include "runtime/softgpu/execute/wave.h"

#include <cstdint>

namespace meld::softgpu {

/// Flat apertures (the defaults of DeviceConfig; src_shared_base / src_private_base return them): a
/// FLAT address whose upper dword equals that of an aperture is an LDS offset or a private
/// (scratch) offset.
inline constexpr uint64_t kSharedAperture = 0x1'0000'0000'0000;
inline constexpr uint64_t kPrivateAperture = 0x2'0000'0000'0000;
inline constexpr uint64_t kApertureSize = 1ull << 32;

/// From one dword of a lane's private memory to the next: dwords of the wave's lanes are interleaved.
inline uint32_t scratchStride(const Wave &w) { return 4 * w.waveSize; }

/// Host address of byte `byte` of a lane's private memory.
inline uint64_t scratchByte(const Wave &w, unsigned lane, uint32_t byte) {
  return reinterpret_cast<uint64_t>(w.scratch) + uint64_t(byte / 4) * scratchStride(w) + lane * 4 +
         byte % 4;
}

/// Of the private memory of all lanes.
inline uint64_t scratchBytes(const Wave &w) { return uint64_t(w.scratchPerLane) * w.waveSize; }

/// Whether the buffer's resource (mem/resource.h) is that of private memory as compilers make it. Word 1:
/// elements of 4 bytes swizzled, stride 0. Word 3: add_tid on, index_stride as many lanes as the wave has;
/// from GFX10 on a stride of 0 has all out of range where records are checked (OOB_SELECT 0).
inline bool isPrivateResource(const Wave &w, unsigned slot, unsigned generation) {
  const uint32_t w1 = w.s[slot + 1], w3 = w.s[slot + 3];
  const uint32_t high = w1 >> 16;
  const bool interleaved = generation >= 11 ? high == 0x4000 : (high & 0xbfff) == 0x8000;
  return interleaved && (w3 >> 21 & 7) == (w.waveSize == kWaveSize ? 7 : 6) &&
         (generation < 10 || w3 >> 28 & 3);
}

/// Which lane of the memory instruction `i` touches `address` (-1: none, or a scalar access).
/// Called after a fault, with the registers as the handler left them: lanes are handled in
/// ascending order and a lane's destination is written after its access, so the faulting lane's
/// address registers are intact.
int faultingLane(const ExecInst *i, const Wave &w, uint64_t address);

/// The device address lane `lane` uses (first byte), 0 where there is none: what to show when
/// si_addr is 0, as it is for non-canonical addresses.
uint64_t laneAddress(const ExecInst *i, const Wave &w, unsigned lane);

/// True when the memory instruction stores (or is an atomic): for the fault message.
bool writesMemory(const ExecInst *i);

} // namespace meld::softgpu
