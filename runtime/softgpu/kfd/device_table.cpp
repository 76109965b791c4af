#include "runtime/softgpu/kfd/device_table.h"

namespace meld::softgpu {

namespace {
constexpr uint64_t kGiB = 1ull << 30;

// gfx90a is one graphics compute die of an MI200; its shader engines are reported as one (measured:
// enough for every ROCr version). The others list their real engines.
constexpr DeviceModel kDevices[] = {
    {isa::Target::gfx90a, "gfx90a", "Software GPU (AMD Instinct MI200)", 0x740F, 90010, 104, 1, 1,
     1700, 16, 8192, 4096, 1600, 16 * kGiB, true, 2},
    {isa::Target::gfx900, "gfx900", "Software GPU (Radeon RX Vega 64)", 0x687F, 90000, 64, 4, 1,
     1630, 16, 4096, 2048, 945, 8 * kGiB, false, 2},
    {isa::Target::gfx906, "gfx906", "Software GPU (AMD Instinct MI50)", 0x66A1, 90006, 60, 4, 1,
     1725, 16, 4096, 4096, 1000, 16 * kGiB, true, 2},
    {isa::Target::gfx908, "gfx908", "Software GPU (AMD Instinct MI100)", 0x738C, 90008, 120, 8, 1,
     1502, 16, 8192, 4096, 1200, 32 * kGiB, true, 2},
    // One of the eight dies of an MI300X, with an eighth of its memory and of its bandwidth.
    {isa::Target::gfx942, "gfx942", "Software GPU (AMD Instinct MI300X)", 0x74A1, 90402, 38, 1, 1,
     2100, 32, 4096, 1024, 2600, 24 * kGiB, true, 2},
    // One of the eight dies of an MI350X, likewise.
    {isa::Target::gfx950, "gfx950", "Software GPU (AMD Instinct MI350X)", 0x75A0, 90500, 32, 1, 1,
     2200, 32, 4096, 1024, 4000, 36 * kGiB, true, 2},
    // Four engines of two arrays of ten compute units; memory at 16 Gb/s a pin. Two of its four SDMA engines.
    {isa::Target::gfx1030, "gfx1030", "Software GPU (AMD Radeon RX 6900 XT)", 0x73BF, 100300, 80, 4,
     2, 2250, 16, 4096, 256, 1000, 16 * kGiB, false, 2},
    // Six engines of two arrays of eight compute units; memory at 20 Gb/s a pin.
    {isa::Target::gfx1100, "gfx1100", "Software GPU (AMD Radeon RX 7900 XTX)", 0x744C, 110000, 96,
     6, 2, 2500, 32, 6144, 384, 1250, 24 * kGiB, false, 2},
    // Four engines of two arrays of eight compute units; memory at 20 Gb/s a pin.
    {isa::Target::gfx1201, "gfx1201", "Software GPU (AMD Radeon RX 9070 XT)", 0x7550, 120001, 64, 4,
     2, 2970, 32, 8192, 256, 1250, 16 * kGiB, false, 2},
};
} // namespace

const DeviceModel *findDevice(std::string_view isaName) {
  for (const DeviceModel &model : kDevices)
    if (isaName == model.isaName)
      return &model;
  return nullptr;
}

const DeviceModel &deviceOf(isa::Target target) {
  for (const DeviceModel &model : kDevices)
    if (model.target == target)
      return model;
  return kDevices[0];
}

} // namespace meld::softgpu
