#include "runtime/softgpu/translate/lib/global512.h"

#include "runtime/softgpu/mem/mem.h"

#include <bit>
#include <immintrin.h>

// Only these functions: what headers define stays executable everywhere.
#ifdef __clang__
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi2,lzcnt,popcnt"))),      \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi2,lzcnt,popcnt")
#endif

namespace meld::softgpu::translate {

namespace {

using isa::Op;

/// Waves: how many vectors of 16 lanes they have, and cache lines of how many bytes.
template <unsigned V, unsigned Line> struct Waves {
  static constexpr unsigned vectors = V, lanes = 16 * V, line = Line;
  static constexpr uint64_t full = lanes == 64 ? kFullExec : kLowExec;
};
using Gfx9 = Waves<4, 64>;
using Gfx10 = Waves<4, 128>;
using Gfx10Wave32 = Waves<2, 128>;

/// Lines that the lanes of `exec` touch, groups of 4 N bytes aligned to their size.
template <class W, unsigned N> inline uint32_t linesOf(uint64_t base, uint64_t exec) {
  if (exec == W::full)
    return uint32_t((base + 4 * N * W::lanes - 1) / W::line - base / W::line + 1);
  // Lane l lies (l + shift) groups behind the first line's start.
  constexpr unsigned perLine = W::line / (4 * N);
  constexpr uint64_t group = (1ull << perLine) - 1;
  const unsigned shift = unsigned(base % W::line / (4 * N));
  const uint64_t low = exec << shift, high = shift ? exec >> (64 - shift) : 0;
  uint32_t lines = high != 0; // fewer than a line's lanes are pushed out
  for (unsigned k = 0; k < 64; k += perLine)
    lines += (low >> k & group) != 0;
  return lines;
}

/// The address of lane 0 when the lanes of `exec` (not 0) are consecutive; 0 when not.
template <class W, unsigned N, bool Saddr>
inline uint64_t linearBase(const ExecInst *i, const Wave &w, uint64_t exec) {
  const VRow &lo = w.v[i->src[0]];
  const unsigned f = unsigned(std::countr_zero(exec));
  const uint32_t first = lo.u[f], base = first - f * 4 * N;
  if (first < f * 4 * N || base > UINT32_MAX - W::lanes * 4 * N)
    return 0;
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i step = _mm512_mullo_epi32(lane, _mm512_set1_epi32(4 * N));
  __mmask16 bad = 0;
  for (unsigned v = 0; v < W::vectors; ++v)
    bad |= _mm512_mask_cmpneq_epi32_mask(
        __mmask16(exec >> (16 * v)), _mm512_load_si512(lo.u + 16 * v),
        _mm512_add_epi32(step, _mm512_set1_epi32(int(base + 64 * N * v))));
  uint64_t address = base;
  if constexpr (Saddr) {
    address += w.s64(i->src[2]);
  } else {
    const VRow &hi = w.v[i->src[0] + 1];
    const __m512i same = _mm512_set1_epi32(int(hi.u[f]));
    for (unsigned v = 0; v < W::vectors; ++v)
      bad |= _mm512_mask_cmpneq_epi32_mask(__mmask16(exec >> (16 * v)),
                                           _mm512_load_si512(hi.u + 16 * v), same);
    address |= uint64_t(hi.u[f]) << 32;
  }
  address += i->imm[0];
  return bad || address % (4 * N) ? 0 : address;
}

/// Bits of lanes, N times each: the dwords of vector k of a wave's 4 N.
template <unsigned N> inline __mmask16 dwordMask(uint64_t exec, unsigned k) {
  const uint64_t lanes = exec >> (16 / N * k);
  if constexpr (N == 1)
    return __mmask16(lanes);
  else if constexpr (N == 2)
    return __mmask16(_pdep_u64(lanes, 0x5555) * 3);
  else
    return __mmask16(_pdep_u64(lanes, 0x1111) * 15);
}

/// 16 lanes of N dwords each, from memory order into rows and back.
template <unsigned N> inline void split(const __m512i *memory, __m512i *rows) {
  if constexpr (N == 1) {
    rows[0] = memory[0];
  } else if constexpr (N == 2) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    rows[0] = _mm512_permutex2var_epi32(memory[0], even, memory[1]);
    rows[1] = _mm512_permutex2var_epi32(memory[0], odd, memory[1]);
  } else {
    __m512i half[4]; // dwords {0, 2} and {1, 3} of lanes 0..7, then 8..15
    split<2>(memory, half);
    split<2>(memory + 2, half + 2);
    // half[0]: d0 d2 of each lane; half[1]: d1 d3.
    const __m512i low[2] = {half[0], half[2]}, high[2] = {half[1], half[3]};
    __m512i out[2];
    split<2>(low, out);
    rows[0] = out[0], rows[2] = out[1];
    split<2>(high, out);
    rows[1] = out[0], rows[3] = out[1];
  }
}
template <unsigned N> inline void merge(const __m512i *rows, __m512i *memory) {
  if constexpr (N == 1) {
    memory[0] = rows[0];
  } else if constexpr (N == 2) {
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    memory[0] = _mm512_permutex2var_epi32(rows[0], first, rows[1]);
    memory[1] = _mm512_permutex2var_epi32(rows[0], second, rows[1]);
  } else {
    const __m512i even[2] = {rows[0], rows[2]}, odd[2] = {rows[1], rows[3]};
    __m512i low[2], high[2];
    merge<2>(even, low);
    merge<2>(odd, high);
    for (unsigned k = 0; k < 2; ++k) {
      const __m512i pair[2] = {low[k], high[k]};
      merge<2>(pair, memory + 2 * k);
    }
  }
}

const ExecInst *done(const ExecInst *i, Wave &w, uint32_t lines) {
  w.trace.cacheLines = lines;
  w.trace.ldsBankConflicts = w.trace.numLines = 0;
  return following(i);
}

template <class W, unsigned N, bool Saddr, bool Flat, bool Store>
const ExecInst *access(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return done(i, w, 0);
  const uint64_t base = linearBase<W, N, Saddr>(i, w, exec);
  if (!base || (Flat && base >= kSharedAperture - 4096))
    return i->run(i, w);
  uint8_t *memory = reinterpret_cast<uint8_t *>(base);
  const uint32_t lines = linesOf<W, N>(base, exec);
  if constexpr (Store) {
    const VRow *data = w.v + i->src[1];
    for (unsigned v = 0; v < W::vectors; ++v) {
      __m512i rows[N], words[N];
      for (unsigned d = 0; d < N; ++d)
        rows[d] = _mm512_load_si512(data[d].u + 16 * v);
      merge<N>(rows, words);
      for (unsigned k = 0; k < N; ++k)
        _mm512_mask_storeu_epi32(memory + 64 * (N * v + k), dwordMask<N>(exec, N * v + k),
                                 words[k]);
    }
  } else {
    __m512i words[W::vectors]
                 [N]; // all of it before a register changes: a fault must find the addresses
    for (unsigned v = 0; v < W::vectors; ++v)
      for (unsigned k = 0; k < N; ++k)
        words[v][k] =
            _mm512_maskz_loadu_epi32(dwordMask<N>(exec, N * v + k), memory + 64 * (N * v + k));
    VRow *dst = w.v + i->dst;
    for (unsigned v = 0; v < W::vectors; ++v) {
      __m512i rows[N];
      split<N>(words[v], rows);
      for (unsigned d = 0; d < N; ++d)
        _mm512_mask_store_epi32(dst[d].u + 16 * v, __mmask16(exec >> (16 * v)), rows[d]);
    }
  }
  return done(i, w, lines);
}

template <class W, unsigned N, bool Store> Handler pickFor(const ExecInst *e) {
  if (e->inst->enc == isa::Enc::FLAT)
    return access<W, N, false, true, Store>;
  return e->src[2] == kImmSlot ? access<W, N, false, false, Store>
                               : access<W, N, true, false, Store>;
}
template <unsigned N, bool Store> Handler pick(const ExecInst *e) {
  const isa::TargetTraits traits = isa::traitsOf(e->inst->target);
  if (traits.generation < 10)
    return pickFor<Gfx9, N, Store>(e);
  return traits.waveSize == 64 ? pickFor<Gfx10, N, Store>(e) : pickFor<Gfx10Wave32, N, Store>(e);
}

} // namespace

Handler global512Handler(const ExecInst *e) {
  const isa::Inst &in = *e->inst;
  using Kind = isa::Operand::Kind;
  if ((in.enc != isa::Enc::GLOBAL && in.enc != isa::Enc::FLAT) || in.lds || in.tfe ||
      in.dst.kind == Kind::agpr || in.vdata.kind == Kind::agpr)
    return nullptr;
  switch (in.op) {
  case Op::global_load_dword:
  case Op::flat_load_dword:
    return pick<1, false>(e);
  case Op::global_load_dwordx2:
  case Op::flat_load_dwordx2:
    return pick<2, false>(e);
  case Op::global_load_dwordx4:
  case Op::flat_load_dwordx4:
    return pick<4, false>(e);
  case Op::global_store_dword:
  case Op::flat_store_dword:
    return pick<1, true>(e);
  case Op::global_store_dwordx2:
  case Op::flat_store_dwordx2:
    return pick<2, true>(e);
  case Op::global_store_dwordx4:
  case Op::flat_store_dwordx4:
    return pick<4, true>(e);
  default:
    return nullptr;
  }
}

} // namespace meld::softgpu::translate

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
