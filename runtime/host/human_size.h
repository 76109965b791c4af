// Sizes for people.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace meld {

/// 1536 -> "1.5 KiB"
inline std::string humanSize(uint64_t bytes) {
  static constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  unsigned unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}

} // namespace meld
