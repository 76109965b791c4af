// The 8-bit floats of gfx942: fp8 has 4 bits of exponent and 3 of mantissa, bf8 has 5 and 2. Their
// biases are one more than IEEE's, there is one zero and one NaN (0x80), and no infinity
// ("fnuz"; "MI300" ISA, chapter "Matrix Arithmetic Instructions", 8-bit formats).
//
// Example: fp8 0x38 is sign 0, exponent 7, mantissa 0: 1 * 2^(7 - 8) = 0.5.
#pragma once

#include <array>
#include <cstdint>

namespace meld::softgpu::valu {

template <unsigned MantissaBits> struct Float8 {
  static constexpr unsigned mantissaBits = MantissaBits;
  static constexpr int bias = MantissaBits == 3 ? 8 : 16;
  static constexpr uint8_t nan = 0x80, largest = 0x7f;

  static constexpr float decode(uint8_t code) {
    if (code == nan)
      return __builtin_bit_cast(float, 0x7fc00000u);
    const int exponent = code >> mantissaBits & ((1 << (7 - mantissaBits)) - 1);
    const int mantissa = code & ((1 << mantissaBits) - 1);
    float value = float(exponent ? mantissa | 1 << mantissaBits : mantissa);
    for (int e = (exponent ? exponent : 1) - bias - int(mantissaBits); e; e += e < 0 ? 1 : -1)
      value = e < 0 ? value / 2 : value * 2;
    return code & 0x80 ? -value : value;
  }

  /// Rounds to nearest even. What is too large is the largest number with `saturate`, otherwise
  /// NaN; so is infinity.
  static constexpr uint8_t encode(uint32_t bits, bool saturate) {
    return rounded(bits, saturate, [](uint64_t wide, unsigned below) {
      const unsigned drop = kDropped + below;
      const uint64_t code = wide >> drop, rest = wide & ((uint64_t(1) << drop) - 1),
                     half = uint64_t(1) << (drop - 1);
      return code + (rest > half || (rest == half && (code & 1)));
    });
  }

  /// With random bits: the highest of them, as many as a normal number's mantissa loses, are added
  /// below the result's last bit, and the sum is truncated ("MI300" ISA, V_CVT_SR_FP8_F32:
  /// S1[31:12]). The manual adds them to the mantissa of the f32, for denormal results, too, which
  /// would hardly ever round those up. Here their mantissa moves down first, as in HIP's conversion
  /// for hosts (amd_hip_fp8.h, cast_to_f8) and as was measured on gfx1201 for the same instruction
  /// (ROCm's emulator, shared/conversion.h).
  static constexpr uint8_t encodeStochastic(uint32_t bits, uint32_t random, bool saturate) {
    return rounded(bits, saturate, [random](uint64_t wide, unsigned below) {
      return ((wide >> below) + (random >> (32 - kDropped))) >> kDropped;
    });
  }

  /// All 256 values.
  static const std::array<float, 256> &values() {
    static constexpr auto table = [] {
      std::array<float, 256> t{};
      for (unsigned code = 0; code < 256; ++code)
        t[code] = decode(uint8_t(code));
      return t;
    }();
    return table;
  }

private:
  static constexpr unsigned kDropped = 23 - mantissaBits; ///< bits of a normal number's mantissa

  /// `round` makes the code of the number as one with more bits of mantissa behind it: kDropped,
  /// and in the denormal range `below` more.
  template <class Round>
  static constexpr uint8_t rounded(uint32_t bits, bool saturate, const Round &round) {
    const uint32_t sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
      return nan;
    const uint8_t tooLarge = uint8_t(saturate ? sign | largest : nan);
    if (magnitude == 0x7f800000)
      return tooLarge;
    const int exponent = int(magnitude >> 23) - 127 + bias;
    const uint64_t mantissa = magnitude & 0x7fffff;
    if (exponent < -24 || magnitude < 0x00800000)
      return 0;
    const uint64_t code = exponent >= 1 ? round(uint64_t(exponent) << 23 | mantissa, 0u)
                                        : round(1u << 23 | mantissa, unsigned(1 - exponent));
    if (code > largest)
      return tooLarge;
    return uint8_t(code ? sign | code : 0);
  }
};

using Fp8 = Float8<3>;
using Bf8 = Float8<2>;

} // namespace meld::softgpu::valu
