// Conversions between f32 and 8-bit floats, on gfx942 those of fp8.h ("MI300" ISA, chapters 12.8 and
// 12.11), on gfx950 and GFX12 those of small_float.h ("CDNA4" ISA, chapter 7.3; "RDNA4" ISA).
// MODE's FP16_OVFL says what becomes of numbers that are too large; rounding and denormal fields do
// not matter.
#include "runtime/softgpu/valu/fp8.h"
#include "runtime/softgpu/valu/scaled.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

bool saturates(uint32_t mode) { return mode & Mode::fp16Ovfl; }
bool isOcp(const RowCtx &ctx) { return isa::traitsOf(ctx.inst->target).ocp; }
double asDouble(uint32_t bits) { return __builtin_bit_cast(float, bits); }

/// Where the source has what is converted. SDWA has put it in the lowest place; on GFX12 op_sel
/// says which half, or which byte, its two bits the other way round ("RDNA4" ISA, V_CVT_PK_F32_FP8,
/// V_CVT_F32_FP8).
template <unsigned N> unsigned placeOf(const isa::Inst &in) {
  if (isa::traitsOf(in.target).generation < 12)
    return 0;
  return N == 2 ? 16 * (in.opSel & 1u) : 8 * ((in.opSel & 1u) << 1 | (in.opSel >> 1 & 1));
}

/// One or two. `F` is gfx942's format and `O` that of the others.
template <class F, class O, unsigned N> void rowWiden(RowCtx &ctx) {
  const std::array<float, 256> &values = isOcp(ctx) ? O::values() : F::values();
  const unsigned place = placeOf<N>(*ctx.inst);
  forActive(ctx.exec, [&](unsigned n) {
    for (unsigned k = 0; k < N; ++k)
      ctx.dst[64 * k + n] =
          __builtin_bit_cast(uint32_t, values[ctx.src[0][n] >> (place + 8 * k) & 0xff]);
  });
}

/// Two results in the half of the destination that op_sel[3] names.
template <class F, class O> void rowNarrowTwo(RowCtx &ctx) {
  const unsigned shift = ctx.inst->opSel & 8 ? 16 : 0;
  const bool saturate = saturates(ctx.mode), ocp = isOcp(ctx);
  const auto encode = [&](uint32_t bits) -> uint32_t {
    return ocp ? O::encode(asDouble(bits), saturate) : F::encode(bits, saturate);
  };
  forActive(ctx.exec, [&](unsigned n) {
    const uint32_t pair = encode(ctx.src[0][n]) | encode(ctx.src[1][n]) << 8;
    merge(ctx, n, shift, 16, pair);
  });
}

/// One result in the byte that op_sel[3:2] names.
template <class F, class O> void rowStochastic(RowCtx &ctx) {
  const unsigned shift = 8u * (ctx.inst->opSel >> 2 & 3);
  const bool saturate = saturates(ctx.mode), ocp = isOcp(ctx);
  forActive(ctx.exec, [&](unsigned n) {
    const uint32_t x = ctx.src[0][n], random = ctx.src[1][n];
    const uint32_t code = ocp ? O::encodeStochastic(asDouble(x), random, saturate)
                              : F::encodeStochastic(x, random, saturate);
    merge(ctx, n, shift, 8, code);
  });
}

template <class S> OpInfo plainRow(RowFn row, unsigned flags) {
  OpInfo info = infoOf<S>(flags);
  info.row = row;
  return info;
}
template <class S> OpInfo mergedRow(RowFn row) {
  OpInfo info = infoOf<S>(kReadOld | kNoFlush | kNearest);
  info.row = row;
  return info;
}

} // namespace

void addFloat8(OpTable &t) {
  t[Op::v_cvt_f32_fp8] = plainRow<Sig<f32, b32>>(rowWiden<Fp8, OcpFp8, 1>, kNoFlush);
  t[Op::v_cvt_f32_bf8] = plainRow<Sig<f32, b32>>(rowWiden<Bf8, OcpBf8, 1>, kNoFlush);
  t[Op::v_cvt_pk_f32_fp8] = plainRow<Sig<b64, b32>>(rowWiden<Fp8, OcpFp8, 2>, 0);
  t[Op::v_cvt_pk_f32_bf8] = plainRow<Sig<b64, b32>>(rowWiden<Bf8, OcpBf8, 2>, 0);
  t[Op::v_cvt_pk_fp8_f32] = mergedRow<Sig<b32, f32, f32>>(rowNarrowTwo<Fp8, OcpFp8>);
  t[Op::v_cvt_pk_bf8_f32] = mergedRow<Sig<b32, f32, f32>>(rowNarrowTwo<Bf8, OcpBf8>);
  t[Op::v_cvt_sr_fp8_f32] = mergedRow<Sig<b32, f32, b32>>(rowStochastic<Fp8, OcpFp8>);
  t[Op::v_cvt_sr_bf8_f32] = mergedRow<Sig<b32, f32, b32>>(rowStochastic<Bf8, OcpBf8>);
}

} // namespace meld::softgpu::valu
