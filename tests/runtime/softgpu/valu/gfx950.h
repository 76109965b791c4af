// What the tests of gfx950's vector ALU share: running words that LLVM 21 assembled, and the short
// floats of the Open Compute Project, written from their definitions as tables of values.
#pragma once

#include "tests/runtime/softgpu/valu/harness.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>

namespace meld::test {

/// Runs the instruction with these words, as the comment beside them says it in assembly.
inline void runWords(Machine &m, std::initializer_list<uint32_t> words) {
  Inst i;
  ASSERT_EQ(softgpu::isa::decode(words.begin(), words.size() * 4, Target::gfx950, i),
            softgpu::isa::DecodeStatus::ok);
  ASSERT_EQ(i.size, words.size() * 4);
  ASSERT_TRUE(m.run(i, Target::gfx950)) << nameOf(i.op);
}

struct OcpFloat {
  int exponentBits, mantissaBits;
  unsigned largest; ///< code of the largest number
  unsigned beyond;  ///< code of what is larger, where nothing saturates
  unsigned nan;     ///< the same as `largest` where there is none
  int width() const { return 1 + exponentBits + mantissaBits; }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  unsigned sign() const { return 1u << (width() - 1); }

  double value(unsigned code) const {
    const unsigned magnitude = code & (sign() - 1);
    const int exponent = int(magnitude) >> mantissaBits;
    const double mantissa = double(magnitude & ((1u << mantissaBits) - 1)) / (1 << mantissaBits);
    double v =
        exponent ? std::ldexp(1 + mantissa, exponent - bias()) : std::ldexp(mantissa, 1 - bias());
    if (magnitude > largest)
      v = magnitude == beyond && beyond != nan ? INFINITY : NAN;
    return code & sign() ? -v : v;
  }
  unsigned special(double x, bool saturate) const {
    const unsigned s = std::signbit(x) ? sign() : 0;
    return s | (std::isnan(x) ? nan : saturate ? largest : beyond);
  }
  /// To the nearest, of two as near the even code.
  unsigned nearest(double x, bool saturate) const {
    const double magnitude = std::fabs(x);
    const double end = value(largest), afterEnd = end + (end - value(largest - 1));
    if (!std::isfinite(x) || magnitude > (end + afterEnd) / 2 ||
        (magnitude == (end + afterEnd) / 2 && (largest & 1)))
      return special(x, saturate);
    unsigned best = 0;
    for (unsigned code = 1; code <= largest; ++code) {
      const double here = std::fabs(value(code) - magnitude),
                   before = std::fabs(value(best) - magnitude);
      if (here < before || (here == before && !(code & 1)))
        best = code;
    }
    return best | (std::signbit(x) ? sign() : 0);
  }
  /// Between two codes a part of the way, of which the highest random bits decide: as many as an f32's
  /// mantissa has more than this one's.
  unsigned atRandom(double x, uint32_t random, bool saturate) const {
    if (!std::isfinite(x))
      return special(x, saturate);
    const double magnitude = std::fabs(x);
    int exponent = 1 - bias();
    while (std::ldexp(2, exponent) <= magnitude)
      ++exponent;
    const double step = std::ldexp(1, exponent - mantissaBits);
    const int below = 23 - mantissaBits;
    const double sum =
        std::floor(std::ldexp(magnitude / step, below)) + double(random >> (32 - below));
    const double rounded = std::floor(std::ldexp(sum, -below)) * step;
    for (unsigned code = 0; code <= largest; ++code)
      if (value(code) == rounded)
        return code | (std::signbit(x) ? sign() : 0);
    return special(std::signbit(x) ? -INFINITY : INFINITY, saturate);
  }
};
inline constexpr OcpFloat kFp8{4, 3, 0x7e, 0x7f, 0x7f}, kBf8{5, 2, 0x7b, 0x7c, 0x7f},
    kFp6{2, 3, 0x1f, 0x1f, 0x1f}, kBf6{3, 2, 0x1f, 0x1f, 0x1f}, kFp4{2, 1, 7, 7, 7};

} // namespace meld::test
