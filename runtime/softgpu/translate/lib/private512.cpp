#include "runtime/softgpu/translate/lib/private512.h"

#include "runtime/softgpu/mem/mem.h"
#include "runtime/softgpu/translate/lib/waves512.h"

#include <algorithm>
#include <bit>
#include <immintrin.h>

MELD_AVX512_BEGIN

namespace meld::softgpu::translate {

namespace {

using isa::Op;

/// Lanes' rows: dword offsets relative to the lowest, less than 64 - N.
template <class W> struct Rows {
  __m512i at[W::vectors]; ///< of the first dword
  __mmask16 active[W::vectors];
  uint32_t lowest = 0;

  /// False: some lane is misaligned, past row `last`, or too far from the lowest.
  template <unsigned N> bool find(const VRow &row, uint32_t add, uint64_t exec, uint64_t last) {
    __mmask16 bad = 0;
    __m512i low = _mm512_set1_epi32(-1);
    for (unsigned v = 0; v < W::vectors; ++v) {
      active[v] = __mmask16(exec >> (16 * v));
      at[v] = _mm512_add_epi32(_mm512_load_si512(row.u + 16 * v), _mm512_set1_epi32(int(add)));
      bad |= _mm512_mask_test_epi32_mask(active[v], at[v], _mm512_set1_epi32(3));
      at[v] = _mm512_srli_epi32(at[v], 2);
      low = _mm512_mask_min_epu32(low, active[v], low, at[v]);
    }
    lowest = _mm512_reduce_min_epu32(low);
    for (unsigned v = 0; v < W::vectors; ++v) {
      at[v] = _mm512_sub_epi32(at[v], _mm512_set1_epi32(int(lowest)));
      bad |= _mm512_mask_cmpgt_epu32_mask(active[v], at[v], _mm512_set1_epi32(64 - N));
      if (last < lowest + 63ull) // else nothing in the window lies past it
        bad |= last < lowest ? active[v]
                             : _mm512_mask_cmpgt_epu32_mask(active[v], at[v],
                                                            _mm512_set1_epi32(int(last - lowest)));
    }
    return !bad;
  }

  /// Distinct lines, each lane's N rows.
  template <unsigned N> uint32_t lines() const {
    constexpr unsigned perLine = W::line / 64; // vectors
    const __m512i dwords = _mm512_set1_epi64((1 << N) - 1);
    uint32_t n = 0;
    for (unsigned v = 0; v < W::vectors; v += perLine) {
      __m512i bits = _mm512_setzero_si512();
      for (unsigned k = v; k < v + perLine; ++k) {
        const __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(at[k]));
        const __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(at[k], 1));
        bits = _mm512_or_si512(bits, _mm512_maskz_sllv_epi64(__mmask8(active[k]), dwords, low));
        bits =
            _mm512_or_si512(bits, _mm512_maskz_sllv_epi64(__mmask8(active[k] >> 8), dwords, high));
      }
      n += unsigned(std::popcount(uint64_t(_mm512_reduce_or_epi64(bits))));
    }
    return n;
  }

  /// Bytes from the lowest row's start.
  __m512i bytes(unsigned v) const {
    const __m512i lane =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
    return _mm512_add_epi32(_mm512_mullo_epi32(at[v], _mm512_set1_epi32(4 * W::lanes)),
                            _mm512_add_epi32(lane, _mm512_set1_epi32(int(64 * v))));
  }
};

/// Rows of private memory: where they begin, how many bytes there are of them; 0 where this is not
/// the usual case.
struct Block {
  uint64_t base = 0, bytes = 0;
  uint32_t add = 0; ///< to each lane's offset
};

/// Through a buffer's resource.
struct Buffer {
  static Block block(const ExecInst *i, const Wave &w) {
    const unsigned slot = i->src[2];
    const uint32_t soffset = i->sdst == kImmSlot ? uint32_t(i->imm[1]) : w.s[i->sdst];
    const uint64_t base = w.s[slot] | uint64_t(w.s[slot + 1] & 0xffff) << 32;
    uint64_t end = w.s[slot + 2];
    if (base == reinterpret_cast<uint64_t>(w.scratch))
      end = std::min(end, scratchBytes(w));
    if (!isPrivateResource(w, slot, isa::traitsOf(i->inst->target).generation) || end < soffset)
      return {};
    return {base + soffset, end - soffset, uint32_t(i->imm[0])};
  }
};

/// scratch_*: the wave's own block.
struct Scratch {
  static Block block(const ExecInst *i, const Wave &w) {
    const uint32_t saddr = i->src[2] == kImmSlot ? 0 : w.s[i->src[2]];
    return {reinterpret_cast<uint64_t>(w.scratch), scratchBytes(w), uint32_t(i->imm[0]) + saddr};
  }
};

template <class Through, class W, unsigned N, bool Store>
const ExecInst *access(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  if (!exec)
    return memoryDone(i, w, 0);
  constexpr uint64_t stride = 4 * W::lanes;
  const Block block = Through::block(i, w);
  Rows<W> rows;
  if (block.base % W::line || block.bytes < N * stride ||
      !rows.template find<N>(w.v[i->src[0]], block.add, exec, block.bytes / stride - N))
    return i->run(i, w);
  uint8_t *base = reinterpret_cast<uint8_t *>(block.base + rows.lowest * stride);
  if constexpr (Store) {
    const VRow *data = w.v + i->src[1];
    for (unsigned v = 0; v < W::vectors; ++v) {
      const __m512i at = rows.bytes(v);
      for (unsigned d = 0; d < N; ++d)
        _mm512_mask_i32scatter_epi32(base + d * stride, rows.active[v], at,
                                     _mm512_load_si512(data[d].u + 16 * v), 1);
    }
  } else {
    VRow *dst = w.v + i->dst;
    __m512i words[W::vectors][N]; // all of it before a register changes
    for (unsigned v = 0; v < W::vectors; ++v) {
      const __m512i at = rows.bytes(v);
      for (unsigned d = 0; d < N; ++d)
        words[v][d] = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), rows.active[v], at,
                                                  base + d * stride, 1);
    }
    for (unsigned v = 0; v < W::vectors; ++v)
      for (unsigned d = 0; d < N; ++d)
        _mm512_mask_store_epi32(dst[d].u + 16 * v, rows.active[v], words[v][d]);
  }
  return memoryDone(i, w, rows.template lines<N>());
}

template <class Through, unsigned N, bool Store> Handler pick(const ExecInst *e) {
  return forWaves(e, []<class W>() -> Handler { return access<Through, W, N, Store>; });
}

} // namespace

Handler private512Handler(const ExecInst *e) {
  const isa::Inst &in = *e->inst;
  using Kind = isa::Operand::Kind;
  if (in.lds || in.tfe || in.dst.kind == Kind::agpr || in.vdata.kind == Kind::agpr ||
      in.vaddr.kind != Kind::vgpr)
    return nullptr;
  if (in.enc == isa::Enc::MUBUF && (!in.offen || in.idxen))
    return nullptr;
  switch (in.op) {
  case Op::buffer_load_dword:
    return pick<Buffer, 1, false>(e);
  case Op::buffer_load_dwordx2:
    return pick<Buffer, 2, false>(e);
  case Op::buffer_load_dwordx4:
    return pick<Buffer, 4, false>(e);
  case Op::buffer_store_dword:
    return pick<Buffer, 1, true>(e);
  case Op::buffer_store_dwordx2:
    return pick<Buffer, 2, true>(e);
  case Op::buffer_store_dwordx4:
    return pick<Buffer, 4, true>(e);
  case Op::scratch_load_dword:
    return pick<Scratch, 1, false>(e);
  case Op::scratch_load_dwordx2:
    return pick<Scratch, 2, false>(e);
  case Op::scratch_load_dwordx4:
    return pick<Scratch, 4, false>(e);
  case Op::scratch_store_dword:
    return pick<Scratch, 1, true>(e);
  case Op::scratch_store_dwordx2:
    return pick<Scratch, 2, true>(e);
  case Op::scratch_store_dwordx4:
    return pick<Scratch, 4, true>(e);
  default:
    return nullptr;
  }
}

} // namespace meld::softgpu::translate

MELD_AVX512_END
