// VOP3P: two 16-bit (or, on gfx90a, two f32) operations in one, and the mixed-precision
// multiply-adds. "Vega" ISA manual, chapters 6.5 and 12.11; "MI200" ISA manual for v_pk_*_f32 and
// v_pk_mov_b32.
//
// For each element: op_sel (low) or op_sel_hi (high) picks the half of every source, neg_lo or
// neg_hi flips its sign, then the row function of the corresponding single operation runs.
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/half.h"
#include "runtime/softgpu/valu/slow.h"

namespace meld::softgpu::valu {

using isa::Enc;
using isa::Inst;
using isa::Op;
using isa::Operand;
using enum Ty;

namespace {

struct Select {
  unsigned lo, hi; ///< op_sel and op_sel_hi
};
/// VOP2 forms (v_pk_fmac_f16, v_dot2c) have no selection bits: low with low, high with high.
Select selectOf(const Inst &in) {
  return in.enc == Enc::VOP3P ? Select{in.opSel, in.opSelHi} : Select{0, 7};
}

struct Gathered {
  const uint32_t *row[3];
  alignas(64) uint32_t tmp[3][128];
};
/// Whole source rows, scalars spread; accumulators come from the destination. DPP acts on source 0.
void gather(Gathered &g, const ExecInst *i, const Wave &w, const OpInfo &info, unsigned dwords) {
  const Inst &in = *i->inst;
  const RelativeIndex rel(w, in);
  for (unsigned k = 0; k < info.numSrc; ++k) {
    const bool old = (info.flags & kAccumulate) && k + 1u == info.numSrc;
    const Operand &o = old ? in.dst : in.src[k];
    if (const VRow *v = vectorOperand(w, o, old ? rel.dst() : rel.src(k))) {
      g.row[k] = v->u;
      if (usesDpp(in) && k == 0) {
        for (unsigned d = 0; d < dwords; ++d)
          dppGather(g.tmp[k] + 64 * d, v[d].u, in, w.exec());
        g.row[k] = g.tmp[k];
      }
      continue;
    }
    const uint64_t x = scalarOperand(w, o, dwords == 2);
    fillRow(g.tmp[k], (uint32_t)x);
    if (dwords == 2)
      fillRow(g.tmp[k] + 64, (uint32_t)(x >> 32));
    g.row[k] = g.tmp[k];
  }
}

template <bool Two> const ExecInst *packedValu(const ExecInst *i, Wave &w) {
  const Inst &in = *i->inst;
  const OpInfo &info = opTable()[in.op];
  const uint64_t exec = w.exec();
  if (!exec)
    return following(i);
  Gathered g;
  gather(g, i, w, info, Two ? 2 : 1);
  const Select sel = selectOf(in);
  alignas(64) uint32_t part[3][64];
  alignas(64) uint32_t out[2][64];
  for (unsigned half = 0; half < 2; ++half) {
    RowCtx ctx;
    ctx.exec = exec;
    ctx.mode = w.mode;
    ctx.inst = &in;
    ctx.dst = out[half];
    const unsigned pickBits = half ? sel.hi : sel.lo, negate = half ? in.abs : in.neg;
    for (unsigned k = 0; k < info.numSrc; ++k) {
      const Ty t = info.src[k];
      const bool high = pickBits >> k & 1;
      const uint32_t *from = g.row[k] + (Two && high ? 64 : 0);
      const uint32_t sign = is16(t) ? 0x8000u : 0x80000000u;
      const U32 flip = splat(isFloat(t) && (negate >> k & 1) ? sign : 0);
      const U32 count = splat(!Two && high ? 16 : 0);
      for (unsigned c = 0; c < kChunks; ++c) {
        const U32 x = (U32)_mm256_srlv_epi32((__m256i)load(from + 8 * c), (__m256i)count);
        store(part[k] + 8 * c, x ^ flip);
      }
      if (flushesInput(t, w.mode) && !(info.flags & kNoFlush))
        flushRow(part[k], t);
      ctx.src[k] = part[k];
    }
    const bool intClamp = in.clamp && info.rowClamp;
    callRow(intClamp ? info.rowClamp : info.row, ctx, roundingOf(info.dst, w.mode));
    if (isFloat(info.dst)) {
      outputModifiers(out[half], info.dst, 0, in.clamp, w.mode);
      if (flushesOutput(info.dst, w.mode) && !(info.flags & kNoFlush))
        flushRow(out[half], info.dst);
      if (limitsHalves(info.dst, w.mode))
        limitHalves(out[half], in.op, info, ctx);
    }
  }
  const uint64_t active = usesDpp(in) ? exec & dppEnabled(in, exec) : exec;
  uint32_t *d = w.v[in.dst.index + RelativeIndex(w, in).dst()].u;
  if (Two) {
    writeRow(d, out[0], active);
    writeRow(d + 64, out[1], active);
  } else {
    for (unsigned c = 0; c < kChunks; ++c) {
      const U32 lo = load(out[0] + 8 * c) & 0xffffu, hi = load(out[1] + 8 * c) << 16;
      store(out[0] + 8 * c, lo | hi);
    }
    writeRow(d, out[0], active);
  }
  return following(i);
}

/// One packed operation made for its lambda (as in fast.h): usual MODE, no clamp, no DPP. `S` is
/// the signature of the single operation; Two says that the elements are dwords of 64-bit operands,
/// not halves of dwords.
template <bool Two, unsigned K> struct Element {
  alignas(32) uint32_t buffer[2][8];
  const uint32_t *p[2]; ///< rows (or spread scalars) of the low and the high element
  unsigned stride = 8;
  __m128i shift[2];
  U32 flip[2];
  MELD_INLINE Element(const ExecInst *i, const Wave &w, const Select &sel, Ty t) {
    const uint32_t *row = buffer[0];
    unsigned second = 8;
    if (i->flags & (srcVgpr0 << K)) {
      row = w.v[i->src[K]].u;
      second = 64;
    } else {
      const uint64_t x = scalarOf(i, w, K, Two);
      store(buffer[0], splat((uint32_t)x));
      store(buffer[1], splat((uint32_t)(x >> 32)));
      stride = 0;
    }
    const uint32_t sign = is16(t) ? 0x8000u : 0x80000000u;
    const unsigned high[2] = {sel.lo >> K & 1, sel.hi >> K & 1};
    const unsigned negate[2] = {i->inst->neg, i->inst->abs};
    for (unsigned h = 0; h < 2; ++h) {
      p[h] = row + (Two && high[h] ? second : 0);
      shift[h] = _mm_cvtsi32_si128(high[h] ? 16 : 0);
      flip[h] = splat(isFloat(t) && (negate[h] >> K & 1) ? sign : 0);
    }
  }
  template <unsigned H> MELD_INLINE U32 at(unsigned c) const {
    const U32 x = load(p[H] + stride * c);
    return (Two ? x : (U32)_mm256_srl_epi32((__m256i)x, shift[H])) ^ flip[H];
  }
};
template <bool Two> struct NoElement {
  MELD_INLINE NoElement(const ExecInst *, const Wave &, const Select &, Ty) {}
};

template <bool Two, class S, auto F, unsigned Flags>
const ExecInst *fastPacked(const ExecInst *i, Wave &w) {
  using G = Gate<S, Flags>;
  if (__builtin_expect((w.mode & G::mask) != G::want, 0))
    return packedValu<Two>(i, w);
  using A = ArgsOf<F>;
  const Select sel = selectOf(*i->inst);
  const Element<Two, 0> e0(i, w, sel, S::src[0]);
  const Element<Two, 1> e1(i, w, sel, S::src[1]);
  const std::conditional_t<S::num == 3, Element<Two, 2>, NoElement<Two>> e2(i, w, sel,
                                                                            tyOf<S, 2>());
  uint32_t *d = w.v[i->dst].u;
  uint64_t left = w.exec();
#pragma GCC unroll 1
  for (unsigned c = 0; left; ++c, left >>= 8) {
    const U32 m = maskOf((uint32_t)left);
    const auto element = [&]<unsigned H>(std::integral_constant<unsigned, H>) {
      const auto x = decode<tyOf<S, 0>(), typename A::template arg<0>>(e0.template at<H>(c));
      const auto y = decode<tyOf<S, 1>(), typename A::template arg<1>>(e1.template at<H>(c));
      if constexpr (S::num == 3)
        return encode<S::dst>(apply<F, Flags>(
            x, y, decode<tyOf<S, 2>(), typename A::template arg<2>>(e2.template at<H>(c))));
      else
        return encode<S::dst>(apply<F, Flags>(x, y));
    };
    const U32 r[2] = {element(std::integral_constant<unsigned, 0>()),
                      element(std::integral_constant<unsigned, 1>())};
    uint32_t *p = d + 8 * c;
    if constexpr (Two) {
      store(p, select(m, r[0], load(p)));
      store(p + 64, select(m, r[1], load(p + 64)));
    } else {
      store(p, select(m, (r[0] & 0xffffu) | r[1] << 16, load(p)));
    }
  }
  return following(i);
}

const ExecInst *packedMove(const ExecInst *i, Wave &w) {
  const Inst &in = *i->inst;
  Gathered g;
  gather(g, i, w, opTable()[in.op], 2);
  alignas(64) uint32_t out[2][64];
  copyRow(out[0], g.row[0] + (in.opSel & 1 ? 64 : 0));
  copyRow(out[1], g.row[1] + (in.opSel & 2 ? 64 : 0));
  uint32_t *d = w.v[in.dst.index].u;
  writeRow(d, out[0], w.exec());
  writeRow(d + 64, out[1], w.exec());
  return following(i);
}

/// v_mad_mix / v_fma_mix: every source is an f32 or (op_sel_hi) a half picked by op_sel; neg_hi
/// means abs.
enum class MixTo { f32, low, high };

template <bool Fused> void rowMix(RowCtx &ctx) {
  using T3 = Sig<f32, f32, f32, f32>;
  if constexpr (Fused)
    rowVec<T3,
           [](F32 a, F32 b, F32 c) {
             return (F32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
           },
           kNan>(ctx);
  else
    rowVec<T3, [](F32 a, F32 b, F32 c) { return flush(flush(flush(a) * flush(b)) + flush(c)); },
           kNan>(ctx);
}
template <bool Fused, MixTo To> const ExecInst *mix(const ExecInst *i, Wave &w) {
  const Inst &in = *i->inst;
  const uint64_t exec = w.exec();
  if (!exec)
    return following(i);
  Gathered g;
  gather(g, i, w, opTable()[in.op], 1);
  alignas(64) uint32_t part[3][64];
  alignas(64) uint32_t out[64];
  RowCtx ctx;
  ctx.exec = exec;
  ctx.mode = w.mode;
  ctx.inst = &in;
  ctx.dst = out;
  for (unsigned k = 0; k < 3; ++k) {
    const bool isHalf = in.opSelHi >> k & 1;
    const unsigned shift = isHalf && (in.opSel >> k & 1) ? 16 : 0;
    const U32 keep = splat(in.abs >> k & 1 ? 0x7fffffffu : ~0u),
              flip = splat(in.neg >> k & 1 ? 0x80000000u : 0);
    for (unsigned c = 0; c < kChunks; ++c) {
      U32 x = load(g.row[k] + 8 * c);
      if (isHalf) {
        x = (x >> (int)shift) & 0xffffu;
        if (flushesInput(f16, w.mode))
          x = flushHalf(x);
        x = (U32)widenHalf(x);
      }
      store(part[k] + 8 * c, (x & keep) ^ flip);
    }
    if (!isHalf && flushesInput(f32, w.mode))
      flushRow(part[k], f32);
    ctx.src[k] = part[k];
  }
  callRow(rowMix<Fused>, ctx, w.mode & 3);
  if (flushesOutput(f32, w.mode))
    flushRow(out, f32);
  outputModifiers(out, f32, 0, in.clamp, w.mode);
  uint32_t *d = w.v[in.dst.index + RelativeIndex(w, in).dst()].u;
  if (To != MixTo::f32) {
    RowCtx narrow = ctx;
    narrow.src[0] = out;
    callRow(
        [](RowCtx &r) {
          for (unsigned c = 0; c < kChunks; ++c)
            store(r.dst + 8 * c, narrowHalf((F32)load(r.src[0] + 8 * c)));
        },
        narrow, w.mode >> 2 & 3);
    if (flushesOutput(f16, w.mode))
      flushRow(out, f16);
    if (limitsHalves(f16, w.mode))
      limitHalves(out, in.op, opTable()[in.op], ctx);
    for (unsigned c = 0; c < kChunks; ++c) {
      const U32 old = load(d + 8 * c), x = load(out + 8 * c);
      store(out + 8 * c,
            To == MixTo::low ? (old & 0xffff0000u) | (x & 0xffffu) : (old & 0xffffu) | x << 16);
    }
  }
  writeRow(d, out, usesDpp(in) ? exec & dppEnabled(in, exec) : exec);
  return following(i);
}
template <bool Fused, MixTo To> OpInfo mixOp() {
  OpInfo info = infoOf<Sig<f32, f32, f32, f32>>(0);
  info.special = mix<Fused, To>;
  return info;
}

/// The packed form of an operation that is already in the table, with a handler made for it.
template <class S, auto F, unsigned Flags = 0, bool Two = false>
void packed(OpTable &t, Op pk, Op single) {
  OpInfo info = t[single];
  info.flags = (info.flags & ~kPreserveHigh) | kPacked;
  info.special = packedValu<Two>;
  info.fastMod = fastPacked<Two, S, F, Flags>;
  t[pk] = info;
}
void packed(OpTable &t, Op pk, Op single) {
  OpInfo info = t[single];
  info.flags = (info.flags & ~kPreserveHigh) | kPacked;
  info.special = packedValu<false>;
  info.fastMod = nullptr;
  t[pk] = info;
}

/// An operation of three halves that has no single form.
template <auto F> OpInfo onlyPacked() {
  OpInfo info = vec<Sig<f16, f16, f16, f16>, F, 0, rowOnly>();
  info.flags |= kPacked;
  info.special = packedValu<false>;
  return info;
}

MELD_INLINE I32 shl(I32 x, I32 n) { return (I32)_mm256_sllv_epi32((__m256i)x, (__m256i)(n & 15)); }
MELD_INLINE I32 shr(I32 x, I32 n) { return (I32)_mm256_srlv_epi32((__m256i)x, (__m256i)(n & 15)); }
MELD_INLINE F32 fma(F32 a, F32 b, F32 c) {
  return (F32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

} // namespace

void addPacked(OpTable &t) {
  using U2 = Sig<b16, b16, b16>;
  using U3 = Sig<b16, b16, b16, b16>;
  using I2 = Sig<i16, i16, i16>;
  constexpr auto add = [](I32 a, I32 b) { return a + b; };
  constexpr auto sub = [](I32 a, I32 b) { return a - b; };
  constexpr auto mad = [](U32 a, U32 b, U32 c) { return a * b + c; };
  constexpr auto min = [](I32 a, I32 b) { return a < b ? a : b; };
  constexpr auto max = [](I32 a, I32 b) { return a > b ? a : b; };
  packed<U3, mad>(t, Op::v_pk_mad_i16, Op::v_mad_i16);
  packed<U3, mad>(t, Op::v_pk_mad_u16, Op::v_mad_u16);
  packed<U2, [](U32 a, U32 b) { return a * b; }>(t, Op::v_pk_mul_lo_u16, Op::v_mul_lo_u16);
  packed<U2, add>(t, Op::v_pk_add_i16, Op::v_add_i16);
  packed<U2, sub>(t, Op::v_pk_sub_i16, Op::v_sub_i16);
  packed<U2, add>(t, Op::v_pk_add_u16, Op::v_add_u16);
  packed<U2, sub>(t, Op::v_pk_sub_u16, Op::v_sub_u16);
  packed<U2, [](I32 n, I32 x) { return shl(x, n); }>(t, Op::v_pk_lshlrev_b16, Op::v_lshlrev_b16);
  packed<U2, [](I32 n, I32 x) { return shr(x, n); }>(t, Op::v_pk_lshrrev_b16, Op::v_lshrrev_b16);
  packed(t, Op::v_pk_ashrrev_i16, Op::v_ashrrev_i16);
  packed<I2, max>(t, Op::v_pk_max_i16, Op::v_max_i16);
  packed<I2, min>(t, Op::v_pk_min_i16, Op::v_min_i16);
  packed<U2, max>(t, Op::v_pk_max_u16, Op::v_max_u16);
  packed<U2, min>(t, Op::v_pk_min_u16, Op::v_min_u16);

  using H2 = Sig<f16, f16, f16>;
  using H3 = Sig<f16, f16, f16, f16>;
  constexpr auto addF = [](F32 a, F32 b) { return a + b; };
  constexpr auto mulF = [](F32 a, F32 b) { return a * b; };
  constexpr auto fmaH = [](F32 a, F32 b, F32 c) { return fmaForHalf(a, b, c); };
  packed<H2, addF, kNan>(t, Op::v_pk_add_f16, Op::v_add_f16);
  packed<H2, mulF, kNan>(t, Op::v_pk_mul_f16, Op::v_mul_f16);
  packed<H3, fmaH>(t, Op::v_pk_fma_f16, Op::v_fma_f16);
  packed(t, Op::v_pk_min_f16, Op::v_min_f16);
  packed(t, Op::v_pk_max_f16, Op::v_max_f16);
  packed(t, Op::v_pk_min_num_f16, Op::v_min_num_f16);
  packed(t, Op::v_pk_max_num_f16, Op::v_max_num_f16);
  packed(t, Op::v_pk_minimum_f16, Op::v_minimum_f16);
  packed(t, Op::v_pk_maximum_f16, Op::v_maximum_f16);
  packed<H3, fmaH>(t, Op::v_pk_fmac_f16, Op::v_fma_f16);
  t[Op::v_pk_fmac_f16].flags |= kAccumulate;

  t[Op::v_pk_minimum3_f16] = onlyPacked<[](U32 a, U32 b, U32 c) {
    return narrowHalf(minimumOf(minimumOf(widenKeep(a), widenKeep(b)), widenKeep(c)));
  }>();
  t[Op::v_pk_maximum3_f16] = onlyPacked<[](U32 a, U32 b, U32 c) {
    return narrowHalf(maximumOf(maximumOf(widenKeep(a), widenKeep(b)), widenKeep(c)));
  }>();

  using S2 = Sig<f32, f32, f32>;
  using S3 = Sig<f32, f32, f32, f32>;
  packed<S3, [](F32 a, F32 b, F32 c) { return fma(a, b, c); }, kNan, true>(t, Op::v_pk_fma_f32,
                                                                           Op::v_fma_f32);
  packed<S2, mulF, kNan, true>(t, Op::v_pk_mul_f32, Op::v_mul_f32);
  packed<S2, addF, kNan, true>(t, Op::v_pk_add_f32, Op::v_add_f32);
  OpInfo move = infoOf<Sig<b64, b64, b64>>(0);
  move.special = packedMove;
  t[Op::v_pk_mov_b32] = move;

  t[Op::v_mad_mix_f32] = mixOp<false, MixTo::f32>();
  t[Op::v_mad_mixlo_f16] = mixOp<false, MixTo::low>();
  t[Op::v_mad_mixhi_f16] = mixOp<false, MixTo::high>();
  t[Op::v_fma_mix_f32] = mixOp<true, MixTo::f32>();
  t[Op::v_fma_mixlo_f16] = mixOp<true, MixTo::low>();
  t[Op::v_fma_mixhi_f16] = mixOp<true, MixTo::high>();
}

} // namespace meld::softgpu::valu
