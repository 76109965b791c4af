// Instructions that cross lanes or files by themselves: v_readlane, v_writelane, v_readfirstlane,
// v_mbcnt, v_swap, v_permlane, v_nop, the accumulation registers. "Vega" ISA manual, chapters 12.8 and
// 12.10; "RDNA3" ISA, VOP1.
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/slow.h"

namespace meld::softgpu::valu {

using isa::Op;
using isa::Operand;
using enum Ty;

namespace {

const VRow *sourceRow(const ExecInst *i, const Wave &w, unsigned k) {
  return vectorOperand(w, i->inst->src[k], RelativeIndex(w, *i->inst).src(k));
}

const ExecInst *readFirstLane(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  const unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
  const VRow *v = sourceRow(i, w, 0);
  w.s[i->dst] = v ? v->u[lane] : (uint32_t)scalarOperand(w, i->inst->src[0], false);
  return following(i);
}
/// The lane that source 1 selects.
unsigned laneOf(const ExecInst *i, const Wave &w) {
  return (unsigned)scalarOperand(w, i->inst->src[1], false) & (w.waveSize - 1);
}
const ExecInst *readLane(const ExecInst *i, Wave &w) {
  const unsigned lane = laneOf(i, w);
  const VRow *v = sourceRow(i, w, 0);
  w.s[i->dst] = v ? v->u[lane] : (uint32_t)scalarOperand(w, i->inst->src[0], false);
  return following(i);
}
const ExecInst *writeLane(const ExecInst *i, Wave &w) {
  const unsigned lane = laneOf(i, w);
  w.v[i->dst + RelativeIndex(w, *i->inst).dst()].u[lane] =
      (uint32_t)scalarOperand(w, i->inst->src[0], false);
  return following(i);
}
const ExecInst *nop(const ExecInst *i, Wave &) { return following(i); }

const ExecInst *swap(const ExecInst *i, Wave &w) {
  VRow *a = w.v + i->dst, *b = const_cast<VRow *>(sourceRow(i, w, 0));
  if (!b)
    return w.raise(i, FaultKind::illegalInstruction, "v_swap_b32 without a VGPR source");
  alignas(64) VRow old;
  copyRow(old.u, a->u);
  writeRow(a->u, b->u, w.exec());
  writeRow(b->u, old.u, w.exec());
  return following(i);
}

/// Gathers within rows of 16 lanes, or (Across) from the row beside: sources 1 and 2 hold four bits
/// for each lane of a row, or (EachLane, GFX12) source 1 has the number in each lane. op_sel[0] is
/// DPP's fi, op_sel[1] its bound_ctrl.
template <bool Across, bool EachLane> const ExecInst *permuteRows(const ExecInst *i, Wave &w) {
  const isa::Inst &in = *i->inst;
  const VRow *v = sourceRow(i, w, 0), *numbers = EachLane ? sourceRow(i, w, 1) : nullptr;
  if (!v || (EachLane && !numbers) || in.dst.kind != Operand::Kind::vgpr)
    return w.raise(i, FaultKind::illegalInstruction, "v_permlane without VGPRs");
  const uint64_t select = EachLane ? 0
                                   : (uint32_t)scalarOperand(w, in.src[1], false) |
                                         scalarOperand(w, in.src[2], false) << 32;
  const bool fetchInactive = in.opSel & 1, zeros = in.opSel & 2;
  const uint64_t exec = w.exec();
  alignas(64) VRow out;
  uint64_t lanes = exec;
  for (unsigned n = 0; n < kWaveSize; ++n) {
    const unsigned row = (n & 48) ^ (Across ? 16u : 0u);
    const uint64_t number = EachLane ? numbers->u[n] : select >> (4 * (n & 15));
    const unsigned from = row | (unsigned)(number & 15);
    const bool have = fetchInactive || (exec >> from & 1);
    out.u[n] = have ? v->u[from] : 0;
    if (!have && !zeros)
      lanes &= ~(1ull << n);
  }
  writeRow(w.v[in.dst.index].u, out.u, lanes);
  return following(i);
}

/// Halves of two registers, or of one, change places.
const ExecInst *swapHalves(const ExecInst *i, Wave &w) {
  VRow *a = w.v + i->dst, *b = const_cast<VRow *>(sourceRow(i, w, 0));
  if (!b)
    return w.raise(i, FaultKind::illegalInstruction, "v_swap_b16 without a VGPR source");
  const unsigned atA = i->inst->opSel & 8 ? 16 : 0, atB = i->inst->opSel & 1 ? 16 : 0;
  const auto put = [](uint32_t old, uint32_t half, unsigned at) {
    return (old & ~(0xffffu << at)) | half << at;
  };
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    const unsigned n = (unsigned)__builtin_ctzll(left);
    const uint32_t x = a->u[n] >> atA & 0xffff, y = b->u[n] >> atB & 0xffff;
    a->u[n] = put(a->u[n], y, atA);
    b->u[n] = put(b->u[n], x, atB);
  }
  return following(i);
}

/// The halves of a wave of 64 change places, whatever EXEC says of the lanes that are read. In a wave
/// of 32 nothing happens.
const ExecInst *swapWaveHalves(const ExecInst *i, Wave &w) {
  if (w.waveSize < kWaveSize)
    return following(i);
  const VRow *v = sourceRow(i, w, 0);
  if (!v)
    return w.raise(i, FaultKind::illegalInstruction, "v_permlane64_b32 without a VGPR source");
  alignas(64) VRow out;
  for (unsigned c = 0; c < kChunks; ++c)
    store(out.u + 8 * c, load(v->u + 8 * (c ^ kChunks / 2)));
  writeRow(w.v[i->dst].u, out.u, w.exec());
  return following(i);
}

/// v_permlane16_swap_b32, v_permlane32_swap_b32: the lanes of source 0 in even groups of `Group` change
/// places with those of the destination in odd ones ("CDNA4" ISA). A lane that EXEC leaves out is not
/// written; what is read from it stands in for nothing, so the other stays as it is, but with bound_ctrl
/// (op_sel[1]) it is 0, and with fi (op_sel[0]) it is read.
template <unsigned Group> const ExecInst *swapGroups(const ExecInst *i, Wave &w) {
  const isa::Inst &in = *i->inst;
  VRow *odd = w.v + i->dst, *even = const_cast<VRow *>(sourceRow(i, w, 0));
  if (!even || in.dst.kind != Operand::Kind::vgpr)
    return w.raise(i, FaultKind::illegalInstruction, "v_permlane_swap without VGPRs");
  const bool fetchInactive = in.opSel & 1, zeros = in.opSel & 2;
  const uint64_t exec = w.exec();
  const VRow x = *even, y = *odd;
  const auto put = [&](VRow &to, unsigned lane, const VRow &from, unsigned fromLane) {
    const bool have = fetchInactive || (exec >> fromLane & 1);
    if ((exec >> lane & 1) && (have || zeros))
      to.u[lane] = have ? from.u[fromLane] : 0;
  };
  for (unsigned n = 0; n < kWaveSize; ++n)
    if (!(n & Group)) {
      put(*even, n, y, n + Group);
      put(*odd, n + Group, x, n);
    }
  return following(i);
}

const ExecInst *move(const ExecInst *i, Wave &w) {
  const Operand &s = i->inst->src[0];
  VRow *d = const_cast<VRow *>(vectorOperand(w, i->inst->dst));
  if (!d)
    return w.raise(i, FaultKind::illegalInstruction, "v_accvgpr without a vector destination");
  if (const VRow *v = vectorOperand(w, s)) {
    writeRow(d->u, v->u, w.exec());
  } else {
    alignas(64) VRow row;
    fillRow(row.u, (uint32_t)scalarOperand(w, s, false));
    writeRow(d->u, row.u, w.exec());
  }
  return following(i);
}

/// Lanes below each lane, as seen by a mask that starts at lane `Base`.
template <unsigned Base> struct BelowMasks {
  alignas(32) uint32_t u[kWaveSize];
  constexpr BelowMasks() : u() {
    for (unsigned n = 0; n < kWaveSize; ++n)
      u[n] = n <= Base ? 0 : n - Base >= 32 ? ~0u : (1u << (n - Base)) - 1;
  }
};
template <unsigned Base> constexpr BelowMasks<Base> kBelow;

template <unsigned Base, class Sources> MELD_INLINE U32 mbcntChunk(const Sources &s, unsigned c) {
  return popcount(s.s0.low(c) & load(kBelow<Base>.u + 8 * c)) + s.s1.low(c);
}
template <unsigned Base> void rowMbcnt(RowCtx &ctx) {
  const RowSources<Sig<b32, b32, b32>> src(ctx);
  for (unsigned c = 0; c < kChunks; ++c)
    store(ctx.dst + 8 * c, mbcntChunk<Base>(src, c));
}
template <unsigned Base> const ExecInst *fastMbcnt(const ExecInst *i, Wave &w) {
  if (__builtin_expect(w.mode & Mode::gprIdxEn, 0))
    return slowValu(i, w);
  const FastSources<Sig<b32, b32, b32>, kAny> src(i, w);
  uint32_t *d = w.v[i->dst].u;
  uint64_t left = w.exec();
  for (unsigned c = 0; left; ++c, left >>= 8)
    store(d + 8 * c, select(maskOf((uint32_t)left), mbcntChunk<Base>(src, c), load(d + 8 * c)));
  return following(i);
}
template <unsigned Base> OpInfo mbcnt() {
  OpInfo info = infoOf<Sig<b32, b32, b32>>(0);
  info.row = rowMbcnt<Base>;
  info.fastMod = fastMbcnt<Base>;
  return info;
}

OpInfo special(Handler h, unsigned numSrc) {
  OpInfo info;
  info.special = h;
  info.numSrc = (uint8_t)numSrc;
  for (unsigned k = 0; k < numSrc; ++k)
    info.src[k] = b32;
  return info;
}

} // namespace

void addLaneAccess(OpTable &t) {
  t[Op::v_nop] = special(nop, 0);
  t[Op::v_clrexcp] = special(nop, 0); // exception flags are not modelled
  t[Op::v_readfirstlane_b32] = special(readFirstLane, 1);
  t[Op::v_readlane_b32] = special(readLane, 2);
  t[Op::v_writelane_b32] = special(writeLane, 2);
  t[Op::v_swap_b32] = special(swap, 1);
  t[Op::v_permlane16_b32] = special(permuteRows<false, false>, 3);
  t[Op::v_permlanex16_b32] = special(permuteRows<true, false>, 3);
  t[Op::v_permlane16_var_b32] = special(permuteRows<false, true>, 2);
  t[Op::v_permlanex16_var_b32] = special(permuteRows<true, true>, 2);
  t[Op::v_swap_b16] = special(swapHalves, 1);
  t[Op::v_permlane64_b32] = special(swapWaveHalves, 1);
  t[Op::v_permlane16_swap_b32] = special(swapGroups<16>, 1);
  t[Op::v_permlane32_swap_b32] = special(swapGroups<32>, 1);
  t[Op::v_pipeflush] = special(nop, 0);
  t[Op::v_accvgpr_read_b32] = special(move, 1);
  t[Op::v_accvgpr_write_b32] = special(move, 1);
  t[Op::v_accvgpr_mov_b32] = special(move, 1);
  t[Op::v_mbcnt_lo_u32_b32] = mbcnt<0>();
  t[Op::v_mbcnt_hi_u32_b32] = mbcnt<32>();
}

} // namespace meld::softgpu::valu
