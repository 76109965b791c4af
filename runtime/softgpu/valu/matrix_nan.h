// What a step of a sum of products gives where a NaN takes part.
#pragma once

#include "runtime/softgpu/valu/lanes.h"

#include <initializer_list>

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

} // namespace meld::softgpu::valu
