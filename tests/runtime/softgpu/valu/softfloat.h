// A tiny exact float model for the tests: values as sign, 128-bit magnitude and exponent, rounded
// once by integer arithmetic. Written from IEEE 754 and independent of the vector ALU, which uses
// the host's FPU.
#pragma once

#include <cstdint>

namespace meld::test {

struct Format {
  int exponentBits, mantissaBits;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int maxExponent() const { return (1 << exponentBits) - 1; }
  uint64_t sign() const { return 1ull << (exponentBits + mantissaBits); }
  uint64_t infinity() const { return (uint64_t)maxExponent() << mantissaBits; }
  uint64_t nan() const { return infinity() | quietBit(); }
  uint64_t quietBit() const { return 1ull << (mantissaBits - 1); }
  uint64_t magnitude(uint64_t x) const { return x & (sign() - 1); }
  bool isNan(uint64_t x) const { return magnitude(x) > infinity(); }
  bool isInf(uint64_t x) const { return magnitude(x) == infinity(); }
  bool isZero(uint64_t x) const { return magnitude(x) == 0; }
  bool isDenormal(uint64_t x) const { return !isZero(x) && (magnitude(x) >> mantissaBits) == 0; }
};
inline constexpr Format kHalf{5, 10}, kSingle{8, 23}, kDouble{11, 52};

enum Rounding : unsigned { toNearest, toPlusInf, toMinusInf, toZero };

/// (-1)^negative * m * 2^e, plus something smaller than the last bit when sticky.
struct Exact {
  bool negative = false;
  unsigned __int128 m = 0;
  int e = 0;
  bool sticky = false;
};

Exact unpack(Format f, uint64_t x); ///< finite values
uint64_t round(Format f, const Exact &x, Rounding r);

/// a * b + c with one rounding (or a * b, a + b by way of 0 and 1), NaN rule of GFX9: the first NaN
/// operand, quieted, otherwise the default NaN with its sign bit clear.
uint64_t fmaExact(Format f, uint64_t a, uint64_t b, uint64_t c, Rounding r);
uint64_t mulExact(Format f, uint64_t a, uint64_t b, Rounding r);
uint64_t addExact(Format f, uint64_t a, uint64_t b, Rounding r);
/// Between formats; a NaN keeps the top of its payload and becomes quiet.
uint64_t convert(Format from, Format to, uint64_t x, Rounding r);
uint64_t fromInteger(Format f, int64_t x, Rounding r);
uint64_t flushDenormal(Format f, uint64_t x);

} // namespace meld::test
