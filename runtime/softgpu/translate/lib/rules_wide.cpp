// Rules of operations with 64-bit operands: shifts, multiply-adds, f64. The formulas follow
// valu/int64.cpp, float64.cpp and convert.cpp.
#include "runtime/softgpu/translate/lib/chunk.h"

using namespace llvm;

namespace meld::softgpu::translate {

namespace {

using isa::Op;
using enum Ty;

template <class F> Halves both(F f) { return {f(0), f(1)}; }
Value *part(Halves x, int k) { return k ? x.b : x.a; }

template <Instruction::BinaryOps Shift> void shift(Chunk &c) {
  const Halves n = c.q(0), x = c.q(1);
  c.set(both([&](int k) {
    return c.b.CreateBinOp(Shift, part(x, k), c.b.CreateAnd(part(n, k), c.splatQ(63)));
  }));
}

template <bool Signed> void multiplyAdd(Chunk &c) {
  const Halves x = c.q(0), y = c.q(1), z = c.q(2);
  Value *over[2];
  Halves r = both([&](int k) {
    const auto widen = [&](Value *v) {
      return Signed ? c.b.CreateAShr(c.b.CreateShl(v, 32), 32)
                    : c.b.CreateAnd(v, c.splatQ(0xffffffff));
    };
    Value *p = c.b.CreateMul(widen(part(x, k)), widen(part(y, k)));
    Value *sum = c.b.CreateAdd(p, part(z, k));
    over[k] = Signed ? c.b.CreateICmpSLT(
                           c.b.CreateAnd(c.b.CreateXor(p, sum), c.b.CreateXor(part(z, k), sum)),
                           c.splatQ(0))
                     : c.b.CreateICmpULT(sum, p);
    return sum;
  });
  c.setMask(c.joinMask(over[0], over[1]));
  c.set(r);
}

void add(Chunk &c) {
  const Halves x = c.d(0), y = c.d(1);
  c.set(both([&](int k) {
    return c.fixNan(c.b.CreateFAdd(part(x, k), part(y, k)), {part(x, k), part(y, k)});
  }));
}
void multiply(Chunk &c) {
  const Halves x = c.d(0), y = c.d(1);
  c.set(both([&](int k) {
    return c.fixNan(c.b.CreateFMul(part(x, k), part(y, k)), {part(x, k), part(y, k)});
  }));
}
void fma(Chunk &c) {
  const Halves x = c.d(0), y = c.d(1), z = c.d(2);
  c.set(both([&](int k) {
    Value *r = c.b.CreateIntrinsic(Intrinsic::fma, {c.f64h}, {part(x, k), part(y, k), part(z, k)});
    return c.fixNan(r, {part(x, k), part(y, k), part(z, k)});
  }));
}
template <Intrinsic::ID Id> void roundWith(Chunk &c) {
  const Halves x = c.d(0);
  c.set(both([&](int k) { return c.unary(Id, part(x, k)); }));
}

template <bool Max> void extreme(Chunk &c) {
  const Halves x = c.d(0), y = c.d(1);
  c.set(both([&](int k) { return c.extreme(Max, part(x, k), part(y, k)); }));
}

// --- conversions ---
/// The dwords of a 32-bit operand, in the halves' order.
Value *dwords(Chunk &c, Value *half) {
  return c.b.CreateTrunc(half, FixedVectorType::get(c.b.getInt32Ty(), c.lanes / 2));
}
/// Sets a 32-bit result from two halves of dwords or floats.
void setDwords(Chunk &c, Halves x) {
  auto *ints = FixedVectorType::get(c.b.getInt32Ty(), c.lanes / 2);
  const auto widen = [&](Value *v) { return c.b.CreateZExt(c.b.CreateBitCast(v, ints), c.i64h); };
  c.set(c.low({widen(x.a), widen(x.b)}));
}
template <bool Signed> void fromInteger(Chunk &c) {
  const Halves x = c.q(0);
  c.set(both([&](int k) {
    Value *v = dwords(c, part(x, k));
    return Signed ? c.b.CreateSIToFP(v, c.f64h) : c.b.CreateUIToFP(v, c.f64h);
  }));
}
template <Intrinsic::ID Id> void toInteger(Chunk &c) {
  const Halves x = c.d(0);
  auto *ints = FixedVectorType::get(c.b.getInt32Ty(), c.lanes / 2);
  setDwords(c, both([&](int k) { return c.b.CreateIntrinsic(Id, {ints, c.f64h}, {part(x, k)}); }));
}
Value *floats(Chunk &c, Value *half) {
  return c.b.CreateBitCast(dwords(c, half), FixedVectorType::get(c.b.getFloatTy(), c.lanes / 2));
}
void widen(Chunk &c) {
  const Halves x = c.q(0);
  c.set(both([&](int k) { return c.b.CreateFPExt(floats(c, part(x, k)), c.f64h); }));
}
void narrow(Chunk &c) {
  const Halves x = c.d(0);
  auto *narrowType = FixedVectorType::get(c.b.getFloatTy(), c.lanes / 2);
  setDwords(c, both([&](int k) { return c.b.CreateFPTrunc(part(x, k), narrowType); }));
}
/// Scales in double: exact up to the one rounding at the end.
void scale32(Chunk &c) {
  Value *e = c.u(1);
  e = c.b.CreateSelect(c.b.CreateICmpSLT(e, c.splat(512)), e, c.splat(512));
  e = c.b.CreateSelect(c.b.CreateICmpSGT(e, c.splat(uint32_t(-512))), e, c.splat(uint32_t(-512)));
  const Halves biased = c.interleave(c.b.CreateAdd(e, c.splat(1023)), c.splat(0)), x = c.q(0);
  auto *narrowType = FixedVectorType::get(c.b.getFloatTy(), c.lanes / 2);
  setDwords(c, both([&](int k) {
              Value *by = c.b.CreateBitCast(c.b.CreateShl(part(biased, k), 52), c.f64h);
              Value *v = c.b.CreateFPExt(floats(c, part(x, k)), c.f64h);
              return c.b.CreateFPTrunc(c.b.CreateFMul(v, by), narrowType);
            }));
}

template <CmpInst::Predicate P> void compare(Chunk &c) {
  const Halves x = c.d(0), y = c.d(1);
  const Halves m = both([&](int k) { return c.b.CreateFCmp(P, part(x, k), part(y, k)); });
  c.setMask(c.joinMask(m.a, m.b));
}

} // namespace

void addWideRules(RuleTable &t) {
  t[Op::v_lshlrev_b64] = {shift<Instruction::Shl>, b64, {b32, b64}, 2};
  t[Op::v_lshrrev_b64] = {shift<Instruction::LShr>, b64, {b32, b64}, 2};
  t[Op::v_ashrrev_i64] = {shift<Instruction::AShr>, b64, {b32, b64}, 2};
  t[Op::v_mad_u64_u32] = {multiplyAdd<false>, b64, {b32, b32, b64}, 3, carryOut};
  t[Op::v_mad_i64_i32] = {multiplyAdd<true>, b64, {b32, b32, b64}, 3, carryOut};

  t[Op::v_add_f64] = {add, f64, {f64, f64}, 2};
  t[Op::v_mul_f64] = {multiply, f64, {f64, f64}, 2};
  t[Op::v_fma_f64] = {fma, f64, {f64, f64, f64}, 3};
  t[Op::v_fmac_f64] = {fma, f64, {f64, f64, f64}, 3, accumulates};
  t[Op::v_trunc_f64] = {roundWith<Intrinsic::trunc>, f64, {f64}, 1};
  t[Op::v_ceil_f64] = {roundWith<Intrinsic::ceil>, f64, {f64}, 1};
  t[Op::v_floor_f64] = {roundWith<Intrinsic::floor>, f64, {f64}, 1};
  t[Op::v_rndne_f64] = {roundWith<Intrinsic::roundeven>, f64, {f64}, 1};
  t[Op::v_min_f64] = {extreme<false>, f64, {f64, f64}, 2};
  t[Op::v_max_f64] = {extreme<true>, f64, {f64, f64}, 2};
  t[Op::v_cvt_f64_i32] = {fromInteger<true>, f64, {b32}, 1};
  t[Op::v_cvt_f64_u32] = {fromInteger<false>, f64, {b32}, 1};
  t[Op::v_cvt_i32_f64] = {toInteger<Intrinsic::fptosi_sat>, b32, {f64}, 1};
  t[Op::v_cvt_u32_f64] = {toInteger<Intrinsic::fptoui_sat>, b32, {f64}, 1};
  t[Op::v_cvt_f64_f32] = {widen, f64, {f32}, 1};
  t[Op::v_cvt_f32_f64] = {narrow, f32, {f64}, 1};
  t[Op::v_ldexp_f32] = {scale32, f32, {f32, b32}, 2};
#define MELD_COMPARE(name, P)                                                                      \
  t[Op::v_cmp_##name##_f64] = {compare<CmpInst::FCMP_##P>, none, {f64, f64}, 2, compares}
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
#undef MELD_COMPARE
}

} // namespace meld::softgpu::translate
