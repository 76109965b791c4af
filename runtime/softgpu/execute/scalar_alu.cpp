// Scalar arithmetic: SOP2, SOP1, SOPC and the arithmetic part of SOPK ("Vega" ISA, chapter 12, SOP2
// .. SOPC).
//
// SCC follows the manual op by op: carry or borrow (add_u32, addc, sub_u32, subb, lshlN_add),
// signed overflow (add_i32, sub_i32, addk), "result is not zero" (logic, shifts, bit fields,
// counts), which operand was taken (min, max), untouched (mov, mul, cselect, bfm, pack, brev, ff*,
// flbit*, sext*, bitset*).
#include "runtime/softgpu/execute/scalar.h"
#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace meld::softgpu::scalar {

using isa::Op;
using isa::Operand;

namespace {

using U = uint32_t;
using I = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

template <class T> T notZero(T x, U &scc) {
  scc = x != 0;
  return x;
}

U addOverflow(U a, U b, U &scc) {
  I r;
  scc = __builtin_add_overflow(I(a), I(b), &r);
  return U(r);
}

U subOverflow(U a, U b, U &scc) {
  I r;
  scc = __builtin_sub_overflow(I(a), I(b), &r);
  return U(r);
}

template <unsigned N> U shiftAdd(U a, U b, U &scc) {
  U64 sum = (U64(a) << N) + b;
  scc = sum >> 32 != 0;
  return U(sum);
}

/// Bit fields: offset in the low bits of `control`, width in bits 16..22.
template <class T> T extract(T x, U control, bool isSigned) {
  constexpr unsigned bits = 8 * sizeof(T);
  using S = std::make_signed_t<T>;
  const unsigned offset = control & (bits - 1), width = (control >> 16) & 0x7f;
  if (width == 0)
    return 0;
  if (offset + width >= bits)
    return isSigned ? T(S(x) >> offset) : T(x >> offset);
  const unsigned up = bits - offset - width;
  return isSigned ? T(S(T(x << up)) >> (bits - width)) : T(T(x << up) >> (bits - width));
}

template <class T> T reverseBits(T x) {
  T r = 0;
  for (unsigned k = 0; k < 8 * sizeof(T); ++k, x >>= 1)
    r = T(r << 1) | (x & 1);
  return r;
}

/// One bit for each group of four: set when any of the four is.
template <class T> T quadMask(T x) {
  T r = 0;
  for (unsigned k = 0; k < 8 * sizeof(T) / 4; ++k)
    r |= T((x >> (4 * k) & 0xf) != 0) << k;
  return r;
}

template <class T> T wholeQuads(T x) {
  T r = 0;
  for (unsigned k = 0; k < 8 * sizeof(T); k += 4)
    r |= (x >> k & 0xf) ? T(0xf) << k : T(0);
  return r;
}

template <class T> U firstOne(T x) { return x ? U(std::countr_zero(x)) : ~0u; }
template <class T> U leadingZeros(T x) { return x ? U(std::countl_zero(x)) : ~0u; }
/// Leading bits equal to the sign bit, -1 when all are.
template <class T> U signBits(T x) {
  using S = std::make_signed_t<T>;
  return leadingZeros(T(S(x) < 0 ? T(~x) : x));
}

U64 doubleBits(U x) {
  U64 r = 0;
  for (unsigned k = 0; k < 32; ++k)
    r |= U64(x >> k & 1 ? 3 : 0) << (2 * k);
  return r;
}

/// EXEC, or its low half.
template <class T> T execOf(const Wave &w) { return T(w.exec()); }
template <class T> void setExec(Wave &w, T x) {
  if constexpr (sizeof(T) == 8)
    w.setS64(isa::Sgpr::exec, x);
  else
    w.s[isa::Sgpr::exec] = x;
  w.scc = x != 0;
}

/// D = EXEC; EXEC = F(S0, EXEC); SCC = EXEC != 0.
template <class T, auto F> T saveExec(T a, Wave &w) {
  const T old = execOf<T>(w);
  setExec<T>(w, F(a, old));
  return old;
}

/// D = EXEC = F(S0, EXEC); SCC = EXEC != 0.
template <class T, auto F> T writeExec(T a, Wave &w) {
  setExec<T>(w, F(a, execOf<T>(w)));
  return execOf<T>(w);
}

template <class D, class A, class B, auto F> Handler two(const ExecInst &e) {
  return pick<Two<D, A, B, F>>(e);
}
template <class D, class A, auto F> Handler one(const ExecInst &e) { return pick<One<D, A, F>>(e); }

template <auto F> const ExecInst *runSimple(const ExecInst *i, Wave &w) {
  F(i, w);
  return chain(i, w);
}
template <auto F> Handler simple(const ExecInst &) { return runSimple<F>; }

// --- SOPK: the destination is also the first source; imm[0] holds the constant ---
template <auto F, bool Null> const ExecInst *runConstOp(const ExecInst *i, Wave &w) {
  U null = 0; // that is read, and what is written is lost
  F(Null ? null : w.s[i->dst], U(i->imm[0]), w.scc);
  return chain(i, w);
}
template <auto F> Handler constOp(const ExecInst &e) {
  return e.dst == isa::Sgpr::sink ? runConstOp<F, true> : runConstOp<F, false>;
}

/// What makes an operation's handler for the operands of an instruction.
using Make = Handler (*)(const ExecInst &);
using Makers = isa::OpMap<Make>;

void addSop2(Makers &t) {
  t[Op::s_add_u32] = two<U, U, U, [](U a, U b, U &c) { return c = a + b < a, a + b; }>;
  t[Op::s_sub_u32] = two<U, U, U, [](U a, U b, U &c) { return c = a < b, a - b; }>;
  t[Op::s_add_i32] = two<U, U, U, addOverflow>;
  t[Op::s_sub_i32] = two<U, U, U, subOverflow>;
  t[Op::s_addc_u32] = two<U, U, U, [](U a, U b, U &c) {
    U64 sum = U64(a) + b + c;
    return c = U(sum >> 32), U(sum);
  }>;
  t[Op::s_subb_u32] = two<U, U, U, [](U a, U b, U &c) {
    U64 diff = U64(a) - b - c;
    return c = U(diff >> 63), U(diff);
  }>;
  t[Op::s_min_i32] = two<U, I, I, [](I a, I b, U &c) { return c = a < b, a < b ? a : b; }>;
  t[Op::s_min_u32] = two<U, U, U, [](U a, U b, U &c) { return c = a < b, a < b ? a : b; }>;
  t[Op::s_max_i32] = two<U, I, I, [](I a, I b, U &c) { return c = (a > b), (a > b) ? a : b; }>;
  t[Op::s_max_u32] = two<U, U, U, [](U a, U b, U &c) { return c = (a > b), (a > b) ? a : b; }>;
  t[Op::s_cselect_b32] = two<U, U, U, [](U a, U b, U &c) { return c ? a : b; }>;
  t[Op::s_cselect_b64] = two<U64, U64, U64, [](U64 a, U64 b, U &c) { return c ? a : b; }>;
#define MELD_LOGIC(name, expr)                                                                     \
  t[Op::s_##name##_b32] = two<U, U, U, [](U a, U b, U &c) { return notZero<U>(expr, c); }>;        \
  t[Op::s_##name##_b64] =                                                                          \
      two<U64, U64, U64, [](U64 a, U64 b, U &c) { return notZero<U64>(expr, c); }>;
  MELD_LOGIC(and, a & b)
  MELD_LOGIC(or, a | b)
  MELD_LOGIC(xor, a ^ b)
  MELD_LOGIC(andn2, a & ~b)
  MELD_LOGIC(orn2, a | ~b)
  MELD_LOGIC(nand, ~(a & b))
  MELD_LOGIC(nor, ~(a | b))
  MELD_LOGIC(xnor, ~(a ^ b))
#undef MELD_LOGIC
  t[Op::s_lshl_b32] = two<U, U, U, [](U a, U b, U &c) { return notZero(a << (b & 31), c); }>;
  t[Op::s_lshl_b64] = two<U64, U64, U, [](U64 a, U b, U &c) { return notZero(a << (b & 63), c); }>;
  t[Op::s_lshr_b32] = two<U, U, U, [](U a, U b, U &c) { return notZero((a >> (b & 31)), c); }>;
  t[Op::s_lshr_b64] = two<U64, U64, U, [](U64 a, U b, U &c) { return notZero(a >> (b & 63), c); }>;
  t[Op::s_ashr_i32] = two<U, I, U, [](I a, U b, U &c) { return notZero((a >> (b & 31)), c); }>;
  t[Op::s_ashr_i64] = two<U64, I64, U, [](I64 a, U b, U &c) { return notZero(a >> (b & 63), c); }>;
  t[Op::s_bfm_b32] = two<U, U, U, [](U a, U b, U &) { return ((1u << (a & 31)) - 1) << (b & 31); }>;
  t[Op::s_bfm_b64] =
      two<U64, U, U, [](U a, U b, U &) { return ((U64(1) << (a & 63)) - 1) << (b & 63); }>;
  t[Op::s_mul_i32] = two<U, U, U, [](U a, U b, U &) { return a * b; }>;
  t[Op::s_mul_hi_u32] = two<U, U, U, [](U a, U b, U &) { return U(U64(a) * b >> 32); }>;
  t[Op::s_mul_hi_i32] = two<U, I, I, [](I a, I b, U &) { return U(I64(a) * b >> 32); }>;
  t[Op::s_bfe_u32] = two<U, U, U, [](U a, U b, U &c) { return notZero(extract(a, b, false), c); }>;
  t[Op::s_bfe_i32] = two<U, U, U, [](U a, U b, U &c) { return notZero(extract(a, b, true), c); }>;
  t[Op::s_bfe_u64] =
      two<U64, U64, U, [](U64 a, U b, U &c) { return notZero(extract(a, b, false), c); }>;
  t[Op::s_bfe_i64] =
      two<U64, U64, U, [](U64 a, U b, U &c) { return notZero(extract(a, b, true), c); }>;
  t[Op::s_absdiff_i32] = two<U, U, U, [](U a, U b, U &c) {
    U d = a - b;
    return notZero(I(d) < 0 ? 0u - d : d, c);
  }>;
  t[Op::s_lshl1_add_u32] = two<U, U, U, shiftAdd<1>>;
  t[Op::s_lshl2_add_u32] = two<U, U, U, shiftAdd<2>>;
  t[Op::s_lshl3_add_u32] = two<U, U, U, shiftAdd<3>>;
  t[Op::s_lshl4_add_u32] = two<U, U, U, shiftAdd<4>>;
  t[Op::s_pack_ll_b32_b16] = two<U, U, U, [](U a, U b, U &) { return (a & 0xffff) | b << 16; }>;
  t[Op::s_pack_lh_b32_b16] =
      two<U, U, U, [](U a, U b, U &) { return (a & 0xffff) | (b & 0xffff0000); }>;
  t[Op::s_pack_hl_b32_b16] = two<U, U, U, [](U a, U b, U &) { return (a >> 16) | b << 16; }>;
  t[Op::s_add_nc_u64] = two<U64, U64, U64, [](U64 a, U64 b, U &) { return a + b; }>;
  t[Op::s_sub_nc_u64] = two<U64, U64, U64, [](U64 a, U64 b, U &) { return a - b; }>;
  t[Op::s_mul_u64] = two<U64, U64, U64, [](U64 a, U64 b, U &) { return a * b; }>;
  t[Op::s_pack_hh_b32_b16] =
      two<U, U, U, [](U a, U b, U &) { return (a >> 16) | (b & 0xffff0000); }>;
}

void addSop1(Makers &t) {
  t[Op::s_mov_b32] = one<U, U, [](U a, Wave &) { return a; }>;
  t[Op::s_mov_b64] = one<U64, U64, [](U64 a, Wave &) { return a; }>;
  t[Op::s_cmov_b32] = simple<[](const ExecInst *i, Wave &w) {
    if (w.scc)
      writeDst(i, w, readSource<U, anySource>(i, w));
  }>;
  t[Op::s_cmov_b64] = simple<[](const ExecInst *i, Wave &w) {
    if (w.scc)
      writeDst(i, w, readSource<U64, anySource>(i, w));
  }>;
  t[Op::s_not_b32] = one<U, U, [](U a, Wave &w) { return notZero(~a, w.scc); }>;
  t[Op::s_not_b64] = one<U64, U64, [](U64 a, Wave &w) { return notZero(~a, w.scc); }>;
  t[Op::s_wqm_b32] = one<U, U, [](U a, Wave &w) { return notZero(wholeQuads(a), w.scc); }>;
  t[Op::s_wqm_b64] = one<U64, U64, [](U64 a, Wave &w) { return notZero(wholeQuads(a), w.scc); }>;
  t[Op::s_quadmask_b32] = one<U, U, [](U a, Wave &w) { return notZero(quadMask(a), w.scc); }>;
  t[Op::s_quadmask_b64] = one<U64, U64, [](U64 a, Wave &w) { return notZero(quadMask(a), w.scc); }>;
  t[Op::s_brev_b32] = one<U, U, [](U a, Wave &) { return reverseBits(a); }>;
  t[Op::s_brev_b64] = one<U64, U64, [](U64 a, Wave &) { return reverseBits(a); }>;
  t[Op::s_bcnt0_i32_b32] =
      one<U, U, [](U a, Wave &w) { return notZero(U(std::popcount(~a)), w.scc); }>;
  t[Op::s_bcnt0_i32_b64] =
      one<U, U64, [](U64 a, Wave &w) { return notZero(U(std::popcount(~a)), w.scc); }>;
  t[Op::s_bcnt1_i32_b32] =
      one<U, U, [](U a, Wave &w) { return notZero(U(std::popcount(a)), w.scc); }>;
  t[Op::s_bcnt1_i32_b64] =
      one<U, U64, [](U64 a, Wave &w) { return notZero(U(std::popcount(a)), w.scc); }>;
  t[Op::s_ff0_i32_b32] = one<U, U, [](U a, Wave &) { return firstOne<U>(~a); }>;
  t[Op::s_ff0_i32_b64] = one<U, U64, [](U64 a, Wave &) { return firstOne<U64>(~a); }>;
  t[Op::s_ff1_i32_b32] = one<U, U, [](U a, Wave &) { return firstOne(a); }>;
  t[Op::s_ff1_i32_b64] = one<U, U64, [](U64 a, Wave &) { return firstOne(a); }>;
  t[Op::s_flbit_i32_b32] = one<U, U, [](U a, Wave &) { return leadingZeros(a); }>;
  t[Op::s_flbit_i32_b64] = one<U, U64, [](U64 a, Wave &) { return leadingZeros(a); }>;
  t[Op::s_flbit_i32] = one<U, U, [](U a, Wave &) { return signBits(a); }>;
  t[Op::s_flbit_i32_i64] = one<U, U64, [](U64 a, Wave &) { return signBits(a); }>;
  t[Op::s_sext_i32_i8] = one<U, U, [](U a, Wave &) { return I(int8_t(a)); }>;
  t[Op::s_sext_i32_i16] = one<U, U, [](U a, Wave &) { return I(int16_t(a)); }>;
  t[Op::s_abs_i32] = one<U, U, [](U a, Wave &w) { return notZero(I(a) < 0 ? 0u - a : a, w.scc); }>;
  t[Op::s_bitreplicate_b64_b32] = one<U64, U, [](U a, Wave &) { return doubleBits(a); }>;
  t[Op::s_bitset0_b32] = simple<[](const ExecInst *i, Wave &w) {
    w.s[i->dst] &= ~(1u << (readSource<U, anySource>(i, w) & 31));
  }>;
  t[Op::s_bitset1_b32] = simple<[](const ExecInst *i, Wave &w) {
    w.s[i->dst] |= 1u << (readSource<U, anySource>(i, w) & 31);
  }>;
  t[Op::s_bitset0_b64] = simple<[](const ExecInst *i, Wave &w) {
    w.setS64(i->dst, w.s64(i->dst) & ~(U64(1) << (readSource<U, anySource>(i, w) & 63)));
  }>;
  t[Op::s_bitset1_b64] = simple<[](const ExecInst *i, Wave &w) {
    w.setS64(i->dst, w.s64(i->dst) | U64(1) << (readSource<U, anySource>(i, w) & 63));
  }>;
#define MELD_SAVEEXEC(name, expr)                                                                  \
  t[Op::s_##name##_saveexec_b64] =                                                                 \
      one<U64, U64, saveExec<U64, [](U64 a, U64 exec) { return expr; }>>;                          \
  t[Op::s_##name##_saveexec_b32] = one<U, U, saveExec<U, [](U a, U exec) { return expr; }>>;
  MELD_SAVEEXEC(and, a & exec)
  MELD_SAVEEXEC(or, a | exec)
  MELD_SAVEEXEC(xor, a ^ exec)
  MELD_SAVEEXEC(andn2, a & ~exec)
  MELD_SAVEEXEC(orn2, a | ~exec)
  MELD_SAVEEXEC(nand, ~(a & exec))
  MELD_SAVEEXEC(nor, ~(a | exec))
  MELD_SAVEEXEC(xnor, ~(a ^ exec))
  MELD_SAVEEXEC(andn1, ~a & exec)
  MELD_SAVEEXEC(orn1, ~a | exec)
#undef MELD_SAVEEXEC
  t[Op::s_andn1_wrexec_b64] =
      one<U64, U64, writeExec<U64, [](U64 a, U64 exec) { return ~a & exec; }>>;
  t[Op::s_andn2_wrexec_b64] =
      one<U64, U64, writeExec<U64, [](U64 a, U64 exec) { return a & ~exec; }>>;
  t[Op::s_andn1_wrexec_b32] = one<U, U, writeExec<U, [](U a, U exec) { return ~a & exec; }>>;
  t[Op::s_andn2_wrexec_b32] = one<U, U, writeExec<U, [](U a, U exec) { return a & ~exec; }>>;
  // M0 moves the register number; numbers past the file wrap.
  t[Op::s_movrels_b32] =
      simple<[](const ExecInst *i, Wave &w) { w.s[i->dst] = w.s[(i->src[0] + w.m0()) & 127]; }>;
  t[Op::s_movrels_b64] = simple<[](const ExecInst *i, Wave &w) {
    w.setS64(i->dst, w.s64((i->src[0] + w.m0()) & 126));
  }>;
  t[Op::s_movreld_b32] = simple<[](const ExecInst *i, Wave &w) {
    w.s[(i->dst + w.m0()) & 127] = readSource<U, anySource>(i, w);
  }>;
  t[Op::s_movreld_b64] = simple<[](const ExecInst *i, Wave &w) {
    w.setS64((i->dst + w.m0()) & 126, readSource<U64, anySource>(i, w));
  }>;
  t[Op::s_movrelsd_2_b32] = simple<[](const ExecInst *i, Wave &w) { // a number for each side
    w.s[(i->dst + (w.m0() >> 16 & 0x3ff)) & 127] = w.s[(i->src[0] + (w.m0() & 0x3ff)) & 127];
  }>;
}

void addSopc(Makers &t) {
#define MELD_CMP(name, op)                                                                         \
  t[Op::s_cmp_##name##_i32] = two<void, I, I, [](I a, I b, U &c) { c = (a op b); }>;               \
  t[Op::s_cmp_##name##_u32] = two<void, U, U, [](U a, U b, U &c) { c = (a op b); }>;
  MELD_CMP(eq, ==)
  MELD_CMP(lg, !=)
  MELD_CMP(gt, >)
  MELD_CMP(ge, >=)
  MELD_CMP(lt, <)
  MELD_CMP(le, <=)
#undef MELD_CMP
  t[Op::s_cmp_eq_u64] = two<void, U64, U64, [](U64 a, U64 b, U &c) { c = a == b; }>;
  t[Op::s_cmp_lg_u64] = two<void, U64, U64, [](U64 a, U64 b, U &c) { c = a != b; }>;
  t[Op::s_bitcmp0_b32] = two<void, U, U, [](U a, U b, U &c) { c = !(a >> (b & 31) & 1); }>;
  t[Op::s_bitcmp1_b32] = two<void, U, U, [](U a, U b, U &c) { c = (a >> (b & 31)) & 1; }>;
  t[Op::s_bitcmp0_b64] = two<void, U64, U, [](U64 a, U b, U &c) { c = !(a >> (b & 63) & 1); }>;
  t[Op::s_bitcmp1_b64] = two<void, U64, U, [](U64 a, U b, U &c) { c = U(a >> (b & 63) & 1); }>;
}

void addSopk(Makers &t) {
  t[Op::s_movk_i32] = constOp<[](U &d, U k, U &) { d = k; }>;
  t[Op::s_cmovk_i32] = constOp<[](U &d, U k, U &c) { d = c ? k : d; }>;
  t[Op::s_addk_i32] = constOp<[](U &d, U k, U &c) { d = addOverflow(d, k, c); }>;
  t[Op::s_mulk_i32] = constOp<[](U &d, U k, U &) { d *= k; }>;
#define MELD_CMPK(name, op)                                                                        \
  t[Op::s_cmpk_##name##_i32] = constOp<[](U &d, U k, U &c) { c = (I(d) op I(k)); }>;               \
  t[Op::s_cmpk_##name##_u32] = constOp<[](U &d, U k, U &c) { c = (d op(k & 0xffff)); }>;
  MELD_CMPK(eq, ==)
  MELD_CMPK(lg, !=)
  MELD_CMPK(gt, >)
  MELD_CMPK(ge, >=)
  MELD_CMPK(lt, <)
  MELD_CMPK(le, <=)
#undef MELD_CMPK
}

bool fillSource(ExecInst &e, unsigned k, const Operand &o) {
  switch (o.kind) {
  case Operand::Kind::none:
    e.src[k] = kImmSlot; // reads 0: the one-source shape
    e.imm[k] = 0;
    return true;
  case Operand::Kind::sgpr:
    e.src[k] = o.index;
    return true;
  case Operand::Kind::imm:
    e.src[k] = kImmSlot;
    e.imm[k] = o.value;
    return true;
  case Operand::Kind::special:
    e.src[k] = uint16_t(kSpecialSlot | o.index);
    return true;
  default:
    return false;
  }
}

} // namespace

bool fillOperands(ExecInst &e) {
  const isa::Inst &in = *e.inst;
  if (in.dst.kind != Operand::Kind::none && in.dst.kind != Operand::Kind::sgpr)
    return false;
  e.dst = in.dst.index;
  if (in.enc == isa::Enc::SOPK) {
    // s_cmpk and friends name their one register as source or as destination.
    if (in.dst.kind == Operand::Kind::none)
      e.dst = in.src[0].kind == Operand::Kind::sgpr ? in.src[0].index : uint16_t(isa::Sgpr::sink);
    e.src[0] = e.src[1] = kImmSlot;
    e.imm[0] = uint64_t(int64_t(in.simm));
    return true;
  }
  return fillSource(e, 0, in.src[0]) && fillSource(e, 1, in.src[1]);
}

Handler aluHandler(const ExecInst &e) {
  static const Makers makers = [] {
    Makers t;
    addSop2(t);
    addSop1(t);
    addSopc(t);
    addSopk(t);
    return t;
  }();
  const Make make = makers[e.inst->op];
  return make ? make(e) : nullptr;
}

} // namespace meld::softgpu::scalar

namespace meld::softgpu {

namespace {

/// Whether the instruction might write the upper half of EXEC.
bool reachesHighExec(const isa::Inst &in) {
  using isa::Op;
  constexpr unsigned high = isa::Sgpr::exec + 1;
  if (in.dst.kind == isa::Operand::Kind::sgpr && in.dst.index <= high &&
      in.dst.index + std::max<unsigned>(in.dst.dwords, 1) > high)
    return true;
  switch (in.op) {
  case Op::s_movreld_b32:
  case Op::s_movreld_b64:
  case Op::s_movrelsd_2_b32:
  case Op::s_subvector_loop_end:
    return true;
  default: { // EXEC is a destination that no field names
    const std::string_view name = isa::mnemonic(in.op);
    return name.ends_with("saveexec_b64") || name.ends_with("wrexec_b64");
  }
  }
}

/// Runs the handler kept in `aux`, and nothing behind it, after which the lanes that a wave of 32
/// lacks are off again.
const ExecInst *runWithoutHighExec(const ExecInst *i, Wave &w) {
  const uint8_t chained = std::exchange(w.chained, 0);
  const ExecInst *next = reinterpret_cast<Handler>(i->aux)(i, w);
  w.chained = chained;
  w.s[isa::Sgpr::exec + 1] = 0;
  return next;
}

} // namespace

bool prepareScalar(ExecInst &e, isa::Target target) {
  if (!scalar::fillOperands(e))
    return false;
  e.flags = 0;
  if (Handler h = scalar::aluHandler(e)) {
    e.run = h;
    e.flags = chains;
  } else if (prepareScalarFloat(e)) { // which keeps off the upper half of EXEC by itself
    return true;
  } else if (!scalar::prepareFlow(e, target)) {
    return false;
  }
  if (isa::traitsOf(target).waveSize < kWaveSize && reachesHighExec(*e.inst)) {
    e.aux = reinterpret_cast<uint64_t>(e.run);
    e.run = runWithoutHighExec;
    e.flags &= uint8_t(~chains);
  }
  return true;
}

} // namespace meld::softgpu
