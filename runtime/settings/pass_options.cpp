#include "runtime/settings/pass_options.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace meld {
namespace {

class Text {
public:
  void add(const char *key, bool value) { item((value ? "" : "no-") + std::string(key)); }
  void add(const char *key, const std::string &value) {
    std::string quoted;
    for (char c : value)
      quoted.append(c == ';' ? 2 : 1, c);
    item(key + ("=" + quoted));
  }
  void add(const char *key, uint32_t value) { add(key, std::to_string(value)); }
  // The shortest digits that mean this very number.
  void add(const char *key, double value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    add(key, std::string(digits, end));
  }
  std::string take() { return std::move(text_); }

private:
  void item(const std::string &one) { text_ += (text_.empty() ? "" : ";") + one; }
  std::string text_;
};

} // namespace

std::string passOptions(const Settings &settings) {
  Text text;
#define MELD_OPTION(kind, field, key, byDefault, environment, help)                                \
  if (settings.field != settingtype::kind{byDefault})                                              \
    text.add(key, settings.field);
#include "passes/options.def"
  return text.take();
}

bool joinsLanes(std::string_view pass) {
  static constexpr std::string_view joining[] = {
#define MELD_MELDER(name, ...) "meld-" name,
#define MELD_BEFORE(name, ...) "meld-" name,
#include "passes/passes.def"
  };
  return std::ranges::find(joining, pass) != std::end(joining);
}

} // namespace meld
