#include "runtime/softgpu/execute/hardware_registers.h"

#include "runtime/softgpu/execute/workgroup.h"

namespace meld::softgpu {

namespace {

enum Register : unsigned {
  mode = 1,
  status = 2,
  trapSts = 3,
  hwId = 4, ///< GFX9
  gprAlloc = 5,
  ldsAlloc = 6,
  shMemBases = 15,
  // GFX10
  flatScratchLow = 20,
  flatScratchHigh = 21,
  hwId1 = 23,
  shaderCycles = 29,
  // GFX12
  statePriv = 4,
  exceptionFlagsUser = 18,
  shaderCyclesHigh = 30,
};

constexpr uint32_t unitsOf(uint32_t size, uint32_t unit) { return (size + unit - 1) / unit; }

/// GPR_ALLOC: how many VGPRs a wave has, in fours for waves of 32 lanes, too.
uint32_t numberOfVgprs(const Wave &w, unsigned generation) {
  return (unitsOf(w.numVgprs, 4) - 1) << (generation >= 11 ? 12 : 8);
}

/// GPR_ALLOC where VGPRs and AGPRs are one file: its size in eights and where AGPRs start, in
/// fours. This and LDS_ALLOC are as the Linux kernel's handler reads them that saves waves
/// (cwsr_trap_handler_gfx9.asm).
uint32_t oneFile(const Wave &w) {
  const uint32_t total = w.numAgprs ? w.accOffset + w.numAgprs : w.numVgprs;
  return (unitsOf(total, 8) - 1) << 6 | (unitsOf(w.accOffset, 4) - 1) << 12;
}

/// LDS_ALLOC: what a wave's group has, more than it asked for, in 256 bytes; on GFX12 in 512.
uint32_t ldsOf(const Wave &w, isa::Target target) {
  const uint32_t granule = target == isa::Target::gfx950 ? 1280 : 512;
  const uint32_t unit = isa::traitsOf(target).generation >= 12 ? 512 : 256;
  return unitsOf(w.ldsSize, granule) * granule / unit << 12;
}

uint32_t statusOf(const Wave &w) {
  uint32_t x = w.scc | 1u << 16; // VALID
  x |= uint32_t(w.exec() == 0) << 9 | uint32_t(w.mask(isa::Sgpr::vcc) == 0) << 10;
  if (w.group && w.group->numWaves > 1)
    x |= 1u << 11; // IN_TG
  return x;
}

/// GFX12 has SCC elsewhere, and here whether the wave is one of 64 lanes.
uint32_t statusOf12(const Wave &w) {
  return (statusOf(w) & ~1u) | uint32_t(w.waveSize == kWaveSize) << 29;
}

/// MODE as a program sees it: GFX12 has neither clamping of NaNs nor IEEE mode to choose, and no
/// exceptions here.
constexpr uint32_t kMode12 = 0xff | uint32_t(Mode::fp16Ovfl) |
                             1u << 24; // the last: scalar prefetches, of which there are none

/// Where the wave would run: round robin of workgroups over compute units, of waves over SIMDs.
struct Place {
  uint64_t round; ///< how often every compute unit had a workgroup before
  uint32_t cu, wave;
  explicit Place(const Wave &w) : wave(w.waveInGroup) {
    const uint64_t group = w.group ? w.group->flatId : 0;
    const uint32_t cus = w.group ? w.group->computeUnits : 1;
    cu = uint32_t(group % cus);
    round = group / cus;
  }
};

uint32_t hardwareId(const Wave &w) {
  const Place p(w);
  const uint32_t slot = p.wave / 4 % 16, simd = p.wave % 4;
  return slot | simd << 4 | (p.cu & 15) << 8 | (p.cu >> 4 & 1) << 12 | (p.cu >> 5 & 3) << 13 |
         uint32_t(p.round % 16) << 16;
}

/// Two compute units of two SIMDs are one workgroup processor.
uint32_t hardwareId1(const Wave &w) {
  const Place p(w);
  const uint32_t slot = p.wave / 2 % 32, simd = (p.cu & 1) << 1 | (p.wave & 1), wgp = p.cu >> 1;
  return slot | simd << 8 | (wgp & 15) << 10 | (wgp >> 4 & 1) << 16 | (wgp >> 5 & 3) << 18;
}

/// The low bits of what s_memtime counts.
uint32_t cycles() { return uint32_t(nanoseconds()) & 0xfffff; }

uint32_t readHardwareRegister12(const Wave &w, isa::Target target, unsigned id) {
  switch (id) {
  case mode:
    return w.mode & kMode12;
  case status:
    return statusOf12(w);
  case statePriv:
    return w.scc << 9;
  case exceptionFlagsUser: // what was written to it: there are no exceptions here
    return w.trapSts;
  case ldsAlloc:
    return ldsOf(w, target);
  case gprAlloc:
    return numberOfVgprs(w, 12);
  case flatScratchLow:
  case flatScratchHigh:
    return w.flatScratch[id - flatScratchLow];
  case hwId1:
    return hardwareId1(w);
  case shaderCycles:
    return uint32_t(nanoseconds());
  case shaderCyclesHigh:
    return uint32_t(nanoseconds() >> 32);
  default:
    return 0;
  }
}

} // namespace

uint32_t readHardwareRegister(const Wave &w, isa::Target target, unsigned id) {
  const isa::TargetTraits traits = isa::traitsOf(target);
  if (traits.generation >= 12)
    return readHardwareRegister12(w, target, id);
  const bool gfx10 = traits.generation >= 10;
  switch (id) {
  case mode:
    return w.mode;
  case status:
    return statusOf(w);
  case trapSts:
    return w.trapSts;
  case hwId:
    return gfx10 ? 0 : hardwareId(w);
  case gprAlloc:
    return traits.unified ? oneFile(w) : numberOfVgprs(w, traits.generation);
  case ldsAlloc:
    return ldsOf(w, target);
  case shMemBases:
    return uint32_t(w.apertures[0] >> 48 << 16) | uint32_t(w.apertures[2] >> 48);
  case flatScratchLow:
  case flatScratchHigh:
    return gfx10 ? w.flatScratch[id - flatScratchLow] : 0;
  case hwId1:
    return gfx10 ? hardwareId1(w) : 0;
  case shaderCycles:
    return gfx10 ? cycles() : 0;
  default:
    return 0;
  }
}

void writeHardwareRegister(Wave &w, unsigned generation, unsigned id, uint32_t mask,
                           uint32_t value) {
  const auto merge = [&](uint32_t old) { return (old & ~mask) | (value & mask); };
  const bool gfx10 = generation >= 10;
  if (generation >= 12) {
    if (id == mode)
      w.setMode((w.mode & ~(mask & kMode12)) | (value & mask & kMode12));
    else if (id == exceptionFlagsUser)
      w.trapSts = merge(w.trapSts);
    return;
  }
  switch (id) {
  case mode:
    if (gfx10)
      mask &= ~uint32_t(Mode::gprIdxEn); // the bit has another meaning there, none for us
    w.setMode(merge(w.mode));
    break;
  case trapSts:
    w.trapSts = merge(w.trapSts);
    break;
  case flatScratchLow: // since GFX11 only trap handlers write it
  case flatScratchHigh:
    if (generation == 10)
      w.flatScratch[id - flatScratchLow] = merge(w.flatScratch[id - flatScratchLow]);
    break;
  default: // read-only for user waves
    break;
  }
}

} // namespace meld::softgpu
