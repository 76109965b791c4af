// Byte arithmetic: permute, lerp and the sums of absolute differences. "Vega" ISA manual,
// chapter 12.10.
#include "runtime/softgpu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;
using B3 = Sig<b32, b32, b32, b32>;

namespace {

uint32_t byteOf(uint64_t x, unsigned k) { return (uint32_t)(x >> (8 * k)) & 0xff; }
uint32_t distance(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

/// Sum over four bytes; `masked` leaves out the bytes whose reference (b) is 0.
uint32_t sad(uint32_t a, uint32_t b, bool masked) {
  uint32_t sum = 0;
  for (unsigned k = 0; k < 4; ++k)
    if (!masked || byteOf(b, k))
      sum += distance(byteOf(a, k), byteOf(b, k));
  return sum;
}
uint64_t saturate(uint64_t x, bool clamp, uint64_t max) { return clamp && x > max ? max : x & max; }

template <bool C> uint64_t sadU8(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  return saturate(c + sad((uint32_t)a, (uint32_t)b, false), C, ~0u);
}
template <bool C> uint64_t sadHiU8(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  return saturate(c + ((uint64_t)sad((uint32_t)a, (uint32_t)b, false) << 16), C, ~0u);
}
template <bool C> uint64_t sadU16(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const uint64_t lo = distance((uint32_t)a & 0xffff, (uint32_t)b & 0xffff);
  return saturate(c + lo + distance((uint32_t)a >> 16, (uint32_t)b >> 16), C, ~0u);
}
template <bool C> uint64_t sadU32(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  return saturate(c + distance((uint32_t)a, (uint32_t)b), C, ~0u);
}
template <bool C> uint64_t msadU8(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  return saturate(c + sad((uint32_t)a, (uint32_t)b, true), C, ~0u);
}
/// Four overlapping windows of src0 against src1, one 16-bit sum each.
template <bool Masked, bool C> uint64_t qsad(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const uint64_t sum =
        (c >> (16 * k) & 0xffff) + sad((uint32_t)(a >> (8 * k)), (uint32_t)b, Masked);
    r |= saturate(sum, C, 0xffff) << (16 * k);
  }
  return r;
}
/// The same with 32-bit sums in four registers.
template <bool C> void rowMqsad32(RowCtx &ctx) {
  for (unsigned n = 0; n < kWaveSize; ++n) {
    const uint64_t a = ctx.src[0][n] | (uint64_t)ctx.src[0][64 + n] << 32;
    for (unsigned k = 0; k < 4; ++k) {
      const uint64_t sum =
          (uint64_t)ctx.src[2][64 * k + n] + sad((uint32_t)(a >> (8 * k)), ctx.src[1][n], true);
      ctx.dst[64 * k + n] = (uint32_t)saturate(sum, C, ~0u);
    }
  }
}

/// Each byte of src2 selects one of the eight bytes of {src0, src1} (0-7), the sign of one of their
/// 16-bit halves (8-11), 0 (12) or 0xff.
MELD_INLINE U32 perm(U32 a, U32 b, U32 c) {
  const U32 lane = {0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404, 0x08080808, 0x0c0c0c0c};
  const auto bytesOf = [](U32 x, U32 index) {
    return _mm256_shuffle_epi8((__m256i)x, (__m256i)index);
  };
  const auto choose = [&](U32 index, int shift) { // the bit of src2 that tells src0 from src1
    const __m256i high = (__m256i)(c << shift);
    return _mm256_blendv_epi8(bytesOf(b, index), bytesOf(a, index), high);
  };
  __m256i r = choose((c & 0x03030303u) + lane, 5);
  const __m256i sel = (__m256i)c;
  const __m256i from8 = _mm256_cmpeq_epi8(_mm256_max_epu8(sel, _mm256_set1_epi8(8)), sel);
  if (!_mm256_testz_si256(from8, from8)) {
    const U32 signByte = ((c & 0x01010101u) << 1) + 0x01010101u + lane;
    const __m256i sign = _mm256_cmpgt_epi8(_mm256_setzero_si256(), choose(signByte, 6));
    const __m256i from12 = _mm256_cmpeq_epi8(_mm256_max_epu8(sel, _mm256_set1_epi8(12)), sel);
    const __m256i is12 = _mm256_cmpeq_epi8(sel, _mm256_set1_epi8(12));
    r = _mm256_blendv_epi8(r, sign, from8);
    r = _mm256_blendv_epi8(r, _mm256_andnot_si256(is12, _mm256_set1_epi8(-1)), from12);
  }
  return (U32)r;
}
MELD_INLINE U32 lerp(U32 a, U32 b, U32 c) {
  U32 r{};
  for (unsigned k = 0; k < 4; ++k) {
    const U32 sum = (a >> (8 * k) & 0xffu) + (b >> (8 * k) & 0xffu) + (c >> (8 * k) & 1u);
    r |= (sum >> 1) << (8 * k);
  }
  return r;
}

template <class S, LaneFn F, LaneFn Clamped> OpInfo both() {
  OpInfo info = lanes<S, F>();
  info.rowClamp = rowLanes<S, Clamped>;
  return info;
}

} // namespace

void addMedia(OpTable &t) {
  t[Op::v_perm_b32] = vec<B3, [](U32 a, U32 b, U32 c) { return perm(a, b, c); }>();
  t[Op::v_lerp_u8] = vec<B3, [](U32 a, U32 b, U32 c) { return lerp(a, b, c); }>();
  t[Op::v_sad_u8] = both<B3, sadU8<false>, sadU8<true>>();
  t[Op::v_sad_hi_u8] = both<B3, sadHiU8<false>, sadHiU8<true>>();
  t[Op::v_sad_u16] = both<B3, sadU16<false>, sadU16<true>>();
  t[Op::v_sad_u32] = both<B3, sadU32<false>, sadU32<true>>();
  t[Op::v_msad_u8] = both<B3, msadU8<false>, msadU8<true>>();
  using Q = Sig<b64, b64, b32, b64>;
  t[Op::v_qsad_pk_u16_u8] = both<Q, qsad<false, false>, qsad<false, true>>();
  t[Op::v_mqsad_pk_u16_u8] = both<Q, qsad<true, false>, qsad<true, true>>();
  OpInfo wide = infoOf<Sig<b128, b64, b32, b128>>(0);
  wide.row = rowMqsad32<false>;
  wide.rowClamp = rowMqsad32<true>;
  t[Op::v_mqsad_u32_u8] = wide;
}

} // namespace meld::softgpu::valu
