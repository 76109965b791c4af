// Integer comparisons: v_cmp_* and v_cmpx_* for 16, 32 and 64 bits. "Vega" ISA manual,
// chapter 12.9.
#include "runtime/softgpu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

MELD_INLINE I64 less64(U64 a, U64 b) { // unsigned, with AVX2's signed compare
  const U64 top = splat64(1ull << 63);
  return (I64)(a ^ top) < (I64)(b ^ top);
}

// One pair (v_cmp, v_cmpx) per relation. `U` and `I` are the vector types of the width.
#define MELD_COMPARES(NAME, TY, V, SPEED)                                                          \
  add<Sig<none, TY, TY>, [](V a, V b) { return (V)(a < b); }, SPEED>(t, Op::v_cmp_lt_##NAME,       \
                                                                     Op::v_cmpx_lt_##NAME);        \
  add<Sig<none, TY, TY>, [](V a, V b) { return (V)(a == b); }, SPEED>(t, Op::v_cmp_eq_##NAME,      \
                                                                      Op::v_cmpx_eq_##NAME);       \
  add<Sig<none, TY, TY>, [](V a, V b) { return ~(V)(a > b); }, SPEED>(t, Op::v_cmp_le_##NAME,      \
                                                                      Op::v_cmpx_le_##NAME);       \
  add<Sig<none, TY, TY>, [](V a, V b) { return (V)(a > b); }, SPEED>(t, Op::v_cmp_gt_##NAME,       \
                                                                     Op::v_cmpx_gt_##NAME);        \
  add<Sig<none, TY, TY>, [](V a, V b) { return ~(V)(a == b); }, SPEED>(t, Op::v_cmp_ne_##NAME,     \
                                                                       Op::v_cmpx_ne_##NAME);      \
  add<Sig<none, TY, TY>, [](V a, V b) { return ~(V)(a < b); }, SPEED>(t, Op::v_cmp_ge_##NAME,      \
                                                                      Op::v_cmpx_ge_##NAME);       \
  add<Sig<none, TY, TY>, [](V a, V b) { return V{}; }, rowOnly>(t, Op::v_cmp_f_##NAME,             \
                                                                Op::v_cmpx_f_##NAME);              \
  add<Sig<none, TY, TY>, [](V a, V b) { return ~V{}; }, rowOnly>(t, Op::v_cmp_t_##NAME,            \
                                                                 Op::v_cmpx_t_##NAME)

template <class S, auto F, Speed Sp> void add(OpTable &t, Op cmp, Op cmpx) {
  t[cmp] = compare<S, F, 0, Sp>();
  t[cmpx] = compare < S, F, kCompareX, Sp == hot ? normal : rowOnly > ();
}

} // namespace

void addCompareInt(OpTable &t) {
  MELD_COMPARES(i32, b32, I32, hot);
  MELD_COMPARES(u32, b32, U32, hot);
  MELD_COMPARES(i64, b64, I64, hot);
  MELD_COMPARES(i16, i16, I32, normal);
  MELD_COMPARES(u16, b16, I32, normal); // zero-extended: the signed order is the unsigned one
  using Q = Sig<none, b64, b64>;
  add<Q, [](U64 a, U64 b) { return less64(a, b); }, hot>(t, Op::v_cmp_lt_u64, Op::v_cmpx_lt_u64);
  add<Q, [](U64 a, U64 b) { return (I64)(a == b); }, hot>(t, Op::v_cmp_eq_u64, Op::v_cmpx_eq_u64);
  add<Q, [](U64 a, U64 b) { return ~less64(b, a); }, hot>(t, Op::v_cmp_le_u64, Op::v_cmpx_le_u64);
  add<Q, [](U64 a, U64 b) { return less64(b, a); }, hot>(t, Op::v_cmp_gt_u64, Op::v_cmpx_gt_u64);
  add<Q, [](U64 a, U64 b) { return ~(I64)(a == b); }, hot>(t, Op::v_cmp_ne_u64, Op::v_cmpx_ne_u64);
  add<Q, [](U64 a, U64 b) { return ~less64(a, b); }, hot>(t, Op::v_cmp_ge_u64, Op::v_cmpx_ge_u64);
  add<Q, [](U64 a, U64 b) { return I64{}; }, rowOnly>(t, Op::v_cmp_f_u64, Op::v_cmpx_f_u64);
  add<Q, [](U64 a, U64 b) { return ~I64{}; }, rowOnly>(t, Op::v_cmp_t_u64, Op::v_cmpx_t_u64);
}

} // namespace meld::softgpu::valu
