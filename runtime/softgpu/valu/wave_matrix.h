// Elements of the matrices of v_wmma and v_swmmac as f32: how they are widened and narrowed, and
// what MODE says of denormals.
#pragma once

#include "runtime/softgpu/valu/small_float.h"

#include <immintrin.h>

namespace meld::softgpu::valu {

enum class Format { f32, f16, bf16, fp8, bf8 }; ///< the last two are the Open Compute Project's

inline float flushed(float x, bool flush) {
  const uint32_t u = __builtin_bit_cast(uint32_t, x);
  return flush && !(u & 0x7f800000) ? __builtin_bit_cast(float, u & 0x80000000) : x;
}
inline uint32_t flushedHalf(uint32_t h, bool flush) {
  return flush && !(h & 0x7c00) ? h & 0x8000 : h;
}

/// Flushes of inputs (or outputs, one bit higher) as MODE says.
inline bool flushes(Format f, uint32_t mode, bool output) {
  const unsigned allowed = f == Format::f16 ? mode >> 6 : mode >> 4;
  return !(allowed >> unsigned(output) & 1);
}

/// A number of 16 or 32 bits as f32, signs changed as `keep` and `flip` say.
template <Format F> float toFloat(uint32_t bits, uint32_t keep, uint32_t flip, bool flush) {
  if constexpr (F == Format::f16) {
    return _cvtsh_ss((uint16_t)flushedHalf(((bits & keep) ^ flip) & 0xffff, flush));
  } else {
    if constexpr (F == Format::bf16)
      bits <<= 16, keep = keep << 16 | 0xffff, flip <<= 16;
    return flushed(__builtin_bit_cast(float, (bits & keep) ^ flip), flush);
  }
}

/// The result's bits, in the low half those of 16.
template <Format F> uint32_t fromFloat(float x, bool flush, bool limit) {
  if constexpr (F == Format::f16) {
    const uint32_t h = flushedHalf(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT), flush);
    // Sums of halves are never too large for f32: what is infinite there has an infinite operand.
    return limit && (h & 0x7fff) == 0x7c00 && !__builtin_isinf(x) ? h - 1 : h;
  }
  uint32_t u = __builtin_bit_cast(uint32_t, flushed(x, flush));
  if constexpr (F == Format::bf16)
    return nearestBf16(u);
  return u;
}

constexpr uint32_t signOf(Format f) { return f == Format::f32 ? 0x80000000u : 0x8000u; }

} // namespace meld::softgpu::valu
