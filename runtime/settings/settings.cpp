#include "runtime/settings/settings.h"

#include "runtime/host/pattern.h"
#include "runtime/host/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace meld {
namespace {

constexpr uint32_t kMostJobs = 64;
constexpr size_t kMaxText = 16384; ///< a list of several paths, each of PATH_MAX
constexpr size_t kMostUnknown = 10;

/// Allowed words of Choice and List settings.
const std::vector<std::string> &allowedWords(std::string_view name) {
  static const std::vector<std::string> modes = {"sync", "async"};
  static const std::vector<std::string> adapts = {"off", "static", "on"};
  static const std::vector<std::string> compilers = {"thread", "process"};
  static const std::vector<std::string> trusts = {"interface", "verify"};
  static const std::vector<std::string> dumps = {"ir", "isa", "decision", "cfg"};
  static const std::vector<std::string> passes = {
      "all",
      "meld",
      "none",
#define MELD_MELDER(name, ...) name,
#define MELD_FAMILY(name, ...) name,
#define MELD_SCALARIZER(name, ...) name,
#define MELD_BEFORE(name, ...) name,
#include "passes/passes.def"
  };
  return name == "MELD_COMPILE_MODE" ? modes
         : name == "MELD_ADAPT"      ? adapts
         : name == "MELD_COMPILER"   ? compilers
         : name == "MELD_TRUST"      ? trusts
         : name == "MELD_PASSES"     ? passes
                                     : dumps;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return out;
}

std::string joined(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &word : words)
    out += (out.empty() ? "" : ", ") + word;
  return out;
}

template <class T> Result<T> parseWhole(std::string_view text, const char *what) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(ErrorCode::badInput, std::string("not ") + what);
  return value;
}

Result<uint32_t> parseNumber(std::string_view text) {
  return parseWhole<uint32_t>(text, "a number from 0 to 4294967295");
}
Result<double> parseReal(std::string_view text) {
  auto value = parseWhole<double>(text, "a number");
  if (value && !std::isfinite(*value))
    return fail(ErrorCode::badInput, "not a finite number");
  return value;
}
Result<std::string> parseRegex(std::string_view text) {
  if (!text.empty())
    if (auto pattern = Pattern::compile(text); !pattern)
      return tl::unexpected(pattern.error());
  return std::string(text);
}
Result<std::string> parseChoice(std::string_view name, std::string_view text) {
  constexpr size_t longerThanAny = 64;
  if (text.size() > longerThanAny)
    text = text.substr(0, longerThanAny);
  std::string word = lower(text);
  const auto &allowed = allowedWords(name);
  if (std::find(allowed.begin(), allowed.end(), word) == allowed.end())
    return fail(ErrorCode::badInput, "not one of " + joined(allowed));
  return word;
}
Result<std::string> parseList(std::string_view name, std::string_view text) {
  constexpr std::string_view passPrefix = "meld-"; // as opt knows them
  constexpr std::string_view leftOutPrefix = "no-";
  std::vector<std::string> words;
  while (!text.empty()) {
    size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (part.starts_with(' '))
      part.remove_prefix(1);
    while (part.ends_with(' '))
      part.remove_suffix(1);
    if (part.empty())
      continue;
    const bool leftOut = name == "MELD_PASSES" && part.starts_with(leftOutPrefix);
    if (leftOut)
      part.remove_prefix(leftOutPrefix.size());
    if (name == "MELD_PASSES" && part.starts_with(passPrefix))
      part.remove_prefix(passPrefix.size());
    auto word = parseChoice(name, part);
    if (!word)
      return fail(ErrorCode::badInput, "'" + shown(part, 20) + "' is " + word.error().message);
    if (leftOut && (*word == "all" || *word == "meld" || *word == "none"))
      return fail(ErrorCode::badInput, "'no-" + *word + "' is no pass to leave out; say none");
    if (leftOut)
      word->insert(0, leftOutPrefix);
    // Once is enough: a list is as long as there are words, however long the text is.
    if (std::find(words.begin(), words.end(), *word) == words.end())
      words.push_back(std::move(*word));
  }
  if (words.size() > 1 && std::find(words.begin(), words.end(), "none") != words.end())
    return fail(ErrorCode::badInput, "'none' stands alone");
  std::string out;
  for (const std::string &word : words)
    out += (out.empty() ? "" : ",") + word;
  return out;
}

// One overload set per kind, chosen by tag, so that the table can say parseAs##kind.
Result<bool> parseAsFlag(std::string_view, std::string_view text) { return parseFlag(text); }
Result<uint32_t> parseAsNumber(std::string_view name, std::string_view text) {
  auto number = parseNumber(text);
  if (number && name == "MELD_JOBS" && (*number < 1 || *number > kMostJobs))
    return fail(ErrorCode::badInput, "not a number from 1 to " + std::to_string(kMostJobs));
  return number;
}
Result<uint64_t> parseAsSize(std::string_view, std::string_view text) { return parseSize(text); }
Result<double> parseAsReal(std::string_view, std::string_view text) { return parseReal(text); }
Result<int> parseAsLevel(std::string_view, std::string_view text) { return parseLevel(text); }
Result<std::string> parseAsText(std::string_view, std::string_view text) {
  if (text.size() > kMaxText)
    return fail(ErrorCode::badInput, "longer than any path or list");
  return std::string(text);
}
Result<std::string> parseAsRegex(std::string_view, std::string_view text) {
  return parseRegex(text);
}
Result<std::string> parseAsChoice(std::string_view name, std::string_view text) {
  return parseChoice(name, text);
}
Result<std::string> parseAsList(std::string_view name, std::string_view text) {
  return parseList(name, text);
}

std::string textOfFlag(bool value) { return value ? "1" : "0"; }
std::string textOfNumber(uint32_t value) { return std::to_string(value); }
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
std::string textOfText(const std::string &value) { return value; }
std::string textOfRegex(const std::string &value) { return value; }
std::string textOfChoice(const std::string &value) { return value; }
std::string textOfList(const std::string &value) { return value; }

std::vector<std::string> knownNames() {
  return {
#define MELD_SETTING(kind, field, name, fallback, help) name,
#include "runtime/settings/table.h"
#undef MELD_SETTING
  };
}

} // namespace

LoadedSettings parseSettings(const Lookup &lookup, const std::vector<std::string> &present) {
  LoadedSettings out;
#define MELD_SETTING(kind, field, name, byDefault, help)                                           \
  {                                                                                                \
    SettingOrigin origin = SettingOrigin::fallback;                                                \
    auto value = parseAs##kind(name, byDefault);                                                   \
    if (auto text = lookup(name); text && !text->empty()) {                                        \
      auto given = parseAs##kind(name, *text);                                                     \
      origin = given ? SettingOrigin::environment : SettingOrigin::rejected;                       \
      if (given)                                                                                   \
        value = given;                                                                             \
      else                                                                                         \
        out.warnings.push_back(std::string(name) + "=" + shown(*text) + ": " +                     \
                               given.error().message + "; using the default" +                     \
                               (*byDefault ? " " byDefault : ""));                                 \
    }                                                                                              \
    if (value)                                                                                     \
      out.settings.field = *value;                                                                 \
    out.values.push_back(                                                                          \
        {name, #kind, byDefault, help, textOf##kind(out.settings.field), origin});                 \
  }
#include "runtime/settings/table.h"
#undef MELD_SETTING

  const std::vector<std::string> known = knownNames();
  std::vector<std::string> unknown;
  for (const std::string &name : present)
    if (name.rfind("MELD_", 0) == 0 && std::find(known.begin(), known.end(), name) == known.end())
      unknown.push_back(name);
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  if (unknown.size() > kMostUnknown) {
    out.warnings.push_back(std::to_string(unknown.size()) + " unknown settings; the first " +
                           std::to_string(kMostUnknown) + " follow");
    unknown.resize(kMostUnknown);
  }
  for (const std::string &name : unknown) {
    std::string near = suggest(name, known);
    out.warnings.push_back("unknown setting " + shown(name) +
                           (near.empty() ? std::string() : "; did you mean " + near + "?"));
  }
  return out;
}

Result<bool> parseFlag(std::string_view text) {
  std::string word = lower(text);
  for (const char *yes : {"1", "on", "true", "yes"})
    if (word == yes)
      return true;
  for (const char *no : {"0", "off", "false", "no"})
    if (word == no)
      return false;
  return fail(ErrorCode::badInput, "not one of 0, 1, on, off, true, false, yes, no");
}

Result<uint64_t> parseSize(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string suffix = lower(text.substr(end - text.data()));
  if (error != std::errc())
    return fail(ErrorCode::badInput, "not a size such as 512M or 2G");
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
    return fail(ErrorCode::badInput, "not a size such as 512M or 2G");
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
  return fail(ErrorCode::badInput, "not 0-5 or off, error, warning, info, debug, trace");
}

} // namespace meld
