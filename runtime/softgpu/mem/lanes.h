// Helpers for loops over lanes: set bits of EXEC, lane-linear and uniform address detection.
//
// What: most vector memory instructions run with full EXEC and addresses base + lane * size; found
// out with a few vector compares they become row copies. Everything else is a loop over set bits.
// Cost: linear test 2 * 8 vector compares (AVX2), entered only when lanes 0, 1 and 63 already fit.
#pragma once

#include "runtime/softgpu/execute/wave.h"

#include <bit>
#include <cstdint>
#include <cstring>

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

inline bool allZero(U32x8 x) {
  U64x4 y;
  std::memcpy(&y, &x, 32);
  return (y[0] | y[1] | y[2] | y[3]) == 0;
}

/// All ones in the elements whose lane is active: lanes 8k .. 8k+7.
inline U32x8 maskVec(uint64_t exec, unsigned k) {
  constexpr U32x8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
  U32x8 m = splat(uint32_t(exec >> (8 * k)) & 0xff) & bit;
  return U32x8(m == bit);
}

inline unsigned firstLane(uint64_t mask) { return unsigned(std::countr_zero(mask)); }

template <class F> inline void forLanes(uint64_t mask, F &&f) {
  if (mask == kFullExec) {
    for (unsigned l = 0; l < kWaveSize; ++l)
      f(l);
    return;
  }
  for (; mask; mask &= mask - 1)
    f(firstLane(mask));
}

/// All 64 values are base + lane * step, without wrapping around 2^32.
inline bool isLinear(const VRow &r, uint32_t step) {
  uint32_t base = r.u[0];
  if (r.u[1] - base != step || r.u[63] - base != 63 * step || base > UINT32_MAX - 64 * step)
    return false;
  U32x8 want = splat(base) + kIota * step, diff = {};
  for (unsigned k = 0; k < 8; ++k, want += 8 * step)
    diff |= loadVec(r, k) ^ want;
  return allZero(diff);
}

inline bool isUniform(const VRow &r) {
  uint32_t base = r.u[0];
  if (r.u[63] != base)
    return false;
  U32x8 diff = {};
  for (unsigned k = 0; k < 8; ++k)
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
  for (unsigned k = 0; k < 8; ++k, want += 8 * step)
    diff |= (loadVec(r, k) ^ want) & maskVec(exec, k);
  return allZero(diff);
}

inline bool isUniformUnder(const VRow &r, uint64_t exec) {
  uint32_t base = r.u[firstLane(exec)];
  U32x8 diff = {};
  for (unsigned k = 0; k < 8; ++k)
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

inline uint8_t *host(uint64_t address) { return reinterpret_cast<uint8_t *>(address); }
inline uint64_t addressOf(const void *p) { return reinterpret_cast<uint64_t>(p); }

} // namespace meld::softgpu::mem
