// The kinds of settings: the type of each, how its text is read and how a value is written.
//
// Errors: badInput, with what the text is not ("not a number from 1 to 64"); the text itself is not
// repeated. However long a text is, it costs a look at each character. Thread rule: any thread.
#pragma once

#include "runtime/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace meld {

/// Noise on modelled times (runtime/softgpu/kfd/model_clock.h).
struct TimeNoise {
  double percent = 0;  ///< standard deviation of the logarithm of a duration, in percent
  double outliers = 0; ///< percent of the dispatches
  uint64_t seed = 1;
  bool any() const { return percent > 0 || outliers > 0; }
  bool operator==(const TimeNoise &) const = default;
};

/// Which mistakes of a kernel the software GPU looks for.
struct CheckSettings {
  bool memory = false; ///< every address against what was allocated
  unsigned checks = 0; ///< bit n: the n-th of runtime/softgpu/watch/check/checks.def
  bool operator==(const CheckSettings &) const = default;
};

/// Names and values of parameters of the timing model, as they were given.
using TimingChanges = std::vector<std::pair<std::string, uint32_t>>;

/// Whether an application waits for a compile.
enum class CompileMode : uint8_t { sync, async };

namespace settingtype {
using Flag = bool;
using Number = uint32_t;
using Count = uint64_t;
using Size = uint64_t;
using Real = double;
using Level = int; ///< 0 off .. 5 trace
using Text = std::string;
using Regex = std::string;
using Choice = std::string;
using Mode = CompileMode;
using List = std::string;
using Devices = std::vector<std::string>; ///< at least one, kMostDevices at most
using Numbers = std::vector<uint32_t>;    ///< none, one, or one for each device
using Sizes = std::vector<uint64_t>;      ///< the same
using Noise = TimeNoise;
using Checks = CheckSettings;
using Parameters = TimingChanges;
} // namespace settingtype

/// The most devices of a software GPU, as many as the largest machines have.
inline constexpr size_t kMostDevices = 16;

/// 2G, 512M, 1024: bytes. Powers of 1024; an optional B or iB after the suffix.
Result<uint64_t> parseSize(std::string_view text);
Result<bool> parseFlag(std::string_view text);
Result<int> parseLevel(std::string_view text);
const char *levelName(int level);
/// "5", "5,2", "5,2,42": percentages from 0 to 100, and a seed.
Result<TimeNoise> parseNoise(std::string_view text);
/// A flag (1: memory), or a list of all, memory and the names in checks.def.
Result<CheckSettings> parseChecks(std::string_view text);
/// "name=value,name=value" of runtime/softgpu/timing/parameter_table.def, within the bounds it has.
Result<TimingChanges> parseTimingChanges(std::string_view text);

/// What a row's text is judged by.
struct SettingRow {
  std::string_view name;
  std::string_view allowed; ///< "1 to 64" or "sync, async"; empty: all that the kind knows
  size_t devices = 1;       ///< for Numbers and Sizes: how many values there may be
};

Result<bool> parseAsFlag(const SettingRow &, std::string_view text);
Result<uint32_t> parseAsNumber(const SettingRow &, std::string_view text);
Result<uint64_t> parseAsCount(const SettingRow &, std::string_view text);
Result<uint64_t> parseAsSize(const SettingRow &, std::string_view text);
Result<double> parseAsReal(const SettingRow &, std::string_view text);
Result<int> parseAsLevel(const SettingRow &, std::string_view text);
Result<std::string> parseAsText(const SettingRow &, std::string_view text);
Result<std::string> parseAsRegex(const SettingRow &, std::string_view text);
Result<std::string> parseAsChoice(const SettingRow &, std::string_view text);
Result<CompileMode> parseAsMode(const SettingRow &row, std::string_view text);
Result<std::string> parseAsList(const SettingRow &, std::string_view text);
Result<settingtype::Devices> parseAsDevices(const SettingRow &, std::string_view text);
Result<settingtype::Numbers> parseAsNumbers(const SettingRow &, std::string_view text);
Result<settingtype::Sizes> parseAsSizes(const SettingRow &, std::string_view text);
Result<TimeNoise> parseAsNoise(const SettingRow &, std::string_view text);
Result<CheckSettings> parseAsChecks(const SettingRow &, std::string_view text);
Result<TimingChanges> parseAsParameters(const SettingRow &, std::string_view text);

/// The canonical text, which parses to the same value.
std::string textOfFlag(bool value);
std::string textOfNumber(uint32_t value);
std::string textOfCount(uint64_t value);
std::string textOfSize(uint64_t value);
std::string textOfReal(double value);
std::string textOfLevel(int value);
inline std::string textOfText(const std::string &value) { return value; }
inline std::string textOfRegex(const std::string &value) { return value; }
inline std::string textOfChoice(const std::string &value) { return value; }
std::string textOfMode(CompileMode value);
inline std::string textOfList(const std::string &value) { return value; }
std::string textOfDevices(const settingtype::Devices &value);
std::string textOfNumbers(const settingtype::Numbers &value);
std::string textOfSizes(const settingtype::Sizes &value);
std::string textOfNoise(const TimeNoise &value);
std::string textOfChecks(const CheckSettings &value);
std::string textOfParameters(const TimingChanges &value);

} // namespace meld
