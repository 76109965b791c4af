// Float comparisons and classification, f16 f32 f64. NaN makes every ordered relation false.
// "Vega" ISA manual, chapter 12.9.
#include "runtime/softgpu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

template <int Rel> MELD_INLINE F32 compareFor(F32 a, F32 b) {
  return (F32)_mm256_cmp_ps((__m256)a, (__m256)b, Rel);
}
template <int Rel> MELD_INLINE F64 compareFor(F64 a, F64 b) {
  return (F64)_mm256_cmp_pd((__m256d)a, (__m256d)b, Rel);
}

template <Ty T, class F, int Rel, Speed Sp> void add(OpTable &t, Op cmp, Op cmpx) {
  using S = Sig<none, T, T>;
  constexpr auto fn = [](F a, F b) { return compareFor<Rel>(a, b); };
  t[cmp] = compare<S, fn, 0, Sp>();
  t[cmpx] = compare < S, fn, kCompareX, Sp == hot ? normal : rowOnly > ();
}

#define MELD_FCOMPARES(NAME, T, F, SPEED)                                                          \
  add<T, F, _CMP_FALSE_OQ, rowOnly>(t, Op::v_cmp_f_##NAME, Op::v_cmpx_f_##NAME);                   \
  add<T, F, _CMP_LT_OQ, SPEED>(t, Op::v_cmp_lt_##NAME, Op::v_cmpx_lt_##NAME);                      \
  add<T, F, _CMP_EQ_OQ, SPEED>(t, Op::v_cmp_eq_##NAME, Op::v_cmpx_eq_##NAME);                      \
  add<T, F, _CMP_LE_OQ, SPEED>(t, Op::v_cmp_le_##NAME, Op::v_cmpx_le_##NAME);                      \
  add<T, F, _CMP_GT_OQ, SPEED>(t, Op::v_cmp_gt_##NAME, Op::v_cmpx_gt_##NAME);                      \
  add<T, F, _CMP_NEQ_OQ, SPEED>(t, Op::v_cmp_lg_##NAME, Op::v_cmpx_lg_##NAME);                     \
  add<T, F, _CMP_GE_OQ, SPEED>(t, Op::v_cmp_ge_##NAME, Op::v_cmpx_ge_##NAME);                      \
  add<T, F, _CMP_ORD_Q, SPEED>(t, Op::v_cmp_o_##NAME, Op::v_cmpx_o_##NAME);                        \
  add<T, F, _CMP_UNORD_Q, SPEED>(t, Op::v_cmp_u_##NAME, Op::v_cmpx_u_##NAME);                      \
  add<T, F, _CMP_NGE_UQ, SPEED>(t, Op::v_cmp_nge_##NAME, Op::v_cmpx_nge_##NAME);                   \
  add<T, F, _CMP_EQ_UQ, SPEED>(t, Op::v_cmp_nlg_##NAME, Op::v_cmpx_nlg_##NAME);                    \
  add<T, F, _CMP_NGT_UQ, SPEED>(t, Op::v_cmp_ngt_##NAME, Op::v_cmpx_ngt_##NAME);                   \
  add<T, F, _CMP_NLE_UQ, SPEED>(t, Op::v_cmp_nle_##NAME, Op::v_cmpx_nle_##NAME);                   \
  add<T, F, _CMP_NEQ_UQ, SPEED>(t, Op::v_cmp_neq_##NAME, Op::v_cmpx_neq_##NAME);                   \
  add<T, F, _CMP_NLT_UQ, SPEED>(t, Op::v_cmp_nlt_##NAME, Op::v_cmpx_nlt_##NAME);                   \
  add<T, F, _CMP_TRUE_UQ, rowOnly>(t, Op::v_cmp_tru_##NAME, Op::v_cmpx_tru_##NAME)

/// The class bits of the manual: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0 ... 9
/// +inf. Written on bits for 32-bit (also f16, which arrives as bits) and 64-bit lanes.
template <int ExpBits, int ManBits, class U, class I> MELD_INLINE U classify(U x, U wanted) {
  const U one = U{} + 1;
  const U infinity = U{} + (((one[0] << ExpBits) - 1) << ManBits);
  const U sign = U{} + (one[0] << (ExpBits + ManBits));
  const U m = x & (sign - 1u);
  const U negative = (U)((x & sign) != U{});
  const U zero = (U)(m == U{}), finite = (U)((I)m < (I)infinity), inf = (U)(m == infinity);
  const U normal = (U)((m & infinity) != U{}) & finite;
  // Index as a negative number; positive ones mirror at 5.5.
  U k = (normal & 3u) | (inf & 2u) | (zero & 5u) | (finite & ~normal & ~zero & 4u);
  k = select(negative, k, U{} + 11u - k);
  const U nan = ~(finite | inf);
  const U quietBit = U{} + (one[0] << (ManBits - 1));
  k = select(nan, (U)((x & quietBit) != U{}) & 1u, k);
  U bit;
  if constexpr (sizeof(x[0]) == 4)
    bit = (U)_mm256_srlv_epi32((__m256i)wanted, (__m256i)k);
  else
    bit = (U)_mm256_srlv_epi64((__m256i)wanted, (__m256i)k);
  return (U)((bit & 1u) != U{});
}
template <class S, auto F> void addClass(OpTable &t, Op cmp, Op cmpx) {
  // Denormals are classified as such whatever MODE says.
  t[cmp] = compare<S, F, kNoFlush, normal>();
  t[cmpx] = compare<S, F, kNoFlush | kCompareX, rowOnly>();
}

} // namespace

void addCompareFloat(OpTable &t) {
  MELD_FCOMPARES(f32, f32, F32, hot);
  MELD_FCOMPARES(f64, f64, F64, normal);
  MELD_FCOMPARES(f16, f16, F32, normal);
  addClass<Sig<none, f32, b32>, [](U32 a, U32 b) { return classify<8, 23, U32, I32>(a, b); }>(
      t, Op::v_cmp_class_f32, Op::v_cmpx_class_f32);
  addClass<Sig<none, f64, b32>, [](U64 a, U64 b) { return classify<11, 52, U64, I64>(a, b); }>(
      t, Op::v_cmp_class_f64, Op::v_cmpx_class_f64);
  addClass<Sig<none, f16, b16>, [](U32 a, U32 b) { return classify<5, 10, U32, I32>(a, b); }>(
      t, Op::v_cmp_class_f16, Op::v_cmpx_class_f16);
}

} // namespace meld::softgpu::valu
