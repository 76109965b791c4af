#include "runtime/settings/kinds.h"

#include "runtime/host/pattern.h"
#include "runtime/host/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace meld {
namespace {

constexpr size_t kMaxText = 16384; ///< a list of several paths, each of PATH_MAX

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return out;
}

tl::unexpected<Error> isNot(const std::string &what) {
  return fail(ErrorCode::badInput, "not " + what);
}

template <class T> Result<T> parseWhole(std::string_view text, const char *what) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return isNot(what);
  return value;
}

/// `value`, where it lies within the row's "LOW to HIGH"; `kind` is "a number" or "a size".
template <class T, class Read>
Result<T> within(const SettingRow &row, const char *kind, const Result<T> &value, Read read) {
  if (row.allowed.empty())
    return value;
  constexpr std::string_view to = " to ";
  const size_t middle = row.allowed.find(to);
  const auto low = read(row.allowed.substr(0, middle)),
             high = read(row.allowed.substr(middle + to.size()));
  if (!value || *value < *low || *value > *high)
    return isNot(kind + (" from " + std::string(row.allowed)));
  return value;
}

Result<uint32_t> plainNumber(std::string_view text) {
  return parseWhole<uint32_t>(text, "a number from 0 to 4294967295");
}

/// Calls use(item) for each item between commas, until one is refused; an empty text is one item.
template <class Use> bool eachItem(std::string_view list, Use use) {
  for (;;) {
    const size_t comma = list.find(',');
    if (!use(list.substr(0, comma)))
      return false;
    if (comma == list.npos)
      return true;
    list.remove_prefix(comma + 1);
  }
}

bool hasWord(std::string_view words, std::string_view word) {
  return !eachItem(words, [&](std::string_view known) {
    return known.substr(known.find_first_not_of(' ')) != word;
  });
}

std::string_view allowedWords(const SettingRow &row) {
  return row.name != "MELD_PASSES" ? row.allowed : "all, meld, none"
#define MELD_MELDER(name, ...) ", " name
#define MELD_FAMILY(name, ...) ", " name
#define MELD_SCALARIZER(name, ...) ", " name
#define MELD_BEFORE(name, ...) ", " name
#include "passes/passes.def"
      ;
}

/// One value for all devices, or one for each; none is what the device has.
template <class Item, class Parse>
Result<std::vector<Item>> perDevice(const SettingRow &row, std::string_view text, Parse parse) {
  std::vector<Item> values;
  if (text.empty())
    return values;
  const bool fine = eachItem(text, [&](std::string_view item) {
    auto value = parse(row, item);
    if (!value || values.size() == kMostDevices)
      return false;
    values.push_back(*value);
    return true;
  });
  if (fine && (values.size() == 1 || values.size() == row.devices))
    return values;
  Error problem = parse(row, "").error();
  if (row.devices > 1)
    problem.message += ", or " + std::to_string(row.devices) + " of them with commas";
  return tl::unexpected(problem);
}

template <class Values, class Text> std::string commaList(const Values &values, Text text) {
  std::string out;
  for (const auto &value : values)
    out += (out.empty() ? "" : ",") + text(value);
  return out;
}

constexpr std::string_view kChecks[] = {
#define MELD_CHECK(name, ...) #name,
#include "runtime/softgpu/watch/check/checks.def"
};
constexpr unsigned kAllChecks = (1u << std::size(kChecks)) - 1;

struct TimingBounds {
  std::string_view name;
  uint32_t least, most;
};
constexpr TimingBounds kTimingBounds[] = {
#define MELD_TIMING_PARAMETER(name, value, low, high, least, most) {#name, least, most},
#include "runtime/softgpu/timing/parameter_table.def"
};

} // namespace

Result<bool> parseFlag(std::string_view text) {
  std::string word = lower(text);
  for (const char *yes : {"1", "on", "true", "yes"})
    if (word == yes)
      return true;
  for (const char *no : {"0", "off", "false", "no"})
    if (word == no)
      return false;
  return isNot("one of 0, 1, on, off, true, false, yes, no");
}

Result<uint64_t> parseSize(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string suffix = lower(text.substr(end - text.data()));
  if (error != std::errc())
    return isNot("a size such as 512M or 2G");
  unsigned shift = 0;
  static constexpr std::string_view kUnits = "kmgt";
  if (!suffix.empty()) {
    if (size_t unit = kUnits.find(suffix[0]); unit != std::string_view::npos) {
      shift = 10 * (unit + 1);
      suffix.erase(0, 1);
      if (suffix == "ib")
        suffix.clear();
    }
    if (suffix == "b")
      suffix.clear();
  }
  if (!suffix.empty() || (shift && value >> (64 - shift)))
    return isNot("a size such as 512M or 2G");
  return value << shift;
}

const char *levelName(int level) {
  static constexpr const char *kNames[] = {"off", "error", "warning", "info", "debug", "trace"};
  return level >= 0 && level <= 5 ? kNames[level] : "?";
}

Result<int> parseLevel(std::string_view text) {
  std::string word = lower(text);
  if (word == "none")
    word = "off";
  if (word == "warn")
    word = "warning";
  for (int level = 0; level <= 5; ++level)
    if (word == levelName(level) || word == std::to_string(level))
      return level;
  return isNot("0-5 or off, error, warning, info, debug, trace");
}

Result<TimeNoise> parseNoise(std::string_view text) {
  TimeNoise noise;
  auto read = [](std::string_view digits, auto &value) {
    const char *end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    return error == std::errc() && stop == end;
  };
  unsigned count = 0;
  const bool fine = eachItem(text, [&](std::string_view digits) {
    switch (count++) {
    case 0:
      return read(digits, noise.percent) && noise.percent >= 0 && noise.percent <= 100;
    case 1:
      return read(digits, noise.outliers) && noise.outliers >= 0 && noise.outliers <= 100;
    default:
      return count == 3 && read(digits, noise.seed);
    }
  });
  if (!fine)
    return isNot("percent[,percent of outliers[,seed]], percentages from 0 to 100");
  return noise;
}

Result<CheckSettings> parseChecks(std::string_view text) {
  CheckSettings s;
  if (text.empty())
    return s;
  if (const auto flag = parseFlag(text)) {
    s.memory = *flag;
    return s;
  }
  if (text.ends_with(','))
    text.remove_suffix(1);
  const bool fine = eachItem(text, [&](std::string_view part) {
    const auto *known = std::ranges::find(kChecks, part);
    const bool all = part == "all", memory = part == "memory";
    s.memory |= all || memory;
    if (all)
      s.checks = kAllChecks;
    else if (known != std::end(kChecks))
      s.checks |= 1u << (known - kChecks);
    else
      return memory;
    return true;
  });
  if (!fine)
    return isNot("0, 1, all, or a list of memory"
#define MELD_CHECK(name, ...) ", " #name
#include "runtime/softgpu/watch/check/checks.def"
    );
  return s;
}

Result<TimingChanges> parseTimingChanges(std::string_view text) {
  TimingChanges changes;
  std::string_view wrong;
  const bool fine = eachItem(text, [&](std::string_view part) {
    if (part.empty())
      return true;
    wrong = part;
    const size_t equals = part.find('=');
    const auto *known =
        std::ranges::find(kTimingBounds, part.substr(0, equals), &TimingBounds::name);
    if (equals == part.npos || known == std::end(kTimingBounds))
      return false;
    const auto value = plainNumber(part.substr(equals + 1));
    if (!value || *value < known->least || *value > known->most)
      return false;
    // The last one counts, so that a list is no longer than there are parameters.
    const auto same = std::ranges::find(changes, known->name, &TimingChanges::value_type::first);
    if (same != changes.end())
      same->second = *value;
    else
      changes.emplace_back(known->name, *value);
    return true;
  });
  if (!fine)
    return fail(ErrorCode::badInput,
                "'" + shown(wrong) + "' is no timing parameter with a value that it can have");
  return changes;
}

Result<bool> parseAsFlag(const SettingRow &, std::string_view text) { return parseFlag(text); }
Result<uint32_t> parseAsNumber(const SettingRow &row, std::string_view text) {
  return within(row, "a number", plainNumber(text), plainNumber);
}
Result<uint64_t> parseAsCount(const SettingRow &, std::string_view text) {
  return parseWhole<uint64_t>(text, "a number from 0 to 18446744073709551615");
}
Result<uint64_t> parseAsSize(const SettingRow &row, std::string_view text) {
  return within(row, "a size", parseSize(text), parseSize);
}
Result<double> parseAsReal(const SettingRow &, std::string_view text) {
  auto value = parseWhole<double>(text, "a number");
  if (value && !std::isfinite(*value))
    return isNot("a finite number");
  return value;
}
Result<int> parseAsLevel(const SettingRow &, std::string_view text) { return parseLevel(text); }
Result<std::string> parseAsText(const SettingRow &, std::string_view text) {
  if (text.size() > kMaxText)
    return fail(ErrorCode::badInput, "longer than any path or list");
  return std::string(text);
}
Result<std::string> parseAsRegex(const SettingRow &, std::string_view text) {
  if (!text.empty())
    MELD_TRY(Pattern::compile(text));
  return std::string(text);
}
Result<std::string> parseAsChoice(const SettingRow &row, std::string_view text) {
  constexpr size_t longerThanAny = 64;
  std::string word = lower(text.substr(0, longerThanAny));
  const std::string_view words = allowedWords(row);
  if (word == "0" && hasWord(words, "off"))
    word = "off";
  if (!hasWord(words, word))
    return isNot("one of " + std::string(words));
  return word;
}
Result<CompileMode> parseAsMode(const SettingRow &row, std::string_view text) {
  const std::string word = MELD_TRY(parseAsChoice(row, text));
  return word == textOfMode(CompileMode::async) ? CompileMode::async : CompileMode::sync;
}
Result<std::string> parseAsList(const SettingRow &row, std::string_view text) {
  constexpr std::string_view passPrefix = "meld-"; // as opt knows them
  constexpr std::string_view leftOutPrefix = "no-";
  const bool passes = row.name == "MELD_PASSES";
  std::vector<std::string> words;
  Error problem;
  const bool fine = eachItem(text, [&](std::string_view part) {
    while (part.starts_with(' '))
      part.remove_prefix(1);
    while (part.ends_with(' '))
      part.remove_suffix(1);
    if (part.empty())
      return true;
    const bool leftOut = passes && part.starts_with(leftOutPrefix);
    if (leftOut)
      part.remove_prefix(leftOutPrefix.size());
    if (passes && part.starts_with(passPrefix))
      part.remove_prefix(passPrefix.size());
    auto word = parseAsChoice(row, part);
    if (!word)
      problem = {ErrorCode::badInput, "'" + shown(part, 20) + "' is " + word.error().message};
    else if (leftOut && (*word == "all" || *word == "meld" || *word == "none"))
      problem = {ErrorCode::badInput, "'no-" + *word + "' is no pass to leave out; say none"};
    if (!problem.message.empty())
      return false;
    if (leftOut)
      word->insert(0, leftOutPrefix);
    // Once is enough: a list is as long as there are words, however long the text is.
    if (std::find(words.begin(), words.end(), *word) == words.end())
      words.push_back(std::move(*word));
    return true;
  });
  if (!fine)
    return tl::unexpected(problem);
  if (words.size() > 1 && std::find(words.begin(), words.end(), "none") != words.end())
    return fail(ErrorCode::badInput, "'none' stands alone");
  return commaList(words, [](const std::string &word) { return word; });
}
Result<settingtype::Devices> parseAsDevices(const SettingRow &row, std::string_view text) {
  settingtype::Devices names;
  std::string problem;
  eachItem(text, [&](std::string_view name) {
    if (names.size() == kMostDevices)
      problem = "more than " + std::to_string(kMostDevices) + " devices";
    else if (!hasWord(row.allowed, name))
      problem = "'" + shown(name) + "' is not one of " + std::string(row.allowed);
    names.emplace_back(name.substr(0, kMaxText));
    return problem.empty();
  });
  if (!problem.empty())
    return fail(ErrorCode::badInput, problem);
  return names;
}
Result<settingtype::Numbers> parseAsNumbers(const SettingRow &row, std::string_view text) {
  return perDevice<uint32_t>(row, text, parseAsNumber);
}
Result<settingtype::Sizes> parseAsSizes(const SettingRow &row, std::string_view text) {
  return perDevice<uint64_t>(row, text, parseAsSize);
}
Result<TimeNoise> parseAsNoise(const SettingRow &, std::string_view text) {
  return parseNoise(text);
}
Result<CheckSettings> parseAsChecks(const SettingRow &, std::string_view text) {
  return parseChecks(text);
}
Result<TimingChanges> parseAsParameters(const SettingRow &, std::string_view text) {
  return parseTimingChanges(text);
}

std::string textOfFlag(bool value) { return value ? "1" : "0"; }
std::string textOfMode(CompileMode value) { return value == CompileMode::async ? "async" : "sync"; }
std::string textOfNumber(uint32_t value) { return std::to_string(value); }
std::string textOfCount(uint64_t value) { return std::to_string(value); }
std::string textOfSize(uint64_t value) {
  static constexpr const char *kSuffix[] = {"", "K", "M", "G", "T"};
  unsigned i = 0;
  while (i < 4 && value && value % 1024 == 0) {
    value /= 1024;
    ++i;
  }
  return std::to_string(value) + kSuffix[i];
}
std::string textOfReal(double value) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, error == std::errc() ? end : buffer);
}
std::string textOfLevel(int value) { return levelName(value); }
std::string textOfDevices(const settingtype::Devices &value) {
  return commaList(value, [](const std::string &name) { return name; });
}
std::string textOfNumbers(const settingtype::Numbers &value) {
  return commaList(value, textOfNumber);
}
std::string textOfSizes(const settingtype::Sizes &value) { return commaList(value, textOfSize); }
std::string textOfNoise(const TimeNoise &value) {
  const TimeNoise usual;
  std::string out = textOfReal(value.percent);
  if (value.outliers != usual.outliers || value.seed != usual.seed)
    out += "," + textOfReal(value.outliers);
  if (value.seed != usual.seed)
    out += "," + std::to_string(value.seed);
  return out;
}
std::string textOfChecks(const CheckSettings &value) {
  if (!value.checks)
    return value.memory ? "1" : "0";
  if (value.memory && value.checks == kAllChecks)
    return "all";
  std::string out = value.memory ? "memory" : "";
  for (unsigned bit = 0; bit < std::size(kChecks); ++bit)
    if (value.checks >> bit & 1)
      out += (out.empty() ? "" : ",") + std::string(kChecks[bit]);
  return out;
}
std::string textOfParameters(const TimingChanges &value) {
  return commaList(value,
                   [](const auto &one) { return one.first + "=" + std::to_string(one.second); });
}

} // namespace meld
