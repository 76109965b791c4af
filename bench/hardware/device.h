// What a device is, and at which clocks it runs: the lines "device KEY VALUE" of micro.hip, and the
// files of the amdgpu driver in sysfs (kernel documentation, "GPU Power/Thermal Controls and
// Monitoring"). Nothing else of the machine is looked at.
#pragma once

#include "bench/hardware/record.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

namespace meld::bench {

/// A small file's text; empty where it cannot be read.
std::string contentOf(const std::filesystem::path &file);

/// `output` of micro.hip. Errors: badInput where it does not say what it ran on.
Result<DeviceFacts> factsOf(const std::string &output);

/// The device's folder in sysfs, by the "pci" line; empty where there is none.
std::filesystem::path sysfsFolderOf(const std::string &output, const std::filesystem::path &sysfs);

/// "6.1.0" of "6.1.0-18-amd64": the rest may name who built it.
std::string versionNumbers(const std::string &release);

/// The gfx names of the GPUs that the kernel's driver lists, "gfx90a": also of those that no program
/// here has code for.
std::vector<std::string> installedGpus(const std::filesystem::path &sysfs);

/// The line with a star of pp_dpm_sclk, in MHz; nothing where none has one.
std::optional<double> currentClock(const std::string &text);
/// The name with a star of pp_power_profile_mode; empty where none has one.
std::string currentProfile(const std::string &text);

/// Reads clocks, power and temperature several times a second until it is destroyed.
class PowerSampler {
public:
  explicit PowerSampler(std::filesystem::path folder);
  /// What was sampled since the last call, or since the beginning.
  PowerOfRound take();
  std::string performanceLevel() const;
  std::string powerProfile() const;

private:
  void sample();

  std::filesystem::path folder_; ///< empty: nothing is known of this device
  std::mutex mutex_;
  std::map<std::string, std::vector<double>> samples_;
  std::optional<double> busyBefore_;
  std::jthread thread_; ///< last: ends first
};

} // namespace meld::bench
