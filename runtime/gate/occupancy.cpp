#include "runtime/gate/occupancy.h"

#include <algorithm>

namespace meld {
namespace {

struct RegisterFile {
  unsigned maxWaves;
  unsigned vgprTotal, vgprGranule; ///< per lane and SIMD
  unsigned sgprTotal, sgprGranule; ///< per SIMD; 0: scalar registers do not limit
};

bool oneOf(std::string_view processor, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), processor) != names.end();
}

std::optional<RegisterFile> registerFile(std::string_view processor, unsigned wavefrontSize) {
  if (processor.size() < 6 || processor.substr(0, 3) != "gfx")
    return std::nullopt;
  bool wave32 = wavefrontSize == 32;
  if (processor.size() == 6) {
    switch (processor[3]) {
    case '6':
    case '7':
      return RegisterFile{10, 256, 4, 512, 8};
    case '8':
      return RegisterFile{10, 256, 4, 800, 16};
    case '9':
      if (oneOf(processor, {"gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"}))
        return RegisterFile{8, 512, 8, 800, 16};
      return RegisterFile{10, 256, 4, 800, 16};
    }
    return std::nullopt;
  }
  std::string_view major = processor.substr(3, 2);
  if (major == "10") {
    bool rdna2 = processor.size() == 7 && processor[5] == '3';
    unsigned granule = (rdna2 ? 8 : 4) * (wave32 ? 2 : 1);
    return RegisterFile{rdna2 ? 16u : 20u, wave32 ? 1024u : 512u, granule, 0, 0};
  }
  if (major == "11" || major == "12") {
    bool large = oneOf(processor, {"gfx1100", "gfx1101", "gfx1151"}) || major == "12";
    unsigned total = large ? 1536 : 1024, granule = large ? 24 : 16;
    return RegisterFile{16, wave32 ? total : total / 2, wave32 ? granule : granule / 2, 0, 0};
  }
  return std::nullopt;
}

/// LDS of a compute unit where a workgroup cannot spread over two; 0: not counted.
uint64_t ldsPerUnit(std::string_view processor) {
  if (processor.size() != 6 || processor.substr(0, 4) != "gfx9")
    return 0;
  return processor == "gfx950" ? 160 << 10 : 64 << 10;
}

uint64_t roundUp(uint64_t value, uint64_t granule) {
  return (value + granule - 1) / granule * granule;
}

} // namespace

std::optional<unsigned> wavesPerSimd(std::string_view processor, unsigned wavefrontSize,
                                     uint64_t vgprs, uint64_t agprs, uint64_t sgprs,
                                     const WorkgroupSize &workgroup) {
  auto file = registerFile(processor, wavefrontSize);
  if (!file)
    return std::nullopt;
  // More than any processor has, and nothing below overflows: the numbers are the object's own.
  constexpr uint64_t most = 1 << 20;
  vgprs = std::min(vgprs, most);
  agprs = std::min(agprs, most);
  sgprs = std::min(sgprs, most);
  const uint64_t ldsBytes = std::min(workgroup.ldsBytes, most);
  const uint64_t threads = std::min(workgroup.mostThreads, most);
  // Where AGPRs have a file of their own (gfx908), the larger of the two counts.
  uint64_t vector = roundUp(std::max<uint64_t>({vgprs, agprs, 1}), file->vgprGranule);
  uint64_t waves = std::min<uint64_t>(file->maxWaves, file->vgprTotal / vector);
  if (file->sgprTotal) {
    uint64_t scalar = roundUp(std::max<uint64_t>(sgprs, 1), file->sgprGranule);
    waves = std::min(waves, file->sgprTotal / scalar);
  }
  const uint64_t lds = ldsPerUnit(processor);
  if (lds && ldsBytes && threads && wavefrontSize) {
    constexpr uint64_t simds = 4, granule = 512;
    const uint64_t groups = lds / roundUp(ldsBytes, granule);
    const uint64_t perGroup = roundUp(threads, wavefrontSize) / wavefrontSize;
    waves = std::min(waves, std::max<uint64_t>(1, (groups * perGroup + simds - 1) / simds));
  }
  return static_cast<unsigned>(waves);
}

} // namespace meld
