// Scalar ALU instructions as IR ("Vega" ISA, chapter 12, SOP2 .. SOPK); SCC as in
// execute/scalar_alu.cpp.
#include "runtime/softgpu/translate/lib/unit.h"

using namespace llvm;

namespace meld::softgpu::translate {

using isa::Op;
using isa::Operand;

namespace {

class Salu {
public:
  Salu(IRBuilder<> &builder, Scalars &scalars, const ExecInst *e)
      : b(builder), s(scalars), in(*e->inst), e_(e) {}
  bool emit();

private:
  // Operands; false from readable() means that the handler has to do it.
  bool readable() const {
    for (unsigned k = 0; k < 2; ++k)
      if (in.src[k].kind == Operand::Kind::special && in.src[k].index != 253)
        return false;
    return in.dst.kind == Operand::Kind::none || in.dst.kind == Operand::Kind::sgpr;
  }
  Value *a32(unsigned k) {
    const Operand &o = in.src[k];
    if (o.kind == Operand::Kind::sgpr)
      return s.read32(o.index);
    return o.kind == Operand::Kind::special ? s.scc() : b.getInt32(uint32_t(o.value));
  }
  Value *a64(unsigned k) {
    const Operand &o = in.src[k];
    if (o.kind == Operand::Kind::sgpr)
      return s.read64(o.index);
    return o.kind == Operand::Kind::special ? b.CreateZExt(s.scc(), b.getInt64Ty())
                                            : b.getInt64(o.value);
  }
  bool d32(Value *x) {
    s.write32(e_->dst, x);
    return true;
  }
  bool d64(Value *x) {
    s.write64(e_->dst, x);
    return true;
  }
  Value *isNotZero(Value *x) { return b.CreateICmpNE(x, ConstantInt::get(x->getType(), 0)); }
  /// Result with SCC = (result is not zero).
  bool logic(Value *x) {
    s.setScc(isNotZero(x));
    return x->getType()->isIntegerTy(64) ? d64(x) : d32(x);
  }
  bool compare(CmpInst::Predicate p, Value *x, Value *y) {
    s.setScc(b.CreateICmp(p, x, y));
    return true;
  }
  Value *low5(Value *n) { return b.CreateAnd(n, 31); }
  Value *low6(Value *n) { return b.CreateAnd(b.CreateZExt(n, b.getInt64Ty()), 63); }
  Value *overflow(Intrinsic::ID id, Value *x, Value *y) {
    return b.CreateBinaryIntrinsic(id, x, y);
  }
  bool withOverflow(Intrinsic::ID id, Value *x, Value *y) {
    Value *r = overflow(id, x, y);
    d32(b.CreateExtractValue(r, 0));
    s.setScc(b.CreateExtractValue(r, 1));
    return true;
  }
  bool extreme(CmpInst::Predicate p) {
    Value *x = a32(0), *y = a32(1), *c = b.CreateICmp(p, x, y);
    d32(b.CreateSelect(c, x, y));
    s.setScc(c);
    return true;
  }
  /// EXEC, or its low half, as the operation is wide. Not 64 bits in a wave of 32, where the high
  /// half stays 0 whatever they are: the handler knows.
  bool takesExec(bool wide) const { return !wide || s.maskType()->getBitWidth() == 64; }
  Value *exec(bool wide) { return wide ? s.read64(isa::Sgpr::exec) : s.read32(isa::Sgpr::exec); }
  void setExec(Value *fresh) {
    if (fresh->getType()->isIntegerTy(64))
      s.write64(isa::Sgpr::exec, fresh);
    else
      s.write32(isa::Sgpr::exec, fresh);
    s.setScc(isNotZero(fresh));
  }
  /// What EXEC was, or (wrexec) is, goes to the destination, which may be EXEC.
  bool saveExec(Value *fresh, Value *saved) {
    setExec(fresh);
    return saved->getType()->isIntegerTy(64) ? d64(saved) : d32(saved);
  }
  Value *bitfield(Value *x, Value *control, bool isSigned);
  bool sop2();
  bool sop1();
  bool sopc();
  bool sopk();

  IRBuilder<> &b;
  Scalars &s;
  const isa::Inst &in;
  const ExecInst *e_;
};

/// Offset in the low bits of `control`, width in bits 16..22.
Value *Salu::bitfield(Value *x, Value *control, bool isSigned) {
  const unsigned bits = x->getType()->getIntegerBitWidth();
  Type *type = x->getType();
  Value *c = b.CreateZExt(control, type);
  Value *offset = b.CreateAnd(c, bits - 1), *width = b.CreateAnd(b.CreateLShr(c, 16), 0x7f);
  Value *all = ConstantInt::get(type, bits), *zero = ConstantInt::get(type, 0);
  // Bits beyond the top do not exist: the field ends there.
  Value *left = b.CreateSub(all, offset);
  width = b.CreateSelect(b.CreateICmpULT(width, left), width, left);
  Value *up = b.CreateSub(left, width), *down = b.CreateSub(all, width);
  // Width 0 would shift by `bits`: masked here, selected away below.
  Value *mask = ConstantInt::get(type, bits - 1);
  Value *field = b.CreateShl(x, b.CreateAnd(up, mask));
  field = isSigned ? b.CreateAShr(field, b.CreateAnd(down, mask))
                   : b.CreateLShr(field, b.CreateAnd(down, mask));
  return b.CreateSelect(b.CreateICmpEQ(width, zero), zero, field);
}

bool Salu::sop2() {
  switch (in.op) {
  case Op::s_add_u32:
    return withOverflow(Intrinsic::uadd_with_overflow, a32(0), a32(1));
  case Op::s_sub_u32:
    return withOverflow(Intrinsic::usub_with_overflow, a32(0), a32(1));
  case Op::s_add_i32:
    return withOverflow(Intrinsic::sadd_with_overflow, a32(0), a32(1));
  case Op::s_sub_i32:
    return withOverflow(Intrinsic::ssub_with_overflow, a32(0), a32(1));
  case Op::s_addc_u32:
  case Op::s_subb_u32: {
    const auto wide = [&](Value *x) { return b.CreateZExt(x, b.getInt64Ty()); };
    Value *x = wide(a32(0)), *y = wide(a32(1)), *c = wide(s.scc());
    Value *r = in.op == Op::s_addc_u32 ? b.CreateAdd(b.CreateAdd(x, y), c)
                                       : b.CreateSub(b.CreateSub(x, y), c);
    d32(b.CreateTrunc(r, b.getInt32Ty()));
    s.setScc(b.CreateTrunc(b.CreateAnd(b.CreateLShr(r, 32), 1), b.getInt32Ty()));
    return true;
  }
  case Op::s_min_i32:
    return extreme(CmpInst::ICMP_SLT);
  case Op::s_min_u32:
    return extreme(CmpInst::ICMP_ULT);
  case Op::s_max_i32:
    return extreme(CmpInst::ICMP_SGT);
  case Op::s_max_u32:
    return extreme(CmpInst::ICMP_UGT);
  case Op::s_cselect_b32:
    return d32(b.CreateSelect(isNotZero(s.scc()), a32(0), a32(1)));
  case Op::s_cselect_b64:
    return d64(b.CreateSelect(isNotZero(s.scc()), a64(0), a64(1)));
#define MELD_LOGIC(name, expr)                                                                     \
  case Op::s_##name##_b32: {                                                                       \
    Value *x = a32(0), *y = a32(1);                                                                \
    return logic(expr);                                                                            \
  }                                                                                                \
  case Op::s_##name##_b64: {                                                                       \
    Value *x = a64(0), *y = a64(1);                                                                \
    return logic(expr);                                                                            \
  }
    MELD_LOGIC(and, b.CreateAnd(x, y))
    MELD_LOGIC(or, b.CreateOr(x, y))
    MELD_LOGIC(xor, b.CreateXor(x, y))
    MELD_LOGIC(andn2, b.CreateAnd(x, b.CreateNot(y)))
    MELD_LOGIC(orn2, b.CreateOr(x, b.CreateNot(y)))
    MELD_LOGIC(nand, b.CreateNot(b.CreateAnd(x, y)))
    MELD_LOGIC(nor, b.CreateNot(b.CreateOr(x, y)))
    MELD_LOGIC(xnor, b.CreateNot(b.CreateXor(x, y)))
#undef MELD_LOGIC
  case Op::s_lshl_b32:
    return logic(b.CreateShl(a32(0), low5(a32(1))));
  case Op::s_lshr_b32:
    return logic(b.CreateLShr(a32(0), low5(a32(1))));
  case Op::s_ashr_i32:
    return logic(b.CreateAShr(a32(0), low5(a32(1))));
  case Op::s_lshl_b64:
    return logic(b.CreateShl(a64(0), low6(a32(1))));
  case Op::s_lshr_b64:
    return logic(b.CreateLShr(a64(0), low6(a32(1))));
  case Op::s_ashr_i64:
    return logic(b.CreateAShr(a64(0), low6(a32(1))));
  case Op::s_bfm_b32: {
    Value *ones = b.CreateSub(b.CreateShl(b.getInt32(1), low5(a32(0))), b.getInt32(1));
    return d32(b.CreateShl(ones, low5(a32(1))));
  }
  case Op::s_bfm_b64: {
    Value *ones = b.CreateSub(b.CreateShl(b.getInt64(1), low6(a32(0))), b.getInt64(1));
    return d64(b.CreateShl(ones, low6(a32(1))));
  }
  case Op::s_mul_i32:
    return d32(b.CreateMul(a32(0), a32(1)));
  case Op::s_mul_hi_u32:
  case Op::s_mul_hi_i32: {
    const auto wide = [&](Value *x) {
      return in.op == Op::s_mul_hi_u32 ? b.CreateZExt(x, b.getInt64Ty())
                                       : b.CreateSExt(x, b.getInt64Ty());
    };
    Value *p = b.CreateMul(wide(a32(0)), wide(a32(1)));
    return d32(b.CreateTrunc(b.CreateLShr(p, 32), b.getInt32Ty()));
  }
  case Op::s_bfe_u32:
    return logic(bitfield(a32(0), a32(1), false));
  case Op::s_bfe_i32:
    return logic(bitfield(a32(0), a32(1), true));
  case Op::s_bfe_u64:
    return logic(bitfield(a64(0), a32(1), false));
  case Op::s_bfe_i64:
    return logic(bitfield(a64(0), a32(1), true));
  case Op::s_absdiff_i32: {
    Value *d = b.CreateSub(a32(0), a32(1));
    return logic(b.CreateSelect(b.CreateICmpSLT(d, b.getInt32(0)), b.CreateNeg(d), d));
  }
  case Op::s_lshl1_add_u32:
  case Op::s_lshl2_add_u32:
  case Op::s_lshl3_add_u32:
  case Op::s_lshl4_add_u32: {
    const unsigned n = unsigned(in.op) - unsigned(Op::s_lshl1_add_u32) + 1;
    static_assert(unsigned(Op::s_lshl4_add_u32) - unsigned(Op::s_lshl1_add_u32) == 3);
    Value *x = b.CreateShl(b.CreateZExt(a32(0), b.getInt64Ty()), n);
    Value *r = b.CreateAdd(x, b.CreateZExt(a32(1), b.getInt64Ty()));
    d32(b.CreateTrunc(r, b.getInt32Ty()));
    s.setScc(isNotZero(b.CreateLShr(r, 32)));
    return true;
  }
  case Op::s_pack_ll_b32_b16:
    return d32(b.CreateOr(b.CreateAnd(a32(0), 0xffff), b.CreateShl(a32(1), 16)));
  case Op::s_pack_lh_b32_b16:
    return d32(b.CreateOr(b.CreateAnd(a32(0), 0xffff), b.CreateAnd(a32(1), 0xffff0000)));
  case Op::s_pack_hh_b32_b16:
    return d32(b.CreateOr(b.CreateLShr(a32(0), 16), b.CreateAnd(a32(1), 0xffff0000)));
  default:
    return false;
  }
}

bool Salu::sop1() {
  const auto count = [&](Intrinsic::ID id, Value *x) {
    return b.CreateIntrinsic(id, {x->getType()}, {x, b.getFalse()});
  };
  const auto orMinusOne = [&](Value *x, Value *n) {
    return b.CreateSelect(isNotZero(x), b.CreateTrunc(n, b.getInt32Ty()), b.getInt32(~0u));
  };
  const auto countBits = [&](Value *x) {
    Value *n = b.CreateTrunc(b.CreateUnaryIntrinsic(Intrinsic::ctpop, x), b.getInt32Ty());
    return logic(n);
  };
  switch (in.op) {
  case Op::s_mov_b32:
    return d32(a32(0));
  case Op::s_mov_b64:
    return d64(a64(0));
  case Op::s_cmov_b32:
    return d32(b.CreateSelect(isNotZero(s.scc()), a32(0), s.read32(e_->dst)));
  case Op::s_cmov_b64:
    return d64(b.CreateSelect(isNotZero(s.scc()), a64(0), s.read64(e_->dst)));
  case Op::s_not_b32:
    return logic(b.CreateNot(a32(0)));
  case Op::s_not_b64:
    return logic(b.CreateNot(a64(0)));
  case Op::s_brev_b32:
    return d32(b.CreateUnaryIntrinsic(Intrinsic::bitreverse, a32(0)));
  case Op::s_brev_b64:
    return d64(b.CreateUnaryIntrinsic(Intrinsic::bitreverse, a64(0)));
  case Op::s_bcnt0_i32_b32:
    return countBits(b.CreateNot(a32(0)));
  case Op::s_bcnt0_i32_b64:
    return countBits(b.CreateNot(a64(0)));
  case Op::s_bcnt1_i32_b32:
    return countBits(a32(0));
  case Op::s_bcnt1_i32_b64:
    return countBits(a64(0));
  case Op::s_ff1_i32_b32: {
    Value *x = a32(0);
    return d32(orMinusOne(x, count(Intrinsic::cttz, x)));
  }
  case Op::s_ff1_i32_b64: {
    Value *x = a64(0);
    return d32(orMinusOne(x, count(Intrinsic::cttz, x)));
  }
  case Op::s_flbit_i32_b32: {
    Value *x = a32(0);
    return d32(orMinusOne(x, count(Intrinsic::ctlz, x)));
  }
  case Op::s_flbit_i32_b64: {
    Value *x = a64(0);
    return d32(orMinusOne(x, count(Intrinsic::ctlz, x)));
  }
  case Op::s_flbit_i32: {
    Value *x = a32(0);
    x = b.CreateXor(x, b.CreateAShr(x, 31));
    return d32(orMinusOne(x, count(Intrinsic::ctlz, x)));
  }
  case Op::s_sext_i32_i8:
    return d32(b.CreateSExt(b.CreateTrunc(a32(0), b.getInt8Ty()), b.getInt32Ty()));
  case Op::s_sext_i32_i16:
    return d32(b.CreateSExt(b.CreateTrunc(a32(0), b.getInt16Ty()), b.getInt32Ty()));
  case Op::s_abs_i32: {
    Value *x = a32(0);
    return logic(b.CreateSelect(b.CreateICmpSLT(x, b.getInt32(0)), b.CreateNeg(x), x));
  }
  case Op::s_bitset0_b32: {
    Value *bit = b.CreateShl(b.getInt32(1), low5(a32(0)));
    return d32(b.CreateAnd(s.read32(e_->dst), b.CreateNot(bit)));
  }
  case Op::s_bitset1_b32:
    return d32(b.CreateOr(s.read32(e_->dst), b.CreateShl(b.getInt32(1), low5(a32(0)))));
#define MELD_SAVEEXEC(name, expr)                                                                  \
  case Op::s_##name##_saveexec_b64:                                                                \
  case Op::s_##name##_saveexec_b32: {                                                              \
    const bool wide = in.op == Op::s_##name##_saveexec_b64;                                        \
    if (!takesExec(wide))                                                                          \
      return false;                                                                                \
    Value *x = wide ? a64(0) : a32(0), *y = exec(wide);                                            \
    return saveExec(expr, y);                                                                      \
  }
    MELD_SAVEEXEC(and, b.CreateAnd(x, y))
    MELD_SAVEEXEC(or, b.CreateOr(x, y))
    MELD_SAVEEXEC(xor, b.CreateXor(x, y))
    MELD_SAVEEXEC(andn2, b.CreateAnd(x, b.CreateNot(y)))
    MELD_SAVEEXEC(orn2, b.CreateOr(x, b.CreateNot(y)))
    MELD_SAVEEXEC(nand, b.CreateNot(b.CreateAnd(x, y)))
    MELD_SAVEEXEC(nor, b.CreateNot(b.CreateOr(x, y)))
    MELD_SAVEEXEC(xnor, b.CreateNot(b.CreateXor(x, y)))
    MELD_SAVEEXEC(andn1, b.CreateAnd(b.CreateNot(x), y))
    MELD_SAVEEXEC(orn1, b.CreateOr(b.CreateNot(x), y))
#undef MELD_SAVEEXEC
#define MELD_WREXEC(name, expr)                                                                    \
  case Op::s_##name##_wrexec_b64:                                                                  \
  case Op::s_##name##_wrexec_b32: {                                                                \
    const bool wide = in.op == Op::s_##name##_wrexec_b64;                                          \
    if (!takesExec(wide))                                                                          \
      return false;                                                                                \
    Value *x = wide ? a64(0) : a32(0), *y = exec(wide), *fresh = expr;                             \
    return saveExec(fresh, fresh);                                                                 \
  }
    MELD_WREXEC(andn1, b.CreateAnd(b.CreateNot(x), y))
    MELD_WREXEC(andn2, b.CreateAnd(x, b.CreateNot(y)))
#undef MELD_WREXEC
  default:
    return false;
  }
}

bool Salu::sopc() {
  switch (in.op) {
#define MELD_CMP(name, S, U)                                                                       \
  case Op::s_cmp_##name##_i32:                                                                     \
    return compare(CmpInst::ICMP_##S, a32(0), a32(1));                                             \
  case Op::s_cmp_##name##_u32:                                                                     \
    return compare(CmpInst::ICMP_##U, a32(0), a32(1));
    MELD_CMP(eq, EQ, EQ)
    MELD_CMP(lg, NE, NE)
    MELD_CMP(gt, SGT, UGT)
    MELD_CMP(ge, SGE, UGE)
    MELD_CMP(lt, SLT, ULT)
    MELD_CMP(le, SLE, ULE)
#undef MELD_CMP
  case Op::s_cmp_eq_u64:
    return compare(CmpInst::ICMP_EQ, a64(0), a64(1));
  case Op::s_cmp_lg_u64:
    return compare(CmpInst::ICMP_NE, a64(0), a64(1));
  case Op::s_bitcmp0_b32:
    s.setScc(b.CreateXor(b.CreateAnd(b.CreateLShr(a32(0), low5(a32(1))), 1), 1));
    return true;
  case Op::s_bitcmp1_b32:
    s.setScc(b.CreateAnd(b.CreateLShr(a32(0), low5(a32(1))), 1));
    return true;
  default:
    return false;
  }
}

bool Salu::sopk() {
  Value *d = e_->dst == isa::Sgpr::sink ? b.getInt32(0) : s.read32(e_->dst); // null is 0
  Value *k = b.getInt32(uint32_t(in.simm));
  Value *k16 = b.getInt32(uint32_t(in.simm) & 0xffff);
  switch (in.op) {
  case Op::s_movk_i32:
    return d32(k);
  case Op::s_cmovk_i32:
    return d32(b.CreateSelect(isNotZero(s.scc()), k, d));
  case Op::s_addk_i32:
    return withOverflow(Intrinsic::sadd_with_overflow, d, k);
  case Op::s_mulk_i32:
    return d32(b.CreateMul(d, k));
#define MELD_CMPK(name, S, U)                                                                      \
  case Op::s_cmpk_##name##_i32:                                                                    \
    return compare(CmpInst::ICMP_##S, d, k);                                                       \
  case Op::s_cmpk_##name##_u32:                                                                    \
    return compare(CmpInst::ICMP_##U, d, k16);
    MELD_CMPK(eq, EQ, EQ)
    MELD_CMPK(lg, NE, NE)
    MELD_CMPK(gt, SGT, UGT)
    MELD_CMPK(ge, SGE, UGE)
    MELD_CMPK(lt, SLT, ULT)
    MELD_CMPK(le, SLE, ULE)
#undef MELD_CMPK
  default:
    return false;
  }
}

bool Salu::emit() {
  if (!readable())
    return false;
  switch (in.enc) {
  case isa::Enc::SOP2:
    return sop2();
  case isa::Enc::SOP1:
    return sop1();
  case isa::Enc::SOPC:
    return sopc();
  case isa::Enc::SOPK:
    return sopk();
  default:
    return false;
  }
}

} // namespace

bool emitSalu(IRBuilder<> &b, Scalars &scalars, const ExecInst *e) {
  return Salu(b, scalars, e).emit();
}

} // namespace meld::softgpu::translate
