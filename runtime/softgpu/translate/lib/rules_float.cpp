// Rules of the f32 operations. The formulas follow valu/float32.cpp, minmax.h, convert.cpp and
// compare_float.cpp; "Vega" ISA manual, chapters 6.4 and 12.7-12.10.
#include "runtime/softgpu/translate/lib/chunk.h"

using namespace llvm;

namespace meld::softgpu::translate {

namespace {

using isa::Op;
using enum Ty;

void add(Chunk &c) {
  Value *x = c.f(0), *y = c.f(1);
  c.set(c.fixNan(c.b.CreateFAdd(x, y), {x, y}));
}
void subtract(Chunk &c) {
  Value *x = c.f(0), *y = c.f(1);
  c.set(c.fixNan(c.b.CreateFSub(x, y), {x, y}));
}
void subtractReversed(Chunk &c) {
  Value *x = c.f(0), *y = c.f(1);
  c.set(c.fixNan(c.b.CreateFSub(y, x), {x, y}));
}
void multiply(Chunk &c) {
  Value *x = c.f(0), *y = c.f(1);
  c.set(c.fixNan(c.b.CreateFMul(x, y), {x, y}));
}
void fma(Chunk &c) {
  Value *x = c.f(0), *y = c.f(1), *z = c.f(2);
  Value *r = c.b.CreateIntrinsic(Intrinsic::fma, {c.f32v}, {x, y, z});
  c.set(c.fixNan(r, {x, y, z}));
}
Value *flush(Chunk &c, Value *x) {
  Value *u = c.bits(x);
  Value *denorm = c.b.CreateICmpEQ(c.b.CreateAnd(u, c.splat(0x7f800000)), c.splat(0));
  return c.asFloat(c.select(denorm, c.b.CreateAnd(u, c.splat(0x80000000)), u));
}
/// Two roundings, denormals flushed before and after each.
void multiplyAdd(Chunk &c) {
  Value *x = c.f(0), *y = c.f(1), *z = c.f(2);
  Value *p = flush(c, c.b.CreateFMul(flush(c, x), flush(c, y)));
  c.set(c.fixNan(flush(c, c.b.CreateFAdd(p, flush(c, z))), {x, y, z}));
}

template <bool Max> void extreme2(Chunk &c) { c.set(c.extreme(Max, c.f(0), c.f(1))); }
template <bool Max> void extreme3(Chunk &c) {
  Value *x = c.f(0), *y = c.f(1), *z = c.f(2);
  c.set(c.extreme(Max, c.extreme(Max, x, y), z));
}

/// minimumNumber and maximumNumber of IEEE 754-2019 (GFX12): a NaN loses against a number; of two
/// NaNs the first.
template <bool Max> Value *numberOf(Chunk &c, Value *x, Value *y) {
  y = c.b.CreateSelect(c.b.CreateFCmpUNO(y, y), x, y);
  x = c.b.CreateSelect(c.b.CreateFCmpUNO(x, x), y, x);
  return c.extreme(Max, x, y);
}
template <bool Max> void number2(Chunk &c) { c.set(numberOf<Max>(c, c.f(0), c.f(1))); }
template <bool Max> void number3(Chunk &c) {
  c.set(numberOf<Max>(c, numberOf<Max>(c, c.f(0), c.f(1)), c.f(2)));
}

/// Correctly rounded; denormals are flushed whatever MODE says. NaN made here is negative, see
/// valu/transcend.cpp.
template <class F> void flushed(Chunk &c, F f) {
  Value *x = flush(c, c.f(0));
  c.set(flush(c, c.fixNan(f(x), {x}, true)));
}
void reciprocal(Chunk &c) {
  flushed(c, [&](Value *x) { return c.b.CreateFDiv(ConstantFP::get(c.f32v, 1.0), x); });
}
void squareRoot(Chunk &c) {
  flushed(c, [&](Value *x) { return c.unary(Intrinsic::sqrt, x); });
}
void reciprocalRoot(Chunk &c) {
  flushed(c, [&](Value *x) {
    auto *wide = FixedVectorType::get(c.b.getDoubleTy(), c.lanes);
    Value *root = c.unary(Intrinsic::sqrt, c.b.CreateFPExt(x, wide));
    return c.b.CreateFPTrunc(c.b.CreateFDiv(ConstantFP::get(wide, 1.0), root), c.f32v);
  });
}

// --- packed pairs (gfx90a) ---
template <class F> void pairs(Chunk &c, unsigned numSrc, F f) {
  Value *r[2];
  for (unsigned half = 0; half < 2; ++half) {
    Value *x[3] = {};
    for (unsigned k = 0; k < numSrc; ++k)
      x[k] = c.asFloat(c.element(half, k));
    r[half] = f(x);
  }
  c.setPair(r[0], r[1]);
}
void addPairs(Chunk &c) {
  pairs(c, 2, [&](Value **x) { return c.fixNan(c.b.CreateFAdd(x[0], x[1]), {x[0], x[1]}); });
}
void multiplyPairs(Chunk &c) {
  pairs(c, 2, [&](Value **x) { return c.fixNan(c.b.CreateFMul(x[0], x[1]), {x[0], x[1]}); });
}
void fmaPairs(Chunk &c) {
  pairs(c, 3, [&](Value **x) {
    Value *r = c.b.CreateIntrinsic(Intrinsic::fma, {c.f32v}, {x[0], x[1], x[2]});
    return c.fixNan(r, {x[0], x[1], x[2]});
  });
}

template <Intrinsic::ID Id> void roundWith(Chunk &c) { c.set(c.unary(Id, c.f(0))); }

/// The class of the manual's V_CMP_CLASS_F32 as a bit, tested against the wanted ones.
void classify(Chunk &c) {
  Value *x = c.u(0), *m = c.b.CreateAnd(x, c.splat(0x7fffffff));
  const auto pick = [&](Value *cond, unsigned yes, Value *no) {
    return c.select(cond, c.splat(yes), no);
  };
  Value *negative = c.b.CreateICmpSLT(x, c.splat(0));
  // Distance from the middle: zero 0, denormal 1, normal 2, infinity 3; 5 - d or 6 + d.
  Value *d = pick(c.b.CreateICmpEQ(m, c.splat(0)), 0,
                  pick(c.b.CreateICmpULT(m, c.splat(0x00800000)), 1,
                       pick(c.b.CreateICmpULT(m, c.splat(0x7f800000)), 2, c.splat(3))));
  Value *k = c.select(negative, c.b.CreateSub(c.splat(5), d), c.b.CreateAdd(c.splat(6), d));
  Value *isQuiet = c.b.CreateICmpNE(c.b.CreateAnd(x, c.splat(0x00400000)), c.splat(0));
  k = c.select(c.b.CreateICmpUGT(m, c.splat(0x7f800000)), pick(isQuiet, 1, c.splat(0)), k);
  Value *bit = c.b.CreateAnd(c.b.CreateLShr(c.u(1), k), c.splat(1));
  c.setMask(c.b.CreateICmpNE(bit, c.splat(0)));
}

void toSigned(Chunk &c) {
  c.set(c.b.CreateIntrinsic(Intrinsic::fptosi_sat, {c.i32v, c.f32v}, {c.f(0)}));
}
void toUnsigned(Chunk &c) {
  c.set(c.b.CreateIntrinsic(Intrinsic::fptoui_sat, {c.i32v, c.f32v}, {c.f(0)}));
}
void fromSigned(Chunk &c) { c.set(c.b.CreateSIToFP(c.u(0), c.f32v)); }
void fromUnsigned(Chunk &c) { c.set(c.b.CreateUIToFP(c.u(0), c.f32v)); }
template <unsigned Byte> void fromByte(Chunk &c) {
  Value *x = c.b.CreateAnd(c.b.CreateLShr(c.u(0), 8 * Byte), c.splat(0xff));
  c.set(c.b.CreateSIToFP(x, c.f32v));
}

template <CmpInst::Predicate P> void compare(Chunk &c) {
  c.setMask(c.b.CreateFCmp(P, c.f(0), c.f(1)));
}

} // namespace

void addFloatRules(RuleTable &t) {
  const auto two = [&](Op op, void (*f)(Chunk &)) { t[op] = {f, f32, {f32, f32}, 2}; };
  const auto three = [&](Op op, void (*f)(Chunk &), uint8_t flags = 0) {
    t[op] = {f, f32, {f32, f32, f32}, 3, flags};
  };
  two(Op::v_add_f32, add);
  two(Op::v_sub_f32, subtract);
  two(Op::v_subrev_f32, subtractReversed);
  two(Op::v_mul_f32, multiply);
  three(Op::v_fma_f32, fma);
  three(Op::v_fmac_f32, fma, accumulates);
  three(Op::v_mad_f32, multiplyAdd);
  three(Op::v_madmk_f32, multiplyAdd);
  three(Op::v_madak_f32, multiplyAdd);
  three(Op::v_fmamk_f32, fma);
  three(Op::v_fmaak_f32, fma);
  three(Op::v_mac_f32, multiplyAdd, accumulates);
  two(Op::v_min_f32, extreme2<false>);
  two(Op::v_max_f32, extreme2<true>);
  three(Op::v_min3_f32, extreme3<false>);
  three(Op::v_max3_f32, extreme3<true>);
  two(Op::v_min_num_f32, number2<false>);
  two(Op::v_max_num_f32, number2<true>);
  three(Op::v_min3_num_f32, number3<false>);
  three(Op::v_max3_num_f32, number3<true>);

  for (Op op : {Op::v_rcp_f32, Op::v_rcp_iflag_f32})
    t[op] = {reciprocal, f32, {f32}, 1};
  t[Op::v_sqrt_f32] = {squareRoot, f32, {f32}, 1};
  t[Op::v_rsq_f32] = {reciprocalRoot, f32, {f32}, 1};
  t[Op::v_pk_add_f32] = {addPairs, b64, {b64, b64}, 2, packed};
  t[Op::v_pk_mul_f32] = {multiplyPairs, b64, {b64, b64}, 2, packed};
  t[Op::v_pk_fma_f32] = {fmaPairs, b64, {b64, b64, b64}, 3, packed};
  t[Op::v_trunc_f32] = {roundWith<Intrinsic::trunc>, f32, {f32}, 1};
  t[Op::v_ceil_f32] = {roundWith<Intrinsic::ceil>, f32, {f32}, 1};
  t[Op::v_floor_f32] = {roundWith<Intrinsic::floor>, f32, {f32}, 1};
  t[Op::v_rndne_f32] = {roundWith<Intrinsic::roundeven>, f32, {f32}, 1};
  t[Op::v_cvt_i32_f32] = {toSigned, b32, {f32}, 1};
  t[Op::v_cvt_u32_f32] = {toUnsigned, b32, {f32}, 1};
  t[Op::v_cvt_f32_i32] = {fromSigned, f32, {b32}, 1};
  t[Op::v_cvt_f32_u32] = {fromUnsigned, f32, {b32}, 1};
  t[Op::v_cvt_f32_ubyte0] = {fromByte<0>, f32, {b32}, 1};
  t[Op::v_cvt_f32_ubyte1] = {fromByte<1>, f32, {b32}, 1};
  t[Op::v_cvt_f32_ubyte2] = {fromByte<2>, f32, {b32}, 1};
  t[Op::v_cvt_f32_ubyte3] = {fromByte<3>, f32, {b32}, 1};

  t[Op::v_cmp_class_f32] = {classify, none, {f32, b32}, 2, compares};
#define MELD_COMPARE(name, P)                                                                      \
  t[Op::v_cmp_##name##_f32] = {compare<CmpInst::FCMP_##P>, none, {f32, f32}, 2, compares}
  MELD_COMPARE(f, FALSE);
  MELD_COMPARE(lt, OLT);
  MELD_COMPARE(eq, OEQ);
  MELD_COMPARE(le, OLE);
  MELD_COMPARE(gt, OGT);
  MELD_COMPARE(lg, ONE);
  MELD_COMPARE(ge, OGE);
  MELD_COMPARE(o, ORD);
  MELD_COMPARE(u, UNO);
  MELD_COMPARE(nge, ULT);
  MELD_COMPARE(nlg, UEQ);
  MELD_COMPARE(ngt, ULE);
  MELD_COMPARE(nle, UGT);
  MELD_COMPARE(neq, UNE);
  MELD_COMPARE(nlt, UGE);
  MELD_COMPARE(tru, TRUE);
#undef MELD_COMPARE
}

} // namespace meld::softgpu::translate
