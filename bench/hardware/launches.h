// Runs a HIP program on a device and reads back what each of its launches took there.
#pragma once

#include "bench/hardware/record.h"
#include "bench/runner/measure.h"

namespace meld::bench {

struct LaunchTime {
  std::string kernel;
  double nanoseconds = 0;
};

struct TimedRun {
  int exitCode = -1;
  std::string output;
  std::vector<LaunchTime> launches; ///< in order
  bool replaced = false;            ///< libmeld said so
  Counters counters;                ///< where they were asked for and could be had
};

enum class Code { original, melded };

/// Where programs run.
struct Target {
  Paths paths;
  bool software = false;
  /// Of the software GPU: MELD_GPU and MELD_GPU_CUS; empty: as it is.
  std::map<std::string, std::string> environment = {};

  std::filesystem::path timesLibrary() const;
  TimedRun run(const std::string &program, const std::vector<std::string> &arguments, Code code,
               bool counters) const;
};

/// The lines "NANOSECONDS NAME" of libmeld-launch-times.so. Errors: badInput with the line.
Result<std::vector<LaunchTime>> launchTimesOf(const std::string &text);

/// Each kernel's launches of one run of a program, summed, with their number. The program ran
/// `repeats` times in its process; where that is several, the first is left out, and each kernel's sum
/// is the median of the others'. Errors: badInput where the launches are not so many times the same.
Result<std::map<std::string, std::pair<double, unsigned>>>
sumsOf(const std::vector<LaunchTime> &launches, unsigned repeats);

/// What rocprofv3 wrote into its *_counter_collection.csv: sums by kernel. Empty from anything else.
Counters countersOfCsv(const std::string &text);

/// rocprofv3 in PATH or where ROCm is installed; empty where it is not.
std::filesystem::path profilerPath();

} // namespace meld::bench
