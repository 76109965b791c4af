// Pieces of the general way shared by the handlers that do everything themselves (packed, mix, lane
// access).
#pragma once

#include "runtime/softgpu/valu/op_info.h"

namespace meld::softgpu::valu {

/// Value of a non-vector operand.
uint64_t scalarOperand(const Wave &w, const isa::Operand &o, bool wide);
/// First row of a vector operand, null for anything else.
const VRow *vectorOperand(const Wave &w, const isa::Operand &o, int relative = 0);
void fillRow(uint32_t *row, uint32_t value);
void copyRow(uint32_t *to, const uint32_t *from);
void writeRow(uint32_t *to, const uint32_t *from, uint64_t lanes);
inline bool usesDpp(const isa::Inst &in) { return in.dpp || in.dpp8; }
/// Source lane of lane n: -1 out of range, -2 reserved control.
int dppSource(const isa::Inst &in, int n);
uint64_t dppEnabled(const isa::Inst &in, uint64_t exec);
/// Row of source 0 seen through DPP; lanes without a valid, active source are 0.
void dppGather(uint32_t *to, const uint32_t *from, const isa::Inst &in, uint64_t exec);
/// Denormals to zero, for f32, f16 and (two rows) f64.
void flushRow(uint32_t *row, Ty t);
inline bool flushesInput(Ty t, uint32_t mode) {
  return t == Ty::f32 ? !(mode & 0x10) : (t == Ty::f64 || t == Ty::f16) && !(mode & 0x40);
}
inline bool flushesOutput(Ty t, uint32_t mode) {
  return t == Ty::f32 ? !(mode & 0x20) : (t == Ty::f64 || t == Ty::f16) && !(mode & 0x80);
}
/// omod and clamp of a float row; `t` is f32, f16 or f64.
void outputModifiers(uint32_t *row, Ty t, unsigned omod, bool clamp, uint32_t mode);
/// Whether MODE.FP16_OVFL has the largest number in place of f16 results that are too large.
inline bool limitsHalves(Ty dst, uint32_t mode) { return dst == Ty::f16 && mode & Mode::fp16Ovfl; }
/// Does that for the results `row` of an operation: infinity is left where an operand was infinite
/// or a division was by 0 (LLVM's "User Guide for AMDGPU Backend", FP16_OVFL of compute_pgm_rsrc1).
void limitHalves(uint32_t *row, isa::Op op, const OpInfo &info, const RowCtx &ctx);
/// The same for one result of an operation on a number, or on what is `infinite`, whose destination
/// is no f16 for limitHalves: two of them, or bits.
inline uint32_t limitedHalf(uint32_t half, bool infinite, uint32_t mode) {
  return limitsHalves(Ty::f16, mode) && !infinite && (half & 0x7fff) == 0x7c00 ? half - 1 : half;
}
/// Signs of a row of floats (or of 32 bits that have one), the absolute value first.
void negAbs(uint32_t *row, Ty t, bool neg, bool abs);
/// All that is done to the float results of operation `op`; omod and clamp where `modified` says so.
void finishFloats(uint32_t *row, isa::Op op, const OpInfo &info, const RowCtx &ctx, bool modified);
/// Calls `fn` with the host's rounding set to MODE's (0 nearest, 1 up, 2 down, 3 zero), denormals
/// on.
void callRow(RowFn fn, RowCtx &ctx, unsigned rounding);
/// The same for anything, to nearest.
template <class F> void callToNearest(F f) {
  struct Call : RowCtx {
    F *f;
  } call;
  call.f = &f;
  callRow([](RowCtx &ctx) { (*static_cast<Call &>(ctx).f)(); }, call, 0);
}
unsigned roundingOf(Ty dst, uint32_t mode);

/// What M0 adds to VGPR numbers.
///   GFX9   while s_set_gpr_idx is on: M0[7:0], to those that M0[15:12] selects (src0, src1, src2,
///          dst)
///   GFX10  v_movrel*: all of M0, or M0[9:0] to the source and M0[25:16] to the destination. A
///          source that the wave does not have is its first VGPR, and such a destination nothing
///          ("RDNA 2" ISA, "Out-of-Range behavior").
class RelativeIndex {
public:
  RelativeIndex(const Wave &w, const isa::Inst &in) {
    if (__builtin_expect(w.mode & Mode::gprIdxEn, 0))
      setMode(w);
    else if (opTable()[in.op].flags & kRelative)
      setMove(w, in);
  }
  int src(unsigned k) const { return enables_ >> k & 1 ? srcOffset_ : 0; }
  int dst() const { return enables_ >> 3 & 1 ? dstOffset_ : 0; }
  bool dstOutOfRange() const { return outOfRange_; }

private:
  void setMode(const Wave &w);
  void setMove(const Wave &w, const isa::Inst &in);

  int srcOffset_ = 0, dstOffset_ = 0;
  unsigned enables_ = 0;
  bool outOfRange_ = false;
};

} // namespace meld::softgpu::valu
