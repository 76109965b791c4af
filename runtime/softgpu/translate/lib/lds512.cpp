#include "runtime/softgpu/translate/lib/lds512.h"

#include "runtime/softgpu/translate/lib/waves512.h"

#include <bit>
#include <cstring>
#include <immintrin.h>

MELD_AVX512_BEGIN

namespace meld::softgpu::translate {

namespace {

using isa::Op;

/// Where the pass with the lanes `active` of `a` (in 16 lanes or twice 16) reads: the base of a
/// window that holds all their elements of N dwords, ~0 when there is none.
template <unsigned N>
inline uint32_t windowOf(__m512i a, __m512i b, __mmask16 ma, __mmask16 mb, uint32_t first,
                         uint32_t ldsSize) {
  // Element offsets in the window: multiples of 4 up to 128 - 4N.
  const auto fits = [&](uint32_t base) {
    const __m512i at = _mm512_set1_epi32(int(base));
    const __m512i limit = _mm512_set1_epi32(int(128 - 4 * N));
    const __m512i low = _mm512_set1_epi32(3);
    const __m512i x = _mm512_sub_epi32(a, at), y = _mm512_sub_epi32(b, at);
    const __mmask16 badA =
        _mm512_mask_cmpgt_epu32_mask(ma, x, limit) | _mm512_mask_test_epi32_mask(ma, x, low);
    const __mmask16 badB =
        _mm512_mask_cmpgt_epu32_mask(mb, y, limit) | _mm512_mask_test_epi32_mask(mb, y, low);
    return !(badA | badB) && base % 4 == 0 && uint64_t(base) + 128 <= ldsSize;
  };
  const uint32_t aligned = first & ~127u;
  if (fits(aligned))
    return aligned;
  return fits(first) ? first : ~0u;
}

/// Windows of the passes of one access in a wave of V vectors of 16 lanes: one for each vector; b128
/// has two each.
template <unsigned V, unsigned N> struct Windows {
  static constexpr unsigned perVector = N == 4 ? 2 : 1;
  __m512i a[V];
  uint32_t base[V * perVector];
  __mmask16 active[V];

  /// False: some pass has no window.
  bool find(const VRow &row, uint32_t add, uint64_t exec, uint32_t ldsSize) {
    for (unsigned k = 0; k < V; ++k) {
      a[k] = _mm512_add_epi32(_mm512_load_si512(row.u + 16 * k), _mm512_set1_epi32(int(add)));
      active[k] = __mmask16(exec >> (16 * k));
    }
    if constexpr (N == 1) {
      for (unsigned h = 0; h < V / 2; ++h) {
        const uint32_t lanes = uint32_t(exec >> (32 * h));
        base[2 * h] = base[2 * h + 1] = 0;
        if (!lanes)
          continue;
        const uint32_t first = row.u[32 * h + unsigned(std::countr_zero(lanes))] + add;
        base[2 * h] = base[2 * h + 1] =
            windowOf<1>(a[2 * h], a[2 * h + 1], active[2 * h], active[2 * h + 1], first, ldsSize);
        if (base[2 * h] == ~0u)
          return false;
      }
    } else {
      for (unsigned k = 0; k < V * perVector; ++k) {
        const unsigned v = k / perVector, shift = N == 4 ? 8 * (k % 2) : 0;
        const __mmask16 lanes = N == 4 ? active[v] & __mmask16(0xff << shift) : active[v];
        base[k] = 0;
        if (!lanes)
          continue;
        const uint32_t first = row.u[16 * v + unsigned(std::countr_zero(unsigned(lanes)))] + add;
        base[k] = windowOf<N>(a[v], a[v], lanes, lanes, first, ldsSize);
        if (base[k] == ~0u)
          return false;
      }
    }
    return true;
  }

  /// Dword d of each active lane's element.
  __m512i read(const uint8_t *lds, unsigned v, unsigned d) const {
    __m512i r = one(lds, v, base[v * perVector], d);
    if constexpr (N == 4)
      r = _mm512_mask_mov_epi32(r, 0xff00, one(lds, v, base[v * perVector + 1], d));
    return r;
  }

private:
  __m512i one(const uint8_t *lds, unsigned v, uint32_t at, unsigned d) const {
    const __m512i index =
        _mm512_srli_epi32(_mm512_sub_epi32(a[v], _mm512_set1_epi32(int(at - 4 * d))), 2);
    return _mm512_permutex2var_epi32(_mm512_loadu_si512(lds + at), index,
                                     _mm512_loadu_si512(lds + at + 64));
  }
};

template <unsigned V, unsigned N> const ExecInst *read(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return memoryDone(i, w, 0);
  Windows<V, N> windows;
  if (!windows.find(w.v[i->src[0]], uint32_t(i->imm[0]), exec, w.ldsSize))
    return i->run(i, w);
  VRow *dst = w.v + i->dst; // addresses are in registers: it may overlap them
  for (unsigned v = 0; v < V; ++v)
    for (unsigned d = 0; d < N; ++d)
      _mm512_mask_store_epi32(dst[d].u + 16 * v, windows.active[v], windows.read(w.lds, v, d));
  return memoryDone(i, w, 0);
}

template <unsigned V, unsigned N> const ExecInst *read2(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return memoryDone(i, w, 0);
  Windows<V, N> x, y;
  const VRow &row = w.v[i->src[0]];
  if (!x.find(row, uint32_t(i->imm[0]), exec, w.ldsSize) ||
      !y.find(row, uint32_t(i->imm[0] >> 32), exec, w.ldsSize))
    return i->run(i, w);
  VRow *dst = w.v + i->dst;
  for (unsigned v = 0; v < V; ++v)
    for (unsigned d = 0; d < N; ++d) {
      _mm512_mask_store_epi32(dst[d].u + 16 * v, x.active[v], x.read(w.lds, v, d));
      _mm512_mask_store_epi32(dst[N + d].u + 16 * v, x.active[v], y.read(w.lds, v, d));
    }
  return memoryDone(i, w, 0);
}

/// Consecutive dwords under EXEC; false when they are not, or past the end.
template <unsigned V>
inline bool writeLinear(Wave &w, const Windows<V, 1> &x, const VRow &data, uint64_t exec,
                        uint32_t first) {
  const unsigned lane = unsigned(std::countr_zero(exec));
  const uint32_t base = first - 4 * lane;
  const __m512i step =
      _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
  if (base % 4 || first < 4 * lane || uint64_t(base) + 64 * V > w.ldsSize)
    return false;
  __mmask16 bad = 0;
  for (unsigned v = 0; v < V; ++v)
    bad |= _mm512_mask_cmpneq_epi32_mask(
        x.active[v], x.a[v], _mm512_add_epi32(step, _mm512_set1_epi32(int(base + 64 * v))));
  if (bad)
    return false;
  for (unsigned v = 0; v < V; ++v)
    _mm512_mask_storeu_epi32(w.lds + base + 64 * v, x.active[v],
                             _mm512_load_si512(data.u + 16 * v));
  return true;
}

/// All lanes in range and every pass in its window: lanes in ascending order.
template <unsigned N>
inline void writeLanes(Wave &w, const VRow &row, uint32_t add, const VRow *data, uint64_t exec) {
  for (; exec; exec &= exec - 1) {
    const unsigned l = unsigned(std::countr_zero(exec));
    for (unsigned d = 0; d < N; ++d)
      std::memcpy(w.lds + (row.u[l] + add) + 4 * d, &data[d].u[l], 4);
  }
}

template <unsigned V, unsigned N> const ExecInst *write(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return memoryDone(i, w, 0);
  const VRow &row = w.v[i->src[0]], *data = w.v + i->src[1];
  const uint32_t add = uint32_t(i->imm[0]);
  Windows<V, N> windows;
  const bool found = windows.find(row, add, exec, w.ldsSize);
  if constexpr (N == 1)
    if (found && writeLinear(w, windows, *data, exec, row.u[std::countr_zero(exec)] + add))
      return memoryDone(i, w, 0);
  if (!found)
    return i->run(i, w);
  writeLanes<N>(w, row, add, data, exec);
  return memoryDone(i, w, 0);
}

template <unsigned V, unsigned N> const ExecInst *write2(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return memoryDone(i, w, 0);
  const VRow &row = w.v[i->src[0]];
  const uint32_t add0 = uint32_t(i->imm[0]), add1 = uint32_t(i->imm[0] >> 32);
  Windows<V, N> x, y;
  if (!x.find(row, add0, exec, w.ldsSize) || !y.find(row, add1, exec, w.ldsSize))
    return i->run(i, w);
  writeLanes<N>(w, row, add0, w.v + i->src[1], exec);
  writeLanes<N>(w, row, add1, w.v + i->src[2], exec);
  return memoryDone(i, w, 0);
}

template <unsigned V> Handler pick(Op op) {
  switch (op) {
  case Op::ds_read_b32:
    return read<V, 1>;
  case Op::ds_read_b64:
    return read<V, 2>;
  case Op::ds_read_b128:
    return read<V, 4>;
  case Op::ds_read2_b32:
  case Op::ds_read2st64_b32:
    return read2<V, 1>;
  case Op::ds_read2_b64:
  case Op::ds_read2st64_b64:
    return read2<V, 2>;
  case Op::ds_write_b32:
    return write<V, 1>;
  case Op::ds_write_b64:
    return write<V, 2>;
  case Op::ds_write_b128:
    return write<V, 4>;
  case Op::ds_write2_b32:
  case Op::ds_write2st64_b32:
    return write2<V, 1>;
  case Op::ds_write2_b64:
  case Op::ds_write2st64_b64:
    return write2<V, 2>;
  default:
    return nullptr;
  }
}

} // namespace

Handler lds512Handler(const ExecInst *e) {
  const isa::Inst &in = *e->inst;
  using Kind = isa::Operand::Kind;
  if (in.enc != isa::Enc::DS || in.gds || in.dst.kind == Kind::agpr ||
      in.vdata.kind == Kind::agpr || in.vdata1.kind == Kind::agpr)
    return nullptr;
  return isa::traitsOf(in.target).waveSize == kWaveSize ? pick<4>(in.op) : pick<2>(in.op);
}

} // namespace meld::softgpu::translate

MELD_AVX512_END
