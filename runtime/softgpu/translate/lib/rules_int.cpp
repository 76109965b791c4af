// Rules of the 32-bit integer operations. The formulas follow valu/int32.cpp and
// int32_ternary.cpp, which follow the "Vega" ISA manual, chapters 12.7-12.10.
#include "runtime/softgpu/translate/lib/chunk.h"

using namespace llvm;

namespace meld::softgpu::translate {

namespace {

using isa::Op;
using enum Ty;

template <auto F> void unary(Chunk &c) { c.set(F(c, c.u(0))); }
template <auto F> void binary(Chunk &c) { c.set(F(c, c.u(0), c.u(1))); }
template <auto F> void ternary(Chunk &c) { c.set(F(c, c.u(0), c.u(1), c.u(2))); }

#define MELD_UNARY(expr) unary<[](Chunk &c, Value *x) -> Value * { return expr; }>
#define MELD_BINARY(expr) binary<[](Chunk &c, Value *x, Value *y) -> Value * { return expr; }>
#define MELD_TERNARY(expr)                                                                         \
  ternary<[](Chunk &c, Value *x, Value *y, Value *z) -> Value * { return expr; }>

Value *five(Chunk &c, Value *n) { return c.b.CreateAnd(n, c.splat(31)); }
Value *shl(Chunk &c, Value *x, Value *n) { return c.b.CreateShl(x, five(c, n)); }
Value *shr(Chunk &c, Value *x, Value *n) { return c.b.CreateLShr(x, five(c, n)); }
Value *sar(Chunk &c, Value *x, Value *n) { return c.b.CreateAShr(x, five(c, n)); }
Value *sext24(Chunk &c, Value *x) { return c.b.CreateAShr(c.b.CreateShl(x, 8), 8); }
Value *zext24(Chunk &c, Value *x) { return c.b.CreateAnd(x, c.splat(0xffffff)); }
Value *minS(Chunk &c, Value *x, Value *y) {
  return c.b.CreateSelect(c.b.CreateICmpSLT(x, y), x, y);
}
Value *maxS(Chunk &c, Value *x, Value *y) {
  return c.b.CreateSelect(c.b.CreateICmpSGT(x, y), x, y);
}
Value *minU(Chunk &c, Value *x, Value *y) {
  return c.b.CreateSelect(c.b.CreateICmpULT(x, y), x, y);
}
Value *maxU(Chunk &c, Value *x, Value *y) {
  return c.b.CreateSelect(c.b.CreateICmpUGT(x, y), x, y);
}

/// High dwords of the products: even and odd lanes apart, as 64-bit multiplications.
Value *mulHigh(Chunk &c, Value *x, Value *y, bool isSigned) {
  auto *wide = FixedVectorType::get(c.b.getInt64Ty(), c.lanes / 2);
  Value *a = c.b.CreateBitCast(x, wide), *b = c.b.CreateBitCast(y, wide);
  const auto even = [&](Value *v) {
    return isSigned ? c.b.CreateAShr(c.b.CreateShl(v, 32), 32)
                    : c.b.CreateAnd(v, ConstantInt::get(wide, 0xffffffff));
  };
  const auto odd = [&](Value *v) {
    return isSigned ? c.b.CreateAShr(v, 32) : c.b.CreateLShr(v, 32);
  };
  Value *e = c.b.CreateBitCast(c.b.CreateMul(even(a), even(b)), c.i32v);
  Value *o = c.b.CreateBitCast(c.b.CreateMul(odd(a), odd(b)), c.i32v);
  SmallVector<int, 16> pick;
  for (unsigned k = 0; k < c.lanes; k += 2)
    pick.append({int(k + 1), int(c.lanes + k + 1)});
  return c.b.CreateShuffleVector(e, o, pick);
}

Value *bfeUnsigned(Chunk &c, Value *x, Value *offset, Value *width) {
  Value *ones = c.b.CreateSub(shl(c, c.splat(1), width), c.splat(1));
  return c.b.CreateAnd(shr(c, x, offset), ones);
}
Value *bfeSigned(Chunk &c, Value *x, Value *offset, Value *width) {
  Value *one = shl(c, c.splat(1), width);
  Value *field = c.b.CreateAnd(sar(c, x, offset), c.b.CreateSub(one, c.splat(1)));
  Value *sign = c.b.CreateLShr(one, 1);
  return c.b.CreateSub(c.b.CreateXor(field, sign), sign);
}
Value *funnel(Chunk &c, Value *hi, Value *lo, Value *bits) {
  return c.b.CreateIntrinsic(Intrinsic::fshr, {c.i32v}, {hi, lo, bits});
}
Value *bitfield(Chunk &c, Value *m, Value *x, Value *y) {
  return c.b.CreateOr(c.b.CreateAnd(m, x), c.b.CreateAnd(c.b.CreateNot(m), y));
}
Value *orMinusOne(Chunk &c, Value *x, Value *n) { // n, but -1 where x is 0
  return c.select(c.b.CreateICmpEQ(x, c.splat(0)), c.splat(~0u), n);
}
Value *count(Chunk &c, Intrinsic::ID id, Value *x) {
  return c.b.CreateIntrinsic(id, {c.i32v}, {x, c.b.getFalse()});
}
Value *ffbh(Chunk &c, Value *x) { return orMinusOne(c, x, count(c, Intrinsic::ctlz, x)); }
Value *ffbl(Chunk &c, Value *x) { return orMinusOne(c, x, count(c, Intrinsic::cttz, x)); }
Value *bitCount(Chunk &c, Value *x) { return c.unary(Intrinsic::ctpop, x); }

/// Lanes below each lane, of the 32 lanes from `Base` on.
template <unsigned Base> void mbcnt(Chunk &c) {
  // Relative to the chunk: lane l of chunk at f is lane f + l. min(max(f + l - Base, 0), 32) ones.
  SmallVector<Constant *, 16> iota;
  for (unsigned l = 0; l < c.lanes; ++l)
    iota.push_back(c.b.getInt32(l));
  Value *first = c.b.CreateVectorSplat(c.lanes, c.b.CreateTrunc(c.firstLane, c.b.getInt32Ty()));
  Value *n = c.b.CreateSub(c.b.CreateAdd(first, ConstantVector::get(iota)), c.splat(Base));
  n = maxS(c, n, c.splat(0));
  Value *below = c.select(c.b.CreateICmpUGT(n, c.splat(31)), c.splat(~0u),
                          c.b.CreateSub(c.b.CreateShl(c.splat(1), five(c, n)), c.splat(1)));
  c.set(c.b.CreateAdd(bitCount(c, c.b.CreateAnd(c.u(0), below)), c.u(1)));
}

Value *carryBits(Chunk &c, Value *m) { return c.b.CreateZExt(m, c.i32v); }
template <bool Reversed> void subtract(Chunk &c) {
  Value *x = c.u(Reversed), *y = c.u(!Reversed);
  c.setMask(c.b.CreateICmpULT(x, y));
  c.set(c.b.CreateSub(x, y));
}
template <bool Reversed> void subtractBorrow(Chunk &c) {
  Value *x = c.u(Reversed), *y = c.u(!Reversed), *in = carryBits(c, c.mask(2));
  Value *t = c.b.CreateSub(x, y);
  c.setMask(c.b.CreateOr(c.b.CreateICmpULT(x, y), c.b.CreateICmpULT(t, in)));
  c.set(c.b.CreateSub(t, in));
}
void addCarryOut(Chunk &c) {
  Value *x = c.u(0), *r = c.b.CreateAdd(x, c.u(1));
  c.setMask(c.b.CreateICmpULT(r, x));
  c.set(r);
}
void addCarry(Chunk &c) {
  Value *x = c.u(0), *in = carryBits(c, c.mask(2)), *t = c.b.CreateAdd(x, c.u(1));
  Value *r = c.b.CreateAdd(t, in);
  c.setMask(c.b.CreateOr(c.b.CreateICmpULT(t, x), c.b.CreateICmpULT(r, in)));
  c.set(r);
}
void select(Chunk &c) { c.set(c.select(c.mask(2), c.u(1), c.u(0))); }

template <CmpInst::Predicate P> void compare(Chunk &c) {
  c.setMask(c.b.CreateICmp(P, c.u(0), c.u(1)));
}
/// 16-bit operands: the low halves, extended.
template <CmpInst::Predicate P, bool Signed> void compareHalf(Chunk &c) {
  const auto half = [&](Value *x) {
    return Signed ? c.b.CreateAShr(c.b.CreateShl(x, 16), 16) : c.b.CreateAnd(x, c.splat(0xffff));
  };
  Value *x = half(c.u(0)), *y = half(c.u(1));
  c.setMask(c.b.CreateICmp(P, x, y));
}
/// By dwords, so that lanes need no rearranging.
template <CmpInst::Predicate P> void compareWide(Chunk &c) {
  Value *xl = c.lo(0), *xh = c.hi(0), *yl = c.lo(1), *yh = c.hi(1);
  if constexpr (P == CmpInst::ICMP_EQ || P == CmpInst::ICMP_NE) {
    Value *diff = c.b.CreateOr(c.b.CreateXor(xl, yl), c.b.CreateXor(xh, yh));
    c.setMask(c.b.CreateICmp(P, diff, c.splat(0)));
  } else {
    constexpr auto strict = CmpInst::Predicate(P == CmpInst::ICMP_ULE   ? CmpInst::ICMP_ULT
                                               : P == CmpInst::ICMP_UGE ? CmpInst::ICMP_UGT
                                               : P == CmpInst::ICMP_SLE ? CmpInst::ICMP_SLT
                                               : P == CmpInst::ICMP_SGE ? CmpInst::ICMP_SGT
                                                                        : P);
    constexpr auto lowPart = CmpInst::Predicate(P == CmpInst::ICMP_SLT   ? CmpInst::ICMP_ULT
                                                : P == CmpInst::ICMP_SLE ? CmpInst::ICMP_ULE
                                                : P == CmpInst::ICMP_SGT ? CmpInst::ICMP_UGT
                                                : P == CmpInst::ICMP_SGE ? CmpInst::ICMP_UGE
                                                                         : P);
    Value *equal = c.b.CreateAnd(c.b.CreateICmpEQ(xh, yh), c.b.CreateICmp(lowPart, xl, yl));
    c.setMask(c.b.CreateOr(c.b.CreateICmp(strict, xh, yh), equal));
  }
}

void addCompares(RuleTable &t) {
#define MELD_RELATIONS(NAME, TY, FN, S)                                                            \
  t[Op::v_cmp_lt_##NAME] = {FN(LT, S), none, {TY, TY}, 2, compares};                               \
  t[Op::v_cmp_le_##NAME] = {FN(LE, S), none, {TY, TY}, 2, compares};                               \
  t[Op::v_cmp_gt_##NAME] = {FN(GT, S), none, {TY, TY}, 2, compares};                               \
  t[Op::v_cmp_ge_##NAME] = {FN(GE, S), none, {TY, TY}, 2, compares};
#define MELD_PLAIN(REL, S) compare<CmpInst::ICMP_##S##REL>
#define MELD_WIDE(REL, S) compareWide<CmpInst::ICMP_##S##REL>
#define MELD_HALF_S(REL, S) compareHalf<CmpInst::ICMP_S##REL, true>
#define MELD_HALF_U(REL, S) compareHalf<CmpInst::ICMP_S##REL, false>
  MELD_RELATIONS(i32, b32, MELD_PLAIN, S)
  MELD_RELATIONS(u32, b32, MELD_PLAIN, U)
  MELD_RELATIONS(i64, b64, MELD_WIDE, S)
  MELD_RELATIONS(u64, b64, MELD_WIDE, U)
  MELD_RELATIONS(i16, b32, MELD_HALF_S, S)
  MELD_RELATIONS(u16, b32, MELD_HALF_U, U)
#undef MELD_RELATIONS
  for (Op op : {Op::v_cmp_eq_i32, Op::v_cmp_eq_u32})
    t[op] = {compare<CmpInst::ICMP_EQ>, none, {b32, b32}, 2, compares};
  for (Op op : {Op::v_cmp_ne_i32, Op::v_cmp_ne_u32})
    t[op] = {compare<CmpInst::ICMP_NE>, none, {b32, b32}, 2, compares};
  for (Op op : {Op::v_cmp_eq_i64, Op::v_cmp_eq_u64})
    t[op] = {compareWide<CmpInst::ICMP_EQ>, none, {b64, b64}, 2, compares};
  for (Op op : {Op::v_cmp_ne_i64, Op::v_cmp_ne_u64})
    t[op] = {compareWide<CmpInst::ICMP_NE>, none, {b64, b64}, 2, compares};
  for (Op op : {Op::v_cmp_eq_i16, Op::v_cmp_eq_u16})
    t[op] = {compareHalf<CmpInst::ICMP_EQ, false>, none, {b32, b32}, 2, compares};
  for (Op op : {Op::v_cmp_ne_i16, Op::v_cmp_ne_u16})
    t[op] = {compareHalf<CmpInst::ICMP_NE, false>, none, {b32, b32}, 2, compares};
}

} // namespace

void addIntegerRules(RuleTable &t) {
  const auto one = [&](Op op, void (*f)(Chunk &)) { t[op] = {f, b32, {b32}, 1}; };
  const auto two = [&](Op op, void (*f)(Chunk &)) { t[op] = {f, b32, {b32, b32}, 2}; };
  const auto three = [&](Op op, void (*f)(Chunk &)) { t[op] = {f, b32, {b32, b32, b32}, 3}; };

  t[Op::v_mov_b32] = {MELD_UNARY(x), m32, {m32}, 1};
  one(Op::v_not_b32, MELD_UNARY(c.b.CreateNot(x)));
  one(Op::v_bfrev_b32, MELD_UNARY(c.unary(Intrinsic::bitreverse, x)));
  one(Op::v_ffbh_u32, MELD_UNARY(ffbh(c, x)));
  one(Op::v_ffbh_i32, MELD_UNARY(ffbh(c, c.b.CreateXor(x, c.b.CreateAShr(x, 31)))));
  one(Op::v_ffbl_b32, MELD_UNARY(ffbl(c, x)));

  two(Op::v_add_u32, MELD_BINARY(c.b.CreateAdd(x, y)));
  two(Op::v_add_i32, MELD_BINARY(c.b.CreateAdd(x, y)));
  two(Op::v_sub_u32, MELD_BINARY(c.b.CreateSub(x, y)));
  two(Op::v_sub_i32, MELD_BINARY(c.b.CreateSub(x, y)));
  two(Op::v_subrev_u32, MELD_BINARY(c.b.CreateSub(y, x)));
  two(Op::v_and_b32, MELD_BINARY(c.b.CreateAnd(x, y)));
  two(Op::v_or_b32, MELD_BINARY(c.b.CreateOr(x, y)));
  two(Op::v_xor_b32, MELD_BINARY(c.b.CreateXor(x, y)));
  two(Op::v_xnor_b32, MELD_BINARY(c.b.CreateNot(c.b.CreateXor(x, y))));
  two(Op::v_lshlrev_b32, MELD_BINARY(shl(c, y, x)));
  two(Op::v_lshrrev_b32, MELD_BINARY(shr(c, y, x)));
  two(Op::v_ashrrev_i32, MELD_BINARY(sar(c, y, x)));
  two(Op::v_min_i32, MELD_BINARY(minS(c, x, y)));
  two(Op::v_max_i32, MELD_BINARY(maxS(c, x, y)));
  two(Op::v_min_u32, MELD_BINARY(minU(c, x, y)));
  two(Op::v_max_u32, MELD_BINARY(maxU(c, x, y)));
  two(Op::v_mul_lo_u32, MELD_BINARY(c.b.CreateMul(x, y)));
  two(Op::v_mul_hi_u32, MELD_BINARY(mulHigh(c, x, y, false)));
  two(Op::v_mul_hi_i32, MELD_BINARY(mulHigh(c, x, y, true)));
  two(Op::v_mul_u32_u24, MELD_BINARY(c.b.CreateMul(zext24(c, x), zext24(c, y))));
  two(Op::v_mul_i32_i24, MELD_BINARY(c.b.CreateMul(sext24(c, x), sext24(c, y))));
  two(Op::v_mul_hi_u32_u24, MELD_BINARY(mulHigh(c, zext24(c, x), zext24(c, y), false)));
  two(Op::v_mul_hi_i32_i24, MELD_BINARY(mulHigh(c, sext24(c, x), sext24(c, y), true)));
  two(Op::v_bcnt_u32_b32, MELD_BINARY(c.b.CreateAdd(bitCount(c, x), y)));
  two(Op::v_bfm_b32, MELD_BINARY(shl(c, c.b.CreateSub(shl(c, c.splat(1), x), c.splat(1)), y)));
  two(Op::v_mbcnt_lo_u32_b32, mbcnt<0>);
  two(Op::v_mbcnt_hi_u32_b32, mbcnt<32>);

  three(Op::v_lshl_add_u32, MELD_TERNARY(c.b.CreateAdd(shl(c, x, y), z)));
  three(Op::v_add_lshl_u32, MELD_TERNARY(shl(c, c.b.CreateAdd(x, y), z)));
  three(Op::v_add3_u32, MELD_TERNARY(c.b.CreateAdd(c.b.CreateAdd(x, y), z)));
  three(Op::v_lshl_or_b32, MELD_TERNARY(c.b.CreateOr(shl(c, x, y), z)));
  three(Op::v_and_or_b32, MELD_TERNARY(c.b.CreateOr(c.b.CreateAnd(x, y), z)));
  three(Op::v_or3_b32, MELD_TERNARY(c.b.CreateOr(c.b.CreateOr(x, y), z)));
  three(Op::v_xor3_b32, MELD_TERNARY(c.b.CreateXor(c.b.CreateXor(x, y), z)));
  three(Op::v_xad_u32, MELD_TERNARY(c.b.CreateAdd(c.b.CreateXor(x, y), z)));
  three(Op::v_bfe_u32, MELD_TERNARY(bfeUnsigned(c, x, y, z)));
  three(Op::v_bfe_i32, MELD_TERNARY(bfeSigned(c, x, y, z)));
  three(Op::v_bfi_b32, MELD_TERNARY(bitfield(c, x, y, z)));
  three(Op::v_alignbit_b32, MELD_TERNARY(funnel(c, x, y, five(c, z))));
  three(Op::v_alignbyte_b32,
        MELD_TERNARY(funnel(c, x, y, c.b.CreateShl(c.b.CreateAnd(z, c.splat(3)), 3))));
  three(Op::v_min3_i32, MELD_TERNARY(minS(c, minS(c, x, y), z)));
  three(Op::v_max3_i32, MELD_TERNARY(maxS(c, maxS(c, x, y), z)));
  three(Op::v_med3_i32, MELD_TERNARY(maxS(c, minS(c, x, y), minS(c, maxS(c, x, y), z))));
  three(Op::v_min3_u32, MELD_TERNARY(minU(c, minU(c, x, y), z)));
  three(Op::v_max3_u32, MELD_TERNARY(maxU(c, maxU(c, x, y), z)));
  three(Op::v_med3_u32, MELD_TERNARY(maxU(c, minU(c, x, y), minU(c, maxU(c, x, y), z))));
  three(Op::v_mad_u32_u24,
        MELD_TERNARY(c.b.CreateAdd(c.b.CreateMul(zext24(c, x), zext24(c, y)), z)));
  three(Op::v_mad_i32_i24,
        MELD_TERNARY(c.b.CreateAdd(c.b.CreateMul(sext24(c, x), sext24(c, y)), z)));

  t[Op::v_add_co_u32] = {addCarryOut, b32, {b32, b32}, 2, carryOut};
  t[Op::v_sub_co_u32] = {subtract<false>, b32, {b32, b32}, 2, carryOut};
  t[Op::v_subrev_co_u32] = {subtract<true>, b32, {b32, b32}, 2, carryOut};
  t[Op::v_addc_co_u32] = {addCarry, b32, {b32, b32, mask}, 3, carryOut};
  t[Op::v_subb_co_u32] = {subtractBorrow<false>, b32, {b32, b32, mask}, 3, carryOut};
  t[Op::v_subbrev_co_u32] = {subtractBorrow<true>, b32, {b32, b32, mask}, 3, carryOut};
  t[Op::v_cndmask_b32] = {select, m32, {m32, m32, mask}, 3};
  addCompares(t);
}

} // namespace meld::softgpu::translate
