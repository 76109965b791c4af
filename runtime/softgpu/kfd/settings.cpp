#include "runtime/softgpu/kfd/settings.h"

#include "runtime/host/stderr.h"
#include "runtime/softgpu/kfd/rocr.h"

#include <algorithm>
#include <atomic>

namespace meld::softgpu {

void say(const std::string &line) noexcept {
  try {
    writeToStderr("meld-softgpu: " + line + "\n");
  } catch (...) { // out of memory: nothing sensible is left to say
  }
}

namespace {

/// Since GFX10 two compute units are one to HIP, which divides by how many it has.
uint32_t fewestUnits(const DeviceModel &model) {
  return isa::traitsOf(model.target).generation >= 10 ? 2 : 1;
}

} // namespace

std::vector<DeviceSettings> devicesOf(const Settings &settings,
                                      std::vector<std::string> &warnings) {
  DeviceSettings device; // what all have in common
  device.threads = settings.gpuThreads;
  device.timing = settings.gpuTiming;
  device.noise = settings.gpuNoise;
  device.checks = settings.gpuChecked;
  device.count = unsigned(settings.gpu.size());
  // One value for all, or one for each; none: what the model has.
  auto valueFor = [&](const auto &values, auto otherwise) {
    return values.empty()                  ? otherwise
           : values.size() == device.count ? values[device.index]
                                           : values.front();
  };
  std::vector<DeviceSettings> devices;
  for (const std::string &name : settings.gpu) {
    if (const DeviceModel *model = findDevice(name))
      device.model = *model;
    DeviceModel &model = device.model;
    const uint32_t units = valueFor(settings.gpuCus, model.computeUnits);
    model.computeUnits = std::max(units, fewestUnits(model));
    if (units < model.computeUnits)
      warnings.push_back("MELD_GPU_CUS=" + std::to_string(units) + ": compute units of " +
                         model.isaName + " come in pairs; using " +
                         std::to_string(model.computeUnits));
    // The window of device addresses ends at 1 TiB; ROCr needs a few MiB for itself.
    model.memoryBytes = valueFor(settings.gpuMem, model.memoryBytes) & ~4095ull;
    devices.push_back(device);
    ++device.index;
  }
  return devices;
}

DeviceConfig DeviceSettings::toConfig() const {
  DeviceConfig config;
  config.target = model.target;
  config.computeUnits = model.computeUnits;
  config.vramBytes = model.memoryBytes;
  config.hostThreads = threads;
  config.timing = timing;
  config.checked = checks.memory;
  config.checks = checks.checks;
  config.deviceIndex = index;
  config.deviceCount = count;
  return config;
}

namespace {

// A list with a device that is none is the default, as it is where we ourselves do not know the name.
void keepWhatRocrKnows(LoadedSettings &loaded) {
  std::vector<std::string> &names = loaded.settings.gpu;
  std::string rocr;
  const auto unknown = std::find_if(names.begin(), names.end(), [&](const std::string &name) {
    rocr = rocrWithout(name);
    return !rocr.empty();
  });
  if (unknown == names.end())
    return;
  const SettingValue &setting =
      *std::find_if(loaded.values.begin(), loaded.values.end(), [](const SettingValue &value) {
        return std::string_view(value.name) == "MELD_GPU";
      });
  loaded.gpuWarnings.push_back("MELD_GPU=" + setting.value + ": " + rocr + " does not know '" +
                               *unknown + "'; using the default " + setting.fallback);
  names = {setting.fallback};
}

struct Process {
  std::vector<std::string> warnings;
  std::vector<DeviceSettings> devices;
  std::atomic<bool> said{false};
  Process() {
    LoadedSettings loaded = loadSettings();
    keepWhatRocrKnows(loaded);
    devices = devicesOf(loaded.settings, loaded.gpuWarnings);
    warnings = std::move(loaded.gpuWarnings);
  }
};

Process &process() {
  // No lock: a fork in another thread must not leave one held. Whoever publishes first wins.
  static std::atomic<Process *> published{nullptr};
  if (Process *known = published.load(std::memory_order_acquire))
    return *known;
  auto *fresh = new Process;
  Process *expected = nullptr;
  if (published.compare_exchange_strong(expected, fresh, std::memory_order_acq_rel))
    return *fresh;
  delete fresh;
  return *expected;
}

} // namespace

const std::vector<DeviceSettings> &processDevices() { return process().devices; }

void sayProcessWarnings() {
  Process &p = process();
  if (!p.said.exchange(true))
    for (const std::string &line : p.warnings)
      say(line);
}

} // namespace meld::softgpu
