#include "runtime/softgpu/tools/figures.h"

#include <cstdio>

namespace meld::softgpu {

std::string grouped(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t k = digits.size(); k > 3; k -= 3)
    digits.insert(k - 3, 1, ',');
  return digits;
}

std::string oneDigit(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

std::string percent(double share) { return oneDigit(100 * share) + " %"; }

} // namespace meld::softgpu
