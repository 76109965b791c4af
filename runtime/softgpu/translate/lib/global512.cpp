#include "runtime/softgpu/translate/lib/global512.h"

#include "runtime/softgpu/mem/mem.h"
#include "runtime/softgpu/translate/lib/waves512.h"

#include <bit>
#include <immintrin.h>

MELD_AVX512_BEGIN

namespace meld::softgpu::translate {

namespace {

using isa::Op;

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

/// Lanes anywhere, each a group aligned to its size.
template <class W, unsigned N> struct Groups {
  static constexpr unsigned vectors = 2 * W::vectors;
  __m512i at[vectors]; ///< addresses, of eight lanes each
  uint64_t lines = 0;  ///< a bit for each touched, of 64 from a little below the first lane's

  __mmask8 active(uint64_t exec, unsigned v) const { return __mmask8(exec >> (8 * v)); }

  /// False: some lane is misaligned, or its line too far away. `limit`: and where FLAT is no memory.
  template <bool Saddr> bool find(const ExecInst *i, const Wave &w, uint64_t exec, uint64_t limit) {
    const VRow &lo = w.v[i->src[0]];
    uint64_t add = i->imm[0];
    if constexpr (Saddr)
      add += w.s64(i->src[2]);
    for (unsigned v = 0; v < vectors; ++v) {
      at[v] =
          _mm512_cvtepu32_epi64(_mm256_load_si256(reinterpret_cast<const __m256i *>(lo.u + 8 * v)));
      if constexpr (!Saddr) {
        const VRow &hi = w.v[i->src[0] + 1];
        const __m512i high = _mm512_cvtepu32_epi64(
            _mm256_load_si256(reinterpret_cast<const __m256i *>(hi.u + 8 * v)));
        at[v] = _mm512_or_si512(at[v], _mm512_slli_epi64(high, 32));
      }
      at[v] = _mm512_add_epi64(at[v], _mm512_set1_epi64(int64_t(add)));
    }
    const unsigned f = unsigned(std::countr_zero(exec));
    alignas(64) uint64_t eight[8];
    _mm512_store_si512(eight, at[f / 8]);
    constexpr unsigned shift = W::line == 128 ? 7 : 6;
    const __m512i start = _mm512_set1_epi64(int64_t(eight[f % 8] >> shift) - 4);
    const __m512i one = _mm512_set1_epi64(1);
    __m512i bits = _mm512_setzero_si512();
    __mmask8 bad = 0;
    for (unsigned v = 0; v < vectors; ++v) {
      const __mmask8 m = active(exec, v);
      const __m512i line = _mm512_sub_epi64(_mm512_srli_epi64(at[v], shift), start);
      bad |= _mm512_mask_test_epi64_mask(m, at[v], _mm512_set1_epi64(4 * N - 1)) |
             _mm512_mask_cmpgt_epu64_mask(m, line, _mm512_set1_epi64(63)) |
             _mm512_mask_cmpge_epu64_mask(m, at[v], _mm512_set1_epi64(int64_t(limit)));
      bits = _mm512_or_si512(bits, _mm512_maskz_sllv_epi64(m, one, line));
    }
    lines = uint64_t(_mm512_reduce_or_epi64(bits));
    return !bad;
  }
};

using Quad = long long __attribute__((vector_size(16), may_alias));

/// Four dwords of each lane, at once (mem/lanes.h): two gathers would let another thread's store
/// come between them.
template <class W, bool Store>
void accessQuads(const ExecInst *i, Wave &w, uint64_t exec, const __m512i *at) {
  alignas(64) uint64_t address[W::lanes];
  alignas(64) Quad quads[W::lanes];
  __m512i *vectors = reinterpret_cast<__m512i *>(quads);
  for (unsigned v = 0; v < 2 * W::vectors; ++v)
    _mm512_store_si512(address + 8 * v, at[v]);
  VRow *rows = w.v + (Store ? i->src[1] : i->dst);
  const auto each = [&](auto f) {
    for (uint64_t m = exec; m; m &= m - 1) {
      const unsigned l = unsigned(std::countr_zero(m));
      f(reinterpret_cast<volatile Quad *>(address[l]), quads[l]);
    }
  };
  if constexpr (!Store)
    each([](const volatile Quad *from, Quad &to) { to = *from; });
  for (unsigned v = 0; v < W::vectors; ++v) {
    __m512i four[4];
    if constexpr (Store) {
      for (unsigned d = 0; d < 4; ++d)
        four[d] = _mm512_load_si512(rows[d].u + 16 * v);
      merge<4>(four, vectors + 4 * v);
    } else {
      split<4>(vectors + 4 * v, four);
      for (unsigned d = 0; d < 4; ++d)
        _mm512_mask_store_epi32(rows[d].u + 16 * v, __mmask16(exec >> (16 * v)), four[d]);
    }
  }
  if constexpr (Store) // of lanes at one address the highest wins
    each([](volatile Quad *to, Quad from) { *to = from; });
}

template <class W, unsigned N, bool Saddr, bool Flat, bool Store>
const ExecInst *accessGroups(const ExecInst *i, Wave &w, uint64_t exec) {
  Groups<W, N> groups;
  if (!groups.template find<Saddr>(i, w, exec, Flat ? kSharedAperture + i->imm[0] : ~0ull))
    return i->run(i, w);
  constexpr unsigned V = Groups<W, N>::vectors;
  [[maybe_unused]] const auto half = [](uint32_t *u, unsigned v) {
    return reinterpret_cast<__m256i *>(u + 8 * v);
  };
  if constexpr (N == 4) {
    accessQuads<W, Store>(i, w, exec, groups.at);
  } else if constexpr (Store) { // of lanes at one address the highest wins, as scatters have it
    VRow *data = w.v + i->src[1];
    for (unsigned v = 0; v < V; ++v) {
      const __mmask8 m = groups.active(exec, v);
      if constexpr (N == 1)
        _mm512_mask_i64scatter_epi32(nullptr, m, groups.at[v], _mm256_load_si256(half(data->u, v)),
                                     1);
      else {
        const __m512i low = _mm512_cvtepu32_epi64(_mm256_load_si256(half(data[0].u, v)));
        const __m512i high = _mm512_cvtepu32_epi64(_mm256_load_si256(half(data[1].u, v)));
        _mm512_mask_i64scatter_epi64(nullptr, m, groups.at[v],
                                     _mm512_or_si512(low, _mm512_slli_epi64(high, 32)), 1);
      }
    }
  } else {
    __m512i words[V]; // all of it before a register changes
    for (unsigned v = 0; v < V; ++v) {
      const __mmask8 m = groups.active(exec, v);
      if constexpr (N == 1)
        words[v] = _mm512_zextsi256_si512(
            _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), m, groups.at[v], nullptr, 1));
      else
        words[v] = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), m, groups.at[v], nullptr, 1);
    }
    VRow *dst = w.v + i->dst;
    for (unsigned v = 0; v < V; ++v) {
      const __mmask8 m = groups.active(exec, v);
      if constexpr (N == 1)
        _mm256_mask_store_epi32(half(dst->u, v), m, _mm512_castsi512_si256(words[v]));
      else {
        _mm256_mask_store_epi32(half(dst[0].u, v), m, _mm512_cvtepi64_epi32(words[v]));
        _mm256_mask_store_epi32(half(dst[1].u, v), m,
                                _mm512_cvtepi64_epi32(_mm512_srli_epi64(words[v], 32)));
      }
    }
  }
  return memoryDone(i, w, uint32_t(std::popcount(groups.lines)));
}

template <class W, unsigned N, bool Saddr, bool Flat, bool Store>
const ExecInst *access(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return memoryDone(i, w, 0);
  const uint64_t base = linearBase<W, N, Saddr>(i, w, exec);
  if (!base)
    return accessGroups<W, N, Saddr, Flat, Store>(i, w, exec);
  if (Flat && base - i->imm[0] >= kSharedAperture) // as the registers have it
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
  return memoryDone(i, w, lines);
}

template <unsigned N, bool Store> Handler pick(const ExecInst *e) {
  return forWaves(e, [e]<class W>() -> Handler {
    if (e->inst->enc == isa::Enc::FLAT)
      return access<W, N, false, true, Store>;
    return e->src[2] == kImmSlot ? access<W, N, false, false, Store>
                                 : access<W, N, true, false, Store>;
  });
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

MELD_AVX512_END
