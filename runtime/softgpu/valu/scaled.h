// What gfx950's conversions with a scale share (v_cvt_scalef32_*, "CDNA4" ISA, chapter 7.3).
//
// The scale is an f32 of which only the exponent counts: 2^(e - 127), and NaN for 255. Into short floats
// values are divided by it, out of them multiplied. All of it is exact but for one rounding, to nearest
// even or by random bits, whatever MODE's rounding is; MODE's FP16_OVFL makes 8-bit floats saturate.
#pragma once

#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/small_float.h"

#include <limits>

namespace meld::softgpu::valu {

inline double scaleOf(uint32_t bits) {
  const int e = int(bits >> 23 & 0xff);
  return e == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, e - 127);
}
/// A NaN stays itself.
inline double dividedBy(double scale, double x) { return x != x ? x : x / scale; }

/// The random number after `x`, v_prng_b32's.
inline uint32_t nextRandom(uint32_t x) { return x << 1 ^ (x >> 31 ? 197 : 0); }

// What is not short: f32, f16, bf16. `bits` holds it in the lowest places.
struct Single {
  static constexpr unsigned bits = 32;
  static double decode(uint32_t x) { return __builtin_bit_cast(float, x); }
  static uint32_t encode(double x) { return __builtin_bit_cast(uint32_t, (float)x); }
};
struct HalfPrecision {
  static constexpr unsigned bits = 16;
  static double decode(uint32_t x) { return _cvtsh_ss((uint16_t)x); }
  /// The values here have so few bits that to f32 they need no rounding, or are far too small.
  static uint32_t encode(double x) { return _cvtss_sh((float)x, _MM_FROUND_TO_NEAREST_INT); }
};
struct Bfloat {
  static constexpr unsigned bits = 16;
  static double decode(uint32_t x) { return __builtin_bit_cast(float, x << 16); }
  static uint32_t encode(double x) {
    const uint32_t u = Single::encode(x);
    return x != x ? u >> 16 | 0x40 : (u + 0x7fff + (u >> 16 & 1)) >> 16;
  }
};

inline void forActive(uint64_t exec, auto &&lane) {
  for (; exec; exec &= exec - 1)
    lane(unsigned(__builtin_ctzll(exec)));
}

} // namespace meld::softgpu::valu
