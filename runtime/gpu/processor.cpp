#include "runtime/gpu/processor.h"

#include <algorithm>
#include <initializer_list>

namespace meld {
namespace {

constexpr uint64_t kKiB = 1024;

bool oneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// GFX6 to GFX9: four SIMDs of 16 lanes, waves of 64.
constexpr Processor kGfx6{.wavesPerSimd = 10,
                          .workgroups = 16,
                          .vgprs = 256,
                          .vgprGranule = 4,
                          .sgprs = 512,
                          .sgprGranule = 8,
                          .ldsBytes = 64 * kKiB,
                          .ldsGranule = 256};

constexpr Processor gfx7() {
  Processor p = kGfx6;
  p.ldsGranule = 512;
  return p;
}

constexpr Processor gfx8() {
  Processor p = gfx7();
  p.sgprs = 800;
  p.sgprGranule = 16;
  return p;
}

/// CDNA 2 on: AGPRs are the upper half of one file.
constexpr Processor cdna2() {
  Processor p = gfx8();
  p.wavesPerSimd = 8;
  p.vgprs = 512;
  p.vgprGranule = 8;
  p.agprsAmongVgprs = true;
  return p;
}

constexpr Processor gfx950() {
  Processor p = cdna2();
  p.ldsBytes = 160 * kKiB;
  p.ldsGranule = 320 * 4;
  return p;
}

/// RDNA: the figures of waves of 32; a wave of 64 takes two rows for each of its registers.
constexpr Processor rdna(unsigned waves, unsigned vgprs, unsigned granule, unsigned waveSize) {
  const unsigned rows = waveSize == 32 ? 1 : 2;
  return Processor{.wavesPerSimd = waves, .vgprs = vgprs / rows, .vgprGranule = granule / rows};
}

std::optional<Processor> ofGcn(std::string_view name) {
  if (oneOf(name, {"gfx600", "gfx601", "gfx602"}))
    return kGfx6;
  if (oneOf(name, {"gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705"}))
    return gfx7();
  if (oneOf(name, {"gfx801", "gfx802", "gfx803", "gfx805", "gfx810", "gfx900", "gfx902", "gfx904",
                   "gfx906", "gfx908", "gfx909", "gfx90c", "gfx9-generic"}))
    return gfx8();
  if (oneOf(name, {"gfx90a", "gfx940", "gfx941", "gfx942"}))
    return cdna2();
  if (name == "gfx950")
    return gfx950();
  if (name == "gfx9-4-generic") {
    Processor p = cdna2();
    p.ldsBytes = 0; // 64 or 160 KiB
    return p;
  }
  return std::nullopt;
}

std::optional<Processor> ofRdna(std::string_view name, unsigned waveSize) {
  if (oneOf(name, {"gfx1010", "gfx1011", "gfx1012", "gfx1013", "gfx10-1-generic"}))
    return rdna(20, 1024, 8, waveSize);
  if (oneOf(name,
            {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036", "gfx1102",
             "gfx1103", "gfx1150", "gfx1152", "gfx1153", "gfx10-3-generic", "gfx11-generic"}))
    return rdna(16, 1024, 16, waveSize);
  if (oneOf(name, {"gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201", "gfx12-generic"}))
    return rdna(16, 1536, 24, waveSize);
  return std::nullopt;
}

/// Those of which a launch's figures are known. Code for a generic target runs here, too, as on any of
/// its processors.
bool hasKnownUnits(std::string_view name) {
  return name.starts_with("gfx103") || name.starts_with("gfx110") ||
         oneOf(name, {"gfx10-3-generic", "gfx11-generic", "gfx1201"});
}

} // namespace

std::optional<Processor> findProcessor(std::string_view name, unsigned waveSize) {
  if (waveSize != 32 && waveSize != 64)
    return std::nullopt;
  if (auto gcn = ofGcn(name))
    return waveSize == 64 ? gcn : std::nullopt;
  return ofRdna(name, waveSize);
}

std::optional<Processor> findUnit(std::string_view name, unsigned waveSize, Placement placement) {
  auto p = findProcessor(name, waveSize);
  if (!p || p->ldsBytes)
    return p;
  if (!hasKnownUnits(name))
    return std::nullopt;
  const unsigned units = placement == Placement::pair ? 2 : 1;
  p->simds = 2 * units;
  p->workgroups = 16 * units;
  p->vgprEncoding = waveSize == 32 ? 8 : 4;
  p->ldsBytes = 64 * kKiB * units;
  p->ldsOfWorkgroup = 64 * kKiB;
  p->ldsGranule = 1024;
  return p;
}

} // namespace meld
