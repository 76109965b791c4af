#include "shim/attach.h"

#include <climits>
#include <cstring>
#include <initializer_list>
#include <strings.h>
#include <sys/auxv.h>

// No iostream, no log, no containers in this file: see attach.h.

namespace meld {
namespace {

bool needsEscape(char c) { return c == ' ' || c == '"' || c == '\\'; }

/// Is `path` (escaped) one of the space-separated names?
bool contains(const char *list, const char *escaped, size_t length) {
  for (const char *at = list; (at = std::strstr(at, escaped)); at += length) {
    bool starts = at == list || at[-1] == ' ' || at[-1] == '"';
    char after = at[length];
    if (starts && (after == '\0' || after == ' ' || after == '"'))
      return true;
  }
  return false;
}

constexpr size_t kRoom = 2 * PATH_MAX + 8; ///< an escaped path

} // namespace

bool secureMode() noexcept { return getauxval(AT_SECURE) != 0; }

bool isTrue(const char *text) noexcept {
  if (!text)
    return false;
  for (const char *word : {"1", "on", "true", "yes"})
    if (!strcasecmp(text, word))
      return true;
  return false;
}

bool appendToolsLib(const char *existing, const char *path, char *out, size_t size) noexcept {
  char escaped[kRoom];
  size_t length = 0;
  for (const char *c = path; *c; ++c) {
    if (length + 3 > sizeof(escaped))
      return false;
    if (needsEscape(*c))
      escaped[length++] = '\\';
    escaped[length++] = *c;
  }
  escaped[length] = '\0';
  size_t before = existing ? std::strlen(existing) : 0;
  if (before && contains(existing, escaped, length))
    return false;
  if (before + 1 + length + 1 > size)
    return false;
  size_t at = 0;
  if (before) {
    std::memcpy(out, existing, before);
    at = before;
    out[at++] = ' ';
  }
  std::memcpy(out + at, escaped, length + 1);
  return true;
}

} // namespace meld
