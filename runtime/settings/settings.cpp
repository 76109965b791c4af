#include "runtime/settings/settings.h"

#include "runtime/host/text.h"

#include <algorithm>

namespace meld {
namespace {

constexpr size_t kMostUnknown = 10;

std::vector<std::string> knownNames() {
  return {
#define MELD_SETTING(kind, field, name, ...) name,
#include "runtime/settings/table.h"
  };
}

} // namespace

std::vector<std::string> LoadedSettings::allWarnings() const {
  std::vector<std::string> all = warnings;
  all.insert(all.end(), gpuWarnings.begin(), gpuWarnings.end());
  return all;
}

LoadedSettings parseSettings(const Lookup &lookup, const std::vector<std::string> &present) {
  LoadedSettings out;
  auto read = [&](auto &field, auto parse, auto textOf, SettingValue value, const SettingRow &row,
                  std::vector<std::string> &warnings) {
    field = *parse(row, value.fallback);
    if (const auto text = lookup(value.name); text && !text->empty()) {
      auto given = parse(row, *text);
      value.origin = given ? SettingOrigin::environment : SettingOrigin::rejected;
      if (given)
        field = std::move(*given);
      else
        warnings.push_back(std::string(value.name) + "=" + shown(*text) + ": " +
                           given.error().message + "; using the default" +
                           (*value.fallback ? " " : "") + value.fallback);
    }
    value.value = textOf(field);
    out.values.push_back(std::move(value));
  };
#define MELD_ROW(kind, field, name, byDefault, allowed, help, warnings)                            \
  read(out.settings.field, parseAs##kind, textOf##kind,                                            \
       {name, #kind, byDefault, allowed, help, "", SettingOrigin::fallback},                       \
       {name, allowed, out.settings.gpu.size()}, warnings);
#define MELD_SETTING(...) MELD_ROW(__VA_ARGS__, out.warnings)
#define MELD_GPU_SETTING(...) MELD_ROW(__VA_ARGS__, out.gpuWarnings)
#include "runtime/settings/table.h"
#undef MELD_ROW

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

} // namespace meld
