// Helpers for loops over lanes: set bits of EXEC, lane-linear and uniform address detection.
//
// What: most vector memory instructions run with full EXEC and addresses base + lane * size; found
// out with a few vector compares they become row copies. Everything else is a loop over set bits.
// A whole wave is one of 64 lanes or of 32: what is written for L lanes leaves the others of a row alone.
// Cost: linear test L / 8 vector compares (AVX2), entered only when lanes 0, 1 and L - 1 already fit.
#pragma once

#include "runtime/softgpu/execute/wave.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

namespace meld::softgpu::mem {

using U32x8 = uint32_t __attribute__((vector_size(32)));
using U64x4 = uint64_t __attribute__((vector_size(32)));
using I32x8 = int32_t __attribute__((vector_size(32)));

inline constexpr U32x8 kIota = {0, 1, 2, 3, 4, 5, 6, 7};

inline U32x8 splat(uint32_t x) { return U32x8{} + x; }

inline U32x8 loadVec(const VRow &r, unsigned k) {
  U32x8 x;
  std::memcpy(&x, r.u + 8 * k, 32);
  return x;
}
inline void storeVec(VRow &r, unsigned k, U32x8 x) { std::memcpy(r.u + 8 * k, &x, 32); }

inline uint64_t orOf(U64x4 x) { return x[0] | x[1] | x[2] | x[3]; }

inline bool allZero(U32x8 x) {
  U64x4 y;
  std::memcpy(&y, &x, 32);
  return orOf(y) == 0;
}

/// All ones in the elements whose lane is active: lanes 8k .. 8k+7.
inline U32x8 maskVec(uint64_t exec, unsigned k) {
  constexpr U32x8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
  U32x8 m = splat(uint32_t(exec >> (8 * k)) & 0xff) & bit;
  return U32x8(m == bit);
}

/// The same for values of 64 bits: lanes 4k .. 4k+3.
inline U64x4 maskVec64(uint64_t exec, unsigned k) {
  constexpr U64x4 bit = {1, 2, 4, 8};
  return U64x4((exec >> (4 * k) & bit) == bit);
}

/// The lanes of a whole wave whose EXEC is `exec`; 0: some lane is off.
inline unsigned wholeWave(uint64_t exec) {
  return exec == kFullExec ? kWaveSize : exec == kLowExec ? kWaveSize / 2 : 0;
}

/// Vectors of eight lanes that hold all lanes of `exec`.
inline unsigned vectorsOf(uint64_t exec) { return exec > kLowExec ? 8 : 4; }

inline unsigned firstLane(uint64_t mask) { return unsigned(std::countr_zero(mask)); }

template <class F> inline void forLanes(uint64_t mask, F &&f) {
  if (mask == kFullExec) {
    for (unsigned l = 0; l < kWaveSize; ++l)
      f(l);
    return;
  }
  if (mask == kLowExec) {
    for (unsigned l = 0; l < kWaveSize / 2; ++l)
      f(l);
    return;
  }
  for (; mask; mask &= mask - 1)
    f(firstLane(mask));
}

/// The first L values are base + lane * step, without wrapping around 2^32.
template <unsigned L> inline bool isLinear(const VRow &r, uint32_t step) {
  uint32_t base = r.u[0];
  if (r.u[1] - base != step || r.u[L - 1] - base != (L - 1) * step || base > UINT32_MAX - L * step)
    return false;
  U32x8 want = splat(base) + kIota * step, diff = {};
  for (unsigned k = 0; k < L / 8; ++k, want += 8 * step)
    diff |= loadVec(r, k) ^ want;
  return allZero(diff);
}

template <unsigned L> inline bool isUniform(const VRow &r) {
  uint32_t base = r.u[0];
  if (r.u[L - 1] != base)
    return false;
  U32x8 diff = {};
  for (unsigned k = 0; k < L / 8; ++k)
    diff |= loadVec(r, k) ^ base;
  return allZero(diff);
}

/// Active lanes hold base + lane * step (base may be a value no active lane has), without wrapping.
inline bool isLinearUnder(const VRow &r, uint32_t step, uint64_t exec, uint32_t &base) {
  unsigned f = firstLane(exec), last = 63 - unsigned(std::countl_zero(exec));
  base = r.u[f] - f * step;
  if (r.u[last] != base + last * step || r.u[f] < f * step || base > UINT32_MAX - 64 * step)
    return false;
  U32x8 want = splat(base) + kIota * step, diff = {};
  for (unsigned k = 0, n = vectorsOf(exec); k < n; ++k, want += 8 * step)
    diff |= (loadVec(r, k) ^ want) & maskVec(exec, k);
  return allZero(diff);
}

inline bool isUniformUnder(const VRow &r, uint64_t exec) {
  uint32_t base = r.u[firstLane(exec)];
  U32x8 diff = {};
  for (unsigned k = 0, n = vectorsOf(exec); k < n; ++k)
    diff |= (loadVec(r, k) ^ base) & maskVec(exec, k);
  return allZero(diff);
}

// Unaligned host accesses: GFX9 runs with unaligned access mode enabled.
template <class T> inline T peek(const void *p) {
  T x;
  std::memcpy(&x, p, sizeof(T));
  return x;
}
template <class T> inline void poke(void *p, T x) { std::memcpy(p, &x, sizeof(T)); }

// What another thread may store or load at the same time, as wide as it stands here: as on the
// devices, nobody sees half of an aligned value of 8 or 16 bytes of a lane (rocPRIM's scans keep a
// flag and a prefix in one). Processors with AVX do aligned accesses of 16 bytes at once (Intel
// SDM, volume 3A, "Guaranteed Atomic Operations"; AMD64 APM, volume 2, 7.3.2). Volatile, or the
// compiler takes a vector apart whose elements alone are used.
using AnyU64 = uint64_t __attribute__((may_alias, aligned(1)));
using AnyQuad = long long __attribute__((vector_size(16), may_alias));
using AnyU256 = long long __attribute__((vector_size(32), may_alias, aligned(1)));

inline uint64_t peek8(const uint8_t *p) { return *reinterpret_cast<const volatile AnyU64 *>(p); }
inline void poke8(uint8_t *p, uint64_t x) { *reinterpret_cast<volatile AnyU64 *>(p) = x; }
inline __m128i peek16(const uint8_t *p) {
  if (reinterpret_cast<uintptr_t>(p) % 16 == 0) [[likely]]
    return __m128i(*reinterpret_cast<const volatile AnyQuad *>(p));
  return _mm_set_epi64x(int64_t(peek8(p + 8)), int64_t(peek8(p)));
}
/// N dwords of a lane.
template <unsigned N> inline void peekDwords(uint32_t *x, const uint8_t *p) {
  if constexpr (N == 4) {
    _mm_storeu_si128(reinterpret_cast<__m128i *>(x), peek16(p));
  } else {
    if constexpr (N >= 2)
      poke(x, peek8(p));
    if constexpr (N != 2)
      x[N - 1] = peek<uint32_t>(p + 4 * (N - 1));
  }
}
inline void poke16(uint8_t *p, __m128i x) {
  if (reinterpret_cast<uintptr_t>(p) % 16 == 0) [[likely]] {
    *reinterpret_cast<volatile AnyQuad *>(p) = AnyQuad(x);
    return;
  }
  poke8(p, uint64_t(_mm_extract_epi64(x, 0)));
  poke8(p + 8, uint64_t(_mm_extract_epi64(x, 1)));
}
inline __m256i peek32(const uint8_t *p) {
  return __m256i(*reinterpret_cast<const volatile AnyU256 *>(p));
}
inline void poke32(uint8_t *p, __m256i x) { *reinterpret_cast<volatile AnyU256 *>(p) = AnyU256(x); }

inline uint8_t *host(uint64_t address) { return reinterpret_cast<uint8_t *>(address); }
inline uint64_t addressOf(const void *p) { return reinterpret_cast<uint64_t>(p); }

} // namespace meld::softgpu::mem
