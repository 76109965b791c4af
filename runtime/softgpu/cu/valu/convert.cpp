// Conversions. To integers they truncate, saturate and turn NaN into 0; to floats they round as MODE says.
// "Vega" ISA manual, chapters 12.8 and 12.10.
#include "runtime/softgpu/cu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

MELD_INLINE U32 toI32(F32 a) {
  const U32 big = (U32)(a >= 2147483648.f);
  const U32 nan = (U32)unordered(a, a);
  const U32 r = (U32)_mm256_cvttps_epi32((__m256)a); // 0x80000000 where out of range
  return (r ^ big) & ~nan;                            // too large: 0x7fffffff
}
MELD_INLINE U32 toU32(F32 a) {
  const F32 half = splatF(2147483648.f);
  const U32 low = (U32)_mm256_cvttps_epi32((__m256)a);
  const U32 high = (U32)_mm256_cvttps_epi32((__m256)(a - half)) ^ 0x80000000u;
  U32 r = select((U32)(a >= half), high, low);
  r |= (U32)(a >= 4294967296.f);
  return r & (U32)(a > 0.f); // negative and NaN: 0
}
MELD_INLINE F32 fromU32(U32 a) {
  // Both halves are exact in f32 and their sum rounds once. 0 stays +0 when rounding down.
  const F32 hi = __builtin_convertvector((I32)(a >> 16), F32) * splatF(65536.f);
  const F32 lo = __builtin_convertvector((I32)(a & 0xffffu), F32);
  return (F32)((U32)(hi + lo) & 0x7fffffffu);
}
template <unsigned Byte> MELD_INLINE F32 fromByte(U32 a) {
  return __builtin_convertvector((I32)(a >> (8 * Byte) & 0xffu), F32);
}

} // namespace

void addConversions(OpTable &t) {
  t[Op::v_cvt_i32_f32] = vec<Sig<b32, f32>, [](F32 a) { return toI32(a); }>();
  t[Op::v_cvt_u32_f32] = vec<Sig<b32, f32>, [](F32 a) { return toU32(a); }>();
  t[Op::v_cvt_f32_i32] = vec<Sig<f32, b32>, [](I32 a) { return __builtin_convertvector(a, F32); }>();
  t[Op::v_cvt_f32_u32] = vec<Sig<f32, b32>, [](U32 a) { return fromU32(a); }>();
  t[Op::v_cvt_f32_ubyte0] = vec<Sig<f32, b32>, [](U32 a) { return fromByte<0>(a); }>();
  t[Op::v_cvt_f32_ubyte1] = vec<Sig<f32, b32>, [](U32 a) { return fromByte<1>(a); }>();
  t[Op::v_cvt_f32_ubyte2] = vec<Sig<f32, b32>, [](U32 a) { return fromByte<2>(a); }>();
  t[Op::v_cvt_f32_ubyte3] = vec<Sig<f32, b32>, [](U32 a) { return fromByte<3>(a); }>();
}

} // namespace meld::softgpu::valu
