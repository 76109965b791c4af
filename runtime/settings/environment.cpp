#include "runtime/settings/settings.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace meld {

LoadedSettings loadSettings() {
  auto lookup = [](const char *name) -> std::optional<std::string> {
    const char *value = secure_getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
  std::vector<std::string> present;
  // Under AT_SECURE secure_getenv answers nothing; names must then not be judged either.
  if (secure_getenv("PATH") || !getenv("PATH"))
    for (char **entry = environ; entry && *entry; ++entry)
      if (const char *equals = std::strchr(*entry, '=');
          equals && !std::strncmp(*entry, "MELD_", 5))
        present.emplace_back(*entry, equals - *entry);
  return parseSettings(lookup, present);
}

} // namespace meld
