// Instructions that cross lanes or files by themselves: v_readlane, v_writelane, v_readfirstlane, v_mbcnt,
// v_swap, v_nop, the accumulation registers. "Vega" ISA manual, chapters 12.8 and 12.10.
#include "runtime/softgpu/cu/valu/fast.h"
#include "runtime/softgpu/cu/valu/slow.h"

namespace meld::softgpu::valu {

using isa::Op;
using isa::Operand;
using enum Ty;

namespace {

const VRow *sourceRow(const ExecInst *i, const Wave &w, unsigned k) {
  return vectorOperand(w, i->inst->src[k], RelativeIndex(w).src(k));
}

const ExecInst *readFirstLane(const ExecInst *i, Wave &w) {
  const uint64_t exec = w.exec();
  const unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
  const VRow *v = sourceRow(i, w, 0);
  w.s[i->dst] = v ? v->u[lane] : (uint32_t)scalarOperand(w, i->inst->src[0], false);
  return following(i);
}
const ExecInst *readLane(const ExecInst *i, Wave &w) {
  const unsigned lane = (unsigned)scalarOperand(w, i->inst->src[1], false) & 63;
  const VRow *v = sourceRow(i, w, 0);
  w.s[i->dst] = v ? v->u[lane] : (uint32_t)scalarOperand(w, i->inst->src[0], false);
  return following(i);
}
const ExecInst *writeLane(const ExecInst *i, Wave &w) {
  const unsigned lane = (unsigned)scalarOperand(w, i->inst->src[1], false) & 63;
  w.v[i->dst + RelativeIndex(w).dst()].u[lane] = (uint32_t)scalarOperand(w, i->inst->src[0], false);
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

/// Counts the bits of src0 below the lane's own; `Base` is the first lane src0 speaks of.
template <unsigned Base> void rowMbcnt(RowCtx &ctx) {
  for (unsigned n = 0; n < kWaveSize; ++n) {
    const unsigned below = n <= Base ? 0 : n - Base >= 32 ? 32 : n - Base;
    const uint32_t m = below == 32 ? ~0u : (1u << below) - 1;
    ctx.dst[n] = (uint32_t)__builtin_popcount(ctx.src[0][n] & m) + ctx.src[1][n];
  }
}
template <unsigned Base> const ExecInst *fastMbcnt(const ExecInst *i, Wave &w) {
  if (__builtin_expect(w.mode & Mode::gprIdxEn, 0))
    return slowValu(i, w);
  // A scalar mask: popcount of a prefix per lane.
  const uint32_t bits = (uint32_t)scalarOf(i, w, 0, false);
  const AnySource<b32> base(i, w, 1);
  uint64_t left = w.exec();
  uint32_t *d = w.v[i->dst].u;
  alignas(32) uint32_t counts[64];
  uint32_t sum = 0;
  for (unsigned n = 0; n < kWaveSize; ++n) {
    counts[n] = sum;
    if (n >= Base && n < Base + 32)
      sum += bits >> (n - Base) & 1;
  }
  for (unsigned c = 0; left; ++c, left >>= 8) {
    const U32 m = maskOf((uint32_t)left);
    store(d + 8 * c, select(m, load(counts + 8 * c) + base.low(c), load(d + 8 * c)));
  }
  return following(i);
}
template <unsigned Base> OpInfo mbcnt() {
  OpInfo info = infoOf<Sig<b32, b32, b32>>(0);
  info.row = rowMbcnt<Base>;
  info.fast[0] = fastMbcnt<Base>;
  info.fast[2] = fastMbcnt<Base>;
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
  t[Op::v_accvgpr_read_b32] = special(move, 1);
  t[Op::v_accvgpr_write_b32] = special(move, 1);
  t[Op::v_accvgpr_mov_b32] = special(move, 1);
  t[Op::v_mbcnt_lo_u32_b32] = mbcnt<0>();
  t[Op::v_mbcnt_hi_u32_b32] = mbcnt<32>();
}

} // namespace meld::softgpu::valu
