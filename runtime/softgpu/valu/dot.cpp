// Dot products of packed integers and halves with a 32-bit accumulator (gfx906 and later), on GFX11
// with one of 16 bits, too. "MI100" and "MI200" ISA manuals, chapter VOP3P; "RDNA3" ISA, VOP3 and
// VOP3P. Integer sums wrap, or saturate with clamp; v_dot2_f32_f16 and v_dot2_f32_bf16 add their
// (exact) products to the accumulator one after the other in f32, and flush denormals as targets.def says;
// gfx950's v_dot2_f32_bf16 adds the products to each other first ("CDNA4" ISA).
// v_dot2_f16_f16 and v_dot2_bf16_bf16 round every product and sum to 16 bits, which is how the types
// in the manual's pseudocode read.
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/half.h"
#include "runtime/softgpu/valu/matrix_nan.h"
#include "runtime/softgpu/valu/scaled.h"
#include "runtime/softgpu/valu/slow.h"

namespace meld::softgpu::valu {

using isa::Enc;
using isa::Op;
using enum Ty;
using D3 = Sig<b32, b32, b32, b32>;

namespace {

template <unsigned Bits, bool Signed, bool Clamp>
uint64_t dotInt(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const auto element = [](uint64_t x, unsigned k) -> int64_t {
    const uint32_t field = (uint32_t)(x >> (Bits * k)) & ((1u << Bits) - 1);
    if (!Signed)
      return field;
    return (int32_t)(field << (32 - Bits)) >> (32 - Bits);
  };
  int64_t sum = Signed ? (int64_t)(int32_t)c : (int64_t)(uint32_t)c;
  for (unsigned k = 0; k < 32 / Bits; ++k)
    sum += element(a, k) * element(b, k);
  if (Clamp && Signed)
    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  else if (Clamp)
    sum = sum > (int64_t)UINT32_MAX ? (int64_t)UINT32_MAX : sum;
  return (uint32_t)sum;
}

/// Two-element forms honour op_sel; each picks a half of the source, op_sel for the first product.
uint32_t selected(uint32_t x, const isa::Inst &in, unsigned k) {
  if (in.enc != Enc::VOP3P)
    return x;
  const uint32_t lo = in.opSel >> k & 1 ? x >> 16 : x, hi = in.opSelHi >> k & 1 ? x >> 16 : x;
  return (lo & 0xffff) | hi << 16;
}
template <bool Signed, bool Clamp> void rowDot2(RowCtx &ctx) {
  LaneCtx lc{ctx.mode, false, false};
  for (unsigned n = 0; n < kWaveSize; ++n)
    ctx.dst[n] = (uint32_t)dotInt<16, Signed, Clamp>(selected(ctx.src[0][n], *ctx.inst, 0),
                                                     selected(ctx.src[1][n], *ctx.inst, 1),
                                                     ctx.src[2][n], lc);
}
/// The signs of the sources are modifiers here: neg_lo says that source k has one.
template <unsigned Bits, bool Clamp> void rowDotMixed(RowCtx &ctx) {
  const unsigned signs = ctx.inst->neg;
  const auto element = [](uint32_t x, unsigned k, bool isSigned) -> int64_t {
    const uint32_t field = x >> (Bits * k) & ((1u << Bits) - 1);
    return isSigned ? (int32_t)(field << (32 - Bits)) >> (32 - Bits) : (int64_t)field;
  };
  for (unsigned n = 0; n < kWaveSize; ++n) {
    int64_t sum = (int32_t)ctx.src[2][n];
    for (unsigned k = 0; k < 32 / Bits; ++k)
      sum += element(ctx.src[0][n], k, signs & 1) * element(ctx.src[1][n], k, signs & 2);
    if (Clamp)
      sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    ctx.dst[n] = (uint32_t)sum;
  }
}
MELD_INLINE F32 widenBf16(U32 h) { return (F32)(h << 16); }
template <bool Bf16> MELD_INLINE F32 widen(U32 h) {
  return Bf16 ? widenBf16(h & 0xffffu) : widenHalf(h);
}
/// Of 16 bits in the low half.
template <bool Bf16> MELD_INLINE U32 flushed(U32 h) {
  return Bf16 ? h & ~((U32)((h & 0x7f80u) == 0) & 0x7fffu) : flushHalf(h);
}
/// To nearest, ties to even; a NaN stays one.
MELD_INLINE U32 narrowBf16(F32 x) {
  const U32 u = (U32)x, rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
  return select((U32)unordered(x, x), u >> 16 | 0x40u, rounded);
}
/// Into 16 bits, to nearest in every mode; denormals of f16 stay, those of bf16 are zeros ("RDNA4"
/// ISA, 7.2.4). A sign before a packed source is that of both elements.
template <bool Bf16> void rowDot2Narrow(RowCtx &ctx) {
  const isa::Inst &in = *ctx.inst;
  const auto element = [](U32 h) { return widen<Bf16>(Bf16 ? flushed<true>(h & 0xffffu) : h); };
  const auto round = [&](F32 x) { return element(Bf16 ? narrowBf16(x) : narrowHalf(x)); };
  for (unsigned c = 0; c < kChunks; ++c) {
    U32 x[2];
    for (unsigned k = 0; k < 2; ++k) {
      const U32 keep = splat(in.abs >> k & 1 ? 0x7fff7fffu : ~0u),
                flip = splat(in.neg >> k & 1 ? 0x80008000u : 0u);
      x[k] = (load(ctx.src[k] + 8 * c) & keep) ^ flip;
    }
    F32 sum = element(load(ctx.src[2] + 8 * c));
    for (unsigned h = 0; h < 2; ++h) {
      const F32 a = element(x[0] >> (16 * h)), b = element(x[1] >> (16 * h));
      const F32 p = round(fixNan(a * b, a, b));
      sum = round(fixNan(sum + p, sum, p));
    }
    store(ctx.dst + 8 * c, Bf16 ? (U32)sum >> 16 : narrowHalf(sum));
  }
}
template <bool Bf16> void rowDot2Float(RowCtx &ctx) {
  const isa::Inst &in = *ctx.inst;
  const bool vop3p = in.enc == Enc::VOP3P;
  // v_dot2c_f32_bf16 has VOP3P's signs in VOP3's fields ("CDNA4" ISA).
  const bool signs = vop3p || hasSignsOfHalves(in);
  const isa::TargetTraits traits = isa::traitsOf(in.target);
  const bool accumulatorLast = Bf16 && vop3p && traits.generation == 9;
  const bool flushesFactors = ctx.flushes && (Bf16 || traits.halvesFlush);
  for (unsigned c = 0; c < kChunks; ++c) {
    U32 a = load(ctx.src[0] + 8 * c), b = load(ctx.src[1] + 8 * c);
    F32 sum = (F32)load(ctx.src[2] + 8 * c);
    if (vop3p && (in.neg >> 2 & 1))
      sum = (F32)((U32)sum ^ 0x80000000u);
    if (flushesInput(f32, ctx.mode))
      sum = flush(sum);
    F32 products[2];
    for (unsigned half = 0; half < 2; ++half) {
      const auto element = [&](U32 x, unsigned k) {
        const unsigned pick = vop3p ? (half ? in.opSelHi : in.opSel) >> k & 1 : half;
        const unsigned negate = signs ? (half ? in.abs : in.neg) >> k & 1 : 0;
        U32 h = (pick ? x >> 16 : x) & 0xffffu;
        if (flushesFactors)
          h = flushed<Bf16>(h);
        return widen<Bf16>(h ^ (negate ? 0x8000u : 0u));
      };
      const F32 x = element(a, 0), y = element(b, 1);
      products[half] = fixNan(x * y, x, y);
    }
    const auto add = [](F32 x, F32 y) { return fixNan(x + y, x, y); };
    sum = accumulatorLast ? add(add(products[0], products[1]), sum)
                          : add(add(sum, products[0]), products[1]);
    store(ctx.dst + 8 * c, (U32)(ctx.flushes ? flush(sum) : sum));
  }
}

/// Four products of 8-bit floats, which are exact, added to the accumulator one after the other ("RDNA4" ISA,
/// V_DOT4_F32_FP8_BF8). Neg_lo and neg_hi of the accumulator are neg and abs of a float, which it
/// has when it comes here.
template <class A, class B> void rowDot4Float(RowCtx &ctx) {
  forActive(ctx.exec, [&](unsigned n) {
    float sum = __builtin_bit_cast(float, ctx.src[2][n]);
    for (unsigned k = 0; k < 4; ++k) {
      const float a = A::values()[ctx.src[0][n] >> (8 * k) & 0xff],
                  b = B::values()[ctx.src[1][n] >> (8 * k) & 0xff];
      sum = repairNan(__builtin_fmaf(a, b, sum), a, b, sum);
    }
    ctx.dst[n] = __builtin_bit_cast(uint32_t, sum);
  });
}

template <RowFn F, RowFn Clamped> OpInfo rows(unsigned flags) {
  OpInfo info = infoOf<D3>(flags);
  info.row = F;
  info.rowClamp = Clamped;
  return info;
}
template <unsigned Bits, bool Signed> OpInfo dot(unsigned flags = 0) {
  return rows<rowLanes<D3, dotInt<Bits, Signed, false>>, rowLanes<D3, dotInt<Bits, Signed, true>>>(
      flags);
}
template <unsigned Bits> OpInfo dotMixed() {
  return rows<rowDotMixed<Bits, false>, rowDotMixed<Bits, true>>(0);
}
// The accumulator is no float for what prepares sources: its sign is neg_lo, and compilers set
// neg_hi, which is the modifier of an absolute value elsewhere, with it.
template <bool Bf16> OpInfo dot2Float(unsigned flags = 0) {
  OpInfo info = infoOf<Sig<f32, b32, b32, b32>>(flags);
  info.row = rowDot2Float<Bf16>;
  return info;
}

template <class A, class B> OpInfo dot4Float() {
  OpInfo info = infoOf<Sig<f32, b32, b32, f32>>(0);
  info.row = rowDot4Float<A, B>;
  return info;
}

} // namespace

void addDot(OpTable &t) {
  t[Op::v_dot2_i32_i16] = rows<rowDot2<true, false>, rowDot2<true, true>>(0);
  t[Op::v_dot2_u32_u16] = rows<rowDot2<false, false>, rowDot2<false, true>>(0);
  t[Op::v_dot2c_i32_i16] = rows<rowDot2<true, false>, rowDot2<true, true>>(kAccumulate);
  t[Op::v_dot4_i32_i8] = dot<8, true>();
  t[Op::v_dot4_u32_u8] = dot<8, false>();
  t[Op::v_dot4c_i32_i8] = dot<8, true>(kAccumulate);
  t[Op::v_dot8_i32_i4] = dot<4, true>();
  t[Op::v_dot8_u32_u4] = dot<4, false>();
  t[Op::v_dot8c_i32_i4] = dot<4, true>(kAccumulate);
  t[Op::v_dot2_f32_f16] = dot2Float<false>();
  t[Op::v_dot2c_f32_f16] = dot2Float<false>(kAccumulate);
  t[Op::v_dot2_f32_bf16] = dot2Float<true>();
  t[Op::v_dot2c_f32_bf16] = dot2Float<true>(kAccumulate | kPlain);
  t[Op::v_dot4_f32_fp8_fp8] = dot4Float<OcpFp8, OcpFp8>();
  t[Op::v_dot4_f32_fp8_bf8] = dot4Float<OcpFp8, OcpBf8>();
  t[Op::v_dot4_f32_bf8_fp8] = dot4Float<OcpBf8, OcpFp8>();
  t[Op::v_dot4_f32_bf8_bf8] = dot4Float<OcpBf8, OcpBf8>();
  t[Op::v_dot4_i32_iu8] = dotMixed<8>();
  t[Op::v_dot8_i32_iu4] = dotMixed<4>();
  t[Op::v_dot2_f16_f16] = infoOf<Sig<f16, b32, b32, f16>>(kNoFlush | kNearest);
  t[Op::v_dot2_f16_f16].row = rowDot2Narrow<false>;
  // Nothing else of the ALU knows bf16: the accumulator's sign is changed as an f16's.
  t[Op::v_dot2_bf16_bf16] = infoOf<Sig<b16, b32, b32, f16>>(kNoFlush | kNearest);
  t[Op::v_dot2_bf16_bf16].row = rowDot2Narrow<true>;
}

} // namespace meld::softgpu::valu
