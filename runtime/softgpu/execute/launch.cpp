#include "runtime/softgpu/execute/launch.h"

#include "runtime/gpu/occupancy.h"
#include "runtime/softgpu/execute/kernel_names.h"
#include "runtime/softgpu/execute/safe_read.h"
#include "runtime/softgpu/execute/wave.h"
#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace meld::softgpu {

namespace {

constexpr uint32_t kMaxWorkgroup = 1024;
// COMPUTE_TMPRING_SIZE.WAVESIZE: 13 bits, units of 256 dwords for the whole wave; since GFX11 15 bits,
// since GFX12 18 bits, units of 64 dwords (LLVM, GCNSubtarget::getMaxWaveScratchSize).
constexpr uint32_t maxScratchPerWave(unsigned generation) {
  return generation >= 12   ? ((1u << 18) - 1) * 256
         : generation == 11 ? ((1u << 15) - 1) * 256
                            : ((1u << 13) - 1) * 1024;
}

constexpr uint32_t kWgpMode = 1u << 29; ///< in rsrc1, from GFX10 on

/// The kernel descriptor's fields that both formats share.
struct Descriptor {
  uint8_t bytes[64];
  template <class T> T at(size_t offset) const {
    T x;
    std::memcpy(&x, bytes + offset, sizeof(T));
    return x;
  }
  int64_t entryOffset() const { return at<int64_t>(16); }
  uint32_t rsrc3() const { return at<uint32_t>(44); }
  uint32_t rsrc1() const { return at<uint32_t>(48); }
  uint32_t rsrc2() const { return at<uint32_t>(52); }
  uint32_t properties() const { return at<uint16_t>(56); }
  uint32_t preloadDwords() const { return at<uint16_t>(58) & 0x7f; }
  uint32_t preloadOffset() const { return at<uint16_t>(58) >> 7; } ///< in dwords
};

[[gnu::format(printf, 3, 4)]] DispatchResult bad(DispatchCode code, const std::string &kernel,
                                                 const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  DispatchResult r;
  r.code = code;
  r.message = "kernel " + kernel + ": " + text;
  return r;
}

void readMode(const Descriptor &d, Launch &out) {
  const uint32_t rsrc1 = d.rsrc1(), rsrc2 = d.rsrc2();
  // GFX12 has neither bit and does as if the first were set, the second not (LLVM's guide,
  // compute_pgm_rsrc1).
  const bool gfx12 = isa::traitsOf(out.target).generation >= 12;
  uint32_t mode = rsrc1 >> 12 & 0xff; // rounding and denormal fields have MODE's layout
  if (gfx12 || rsrc1 >> 21 & 1)
    mode |= Mode::dx10Clamp;
  if (!gfx12 && rsrc1 >> 23 & 1)
    mode |= Mode::ieee;
  if (rsrc1 >> 26 & 1)
    mode |= Mode::fp16Ovfl;
  mode |= (rsrc2 >> 24 & 0x7f) << 12; // exception enables; recorded, never raised
  out.mode = mode;
}

/// The wave size, with it the target, and what a workgroup is placed on. False: the target has no waves
/// of that size.
bool readTarget(const Descriptor &d, isa::Target device, Launch &out) {
  const bool wave32 = out.properties & KernelProperty::wave32;
  const bool choice = isa::traitsOf(device).generation >= 10;
  if (wave32 && !choice)
    return false;
  out.waveSize = wave32 ? 32 : 64;
  out.target = choice ? isa::withWaveSize(device, out.waveSize) : device;
  out.lineShift = choice ? 7 : 6; // 128 bytes: RDNA white paper, of all caches for vectors
  out.unitsPerGroup = choice && d.rsrc1() & kWgpMode ? 2 : 1;
  return true;
}

void readRegisters(const Descriptor &d, const Processor &p, Launch &out) {
  const isa::TargetTraits traits = isa::traitsOf(out.target);
  const isa::Target target = out.target;
  uint32_t total = ((d.rsrc1() & 63) + 1) * (p.vgprEncoding ? p.vgprEncoding : p.vgprGranule);
  out.sgprs = ((d.rsrc1() >> 6 & 15) / 2 + 1) * 16;
  if (traits.generation >= 10) {
    out.sgprs = 128;               // each wave has all; the field is reserved
    total += (d.rsrc3() & 15) * 8; // SHARED_VGPR_COUNT
  }
  out.vgprs = out.accOffset = total;
  out.agprs = 0;
  if (target == isa::Target::gfx908) {
    out.agprs = total; // a second file of the same size
  } else if (traits.unified) {
    out.accOffset = ((d.rsrc3() & 63) + 1) * 4;
    out.vgprs = std::min(out.accOffset, total);
    out.agprs = total > out.accOffset ? total - out.accOffset : 0;
  }
  // Since GFX11 no SGPR says where scratch is ("Architected flat scratch").
  const bool gfx11 = traits.generation >= 11;
  out.packedIds = traits.unified || gfx11;
  out.hardwareScratch = traits.scopes || gfx11;
}

/// Arguments that the command processor loads into SGPRs. It then starts 256 bytes behind the
/// entry, where a prologue has loaded them for those that do not ("Preloaded Kernel Arguments").
DispatchResult readPreloaded(const Descriptor &d, Launch &out) {
  const uint32_t count = d.preloadDwords();
  if (!isa::traitsOf(out.target).scopes || count == 0)
    return {};
  if (count > (out.rsrc2 >> 1 & 31))
    return bad(DispatchCode::badCodeObject, out.kernel,
               "%u dwords of arguments to preload into %u user SGPRs", count, out.rsrc2 >> 1 & 31);
  out.preloaded.resize(count);
  const uint64_t from = out.kernarg + 4ull * d.preloadOffset();
  if (safeRead(from, out.preloaded.data(), 4 * count) != 4 * count)
    return bad(DispatchCode::badCodeObject, out.kernel,
               "arguments to preload are not readable at 0x%llx",
               static_cast<unsigned long long>(from));
  out.entry += 256;
  return {};
}

/// How many workgroups of the launch one compute unit holds, or one pair of them.
void computeOccupancy(const Processor &p, Launch &l) {
  l.simds = p.simds;
  const uint32_t total = l.vgprs + (p.agprsAmongVgprs ? l.agprs : 0);
  const uint32_t waves = wavesByRegisters(p, {total, l.agprs, l.sgprs});
  const uint32_t perSimd = (l.wavesPerGroup + p.simds - 1) / p.simds;
  uint32_t groups =
      perSimd && perSimd <= waves ? waves * p.simds / std::max(l.wavesPerGroup, 1u) : 0;
  if (const auto most = workgroupsByLds(p, l.ldsBytes))
    groups = uint32_t(std::min<uint64_t>(groups, *most));
  if (l.wavesPerGroup > 1)
    groups = std::min(groups, p.workgroups); // single-wave workgroups need no barrier resource
  l.groupsPerUnit = groups;
  l.wavesPerSimd = std::min(waves, (groups * l.wavesPerGroup + p.simds - 1) / p.simds);
}

} // namespace

Processor processorOf(isa::Target target, Placement placement) {
  return findUnit(isa::targetName(target), isa::traitsOf(target).waveSize, placement).value();
}

DispatchResult readLaunch(const DispatchRequest &request, const DeviceConfig &config, Launch &out) {
  AqlPacket p;
  std::memcpy(&p, request.packet, sizeof(p));
  KernelName name = kernelName(p.kernelObject);
  out.kernel = std::move(name.name);
  out.device = deviceLabel(config);
  out.replaced = name.replaced;
  out.descriptor = p.kernelObject;

  const unsigned dimensions = p.setup & 3;
  if (dimensions == 0)
    return bad(DispatchCode::badDimensions, out.kernel, "the packet asks for 0 dimensions");
  uint64_t items = 1;
  out.totalGroups = 1;
  for (unsigned k = 0; k < 3; ++k) {
    out.grid[k] = k < dimensions ? p.grid[k] : 1;
    out.workgroup[k] = k < dimensions ? p.workgroup[k] : 1;
    if (out.grid[k] == 0 || out.workgroup[k] == 0)
      return bad(DispatchCode::badDimensions, out.kernel,
                 "dimension %u is empty (grid %u, workgroup %u)", k, out.grid[k], out.workgroup[k]);
    out.groups[k] = uint32_t((uint64_t(out.grid[k]) + out.workgroup[k] - 1) / out.workgroup[k]);
    items *= out.workgroup[k];
    if (__builtin_mul_overflow(out.totalGroups, uint64_t(out.groups[k]), &out.totalGroups))
      return bad(DispatchCode::badDimensions, out.kernel, "more workgroups than 64 bits count");
  }
  // GFX12 says in 16 bits each which workgroup it is along y and z.
  if (isa::traitsOf(config.target).generation >= 12 &&
      std::max(out.groups[1], out.groups[2]) > 0x10000)
    return bad(DispatchCode::badDimensions, out.kernel,
               "more than 65536 workgroups along y or z, which this target cannot count");
  if (items > kMaxWorkgroup)
    return bad(DispatchCode::groupTooLarge, out.kernel, "workgroup of %llu work-items, at most %u",
               static_cast<unsigned long long>(items), kMaxWorkgroup);

  Descriptor d;
  if (p.kernelObject == 0 || p.kernelObject % 64 != 0 ||
      safeRead(p.kernelObject, d.bytes, 64) != 64)
    return bad(DispatchCode::badCodeObject, out.kernel, "no readable kernel descriptor at 0x%llx",
               static_cast<unsigned long long>(p.kernelObject));
  out.properties = d.properties();
  out.rsrc2 = d.rsrc2();
  if (!readTarget(d, config.target, out))
    return bad(DispatchCode::badCodeObject, out.kernel,
               "compiled for wave32, which this target does not have");
  out.wavesPerGroup = uint32_t((items + out.waveSize - 1) / out.waveSize);
  const Processor unit =
      processorOf(out.target, out.unitsPerGroup > 1 ? Placement::pair : Placement::computeUnit);
  out.entry = p.kernelObject + uint64_t(d.entryOffset());
  out.kernarg = p.kernarg;
  if ((out.rsrc2 >> 1 & 31) > 16)
    return bad(DispatchCode::badCodeObject, out.kernel, "%u user SGPRs, at most 16",
               out.rsrc2 >> 1 & 31);
  if (DispatchResult r = readPreloaded(d, out); r.code != DispatchCode::ok)
    return r;
  uint8_t first[4];
  if (out.entry % 4 != 0 || safeRead(out.entry, first, 4) != 4)
    return bad(DispatchCode::badCodeObject, out.kernel, "entry 0x%llx is not readable code",
               static_cast<unsigned long long>(out.entry));
  readMode(d, out);
  readRegisters(d, unit, out);

  out.ldsBytes = p.groupSegment;
  const uint32_t ldsMost = uint32_t(unit.ldsOfWorkgroup ? unit.ldsOfWorkgroup : unit.ldsBytes);
  if (out.ldsBytes > ldsMost)
    return bad(DispatchCode::ldsTooLarge, out.kernel, "%u bytes of LDS, at most %u", out.ldsBytes,
               ldsMost);
  out.scratchPerLane = (p.privateSegment + 15) / 16 * 16;
  const uint32_t scratchMost =
      maxScratchPerWave(isa::traitsOf(out.target).generation) / out.waveSize;
  if (p.privateSegment > scratchMost)
    return bad(DispatchCode::scratchTooLarge, out.kernel,
               "%u bytes of scratch per work-item, at most %u", p.privateSegment, scratchMost);
  computeOccupancy(unit, out);
  if (out.groupsPerUnit == 0)
    return bad(DispatchCode::tooManyVgprs, out.kernel,
               "a workgroup of %u waves with %u VGPRs does not fit a compute unit",
               out.wavesPerGroup, out.vgprs + out.agprs);
  return {};
}

std::string deviceLabel(const DeviceConfig &config) {
  if (config.deviceCount < 2)
    return {};
  return "device " + std::to_string(config.deviceIndex) + " (" +
         std::string(isa::targetName(config.target)) + ")";
}

} // namespace meld::softgpu
