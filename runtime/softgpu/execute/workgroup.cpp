#include "runtime/softgpu/execute/workgroup.h"

#include "runtime/softgpu/execute/translated.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace meld::softgpu {

PageBuffer::~PageBuffer() {
  if (data_ && owned_)
    munmap(data_, size_);
}

uint8_t *PageBuffer::reserve(size_t size) {
  if (size <= size_ && data_)
    return data_;
  if (data_ && owned_)
    munmap(data_, size_);
  owned_ = true;
  size = (size + 4095) / 4096 * 4096 + 4096;
  void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
  data_ = p == MAP_FAILED ? nullptr : static_cast<uint8_t *>(p);
  size_ = data_ ? size : 0;
  return data_;
}

namespace {

constexpr uint32_t kSlackRows = 512;

/// Private segment buffer: swizzled, 4-byte elements, the wave's lanes, thread id added ("Vega" ISA
/// 8.1.5; "RDNA 2" ISA 8.1.8: one field FORMAT, raw buffers' way to check bounds).
void writeScratchResource(uint32_t *s, uint64_t base, const isa::TargetTraits &traits) {
  s[0] = uint32_t(base);
  s[1] = uint32_t(base >> 32 & 0xffff) | 1u << 31;
  s[2] = ~0u; // the wave's own block starts at the base; its end is not the hardware's to check
  const uint32_t indexStride = traits.waveSize == kWaveSize ? 3 : 2;
  s[3] = 4u | 5u << 3 | 6u << 6 | 7u << 9 | indexStride << 21 | 1u << 23;
  if (traits.generation >= 10)
    s[3] |= 22u << 12 | 1u << 24 | 3u << 28; // 32_FLOAT, RESOURCE_LEVEL, OOB_SELECT
  else
    s[3] |= 7u << 12 | 4u << 15 | 1u << 19;
}

void initSgprs(Wave &w, const Workgroup &g, const Launch &l, const DispatchRequest &r,
               uint32_t wave, const isa::TargetTraits &traits) {
  std::memset(w.s, 0, sizeof(w.s));
  unsigned n = 0;
  const uint64_t scratch = reinterpret_cast<uint64_t>(w.scratch);
  auto add64 = [&](uint64_t x) {
    std::memcpy(&w.s[n], &x, 8);
    n += 2;
  };
  if (l.properties & KernelProperty::privateSegmentBuffer) {
    writeScratchResource(&w.s[n], scratch, traits);
    n += 4;
  }
  if (l.properties & KernelProperty::dispatchPtr)
    add64(r.dispatchPacketAddress);
  if (l.properties & KernelProperty::queuePtr)
    add64(r.queueAddress);
  if (l.properties & KernelProperty::kernargPtr)
    add64(l.kernarg);
  if (l.properties & KernelProperty::dispatchIdSgpr)
    add64(r.dispatchId);
  if (l.properties & KernelProperty::flatScratchInit)
    add64(scratch);
  if (l.properties & KernelProperty::privateSegmentSize)
    w.s[n++] = l.scratchPerLane;
  for (unsigned k = 0; k < 3; ++k)
    if (l.properties & (KernelProperty::gridX << k))
      w.s[n++] = l.groups[k];
  for (size_t k = 0; k < l.preloaded.size() && n < 16; ++k)
    w.s[n++] = l.preloaded[k];
  n = l.rsrc2 >> 1 & 31; // system SGPRs follow the user SGPRs the descriptor declares
  if (traits.generation >= 12) {
    // LLVM's guide, "Architected SGPRs"; the wave's number is in bits 29 to 25.
    w.s[isa::Sgpr::ttmp0 + 9] = g.id[0];
    w.s[isa::Sgpr::ttmp0 + 7] = (g.id[1] & 0xffff) | g.id[2] << 16;
    w.s[isa::Sgpr::ttmp0 + 8] = wave << 25;
  } else {
    for (unsigned k = 0; k < 3; ++k)
      if (l.rsrc2 >> (7 + k) & 1)
        w.s[n++] = g.id[k];
  }
  // TG_SIZE_EN. GFX12 does not say which wave is the first ("RDNA4" ISA, 3.5.3.4).
  if (l.rsrc2 >> 10 & 1)
    w.s[n++] = uint32_t(wave == 0 && traits.generation < 12) << 31 | (g.numWaves & 63);
  if (!(l.rsrc2 & 1))
    return;
  if (l.hardwareScratch && traits.generation >= 11) // a register of its own
    std::memcpy(w.flatScratch, &scratch, sizeof scratch);
  else if (l.hardwareScratch)
    w.setS64(isa::Sgpr::flatScratch, scratch);
  else
    w.s[n++] = 0; // scratch wave offset: the base above is the wave's own
}

/// Work-item ids of the wave's lanes from work-item `first` on, counted along x, then y, then z.
void initIds(Wave &w, const Workgroup &g, const Launch &l, uint32_t first) {
  const unsigned dims = l.idDimensions();
  if (g.size[1] == 1 && g.size[2] == 1) { // one dimension: no counting, y and z are 0 already
    const uint32_t n = std::min(g.size[0] - first, w.waveSize);
    for (unsigned lane = 0; lane < kWaveSize; ++lane)
      w.v[0].u[lane] = lane < n ? first + lane : 0;
    w.setS64(isa::Sgpr::exec, n == kWaveSize ? kFullExec : (1ull << n) - 1);
    return;
  }
  uint32_t x = first % g.size[0], y = first / g.size[0] % g.size[1],
           z = first / g.size[0] / g.size[1];
  uint64_t exec = 0;
  for (unsigned lane = 0; lane < w.waveSize && z < g.size[2]; ++lane) {
    exec |= 1ull << lane;
    if (l.packedIds) {
      w.v[0].u[lane] = x | (dims > 1 ? y << 10 : 0) | (dims > 2 ? z << 20 : 0);
    } else {
      w.v[0].u[lane] = x;
      if (dims > 1)
        w.v[1].u[lane] = y;
      if (dims > 2)
        w.v[2].u[lane] = z;
    }
    if (++x == g.size[0]) {
      x = 0;
      if (++y == g.size[1])
        y = 0, ++z;
    }
  }
  w.setS64(isa::Sgpr::exec, exec);
}

} // namespace

bool startWorkgroup(Workgroup &g, uint64_t flatId, const Launch &l, const WorkgroupEnv &env,
                    const DispatchRequest &request) {
  g.flatId = flatId;
  g.id[0] = uint32_t(flatId % l.groups[0]);
  g.id[1] = uint32_t(flatId / l.groups[0] % l.groups[1]);
  g.id[2] = uint32_t(flatId / l.groups[0] / l.groups[1]);
  uint32_t items = 1;
  for (unsigned k = 0; k < 3; ++k) {
    g.size[k] = std::min(l.workgroup[k], l.grid[k] - g.id[k] * l.workgroup[k]);
    items *= g.size[k];
  }
  const isa::TargetTraits traits = isa::traitsOf(l.target);
  g.numWaves = (items + traits.waveSize - 1) / traits.waveSize;
  g.ended = g.arrived = 0;
  g.request = &request;
  g.computeUnits = env.config->computeUnits;

  const uint32_t rows = std::max(l.vgprs, l.accOffset) + l.agprs;
  const size_t scratchPerWave = l.scratchPerWave();
  if (g.waveCapacity < g.numWaves) {
    g.waves = std::make_unique<Wave[]>(g.numWaves);
    g.waveCapacity = g.numWaves;
  }
  auto *registers = reinterpret_cast<VRow *>(
      g.registers.reserve((size_t(rows) * g.numWaves + kSlackRows) * sizeof(VRow)));
  uint8_t *lds = g.lds.reserve(std::max<size_t>(l.ldsBytes, 64));
  uint8_t *scratch = scratchPerWave ? g.scratch.reserve(scratchPerWave * g.numWaves) : nullptr;
  if (!registers || !lds || (scratchPerWave && !scratch))
    return false;
  std::memset(registers, 0, size_t(rows) * g.numWaves * sizeof(VRow));
  std::memset(lds, 0, l.ldsBytes);
  if (scratchPerWave && scratchPerWave <= kZeroScratch)
    std::memset(scratch, 0, scratchPerWave * g.numWaves);

  for (uint32_t k = 0; k < g.numWaves; ++k) {
    Wave &w = g.waves[k];
    w.v = registers + size_t(k) * rows;
    w.scratch = scratch ? scratch + k * scratchPerWave : nullptr;
    w.scratchPerLane = l.scratchPerLane;
    w.waveSize = traits.waveSize;
    w.flatScratch[0] = w.flatScratch[1] = 0;
    initSgprs(w, g, l, request, k, traits);
    initIds(w, g, l, k * traits.waveSize);
    w.scc = 0;
    w.setMode(l.mode);
    w.usualMode = translate::usualMode(traits.generation);
    w.signalled = false;
    w.chained = 0;
    w.trapSts = 0;
    w.lds = lds;
    w.ldsSize = l.ldsBytes;
    w.numVgprs = l.vgprs;
    w.accOffset = l.accOffset;
    w.numAgprs = l.agprs;
    w.timing = env.config->timing;
    w.lineShift = l.lineShift;
    w.tags = {};
    w.next = env.entry;
    w.status = WaveStatus::ready;
    w.group = &g;
    w.waveInGroup = k;
    w.mapper = env.mapper;
    w.checkMemory = env.config->checked && env.mapper;
    w.apertures[0] = env.config->ldsBase;
    w.apertures[1] = env.config->ldsBase + 0xffffffff;
    w.apertures[2] = env.config->scratchBase;
    w.apertures[3] = env.config->scratchBase + 0xffffffff;
    w.code = env.code;
    w.trace.cacheLines = w.trace.ldsBankConflicts = w.trace.numLines = 0;
    w.fault = Fault{};
  }
  return true;
}

void waitAtBarrier(Workgroup &g, const Wave &w) { g.arrived += !w.signalled; }

void endWave(Workgroup &g, Wave &w) {
  g.arrived -= w.signalled;
  w.signalled = false;
  ++g.ended;
}

bool releaseBarrier(Workgroup &g) {
  if (g.arrived == 0 || g.arrived + g.ended != g.numWaves)
    return false;
  g.arrived = 0;
  for (uint32_t k = 0; k < g.numWaves; ++k) {
    g.waves[k].signalled = false;
    if (g.waves[k].status == WaveStatus::barrier)
      g.waves[k].status = WaveStatus::ready;
  }
  return true;
}

} // namespace meld::softgpu
