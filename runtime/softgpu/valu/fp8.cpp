// Conversions between f32 and the 8-bit floats of gfx942 ("MI300" ISA, chapters 12.8 and 12.11).
// MODE's FP16_OVFL says what becomes of numbers that are too large; rounding and denormal fields
// do not matter.
#include "runtime/softgpu/valu/fp8.h"
#include "runtime/softgpu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

bool saturates(uint32_t mode) { return mode & Mode::fp16Ovfl; }

/// SDWA has put the byte, or the two bytes, in the lowest place.
template <class F> uint64_t widen(uint64_t a, uint64_t, uint64_t, LaneCtx &) {
  return __builtin_bit_cast(uint32_t, F::values()[a & 0xff]);
}
template <class F> uint64_t widenTwo(uint64_t a, uint64_t b, uint64_t c, LaneCtx &x) {
  return widen<F>(a, b, c, x) | widen<F>(a >> 8, b, c, x) << 32;
}

void forActive(uint64_t exec, auto &&lane) {
  for (; exec; exec &= exec - 1)
    lane(unsigned(__builtin_ctzll(exec)));
}

/// Two results in the half of the destination that op_sel[3] names.
template <class F> void rowNarrowTwo(RowCtx &ctx) {
  const unsigned shift = ctx.inst->opSel & 8 ? 16 : 0;
  const bool saturate = saturates(ctx.mode);
  forActive(ctx.exec, [&](unsigned n) {
    const uint32_t pair =
        F::encode(ctx.src[0][n], saturate) | uint32_t(F::encode(ctx.src[1][n], saturate)) << 8;
    ctx.dst[n] = (ctx.dst[n] & ~(0xffffu << shift)) | pair << shift;
  });
}

/// One result in the byte that op_sel[3:2] names.
template <class F> void rowStochastic(RowCtx &ctx) {
  const unsigned shift = 8u * (ctx.inst->opSel >> 2 & 3);
  const bool saturate = saturates(ctx.mode);
  forActive(ctx.exec, [&](unsigned n) {
    const uint32_t code = F::encodeStochastic(ctx.src[0][n], ctx.src[1][n], saturate);
    ctx.dst[n] = (ctx.dst[n] & ~(0xffu << shift)) | code << shift;
  });
}

template <class S> OpInfo mergedRow(RowFn row) {
  OpInfo info = infoOf<S>(kReadOld | kNoFlush);
  info.row = row;
  return info;
}

} // namespace

void addFloat8(OpTable &t) {
  t[Op::v_cvt_f32_fp8] = lanes<Sig<f32, b32>, widen<Fp8>>(kNoFlush);
  t[Op::v_cvt_f32_bf8] = lanes<Sig<f32, b32>, widen<Bf8>>(kNoFlush);
  t[Op::v_cvt_pk_f32_fp8] = lanes<Sig<b64, b32>, widenTwo<Fp8>>();
  t[Op::v_cvt_pk_f32_bf8] = lanes<Sig<b64, b32>, widenTwo<Bf8>>();
  t[Op::v_cvt_pk_fp8_f32] = mergedRow<Sig<b32, f32, f32>>(rowNarrowTwo<Fp8>);
  t[Op::v_cvt_pk_bf8_f32] = mergedRow<Sig<b32, f32, f32>>(rowNarrowTwo<Bf8>);
  t[Op::v_cvt_sr_fp8_f32] = mergedRow<Sig<b32, f32, b32>>(rowStochastic<Fp8>);
  t[Op::v_cvt_sr_bf8_f32] = mergedRow<Sig<b32, f32, b32>>(rowStochastic<Bf8>);
}

} // namespace meld::softgpu::valu
