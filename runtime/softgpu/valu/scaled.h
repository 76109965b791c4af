// What gfx950's conversions with a scale share (v_cvt_scalef32_*, "CDNA4" ISA, chapter 7.3).
//
// The scale is an f32 of which only the exponent counts: 2^(e - 127), and NaN for 255. Into short floats
// values are divided by it, out of them multiplied. All of it is exact but for one rounding, to nearest
// even or by random bits, whatever MODE's rounding is; MODE's FP16_OVFL makes 8-bit floats saturate, and
// f16 as results of other instructions.
#pragma once

#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/slow.h"
#include "runtime/softgpu/valu/small_float.h"

#include <limits>

namespace meld::softgpu::valu {

/// Of the exponent `e` of an f32, which is also what a scale of 8 bits is.
inline double scaleOfExponent(uint32_t e) {
  return e == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, int(e) - 127);
}
inline double scaleOf(uint32_t bits) { return scaleOfExponent(bits >> 23 & 0xff); }
/// `x`'s sign stays, of NaN too and where the scale is NaN.
inline double dividedBy(double scale, double x) { return std::copysign(x / scale, x); }
inline double multipliedBy(double scale, double x) { return std::copysign(x * scale, x); }

/// The random number after `x`, v_prng_b32's; also of a vector of them.
template <class T> MELD_INLINE T nextRandom(T x) { return (x << 1) ^ ((x >> 31) * 197u); }

// What is not short: f32, f16, bf16. `bits` holds it in the lowest places; encode() takes MODE.
struct Single {
  static constexpr unsigned bits = 32;
  static double decode(uint32_t x) { return __builtin_bit_cast(float, x); }
  static uint32_t encode(double x, uint32_t) { return __builtin_bit_cast(uint32_t, (float)x); }
};
struct HalfPrecision {
  static constexpr unsigned bits = 16;
  static double decode(uint32_t x) { return _cvtsh_ss((uint16_t)x); }
  /// The values here have so few bits that to f32 they need no rounding, or are far too small.
  static uint32_t encode(double x, uint32_t mode) {
    return limitedHalf(_cvtss_sh((float)x, _MM_FROUND_TO_NEAREST_INT), std::isinf(x), mode);
  }
};
struct Bfloat {
  static constexpr unsigned bits = 16;
  static double decode(uint32_t x) { return __builtin_bit_cast(float, x << 16); }
  static uint32_t encode(double x, uint32_t mode) { return nearestBf16(Single::encode(x, mode)); }
};

/// An f32 as sources of that type are: without denormals where MODE says so.
inline uint32_t asSource(uint32_t single, uint32_t mode) {
  return flushesInput(Ty::f32, mode) && !(single & 0x7f800000) ? single & 0x80000000 : single;
}
/// What a lane has of an operand of 32 bits.
inline uint32_t laneValue(const Wave &w, const isa::Operand &o, unsigned lane) {
  const VRow *v = vectorOperand(w, o);
  return v ? v->u[lane] : (uint32_t)scalarOperand(w, o, false);
}
/// Bits `at` and up of a lane's registers, at most 32.
inline uint32_t bitsAt(const VRow *v, unsigned lane, unsigned at, unsigned width) {
  const unsigned shift = at % 32;
  uint64_t x = v[at / 32].u[lane];
  if (shift + width > 32)
    x |= uint64_t(v[at / 32 + 1].u[lane]) << 32;
  return uint32_t(x >> shift) & (~0u >> (32 - width));
}
/// `code` into the field of a lane's destination that starts at bit `shift`; the rest stays.
inline void merge(RowCtx &ctx, unsigned n, unsigned shift, unsigned width, uint32_t code) {
  const uint32_t field = ((1u << width) - 1) << shift;
  ctx.dst[n] = (ctx.dst[n] & ~field) | (code << shift & field);
}

inline void forActive(uint64_t exec, auto &&lane) {
  for (; exec; exec &= exec - 1)
    lane(unsigned(__builtin_ctzll(exec)));
}

} // namespace meld::softgpu::valu
