// Conversions with a scale of one or two numbers; see scaled.h. op_sel says where the short ones lie:
//   narrowing   op_sel[3] the half of the destination for a pair of bytes, op_sel[3:2] the byte for one
//               of 8 bits or two of 4; the rest of the destination stays
//   widening    op_sel[0] the half of source 0 for a pair of bytes, op_sel[1:0] the byte otherwise;
//               op_sel[3] the half of the destination for one f16
#include "runtime/softgpu/valu/scaled.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

bool saturates(const RowCtx &ctx) { return ctx.mode & Mode::fp16Ovfl; }

unsigned placeOf(const RowCtx &ctx, unsigned width) {
  const unsigned opSel = ctx.inst->opSel;
  return width == 16 ? 16 * (opSel >> 3 & 1) : 8 * (opSel >> 2 & 3);
}

/// Element `k` of a pair in source 0; f32s that are no register pair are in sources 0 and 1. A
/// register pair is of no type whose denormals MODE would have turned into zeros already.
template <class W, bool Apart> double pairElement(const RowCtx &ctx, unsigned n, unsigned k) {
  if constexpr (W::bits == 16)
    return W::decode(ctx.src[0][n] >> (16 * k) & 0xffff);
  else if constexpr (Apart)
    return W::decode(ctx.src[k][n]);
  else
    return W::decode(asSource(ctx.src[0][64 * k + n], ctx.mode));
}

template <class F, class W> void rowNarrowPair(RowCtx &ctx) {
  constexpr unsigned scaleAt = W::bits == 32 ? 2 : 1;
  const unsigned place = placeOf(ctx, 2 * F::bits);
  forActive(ctx.exec, [&](unsigned n) {
    const double scale = scaleOf(ctx.src[scaleAt][n]);
    uint32_t code = 0;
    for (unsigned k = 0; k < 2; ++k)
      code |= F::encode(dividedBy(scale, pairElement<W, true>(ctx, n, k)), saturates(ctx))
              << (k * F::bits);
    merge(ctx, n, place, 2 * F::bits, code);
  });
}

template <class F, class W> void rowNarrowOneAtRandom(RowCtx &ctx) {
  const unsigned place = placeOf(ctx, 8);
  forActive(ctx.exec, [&](unsigned n) {
    const double x =
        dividedBy(scaleOf(ctx.src[2][n]), W::decode(ctx.src[0][n] & (~0u >> (32 - W::bits))));
    merge(ctx, n, place, 8, F::encodeStochastic(x, ctx.src[1][n], saturates(ctx)));
  });
}

template <class F, class W> void rowNarrowPairAtRandom(RowCtx &ctx) {
  const unsigned place = placeOf(ctx, 2 * F::bits);
  forActive(ctx.exec, [&](unsigned n) {
    const double scale = scaleOf(ctx.src[2][n]);
    uint32_t code = 0, random = ctx.src[1][n];
    for (unsigned k = 0; k < 2; ++k, random = nextRandom(random))
      code |= F::encodeStochastic(dividedBy(scale, pairElement<W, false>(ctx, n, k)), random,
                                  saturates(ctx))
              << (k * F::bits);
    merge(ctx, n, place, 2 * F::bits, code);
  });
}

template <class F> double element(const RowCtx &ctx, unsigned n, unsigned at) {
  return F::values()[ctx.src[0][n] >> at & ((1u << F::bits) - 1)];
}

template <class W, class F> void rowWidenPair(RowCtx &ctx) {
  const unsigned opSel = ctx.inst->opSel, at = F::bits == 8 ? 16 * (opSel & 1) : 8 * (opSel & 3);
  forActive(ctx.exec, [&](unsigned n) {
    const double scale = scaleOf(ctx.src[1][n]);
    const uint32_t lo = W::encode(multipliedBy(scale, element<F>(ctx, n, at)), ctx.mode),
                   hi = W::encode(multipliedBy(scale, element<F>(ctx, n, at + F::bits)), ctx.mode);
    ctx.dst[n] = W::bits == 16 ? lo | hi << 16 : lo;
    if (W::bits == 32)
      ctx.dst[64 + n] = hi;
  });
}

template <class W, class F> void rowWidenOne(RowCtx &ctx) {
  const unsigned at = 8 * (ctx.inst->opSel & 3);
  forActive(ctx.exec, [&](unsigned n) {
    const uint32_t x =
        W::encode(multipliedBy(scaleOf(ctx.src[1][n]), element<F>(ctx, n, at)), ctx.mode);
    if (W::bits == 32)
      ctx.dst[n] = x;
    else
      merge(ctx, n, ctx.inst->opSel & 8 ? 16 : 0, 16, x);
  });
}

template <class S> OpInfo row(RowFn fn, unsigned flags) {
  OpInfo info = infoOf<S>(flags | kNearest | kPlain);
  info.row = fn;
  return info;
}
using FromPair = Sig<b32, b32, f32>;         ///< two of 16 bits, or short ones; the scale
using FromSingles = Sig<b32, f32, f32, f32>; ///< two numbers, the scale
using ToPair = Sig<b64, b32, f32>;
// Denormals of 16 bits always count; their type only makes op_sel and signs work.
using OneSingle = Sig<b32, f32, b32, f32>; ///< a number, random bits, the scale
using OneHalf = Sig<b32, f16, b32, f32>;
using PairOfSingles = Sig<b32, b64, b32, f32>;
using PairOfHalves = Sig<b32, b32, b32, f32>;

} // namespace

void addScaledConversions(OpTable &t) {
#define EIGHT_BITS(name, F)                                                                        \
  t[Op::v_cvt_scalef32_pk_##name##_f32] = row<FromSingles>(rowNarrowPair<F, Single>, kReadOld);    \
  t[Op::v_cvt_scalef32_pk_##name##_f16] =                                                          \
      row<FromPair>(rowNarrowPair<F, HalfPrecision>, kReadOld | kNoFlush);                         \
  t[Op::v_cvt_scalef32_pk_##name##_bf16] =                                                         \
      row<FromPair>(rowNarrowPair<F, Bfloat>, kReadOld | kNoFlush);                                \
  t[Op::v_cvt_scalef32_sr_##name##_f32] =                                                          \
      row<OneSingle>(rowNarrowOneAtRandom<F, Single>, kReadOld);                                   \
  t[Op::v_cvt_scalef32_sr_##name##_f16] =                                                          \
      row<OneHalf>(rowNarrowOneAtRandom<F, HalfPrecision>, kReadOld | kNoFlush);                   \
  t[Op::v_cvt_scalef32_sr_##name##_bf16] =                                                         \
      row<OneHalf>(rowNarrowOneAtRandom<F, Bfloat>, kReadOld | kNoFlush);                          \
  t[Op::v_cvt_scalef32_pk_f32_##name] = row<ToPair>(rowWidenPair<Single, F>, kNoFlush);            \
  t[Op::v_cvt_scalef32_pk_f16_##name] = row<FromPair>(rowWidenPair<HalfPrecision, F>, kNoFlush);   \
  t[Op::v_cvt_scalef32_pk_bf16_##name] = row<FromPair>(rowWidenPair<Bfloat, F>, kNoFlush);         \
  t[Op::v_cvt_scalef32_f32_##name] = row<Sig<f32, b32, f32>>(rowWidenOne<Single, F>, kNoFlush);    \
  t[Op::v_cvt_scalef32_f16_##name] =                                                               \
      row<FromPair>(rowWidenOne<HalfPrecision, F>, kReadOld | kNoFlush);
  EIGHT_BITS(fp8, OcpFp8)
  EIGHT_BITS(bf8, OcpBf8)
#undef EIGHT_BITS

  using F = OcpFp4;
  t[Op::v_cvt_scalef32_pk_fp4_f32] = row<FromSingles>(rowNarrowPair<F, Single>, kReadOld);
  t[Op::v_cvt_scalef32_pk_fp4_f16] =
      row<FromPair>(rowNarrowPair<F, HalfPrecision>, kReadOld | kNoFlush);
  t[Op::v_cvt_scalef32_pk_fp4_bf16] = row<FromPair>(rowNarrowPair<F, Bfloat>, kReadOld | kNoFlush);
  t[Op::v_cvt_scalef32_sr_pk_fp4_f32] =
      row<PairOfSingles>(rowNarrowPairAtRandom<F, Single>, kReadOld | kNoFlush);
  t[Op::v_cvt_scalef32_sr_pk_fp4_f16] =
      row<PairOfHalves>(rowNarrowPairAtRandom<F, HalfPrecision>, kReadOld | kNoFlush);
  t[Op::v_cvt_scalef32_sr_pk_fp4_bf16] =
      row<PairOfHalves>(rowNarrowPairAtRandom<F, Bfloat>, kReadOld | kNoFlush);
  t[Op::v_cvt_scalef32_pk_f32_fp4] = row<ToPair>(rowWidenPair<Single, F>, kNoFlush);
  t[Op::v_cvt_scalef32_pk_f16_fp4] = row<FromPair>(rowWidenPair<HalfPrecision, F>, kNoFlush);
  t[Op::v_cvt_scalef32_pk_bf16_fp4] = row<FromPair>(rowWidenPair<Bfloat, F>, kNoFlush);
}

} // namespace meld::softgpu::valu
