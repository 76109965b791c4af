// Float comparisons and classification, f16 f32 f64. NaN makes every ordered relation false.
// "Vega" ISA manual, chapter 12.9.
#include "runtime/softgpu/cu/valu/fast.h"

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
  t[cmpx] = compare<S, fn, kCompareX, rowOnly>();
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

/// The class bits of the manual: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0 ... 9 +inf.
template <int ExpBits, int ManBits> unsigned classOf(uint64_t x) {
  const uint64_t e = x >> ManBits & ((1u << ExpBits) - 1), m = x & ((1ull << ManBits) - 1);
  const bool negative = x >> (ExpBits + ManBits) & 1;
  if (e == (1u << ExpBits) - 1) {
    if (m)
      return m >> (ManBits - 1) ? 1 : 0;
    return negative ? 2 : 9;
  }
  const unsigned kind = e ? 3 : m ? 4 : 5; // as negative
  return negative ? kind : 11 - kind;
}
template <int ExpBits, int ManBits>
uint64_t classify(uint64_t a, uint64_t b, uint64_t, LaneCtx &lc) {
  lc.maskOut = b >> classOf<ExpBits, ManBits>(a) & 1;
  return 0;
}
template <Ty T, LaneFn F> void addClass(OpTable &t, Op cmp, Op cmpx) {
  // Denormals are classified as such whatever MODE says.
  using S = Sig<none, T, T == f16 ? b16 : b32>;
  t[cmp] = lanes<S, F>(kCompare | kNoFlush);
  t[cmpx] = lanes<S, F>(kCompare | kCompareX | kNoFlush);
}

} // namespace

void addCompareFloat(OpTable &t) {
  MELD_FCOMPARES(f32, f32, F32, hot);
  MELD_FCOMPARES(f64, f64, F64, normal);
  MELD_FCOMPARES(f16, f16, F32, normal);
  addClass<f32, classify<8, 23>>(t, Op::v_cmp_class_f32, Op::v_cmpx_class_f32);
  addClass<f64, classify<11, 52>>(t, Op::v_cmp_class_f64, Op::v_cmpx_class_f64);
  addClass<f16, classify<5, 10>>(t, Op::v_cmp_class_f16, Op::v_cmpx_class_f16);
}

} // namespace meld::softgpu::valu
