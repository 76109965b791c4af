// LDS addresses of a wave's lanes, and dword accesses to them.
//
// What: LaneOffsets computes every lane's LDS byte offset with vector code, inactive lanes standing
// in for the first active one of their half, together with the smallest and largest of each half
// wave. That decides in two compares whether the whole access is in range and whether a half
// touches at most 32 consecutive dwords, which cannot conflict. Reads of one dword are then AVX2
// gathers.
#pragma once

#include "runtime/softgpu/mem/trace.h"
#include "runtime/softgpu/mem/vmem.h"

namespace meld::softgpu::mem {

struct LaneOffsets {
  alignas(64) uint32_t a[kWaveSize];
  uint32_t low[2], high[2]; ///< smallest and largest offset in lanes 0..31 and 32..63
  unsigned vectors; ///< of a, eight lanes each: four where the upper half has no active lane

  /// `exec` must not be 0.
  LaneOffsets(const VRow &row, uint32_t add, uint64_t exec) : vectors(vectorsOf(exec)) {
    const bool whole = wholeWave(exec);
    for (unsigned h = 0; h < vectors / 4; ++h) {
      // Stand-ins come from the same half, so that they do not widen its range.
      const uint64_t half = exec >> (32 * h) & 0xffffffff;
      const U32x8 fill = splat(row.u[half ? firstLane(half) + 32 * h : firstLane(exec)] + add);
      __m256i lo = _mm256_set1_epi32(-1), hi = _mm256_setzero_si256();
      for (unsigned k = 4 * h; k < 4 * h + 4; ++k) {
        U32x8 x = loadVec(row, k) + add;
        if (!whole) {
          U32x8 m = maskVec(exec, k);
          x = (x & m) | (fill & ~m);
        }
        std::memcpy(a + 8 * k, &x, 32);
        lo = _mm256_min_epu32(lo, __m256i(x));
        hi = _mm256_max_epu32(hi, __m256i(x));
      }
      low[h] = smallest(lo);
      high[h] = largest(hi);
    }
    if (vectors == 4)
      low[1] = low[0], high[1] = high[0];
  }

  /// Some lane, active or standing in for one, is not at a multiple of `unit`.
  bool misaligned(uint32_t unit) const {
    U32x8 all = {};
    for (unsigned k = 0; k < vectors; ++k) {
      U32x8 x;
      std::memcpy(&x, a + 8 * k, 32);
      all |= x;
    }
    return !allZero(all & (unit - 1));
  }

  bool inRange(uint32_t bytes, uint32_t ldsSize) const {
    return uint64_t(high[0] > high[1] ? high[0] : high[1]) + bytes <= ldsSize;
  }

  /// Extra LDS cycles of accesses of `bytes` bytes; `mask` is the EXEC that these offsets were made for.
  uint32_t conflicts(uint64_t mask, uint32_t bytes) const {
    if (bytes <= 4 && fewDwords(0, bytes) && fewDwords(1, bytes))
      return 0;
    // A dword stride s in every lane: 32 lanes fall on 32 / gcd(s, 32) banks.
    if (const uint32_t step = a[1] - a[0];
        wholeWave(mask) && bytes == 4 && !((a[0] | step) & 3) && isStride(step))
      return vectors / 4 * ((step / 4 & -(step / 4)) < 32 ? (step / 4 & -(step / 4)) - 1 : 31);
    return bankConflicts(a, mask, bytes);
  }

private:
  bool isStride(uint32_t step) const {
    if (!step || a[8 * vectors - 1] - a[0] != (8 * vectors - 1) * step)
      return false;
    U32x8 want = splat(a[0]) + kIota * step, diff = {};
    for (unsigned k = 0; k < vectors; ++k, want += 8 * step) {
      U32x8 x;
      std::memcpy(&x, a + 8 * k, 32);
      diff |= x ^ want;
    }
    return allZero(diff);
  }
  bool fewDwords(unsigned h, uint32_t bytes) const {
    return (high[h] + bytes - 1) / 4 - low[h] / 4 < 32;
  }
  static uint32_t smallest(__m256i x) {
    __m128i y = _mm_min_epu32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    y = _mm_min_epu32(y, _mm_shuffle_epi32(y, 0x4e));
    return uint32_t(_mm_cvtsi128_si32(_mm_min_epu32(y, _mm_shuffle_epi32(y, 0xb1))));
  }
  static uint32_t largest(__m256i x) {
    __m128i y = _mm_max_epu32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    y = _mm_max_epu32(y, _mm_shuffle_epi32(y, 0x4e));
    return uint32_t(_mm_cvtsi128_si32(_mm_max_epu32(y, _mm_shuffle_epi32(y, 0xb1))));
  }
};

/// dst[l] = dword at lds + a[l] for the lanes of `exec`; every a[l] must be in range, active or
/// not.
inline void gatherRow(VRow &dst, const uint8_t *lds, const uint32_t *a, uint64_t exec) {
  const bool whole = wholeWave(exec);
  for (unsigned k = 0, n = vectorsOf(exec); k < n; ++k) {
    U32x8 at;
    std::memcpy(&at, a + 8 * k, 32);
    U32x8 x = U32x8(_mm256_i32gather_epi32(reinterpret_cast<const int *>(lds), __m256i(at), 1));
    if (!whole) {
      U32x8 m = maskVec(exec, k);
      x = (loadVec(dst, k) & ~m) | (x & m);
    }
    storeVec(dst, k, x);
  }
}

/// The first L lanes at consecutive, aligned, in-range groups of N dwords: their first byte, else
/// nullptr. Such an access of a whole wave never conflicts.
template <unsigned N, unsigned L>
inline uint8_t *linearLds(const Wave &w, const VRow &row, uint32_t add) {
  if (!isLinear<L>(row, 4 * N))
    return nullptr;
  uint32_t base = row.u[0] + add;
  if (base % 4 || uint64_t(base) + 4 * N * L > w.ldsSize)
    return nullptr;
  return w.lds + base;
}

/// Reads and writes of L lanes, which are all of them, side by side; false, and nothing has happened,
/// where they do not lie so.
template <unsigned N, unsigned L>
inline bool readLinear(const Wave &w, const VRow &row, uint32_t add, VRow *dst) {
  const uint8_t *p = linearLds<N, L>(w, row, add);
  if (!p)
    return false;
  if constexpr (N == 1)
    std::memcpy(dst->u, p, 4 * L);
  else
    groupsIn<N, L>(dst, p);
  return true;
}
template <unsigned N, unsigned L>
inline bool writeLinear(const Wave &w, const VRow &row, uint32_t add, const VRow *data) {
  uint8_t *p = linearLds<N, L>(w, row, add);
  if (!p)
    return false;
  if constexpr (N == 1)
    std::memcpy(p, data->u, 4 * L);
  else
    groupsOut<N, L>(p, data);
  return true;
}

/// N-dword reads of the lanes of `exec` (not 0) at row[l] + add; returns bank conflicts. `dst` may
/// overlap `row`.
template <unsigned N>
inline uint32_t readLds(const Wave &w, const VRow &row, uint32_t add, uint64_t exec, VRow *dst) {
  if (exec == kFullExec ? readLinear<N, kWaveSize>(w, row, add, dst)
                        : exec == kLowExec && readLinear<N, kWaveSize / 2>(w, row, add, dst))
    return 0;
  const LaneOffsets offsets(row, add, exec);
  if (!offsets.inRange(4 * N, w.ldsSize)) [[unlikely]] {
    uint64_t inside = 0;
    for (uint64_t m = exec; m; m &= m - 1) {
      unsigned l = firstLane(m);
      const bool ok = uint64_t(offsets.a[l]) + 4 * N <= w.ldsSize;
      inside |= uint64_t(ok) << l;
      for (unsigned k = 0; k < N; ++k)
        dst[k].u[l] = ok ? peek<uint32_t>(w.lds + offsets.a[l] + 4 * k) : 0;
    }
    return bankConflicts(offsets.a, inside, 4 * N);
  }
  for (unsigned k = 0; k < N; ++k)
    gatherRow(dst[k], w.lds + 4 * k, offsets.a, exec);
  return offsets.conflicts(exec, 4 * N);
}

template <unsigned N>
inline uint32_t writeLds(const Wave &w, const VRow &row, uint32_t add, uint64_t exec,
                         const VRow *data) {
  if (exec == kFullExec ? writeLinear<N, kWaveSize>(w, row, add, data)
                        : exec == kLowExec && writeLinear<N, kWaveSize / 2>(w, row, add, data))
    return 0;
  const LaneOffsets offsets(row, add, exec);
  if (!offsets.inRange(4 * N, w.ldsSize)) [[unlikely]] {
    uint64_t inside = 0;
    for (uint64_t m = exec; m; m &= m - 1)
      if (unsigned l = firstLane(m); uint64_t(offsets.a[l]) + 4 * N <= w.ldsSize)
        inside |= 1ull << l;
    exec = inside;
    if (!exec)
      return 0;
  }
  uint8_t *lds = w.lds;
  forLanes(exec, [&](unsigned l) {
    for (unsigned k = 0; k < N; ++k)
      poke<uint32_t>(lds + offsets.a[l] + 4 * k, data[k].u[l]);
  });
  return offsets.inRange(4 * N, w.ldsSize) ? offsets.conflicts(exec, 4 * N)
                                           : bankConflicts(offsets.a, exec, 4 * N);
}

/// ds_swizzle, ds_permute, ds_bpermute: no memory, only lanes. False: not one of them. `halves`: permutes
/// stay within 32 lanes.
bool prepareLaneExchange(ExecInst &e, std::string_view name, bool halves);

} // namespace meld::softgpu::mem
