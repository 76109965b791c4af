// Settings of libmeld: environment variables with the prefix MELD_.
//
// A bad value gives one warning and the default; an unknown MELD_ name gives one warning with a
// suggestion, the first ten of them. However long a value is, it costs a look at each character,
// and a warning shows 60 of them. Nothing here throws (but for lack of memory) or ends the process.
// Immutable once read; read them once per process.
#pragma once

#include "runtime/settings/kinds.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meld {

struct Settings {
#define MELD_SETTING(kind, field, name, byDefault, allowed, help) settingtype::kind field{};
#include "runtime/settings/table.h"
};

enum class SettingOrigin : uint8_t { fallback, environment, rejected };

/// One line of `meld config`.
struct SettingValue {
  const char *name;
  const char *kind;
  const char *fallback;
  const char *allowed; ///< see table.h; may be empty
  const char *help;
  std::string value; ///< canonical text of the value in force
  SettingOrigin origin;
};

struct LoadedSettings {
  Settings settings;
  std::vector<SettingValue> values; ///< in table order
  std::vector<std::string> warnings;
  /// About the rows that only the software GPU reads: it says them itself, when it is opened.
  std::vector<std::string> gpuWarnings;

  std::vector<std::string> allWarnings() const;
};

/// name -> text, or nothing when unset. An empty text counts as unset.
using Lookup = std::function<std::optional<std::string>(const char *name)>;

/// `present` are the names of all variables there are (to find unknown MELD_ names).
LoadedSettings parseSettings(const Lookup &lookup, const std::vector<std::string> &present);

/// From the process environment through secure_getenv: under AT_SECURE every setting has its
/// default.
LoadedSettings loadSettings();

/// The closest of `candidates` when it is near enough to be meant; empty otherwise.
std::string suggest(std::string_view word, const std::vector<std::string> &candidates);

} // namespace meld
