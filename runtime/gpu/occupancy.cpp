#include "runtime/gpu/occupancy.h"

#include <algorithm>

namespace meld {
namespace {

/// More than any processor has of anything, and nothing below overflows.
constexpr uint64_t kMost = 1 << 20;

uint64_t roundUp(uint64_t value, uint64_t granule) {
  return (std::min(value, kMost) + granule - 1) / granule * granule;
}

} // namespace

unsigned wavesByRegisters(const Processor &p, const WaveRegisters &r) {
  // Files of the same size: the larger need counts.
  const uint64_t vector = p.agprsAmongVgprs ? r.vgprs : std::max(r.vgprs, r.agprs);
  uint64_t waves = std::min<uint64_t>(
      p.wavesPerSimd, p.vgprs / roundUp(std::max<uint64_t>(vector, 1), p.vgprGranule));
  if (p.sgprs)
    waves = std::min(waves, p.sgprs / roundUp(std::max<uint64_t>(r.sgprs, 1), p.sgprGranule));
  return static_cast<unsigned>(waves);
}

std::optional<uint64_t> workgroupsByLds(const Processor &p, uint64_t ldsBytes) {
  if (!p.ldsBytes || !ldsBytes)
    return std::nullopt;
  return p.ldsBytes / roundUp(ldsBytes, p.ldsGranule);
}

std::optional<unsigned> wavesPerSimd(std::string_view processor, unsigned waveSize,
                                     const WaveRegisters &registers,
                                     const WorkgroupSize &workgroup) {
  const auto p = findProcessor(processor, waveSize);
  if (!p)
    return std::nullopt;
  uint64_t waves = wavesByRegisters(*p, registers);
  const auto groups = workgroupsByLds(*p, workgroup.ldsBytes);
  if (groups && workgroup.mostThreads) {
    const uint64_t perGroup = roundUp(workgroup.mostThreads, waveSize) / waveSize;
    waves = std::min(waves, std::max<uint64_t>(1, (*groups * perGroup + p->simds - 1) / p->simds));
  }
  return static_cast<unsigned>(waves);
}

} // namespace meld
