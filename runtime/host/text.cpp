#include "runtime/host/text.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

namespace meld {

std::string shown(std::string_view text, size_t limit) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const unsigned char c : text.substr(0, limit))
    if (c >= 0x20 && c < 0x7f)
      out += static_cast<char>(c);
    else
      (((out += "\\x") += kDigits[c >> 4]) += kDigits[c & 15]);
  if (text.size() > limit)
    out += "... (" + std::to_string(text.size()) + " bytes)";
  return out;
}

std::string errnoText(const std::string &what, int error) {
  const char *text = strerrordesc_np(error);
  return what + ": " + (text ? text : "?");
}

std::string demangled(const std::string &name) {
  int status = 0;
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  std::free(text);
  return out;
}

} // namespace meld
