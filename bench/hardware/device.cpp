#include "bench/hardware/device.h"

#include "bench/hardware/statistics.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/utsname.h>

namespace meld::bench {

namespace fs = std::filesystem;

namespace {

std::map<std::string, std::string> deviceLines(const std::string &output) {
  std::map<std::string, std::string> values;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string tag, key, value;
    if (words >> tag >> key && tag == "device" && std::getline(words >> std::ws, value))
      values.emplace(key, value);
  }
  return values;
}

std::optional<double> numberIn(const fs::path &file) {
  const std::string text = contentOf(file);
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() || value < 0 ? std::nullopt : std::optional(value);
}

/// The first hwmon file of that name.
std::optional<double> sensor(const fs::path &device, const char *name) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (const auto &entry : fs::directory_iterator(device / "hwmon", error))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path &folder : folders)
    if (const auto value = numberIn(folder / name))
      return value;
  return {};
}

std::string firstWord(const std::string &text) {
  std::istringstream in(text);
  std::string word;
  in >> word;
  return word;
}

} // namespace

std::string contentOf(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<DeviceFacts> factsOf(const std::string &output) {
  auto lines = deviceLines(output);
  for (const char *key : {"name", "arch", "units", "clock", "runtime", "driver"})
    if (lines[key].empty())
      return fail(ErrorCode::badInput,
                  std::string("the microbenchmarks do not say the device's ") + key);
  DeviceFacts facts;
  facts.name = lines["name"];
  facts.arch = lines["arch"];
  facts.computeUnits = static_cast<unsigned>(std::strtoul(lines["units"].c_str(), nullptr, 10));
  facts.clockMhz = std::strtod(lines["clock"].c_str(), nullptr);
  facts.runtime = lines["runtime"];
  facts.driver = lines["driver"];
  if (!facts.computeUnits || facts.clockMhz <= 0)
    return fail(ErrorCode::badInput, "the device has no compute units or no clock");
  utsname host;
  if (uname(&host) == 0)
    facts.kernel = versionNumbers(host.release);
  return facts;
}

fs::path sysfsFolderOf(const std::string &output, const fs::path &sysfs) {
  const auto lines = deviceLines(output);
  const auto pci = lines.find("pci");
  if (pci == lines.end())
    return {};
  const fs::path folder = sysfs / "bus/pci/devices" / pci->second;
  std::error_code error;
  return fs::exists(folder / "pp_dpm_sclk", error) ? folder : fs::path();
}

std::string versionNumbers(const std::string &release) {
  const size_t end = release.find_first_not_of("0123456789.");
  return release.substr(0, end);
}

std::vector<std::string> installedGpus(const fs::path &sysfs) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto &node : fs::directory_iterator(sysfs / "class/kfd/kfd/topology/nodes", error)) {
    std::istringstream in(contentOf(node.path() / "properties"));
    std::string key;
    for (unsigned long value; in >> key >> value;)
      if (key == "gfx_target_version" && value) {
        // Decimal 90010: major 9, minor 0, stepping 10, of which the last is a hexadecimal digit.
        char name[32];
        std::snprintf(name, sizeof name, "gfx%lu%lx%lx", value / 10000, value / 100 % 100,
                      value % 100);
        names.emplace_back(name);
      }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<double> currentClock(const std::string &text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find('*') != std::string::npos)
      if (const size_t colon = line.find(':'); colon != std::string::npos)
        return std::strtod(line.c_str() + colon + 1, nullptr);
  return {};
}

std::string currentProfile(const std::string &text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const size_t star = line.find('*');
    if (star == std::string::npos)
      continue;
    std::istringstream words(line.substr(0, star)); // "  1 3D_FULL_SCREEN "
    std::string number, name;
    words >> number >> name;
    return name;
  }
  return {};
}

PowerSampler::PowerSampler(fs::path folder) : folder_(std::move(folder)) {
  if (folder_.empty())
    return;
  busyBefore_ = numberIn(folder_ / "gpu_busy_percent");
  thread_ = std::jthread([this](const std::stop_token &stop) {
    std::mutex own;
    std::condition_variable_any wake;
    for (std::unique_lock lock(own); !stop.stop_requested();) {
      sample();
      wake.wait_for(lock, stop, std::chrono::milliseconds(200), [] { return false; });
    }
  });
}

void PowerSampler::sample() {
  const auto sclk = currentClock(contentOf(folder_ / "pp_dpm_sclk"));
  const auto mclk = currentClock(contentOf(folder_ / "pp_dpm_mclk"));
  auto power = sensor(folder_, "power1_average"); // millionths of a watt
  if (!power)
    power = sensor(folder_, "power1_input");
  const auto heat = sensor(folder_, "temp1_input"); // thousandths of a degree
  const std::lock_guard lock(mutex_);
  if (sclk)
    samples_["sclkMHz"].push_back(*sclk);
  if (mclk)
    samples_["mclkMHz"].push_back(*mclk);
  if (power)
    samples_["watts"].push_back(*power / 1e6);
  if (heat)
    samples_["celsius"].push_back(*heat / 1e3);
}

PowerOfRound PowerSampler::take() {
  PowerOfRound round;
  if (folder_.empty())
    return round;
  const std::lock_guard lock(mutex_);
  for (const auto &[name, values] : samples_) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    round.values[name] = {*least, median(values), *most};
  }
  samples_.clear();
  round.busyBefore = std::exchange(busyBefore_, numberIn(folder_ / "gpu_busy_percent"));
  return round;
}

std::string PowerSampler::performanceLevel() const {
  return folder_.empty() ? "" : firstWord(contentOf(folder_ / "power_dpm_force_performance_level"));
}

std::string PowerSampler::powerProfile() const {
  return folder_.empty() ? "" : currentProfile(contentOf(folder_ / "pp_power_profile_mode"));
}

} // namespace meld::bench
