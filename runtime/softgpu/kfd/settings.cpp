#include "runtime/softgpu/kfd/settings.h"

#include "runtime/host/stderr.h"
#include "runtime/host/text.h"
#include "runtime/softgpu/watch/check/check.h"

#include <atomic>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace meld::softgpu {

void say(const std::string &line) noexcept {
  try {
    writeToStderr("meld-softgpu: " + line + "\n");
  } catch (...) { // out of memory: nothing sensible is left to say
  }
}

std::optional<uint64_t> parseSize(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data())
    return std::nullopt;
  std::string_view suffix(end, static_cast<size_t>(text.data() + text.size() - end));
  unsigned shift = 0;
  if (!suffix.empty()) {
    switch (std::toupper(static_cast<unsigned char>(suffix[0]))) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    case 'T':
      shift = 40;
      break;
    default:
      return std::nullopt;
    }
    suffix.remove_prefix(1);
    if (suffix != "" && suffix != "B" && suffix != "iB")
      return std::nullopt;
  }
  if (shift && number >> (64 - shift))
    return std::nullopt;
  return number << shift;
}

namespace {

std::optional<bool> parseBool(std::string_view text) {
  for (std::string_view yes : {"1", "on", "true", "yes"})
    if (text == yes)
      return true;
  for (std::string_view no : {"0", "off", "false", "no"})
    if (text == no)
      return false;
  return std::nullopt;
}

std::optional<unsigned> parseCount(std::string_view text, unsigned low, unsigned high) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < low || number > high)
    return std::nullopt;
  return number;
}

/// "a,b" -> {"a", "b"}; an empty text is one empty item.
std::vector<std::string_view> itemsOf(std::string_view list) {
  std::vector<std::string_view> items;
  for (;;) {
    const size_t comma = list.find(',');
    items.push_back(list.substr(0, comma));
    if (comma == list.npos)
      return items;
    list.remove_prefix(comma + 1);
  }
}

/// The models that MELD_GPU lists; nothing, and what is wrong with it, when one is not known.
std::vector<DeviceModel> modelsOf(std::string_view list, std::string &wrong) {
  const auto names = itemsOf(list);
  if (names.size() > kMaxDevices) {
    wrong = "names more than " + std::to_string(kMaxDevices) + " devices";
    return {};
  }
  std::vector<DeviceModel> models;
  for (const std::string_view name : names) {
    const DeviceModel *model = findDevice(name);
    if (!model) {
      wrong = names.size() == 1 ? "is not" : "names '" + shown(name) + "', which is not";
      wrong += std::string(" a device (") + knownDevices() + ")";
      return {};
    }
    models.push_back(*model);
  }
  return models;
}

} // namespace

std::vector<DeviceSettings> readDevices(const std::function<const char *(const char *)> &get,
                                        std::vector<std::string> &warnings) {
  DeviceSettings settings; // what all devices have in common
  auto wrong = [&](const char *name, const char *value, const std::string &what) {
    warnings.push_back(std::string(name) + "=" + shown(value) + " " + what + "; using the default");
  };
  auto bad = [&](const char *name, const char *value, const std::string &expected) {
    wrong(name, value, "is not " + expected);
  };
  std::vector<DeviceModel> models;
  if (const char *v = get("MELD_GPU"); v && *v) {
    std::string problem;
    models = modelsOf(v, problem);
    if (models.empty())
      wrong("MELD_GPU", v, problem);
  }
  if (models.empty())
    models.push_back(settings.model);
  // One value for all devices, or one for each.
  auto perDevice = [&](const char *name, const std::string &expected, auto parse, auto apply) {
    const char *v = get(name);
    if (!v || !*v)
      return;
    const auto items = itemsOf(v);
    bool fine = items.size() == 1 || items.size() == models.size();
    for (const std::string_view item : items)
      fine = fine && parse(item);
    if (!fine)
      return bad(name, v,
                 expected + (models.size() == 1 ? ""
                                                : ", or " + std::to_string(models.size()) +
                                                      " of them with commas"));
    for (size_t i = 0; i < models.size(); ++i)
      apply(models[i], *parse(items[items.size() == 1 ? 0 : i]));
  };
  perDevice(
      "MELD_GPU_CUS", "a number from 1 to 512",
      [](std::string_view text) { return parseCount(text, 1, 512); },
      [](DeviceModel &model, unsigned n) { model.computeUnits = n; });
  perDevice(
      "MELD_GPU_MEM", "a size from 64M to 512G",
      [](std::string_view text) {
        // The window of device addresses ends at 1 TiB; ROCr needs a few MiB for itself.
        const auto n = parseSize(text);
        return n && *n >= (64ull << 20) && *n <= (512ull << 30) ? n : std::nullopt;
      },
      [](DeviceModel &model, uint64_t n) { model.memoryBytes = n & ~4095ull; });
  if (const char *v = get("MELD_GPU_THREADS"); v && *v) {
    if (auto n = parseCount(v, 0, 1024))
      settings.threads = *n;
    else
      bad("MELD_GPU_THREADS", v, "a number from 0 to 1024");
  }
  auto flag = [&](const char *name, bool &out) {
    if (const char *v = get(name); v && *v) {
      if (auto b = parseBool(v))
        out = *b;
      else
        bad(name, v, "0 or 1");
    }
  };
  flag("MELD_GPU_TIMING", settings.timing);
  if (const char *v = get("MELD_GPU_NOISE"); v && *v) {
    if (const auto noise = parseNoise(v))
      settings.noise = *noise;
    else
      bad("MELD_GPU_NOISE", v, "percent[,percent of outliers[,seed]], percentages from 0 to 100");
  }
  if (const char *v = get("MELD_GPU_CHECKED"); v && *v) {
    if (const auto checks = parseChecks(v)) {
      settings.checked = checks->memory;
      settings.checks = checks->checks;
    } else {
      bad("MELD_GPU_CHECKED", v,
          "0, 1, all, or a list of memory, hazard, undefined, race, barrier");
    }
  }
  settings.count = unsigned(models.size());
  std::vector<DeviceSettings> devices;
  for (const DeviceModel &model : models) {
    settings.model = model;
    settings.index = unsigned(devices.size());
    devices.push_back(settings);
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
  config.checked = checked;
  config.checks = checks;
  config.deviceIndex = index;
  config.deviceCount = count;
  return config;
}

namespace {

struct Process {
  std::vector<std::string> warnings;
  std::vector<DeviceSettings> devices;
  std::atomic<bool> said{false};
  Process() {
    devices = readDevices([](const char *n) { return ::secure_getenv(n); }, warnings);
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
