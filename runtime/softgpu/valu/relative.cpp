// VGPRs whose number M0 changes: the mode of GFX9 and the moves of GFX10. "RDNA 2" ISA, VOP1,
// V_MOVREL*, V_SWAPREL.
#include "runtime/softgpu/valu/fast.h"
#include "runtime/softgpu/valu/slow.h"

namespace meld::softgpu::valu {

using isa::Inst;
using isa::Op;
using isa::Operand;
using enum Ty;

namespace {

constexpr int32_t lowField(uint32_t m0) { return int32_t(m0 & 0x3ff); }
constexpr int32_t highField(uint32_t m0) { return int32_t(m0 >> 16 & 0x3ff); }

bool inFile(const Wave &w, const Operand &o, int offset) {
  return uint32_t(o.index) + uint32_t(offset) < w.numVgprs;
}

const ExecInst *swapRelative(const ExecInst *i, Wave &w) {
  const Inst &in = *i->inst;
  const Operand &from = in.src[0];
  const int d = highField(w.m0()), s = lowField(w.m0());
  if (from.kind != Operand::Kind::vgpr || in.dst.kind != Operand::Kind::vgpr)
    return w.raise(i, FaultKind::illegalInstruction, "v_swaprel_b32 without two VGPRs");
  if (!inFile(w, in.dst, d))
    return following(i);
  VRow &a = w.v[in.dst.index + d], &b = w.v[inFile(w, from, s) ? from.index + s : 0];
  alignas(64) VRow old;
  copyRow(old.u, a.u);
  writeRow(a.u, b.u, w.exec());
  writeRow(b.u, old.u, w.exec());
  return following(i);
}

} // namespace

void RelativeIndex::setMode(const Wave &w) {
  srcOffset_ = dstOffset_ = int(w.m0() & 0xff);
  enables_ = w.m0() >> 12 & 15;
}

void RelativeIndex::setMove(const Wave &w, const Inst &in) {
  const bool fields = in.op == Op::v_movrelsd_2_b32;
  srcOffset_ = fields ? lowField(w.m0()) : int(w.m0());
  dstOffset_ = fields ? highField(w.m0()) : int(w.m0());
  enables_ = in.op == Op::v_movrels_b32 ? 1 : in.op == Op::v_movreld_b32 ? 8 : 9;
  if ((enables_ & 1) && !inFile(w, in.src[0], srcOffset_))
    srcOffset_ = -int(in.src[0].index);
  outOfRange_ = (enables_ & 8) && !inFile(w, in.dst, dstOffset_);
}

void addRelative(OpTable &t) {
  OpInfo move = t[Op::v_mov_b32];
  move.flags |= kRelative;
  for (Op op : {Op::v_movrels_b32, Op::v_movreld_b32, Op::v_movrelsd_b32, Op::v_movrelsd_2_b32})
    t[op] = move;
  OpInfo swap = infoOf<Sig<none, b32>>(0);
  swap.special = swapRelative;
  t[Op::v_swaprel_b32] = swap;
}

} // namespace meld::softgpu::valu
