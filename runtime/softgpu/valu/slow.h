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
/// Source lane of lane n: -1 out of range, -2 reserved control.
int dppSource(unsigned ctrl, int n);
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
/// Calls `fn` with the host's rounding set to MODE's (0 nearest, 1 up, 2 down, 3 zero), denormals
/// on.
void callRow(RowFn fn, RowCtx &ctx, unsigned rounding);
unsigned roundingOf(Ty dst, uint32_t mode);

/// s_set_gpr_idx: M0[7:0] is added to the VGPR numbers that M0[15:12] selects (src0, src1, src2,
/// dst).
struct RelativeIndex {
  explicit RelativeIndex(const Wave &w);
  int src(unsigned k) const { return enables >> k & 1 ? offset : 0; }
  int dst() const { return enables >> 3 & 1 ? offset : 0; }
  int offset = 0;
  unsigned enables = 0;
};

} // namespace meld::softgpu::valu
