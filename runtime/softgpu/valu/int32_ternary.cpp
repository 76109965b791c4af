// 32-bit integer operations with three sources. "Vega" ISA manual, chapter 12.10 (VOP3); "CDNA4" ISA.
#include "runtime/softgpu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;
using B3 = Sig<b32, b32, b32, b32>;

namespace {

MELD_INLINE U32 shl(U32 x, U32 n) { return (U32)_mm256_sllv_epi32((__m256i)x, (__m256i)(n & 31u)); }
MELD_INLINE U32 shr(U32 x, U32 n) { return (U32)_mm256_srlv_epi32((__m256i)x, (__m256i)(n & 31u)); }
MELD_INLINE U32 minU(U32 a, U32 b) { return (U32)_mm256_min_epu32((__m256i)a, (__m256i)b); }
MELD_INLINE U32 maxU(U32 a, U32 b) { return (U32)_mm256_max_epu32((__m256i)a, (__m256i)b); }
MELD_INLINE I32 minI(I32 a, I32 b) { return a < b ? a : b; }
MELD_INLINE I32 maxI(I32 a, I32 b) { return a > b ? a : b; }
MELD_INLINE I32 sext24(U32 x) { return (I32)(x << 8) >> 8; }
MELD_INLINE U32 zext24(U32 x) { return x & 0xffffffu; }

MELD_INLINE U32 bfeUnsigned(U32 x, U32 offset, U32 width) {
  return shr(x, offset) & (shl(splat(1), width) - 1u);
}
/// Sign-extends from bit width-1; width 0 gives 0.
MELD_INLINE U32 bfeSigned(U32 x, U32 offset, U32 width) {
  const U32 field =
      bfeUnsigned((U32)_mm256_srav_epi32((__m256i)x, (__m256i)(offset & 31u)), splat(0), width);
  const U32 sign = (U32)_mm256_srlv_epi32((__m256i)(shl(splat(1), width)), (__m256i)splat(1));
  return (field ^ sign) - sign;
}
MELD_INLINE U32 align(U32 hi, U32 lo, U32 bits) {
  // srlv/sllv give 0 for counts of 32, which is what bits = 0 needs.
  return (U32)_mm256_srlv_epi32((__m256i)lo, (__m256i)bits) |
         (U32)_mm256_sllv_epi32((__m256i)hi, (__m256i)(splat(32) - bits));
}

/// v_bitop3: for each bit the entry of the instruction's table that the three sources' bits name.
void rowBitop3(RowCtx &ctx) {
  const unsigned truth = ctx.inst->truth;
  for (unsigned c = 0; c < kChunks; ++c) {
    const U32 a = load(ctx.src[0] + 8 * c), b = load(ctx.src[1] + 8 * c),
              x = load(ctx.src[2] + 8 * c);
    U32 r = splat(0);
    for (unsigned entry = 0; entry < 8; ++entry)
      if (truth >> entry & 1)
        r |= (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? x : ~x);
    store(ctx.dst + 8 * c, r);
  }
}

/// Two numbers, shifted to the right and saturated to a byte each.
template <int Low, int High> uint64_t shiftedBytes(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const auto byte = [c](uint64_t x) {
    const int32_t shifted = (int32_t)x >> (c & 31);
    return (uint32_t)(shifted < Low ? Low : shifted > High ? High : shifted) & 0xff;
  };
  return byte(a) | byte(b) << 8;
}

// 24-bit multiply-add saturates on the 49-bit sum when clamp is set.
uint64_t madU24Clamp(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const uint64_t r = (a & 0xffffff) * (b & 0xffffff) + (uint32_t)c;
  return r > 0xffffffff ? 0xffffffff : r;
}
uint64_t madI24Clamp(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const int64_t x = (int32_t)((uint32_t)a << 8) >> 8, y = (int32_t)((uint32_t)b << 8) >> 8;
  const int64_t r = x * y + (int32_t)c;
  return (uint32_t)(r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r);
}

} // namespace

void addInteger32Ternary(OpTable &t) {
  t[Op::v_lshl_add_u32] = vec<B3, [](U32 a, U32 b, U32 c) { return shl(a, b) + c; }>();
  t[Op::v_add_lshl_u32] = vec<B3, [](U32 a, U32 b, U32 c) { return shl(a + b, c); }>();
  t[Op::v_add3_u32] = vec<B3, [](U32 a, U32 b, U32 c) { return a + b + c; }>();
  t[Op::v_lshl_or_b32] = vec<B3, [](U32 a, U32 b, U32 c) { return shl(a, b) | c; }>();
  t[Op::v_and_or_b32] = vec<B3, [](U32 a, U32 b, U32 c) { return (a & b) | c; }>();
  t[Op::v_xor3_b32] = vec<B3, [](U32 a, U32 b, U32 c) { return a ^ b ^ c; }>();
  t[Op::v_or3_b32] = vec<B3, [](U32 a, U32 b, U32 c) { return a | b | c; }>();
  t[Op::v_xad_u32] = vec<B3, [](U32 a, U32 b, U32 c) { return (a ^ b) + c; }>();
  t[Op::v_bfe_u32] = vec<B3, [](U32 a, U32 b, U32 c) { return bfeUnsigned(a, b, c); }>();
  t[Op::v_bfe_i32] = vec<B3, [](U32 a, U32 b, U32 c) { return bfeSigned(a, b, c); }>();
  t[Op::v_bfi_b32] = vec<B3, [](U32 a, U32 b, U32 c) { return (a & b) | (~a & c); }>();
  using Align =
      Sig<b32, b32, b32, b16>; // from GFX11 on the last may be the upper half of a register
  t[Op::v_alignbit_b32] = vec<Align, [](U32 a, U32 b, U32 c) { return align(a, b, c & 31u); }>();
  t[Op::v_alignbyte_b32] =
      vec<Align, [](U32 a, U32 b, U32 c) { return align(a, b, (c & 3u) * 8u); }>();
  t[Op::v_min3_i32] = vec<B3, [](I32 a, I32 b, I32 c) { return minI(minI(a, b), c); }>();
  t[Op::v_max3_i32] = vec<B3, [](I32 a, I32 b, I32 c) { return maxI(maxI(a, b), c); }>();
  t[Op::v_med3_i32] =
      vec<B3, [](I32 a, I32 b, I32 c) { return maxI(minI(a, b), minI(maxI(a, b), c)); }>();
  t[Op::v_min3_u32] = vec<B3, [](U32 a, U32 b, U32 c) { return minU(minU(a, b), c); }>();
  t[Op::v_max3_u32] = vec<B3, [](U32 a, U32 b, U32 c) { return maxU(maxU(a, b), c); }>();
  t[Op::v_med3_u32] =
      vec<B3, [](U32 a, U32 b, U32 c) { return maxU(minU(a, b), minU(maxU(a, b), c)); }>();
  t[Op::v_maxmin_i32] = vec<B3, [](I32 a, I32 b, I32 c) { return minI(maxI(a, b), c); }>();
  t[Op::v_minmax_i32] = vec<B3, [](I32 a, I32 b, I32 c) { return maxI(minI(a, b), c); }>();
  t[Op::v_maxmin_u32] = vec<B3, [](U32 a, U32 b, U32 c) { return minU(maxU(a, b), c); }>();
  t[Op::v_minmax_u32] = vec<B3, [](U32 a, U32 b, U32 c) { return maxU(minU(a, b), c); }>();
  t[Op::v_mad_u32_u24] = vec<B3, [](U32 a, U32 b, U32 c) { return zext24(a) * zext24(b) + c; }>();
  t[Op::v_mad_u32_u24].rowClamp = rowLanes<B3, madU24Clamp>;
  t[Op::v_mad_i32_i24] =
      vec<B3, [](U32 a, U32 b, U32 c) { return (U32)sext24(a) * (U32)sext24(b) + c; }>();
  t[Op::v_mad_i32_i24].rowClamp = rowLanes<B3, madI24Clamp>;

  t[Op::v_bitop3_b32] = infoOf<B3>(0);
  t[Op::v_bitop3_b32].row = rowBitop3;
  t[Op::v_bitop3_b16] = infoOf<Sig<b16, b16, b16, b16>>(kPreserveHigh);
  t[Op::v_bitop3_b16].row = rowBitop3;
  t[Op::v_ashr_pk_i8_i32] = lanes<Sig<b16, b32, b32, b32>, shiftedBytes<-128, 127>>(kPreserveHigh);
  t[Op::v_ashr_pk_u8_i32] = lanes<Sig<b16, b32, b32, b32>, shiftedBytes<0, 255>>(kPreserveHigh);
}

} // namespace meld::softgpu::valu
