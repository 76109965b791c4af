// What a step of a sum of products gives where a NaN takes part, or where it is too large.
#pragma once

#include "runtime/softgpu/valu/lanes.h"

#include <cmath>
#include <initializer_list>
#include <limits>

namespace meld::softgpu::valu {

/// `r` = a * b + c with the NaN rule: the first NaN of a, b, c, quieted; else +NaN for a NaN.
inline float repairNan(float r, float a, float b, float c) {
  for (float x : {a, b, c})
    if (x != x)
      return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, x) | kQuiet32);
  return r != r ? __builtin_bit_cast(float, kNan32) : r;
}
inline double repairNan(double r, double a, double b, double c) {
  for (double x : {a, b, c})
    if (x != x)
      return __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, x) | kQuiet64);
  return r != r ? __builtin_bit_cast(double, kNan64) : r;
}

/// `r` = a * b + c by the rule above, and where `limits` says so the largest number in place of an
/// infinity that none of a, b, c is.
template <class T, class Factor> T settled(T r, Factor a, Factor b, T c, bool limits) {
  if (limits && std::isinf(r) && std::isfinite(a) && std::isfinite(b) && std::isfinite(c))
    return std::copysign(std::numeric_limits<T>::max(), r);
  return repairNan(r, (T)a, (T)b, c);
}

} // namespace meld::softgpu::valu
