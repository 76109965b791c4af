// The general way to execute one vector ALU instruction; see op_info.h for when it is taken.
//
// Steps: gather each source into a row of 64 dwords (two rows for 64-bit operands), apply SDWA or
// DPP or op_sel, then abs, neg and the denormal flush; call the row function under MODE's rounding;
// apply omod, clamp, the output flush and the destination select; write the lanes that are active
// (and, for DPP, enabled). Sources are complete before anything is written, so overlap is harmless.
// Cost: 50-300 ns. Facts: "Vega" ISA manual, chapters 4.5 (DPP, SDWA), 6 (vector ALU), 3.5 (MODE).
#include "runtime/softgpu/valu/slow.h"

#include "runtime/softgpu/execute/special_source.h"
#include "runtime/softgpu/valu/lanes.h"

namespace meld::softgpu::valu {

using isa::Enc;
using isa::Inst;
using isa::Operand;
using isa::SdwaSel;

uint64_t scalarOperand(const Wave &w, const Operand &o, bool wide) {
  switch (o.kind) {
  case Operand::Kind::imm:
    return o.value;
  case Operand::Kind::sgpr:
    if (!wide)
      return w.s[o.index];
    return o.index + 1u < isa::Sgpr::slots ? w.s64(o.index) : w.s[o.index];
  case Operand::Kind::special:
    return wide ? specialSource(w, o.index) : (uint32_t)specialSource(w, o.index);
  default:
    return 0;
  }
}

const VRow *vectorOperand(const Wave &w, const Operand &o, int relative) {
  if (o.kind == Operand::Kind::vgpr)
    return w.v + o.index + relative;
  if (o.kind == Operand::Kind::agpr)
    return w.v + w.accOffset + o.index;
  return nullptr;
}

void fillRow(uint32_t *row, uint32_t value) {
  const U32 x = splat(value);
  for (unsigned c = 0; c < kChunks; ++c)
    store(row + 8 * c, x);
}
void copyRow(uint32_t *to, const uint32_t *from) {
  for (unsigned c = 0; c < kChunks; ++c)
    store(to + 8 * c, load(from + 8 * c));
}

namespace {

void sdwaSelect(uint32_t *row, SdwaSel sel, bool sext) {
  if (sel == SdwaSel::dword)
    return;
  const unsigned width = sel <= SdwaSel::byte3 ? 8 : 16;
  const unsigned shift = sel <= SdwaSel::byte3 ? 8 * (unsigned)sel : 16 * ((unsigned)sel - 4);
  const int up = 32 - width - shift, down = 32 - width;
  for (unsigned c = 0; c < kChunks; ++c) {
    const U32 x = load(row + 8 * c) << up;
    store(row + 8 * c, sext ? (U32)((I32)x >> down) : x >> down);
  }
}

void shiftHalf(uint32_t *row) {
  for (unsigned c = 0; c < kChunks; ++c)
    store(row + 8 * c, load(row + 8 * c) >> 16);
}

} // namespace

void flushRow(uint32_t *row, Ty t) {
  for (unsigned c = 0; c < kChunks; ++c) {
    uint32_t *p = row + 8 * c;
    if (t == Ty::f32) {
      store(p, (U32)flush((F32)load(p)));
    } else if (t == Ty::f16) {
      const U32 x = load(p);
      const U32 denorm = (U32)((x & 0x7c00u) == 0);
      store(p, x & ~(denorm & 0x7fffu));
    } else {
      const U32 hi = load(p + 64);
      const U32 denorm = (U32)((hi & 0x7ff00000u) == 0);
      store(p, load(p) & ~denorm);
      store(p + 64, hi & ~(denorm & 0x7fffffffu));
    }
  }
}

void negAbs(uint32_t *row, Ty t, bool neg, bool abs) {
  const uint32_t sign = is16(t) ? 0x8000u : 0x80000000u;
  uint32_t *p = dwordsOf(t) == 2 ? row + 64 : row;
  const U32 keep = splat(abs ? ~sign : ~0u), flip = splat(neg ? sign : 0);
  for (unsigned c = 0; c < kChunks; ++c)
    store(p + 8 * c, (load(p + 8 * c) & keep) ^ flip);
}

namespace {

// Scaled results lose the sign of zero, and denormals are zeros then.
F32 positiveZero(F32 a) { return (F32)((U32)a & ~(U32)(((U32)a & 0x7f800000u) == 0)); }
F64 positiveZero(F64 a) { return (F64)((U64)a & ~(U64)(((U64)a & 0x7ff0000000000000ull) == 0)); }
F32 positiveZeroHalf(F32 a) { return (F32)((U32)a & ~(U32)(((U32)a & 0x7fffffffu) < 0x38800000u)); }

} // namespace

void outputModifiers(uint32_t *row, Ty t, unsigned omod, bool clamp, uint32_t mode) {
  const float scale = omod == 1 ? 2.f : omod == 2 ? 4.f : omod == 3 ? 0.5f : 1.f;
  for (unsigned c = 0; c < kChunks; ++c) {
    uint32_t *p = row + 8 * c;
    if (t == Ty::f64) {
      const U32 lo = load(p), hi = load(p + 64);
      F64 h[2] = {(F64)unpackLo(lo, hi), (F64)unpackHi(lo, hi)};
      for (F64 &x : h) {
        if (omod)
          x = positiveZero(fixNan(x * splatD(scale), x));
        if (clamp) {
          const F64 zero = splatD(0), one = splatD(1);
          const F64 nan = unordered(x, x);
          F64 r = select((I64)(x > zero), x, zero);
          r = select((I64)(r > one), one, r);
          x = pick(nan, mode & Mode::dx10Clamp ? zero : x, r);
        }
      }
      store(p, joinLow((U64)h[0], (U64)h[1]));
      store(p + 64, joinHigh((U64)h[0], (U64)h[1]));
      continue;
    }
    F32 x = t == Ty::f16 ? widenHalf(load(p)) : (F32)load(p);
    if (omod)
      x = t == Ty::f16 ? positiveZeroHalf(fixNan(x * splatF(scale), x))
                       : positiveZero(fixNan(x * splatF(scale), x));
    if (clamp) {
      const F32 zero = splatF(0), one = splatF(1);
      const F32 nan = unordered(x, x);
      F32 r = select((I32)(x > zero), x, zero);
      r = select((I32)(r > one), one, r);
      x = pick(nan, mode & Mode::dx10Clamp ? zero : x, r);
    }
    store(p, t == Ty::f16 ? narrowHalf(x) : (U32)x);
  }
}

void limitHalves(uint32_t *row, isa::Op op, const OpInfo &info, const RowCtx &ctx) {
  using isa::Op;
  const bool divides = op == Op::v_rcp_f16 || op == Op::v_rsq_f16 || op == Op::v_log_f16 ||
                       op == Op::v_div_fixup_f16 || op == Op::v_div_fixup_legacy_f16;
  for (unsigned c = 0; c < kChunks; ++c) {
    U32 *p = reinterpret_cast<U32 *>(row + 8 * c), infinite{};
    for (unsigned k = 0; k < info.numSrc; ++k) {
      if (!ctx.src[k])
        continue;
      const U32 x = load(ctx.src[k] + 8 * c), low = x & 0x7fffu;
      if (info.src[k] == Ty::f16)
        infinite |= (U32)(low == 0x7c00u) | (divides ? (U32)(low == 0u) : U32{});
      else if (info.src[k] == Ty::f32)
        infinite |= (U32)((x & 0x7fffffffu) == 0x7f800000u);
      else if (info.src[k] == Ty::b32) // two halves, of a dot product
        infinite |= (U32)(low == 0x7c00u) | (U32)((x & 0x7fff0000u) == 0x7c000000u);
    }
    const U32 limited = (U32)((*p & 0x7fffu) == 0x7c00u) & ~infinite;
    *p -= limited & 1u; // the largest number is just below
  }
}

void callRow(RowFn fn, RowCtx &ctx, unsigned rounding) {
  static constexpr unsigned toMxcsr[4] = {0x0000, 0x4000, 0x2000, 0x6000};
  const unsigned old = _mm_getcsr(), want = 0x1f80 | toMxcsr[rounding & 3];
  if ((old & 0xffc0) == want) {
    fn(ctx);
    return;
  }
  _mm_setcsr(want);
  fn(ctx);
  _mm_setcsr(old);
}

unsigned roundingOf(Ty dst, uint32_t mode) {
  return dst == Ty::f64 || dst == Ty::f16 ? mode >> 2 & 3 : mode & 3;
}

void writeRow(uint32_t *to, const uint32_t *from, uint64_t lanes) {
  for (unsigned c = 0; c < kChunks; ++c, lanes >>= 8)
    store(to + 8 * c, select(maskOf((uint32_t)lanes), load(from + 8 * c), load(to + 8 * c)));
}

namespace {

bool readsDestination(const OpInfo &info, unsigned k) {
  return (info.flags & kAccumulate) && k + 1u == info.numSrc;
}

/// The mask that source `k` is: a scalar register pair, VCC where the encoding has no field for it.
uint64_t maskSource(const Wave &w, const Inst &in, const OpInfo &info, unsigned k) {
  const Operand &o = readsDestination(info, k) ? in.dst : in.src[k];
  return k < in.numSrc || o.kind != Operand::Kind::none ? scalarOperand(w, o, true)
                                                        : w.s64(isa::Sgpr::vcc);
}

/// A value that all lanes share, as rows of `n` dwords.
void fillSource(uint32_t *rows, const Wave &w, const Operand &o, unsigned n) {
  const uint64_t x = scalarOperand(w, o, n >= 2);
  fillRow(rows, (uint32_t)x);
  if (n >= 2)
    fillRow(rows + 64, (uint32_t)(x >> 32));
  for (unsigned d = 2; d < n; ++d)
    fillRow(rows + 64 * d, o.kind == Operand::Kind::sgpr ? w.s[(o.index + d) & 127] : 0);
}

/// Source `k` with all that is done to sources: the register's own row where that is nothing, else
/// `rows`, filled.
const uint32_t *sourceRow(uint32_t *rows, const Wave &w, const Inst &in, const OpInfo &info,
                          unsigned k, const RelativeIndex &rel, uint64_t exec) {
  const Ty t = info.src[k];
  const bool old = readsDestination(info, k);
  const Operand &o = old ? in.dst : in.src[k];
  const unsigned n = dwordsOf(t);
  const VRow *v = vectorOperand(w, o, old ? rel.dst() : rel.src(k));
  const bool dpp = usesDpp(in) && k == 0 && v;
  const bool sdwa = in.sdwa && k < 2 && !old && in.sdwaSrc[k] != SdwaSel::dword;
  const unsigned half = old ? 3 : k; // of the destination: the one that is written
  const bool high = !in.sdwa && is16(t) && in.enc != Enc::VOP3P && (in.opSel >> half & 1);
  const bool sign = !old && ((in.neg | in.abs) >> k & 1) && (isFloat(t) || t == Ty::m32);
  const bool flushIn = !(info.flags & kNoFlush) && flushesInput(t, w.mode);
  if (v && !dpp && !sdwa && !high && !sign && !flushIn)
    return v->u;
  for (unsigned d = 0; v && d < n; ++d) {
    if (dpp)
      dppGather(rows + 64 * d, v[d].u, in, exec);
    else
      copyRow(rows + 64 * d, v[d].u);
  }
  if (!v)
    fillSource(rows, w, o, n);
  if (sdwa)
    sdwaSelect(rows, in.sdwaSrc[k], in.sdwaSext >> k & 1);
  if (high)
    shiftHalf(rows);
  if (sign)
    negAbs(rows, t, in.neg >> k & 1, in.abs >> k & 1);
  if (flushIn)
    flushRow(rows, t);
  return rows;
}

/// The whole dword of an SDWA result that is one byte or half of it.
void sdwaMerge(uint32_t *out, const uint32_t *old, const Inst &in) {
  const bool byte = in.sdwaDst <= SdwaSel::byte3;
  const int shift = byte ? 8 * (int)in.sdwaDst : 16 * ((int)in.sdwaDst - 4);
  const int above = 32 - shift - (byte ? 8 : 16);
  const uint32_t field = byte ? 0xff : 0xffff;
  for (unsigned c = 0; c < kChunks; ++c) {
    U32 x = (load(out + 8 * c) & field) << shift;
    if (in.sdwaUnused == isa::SdwaUnused::preserve)
      x |= load(old + 8 * c) & ~(field << shift);
    else if (in.sdwaUnused == isa::SdwaUnused::sext)
      x = (U32)((I32)(x << above) >> above);
    store(out + 8 * c, x);
  }
}

/// Destination halves and SDWA selections: builds the whole dword, the old value where preserved.
void mergeWithOld(uint32_t *out, const uint32_t *old, const Inst &in, const OpInfo &info,
                  bool keepsHigh) {
  const bool half = is16(info.dst) && !in.sdwa;
  if (half && in.enc != Enc::VOP3P && (in.opSel & 8)) {
    for (unsigned c = 0; c < kChunks; ++c)
      store(out + 8 * c, load(out + 8 * c) << 16 | (load(old + 8 * c) & 0xffffu));
  } else if (half && keepsHigh) {
    for (unsigned c = 0; c < kChunks; ++c)
      store(out + 8 * c, (load(out + 8 * c) & 0xffffu) | (load(old + 8 * c) & 0xffff0000u));
  } else if (in.sdwa && in.sdwaDst != SdwaSel::dword) {
    sdwaMerge(out, old, in);
  }
}

} // namespace

void finishFloats(uint32_t *row, isa::Op op, const OpInfo &info, const RowCtx &ctx, bool modified) {
  const Inst &in = *ctx.inst;
  // Omod is ignored with IEEE mode or output denormals on (manual, 6.2.3); GFX12 has it in every
  // mode ("RDNA4" ISA, 7.2.3.1).
  const bool scales = isa::traitsOf(in.target).generation >= 12 ||
                      (!(ctx.mode & Mode::ieee) && flushesOutput(info.dst, ctx.mode));
  const unsigned omod = scales ? in.omod : 0;
  if ((omod || in.clamp) && modified)
    outputModifiers(row, info.dst, omod, in.clamp, ctx.mode);
  if (!(info.flags & kNoFlush) && flushesOutput(info.dst, ctx.mode))
    flushRow(row, info.dst);
  if (limitsHalves(info.dst, ctx.mode))
    limitHalves(row, op, info, ctx);
}

const ExecInst *slowValu(const ExecInst *i, Wave &w) {
  const Inst &in = *i->inst;
  const OpInfo &info = opTable()[in.op];
  const uint64_t exec = w.exec();
  if (!exec && !(info.flags & (kCompare | kCarryOut)))
    return following(i);

  const RelativeIndex rel(w, in);
  if (rel.dstOutOfRange())
    return following(i);
  alignas(64) uint32_t tmp[3][256];
  alignas(64) uint32_t out[256];
  RowCtx ctx;
  ctx.exec = exec;
  ctx.mode = w.mode;
  ctx.flushes = i->flags & kFlushes;
  ctx.inst = &in;
  ctx.dst = out;

  if (info.flags & kReadVcc)
    ctx.mask = w.s64(isa::Sgpr::vcc);
  for (unsigned k = 0; k < info.numSrc; ++k) {
    if (info.src[k] == Ty::mask)
      ctx.mask = maskSource(w, in, info, k);
    else
      ctx.src[k] = sourceRow(tmp[k], w, in, info, k, rel, exec);
  }

  VRow *dst = const_cast<VRow *>(vectorOperand(w, in.dst, rel.dst()));
  const unsigned dstDwords =
      info.dst == Ty::none || (info.flags & kCompare) ? 0 : dwordsOf(info.dst);
  if (info.flags & kReadOld) {
    for (unsigned d = 0; d < dstDwords; ++d)
      copyRow(out + 64 * d, dst[d].u);
  }
  const bool intClamp = in.clamp && info.rowClamp;
  callRow(intClamp ? info.rowClamp : info.row, ctx,
          info.flags & kNearest ? 0 : roundingOf(info.dst, w.mode));

  uint64_t lanes = exec;
  if (usesDpp(in))
    lanes &= dppEnabled(in, exec);

  if (info.flags & kCompare) {
    const uint64_t bits = ctx.maskOut & lanes;
    w.setMask(i->dst, bits);
    if (info.flags & kCompareX)
      w.exec() = bits;
    return following(i);
  }

  if (isFloat(info.dst))
    finishFloats(out, in.op, info, ctx, !intClamp);
  if (dstDwords)
    mergeWithOld(out, dst->u, in, info, i->flags & kKeepsHigh);
  for (unsigned d = 0; d < dstDwords; ++d)
    writeRow(dst[d].u, out + 64 * d, lanes);
  if (info.flags & kCarryOut)
    w.setMask(i->sdst, ctx.maskOut & lanes);
  return following(i);
}

} // namespace meld::softgpu::valu
