#include "runtime/softgpu/kfd/settings.h"

#include "runtime/softgpu/cu/check/check.h"

#include <atomic>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <unistd.h>

namespace meld::softgpu {

void say(const std::string &line) noexcept {
  try {
    const std::string text = "meld-softgpu: " + line + "\n";
    [[maybe_unused]] ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
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

} // namespace

DeviceSettings readSettings(const std::function<const char *(const char *)> &get,
                            std::vector<std::string> &warnings) {
  DeviceSettings settings;
  auto bad = [&](const char *name, const char *value, const std::string &expected) {
    warnings.push_back(std::string(name) + "=" + value + " is not " + expected +
                       "; using the default");
  };
  if (const char *v = get("MELD_GPU"); v && *v) {
    if (const DeviceModel *model = findDevice(v))
      settings.model = *model;
    else
      bad("MELD_GPU", v, std::string("a device (") + knownDevices() + ")");
  }
  if (const char *v = get("MELD_GPU_CUS"); v && *v) {
    if (auto n = parseCount(v, 1, 512))
      settings.model.computeUnits = *n;
    else
      bad("MELD_GPU_CUS", v, "a number from 1 to 512");
  }
  if (const char *v = get("MELD_GPU_MEM"); v && *v) {
    const auto n = parseSize(v);
    // The window of device addresses ends at 1 TiB; ROCr needs a few MiB for itself.
    if (n && *n >= (64ull << 20) && *n <= (512ull << 30))
      settings.model.memoryBytes = *n & ~4095ull;
    else
      bad("MELD_GPU_MEM", v, "a size from 64M to 512G");
  }
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
  if (const char *v = get("MELD_GPU_CHECKED"); v && *v) {
    if (const auto checks = parseChecks(v)) {
      settings.checked = checks->memory;
      settings.checks = checks->checks;
    } else {
      bad("MELD_GPU_CHECKED", v, "0, 1, all, or a list of memory, hazard, undefined, race, barrier");
    }
  }
  return settings;
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
  return config;
}

namespace {

struct Process {
  std::vector<std::string> warnings;
  DeviceSettings settings;
  std::atomic<bool> said{false};
  Process() {
    settings = readSettings([](const char *n) { return ::secure_getenv(n); }, warnings);
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

const DeviceSettings &processSettings() { return process().settings; }

void sayProcessWarnings() {
  Process &p = process();
  if (!p.said.exchange(true))
    for (const std::string &line : p.warnings)
      say(line);
}

} // namespace meld::softgpu
