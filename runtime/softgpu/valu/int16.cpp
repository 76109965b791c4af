// 16-bit integer operations. VOP1/VOP2 forms clear the destination's high half; the VOP3 forms new
// in GFX9 keep it ("Vega" ISA manual, chapters 12.7 and 12.10; LLVM's GCNSubtarget agrees on which
// do what).
#include "runtime/softgpu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;
using U2 = Sig<b16, b16, b16>;
using I2 = Sig<i16, i16, i16>;
using U3 = Sig<b16, b16, b16, b16>;
using I3 = Sig<i16, i16, i16, i16>;

namespace {

MELD_INLINE I32 minI(I32 a, I32 b) { return a < b ? a : b; }
MELD_INLINE I32 maxI(I32 a, I32 b) { return a > b ? a : b; }
MELD_INLINE I32 clampU16(I32 x) { return minI(maxI(x, I32{}), I32{} + 65535); }
MELD_INLINE I32 clampI16(I32 x) { return minI(maxI(x, I32{} - 32768), I32{} + 32767); }
MELD_INLINE I32 med3(I32 a, I32 b, I32 c) { return maxI(minI(a, b), minI(maxI(a, b), c)); }
MELD_INLINE I32 shl(I32 x, I32 n) { return (I32)_mm256_sllv_epi32((__m256i)x, (__m256i)(n & 15)); }
MELD_INLINE I32 shr(I32 x, I32 n) { return (I32)_mm256_srlv_epi32((__m256i)x, (__m256i)(n & 15)); }
MELD_INLINE I32 sar(I32 x, I32 n) { return (I32)_mm256_srav_epi32((__m256i)x, (__m256i)(n & 15)); }

// Sources arrive extended to 32 bits, so every sum is exact and only the clamp depends on the
// signedness.
template <class S, auto F, auto Clamp, unsigned Flags = 0> OpInfo clamping() {
  OpInfo info = vec<S, F, Flags>();
  if constexpr (S::num == 2)
    info.rowClamp = rowVec<S, [](I32 a, I32 b) { return Clamp(F(a, b)); }, Flags>;
  else
    info.rowClamp = rowVec<S, [](I32 a, I32 b, I32 c) { return Clamp(F(a, b, c)); }, Flags>;
  return info;
}
constexpr auto kClampU = [](I32 x) { return clampU16(x); };
constexpr auto kClampI = [](I32 x) { return clampI16(x); };
constexpr auto kAdd = [](I32 a, I32 b) { return a + b; };
constexpr auto kSub = [](I32 a, I32 b) { return a - b; };
constexpr auto kRevSub = [](I32 a, I32 b) { return b - a; };
constexpr auto kMad = [](I32 a, I32 b, I32 c) { return (I32)((U32)a * (U32)b) + c; };
// Unsigned products reach 2^32: keep the low bits and whether there were more.
constexpr auto kMadU = [](I32 a, I32 b, I32 c) {
  const U32 p = (U32)a * (U32)b;
  return (I32)((p & 0xffffu) | (((U32)(p > 0xffffu)) & 0x10000u)) + c;
};

} // namespace

void addInteger16(OpTable &t) {
  t[Op::v_add_u16] = clamping<U2, kAdd, kClampU>();
  t[Op::v_sub_u16] = clamping<U2, kSub, kClampU>();
  t[Op::v_subrev_u16] = clamping<U2, kRevSub, kClampU>();
  t[Op::v_add_i16] = clamping<I2, kAdd, kClampI, kPreserveHigh>();
  t[Op::v_sub_i16] = clamping<I2, kSub, kClampI, kPreserveHigh>();
  t[Op::v_and_b16] = vec<U2, [](U32 a, U32 b) { return a & b; }>();
  t[Op::v_or_b16] = vec<U2, [](U32 a, U32 b) { return a | b; }>();
  t[Op::v_xor_b16] = vec<U2, [](U32 a, U32 b) { return a ^ b; }>();
  t[Op::v_not_b16] = vec<Sig<b16, b16>, [](U32 a) { return ~a; }>();
  t[Op::v_mov_b16] = vec<Sig<b16, b16>, [](U32 a) { return a; }>();
  // Signs may be changed as in v_cndmask_b32, but these are bits: no denormal becomes zero.
  t[Op::v_cndmask_b16] = vec<Sig<b16, f16, f16, mask>,
                             [](U32 a, U32 b, U32 m) { return select(m, b, a); }, kNoFlush>();
  t[Op::v_mul_lo_u16] = vec<U2, [](U32 a, U32 b) { return a * b; }>();
  t[Op::v_lshlrev_b16] = vec<U2, [](I32 n, I32 x) { return shl(x, n); }>();
  t[Op::v_lshrrev_b16] = vec<U2, [](I32 n, I32 x) { return shr(x, n); }>();
  t[Op::v_ashrrev_i16] = vec<I2, [](I32 n, I32 x) { return sar(x, n); }>();
  t[Op::v_min_u16] = vec<U2, [](I32 a, I32 b) { return minI(a, b); }>();
  t[Op::v_max_u16] = vec<U2, [](I32 a, I32 b) { return maxI(a, b); }>();
  t[Op::v_min_i16] = vec<I2, [](I32 a, I32 b) { return minI(a, b); }>();
  t[Op::v_max_i16] = vec<I2, [](I32 a, I32 b) { return maxI(a, b); }>();

  t[Op::v_mad_u16] = clamping<U3, kMadU, kClampU, kPreserveHigh>();
  t[Op::v_mad_i16] = clamping<I3, kMad, kClampI, kPreserveHigh>();
  t[Op::v_mad_legacy_u16] = clamping<U3, kMadU, kClampU>();
  t[Op::v_mad_legacy_i16] = clamping<I3, kMad, kClampI>();
  t[Op::v_min3_u16] =
      vec<U3, [](I32 a, I32 b, I32 c) { return minI(minI(a, b), c); }, kPreserveHigh>();
  t[Op::v_max3_u16] =
      vec<U3, [](I32 a, I32 b, I32 c) { return maxI(maxI(a, b), c); }, kPreserveHigh>();
  t[Op::v_med3_u16] = vec<U3, [](I32 a, I32 b, I32 c) { return med3(a, b, c); }, kPreserveHigh>();
  t[Op::v_min3_i16] =
      vec<I3, [](I32 a, I32 b, I32 c) { return minI(minI(a, b), c); }, kPreserveHigh>();
  t[Op::v_max3_i16] =
      vec<I3, [](I32 a, I32 b, I32 c) { return maxI(maxI(a, b), c); }, kPreserveHigh>();
  t[Op::v_med3_i16] = vec<I3, [](I32 a, I32 b, I32 c) { return med3(a, b, c); }, kPreserveHigh>();

  t[Op::v_mad_u32_u16] =
      vec<Sig<b32, b16, b16, b32>, [](U32 a, U32 b, U32 c) { return a * b + c; }>();
  t[Op::v_mad_u32_u16].rowClamp = rowVec<Sig<b32, b16, b16, b32>,
                                         [](U32 a, U32 b, U32 c) {
                                           const U32 r = a * b + c;
                                           return r | (U32)(r < c);
                                         },
                                         0>;
  t[Op::v_mad_i32_i16] =
      vec<Sig<b32, i16, i16, b32>, [](U32 a, U32 b, U32 c) { return a * b + c; }>();
  t[Op::v_mad_i32_i16].rowClamp = rowVec<Sig<b32, i16, i16, b32>,
                                         [](U32 a, U32 b, U32 c) {
                                           const U32 p = a * b, r = p + c;
                                           const U32 limit = (U32)((I32)c >> 31) ^ 0x7fffffffu;
                                           return select((p ^ r) & (c ^ r), limit, r);
                                         },
                                         0>;
  t[Op::v_pack_b32_f16] = vec<Sig<b32, f16, f16>, [](U32 a, U32 b) { return a | b << 16; }>();
}

} // namespace meld::softgpu::valu
