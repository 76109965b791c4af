// Numbers as the reports print them.
#pragma once

#include <cstdint>
#include <string>

namespace meld::softgpu {

/// 1234567 -> 1,234,567
std::string grouped(uint64_t n);
/// One digit behind the point.
std::string oneDigit(double x);
/// A share in percent: 0.1234 -> "12.3 %".
std::string percent(double share);

} // namespace meld::softgpu
