// Floats of few bits as the Open Compute Project defines them ("OCP 8-bit Floating Point", "OCP
// Microscaling Formats"), which gfx950 has: the sign, an exponent with IEEE's bias, denormals, zeros of
// both signs. Only fp8's last code and bf8's last three of each sign are NaN, and bf8 alone of the short
// ones has infinities; 6 and 4 bits have neither ("CDNA4" ISA, chapter 7).
//
// Example: fp4 0x3 is exponent 1, mantissa 1: 1.5 * 2^(1 - 1) = 1.5.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace meld::softgpu::valu {

template <unsigned ExponentBits, unsigned MantissaBits> struct SmallFloat {
  static constexpr unsigned bits = 1 + ExponentBits + MantissaBits, mantissaBits = MantissaBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr uint32_t sign = 1u << (bits - 1);
  static constexpr bool hasInfinity = ExponentBits == 5, hasNan = bits >= 8;
  static constexpr uint32_t infinity = ((1u << ExponentBits) - 1) << MantissaBits;
  static constexpr uint32_t nan = sign - 1;
  static constexpr uint32_t largest = hasInfinity ? infinity - 1 : hasNan ? nan - 1 : sign - 1;

  static constexpr float decode(uint32_t code) {
    const uint32_t magnitude = code & (sign - 1);
    const float positive = magnitude <= largest                   ? number(magnitude)
                           : hasInfinity && magnitude == infinity ? __builtin_inff()
                                                                  : __builtin_nanf("");
    return code & sign ? -positive : positive;
  }

  /// To nearest, ties to even. What is too large, and infinity, is the largest number with `saturate`
  /// and in the formats that have nothing beyond it.
  static uint32_t encode(double x, bool saturate) {
    return rounded(x, saturate, [](double steps) { return (uint32_t)std::nearbyint(steps); });
  }

  /// With the highest random bits, as many as an f32's mantissa is longer, added below the last bit of
  /// the result, denormal results included, and the sum truncated.
  static uint32_t encodeStochastic(double x, uint32_t random, bool saturate) {
    return rounded(x, saturate, [random](double steps) {
      constexpr unsigned kDropped = 23 - MantissaBits;
      return ((uint32_t)std::ldexp(steps, kDropped) + (random >> (32 - kDropped))) >> kDropped;
    });
  }

  /// The values of all codes, of those with at most 8 bits.
  static const std::array<float, 256> &values() {
    static constexpr auto table = [] {
      std::array<float, 256> t{};
      for (unsigned code = 0; code < 256; ++code)
        t[code] = decode(code & (2 * sign - 1));
      return t;
    }();
    return table;
  }

private:
  static constexpr float number(uint32_t magnitude) {
    const uint32_t exponent = magnitude >> MantissaBits,
                   mantissa = magnitude & ((1u << MantissaBits) - 1);
    float value = float(exponent ? mantissa | 1u << MantissaBits : mantissa);
    for (int e = int(exponent ? exponent : 1) - bias - int(MantissaBits); e; e += e < 0 ? 1 : -1)
      value = e < 0 ? value / 2 : value * 2;
    return value;
  }

  /// `round` makes a whole number of steps, the distances between neighbouring codes. A sum that
  /// reaches the next exponent carries into it.
  template <class Round> static uint32_t rounded(double x, bool saturate, const Round &round) {
    const uint32_t signBit = std::signbit(x) ? sign : 0;
    if (x != x)
      return signBit | (hasNan ? nan : largest);
    const uint32_t tooLarge = saturate || !hasNan ? largest : hasInfinity ? infinity : nan;
    const double magnitude = std::fabs(x);
    if (std::isinf(magnitude))
      return signBit | tooLarge;
    int exponent = 1 - bias;
    if (magnitude != 0)
      exponent = std::max(exponent, std::ilogb(magnitude));
    if (exponent > bias + 1)
      return signBit | tooLarge;
    const uint32_t code = (uint32_t(exponent + bias - 1) << MantissaBits) +
                          round(std::ldexp(magnitude, int(MantissaBits) - exponent));
    return signBit | (code > largest ? tooLarge : code);
  }
};

/// The bits of an f32 as bf16: `below` is added under the last bit and the sum truncated; a NaN stays one.
inline uint32_t bf16Of(uint32_t single, uint32_t below) {
  return (single & 0x7fffffff) > 0x7f800000 ? single >> 16 | 0x40 : (single + below) >> 16;
}
/// To nearest, ties to even.
inline uint32_t nearestBf16(uint32_t single) { return bf16Of(single, 0x7fff + (single >> 16 & 1)); }

using OcpFp8 = SmallFloat<4, 3>;
using OcpBf8 = SmallFloat<5, 2>;
using OcpFp6 = SmallFloat<2, 3>;
using OcpBf6 = SmallFloat<3, 2>;
using OcpFp4 = SmallFloat<2, 1>;
using Half = SmallFloat<5, 10>;

} // namespace meld::softgpu::valu
