// Floats of the scalar unit (GFX12; "RDNA4" ISA, SOP1, SOP2, SOPC with floats) and the vector
// unit's functions of scalars (v_s_*): what the vector ALU has for a lane, done for one. MODE's
// rounding and denormal fields hold for them, too. Results of 16 bits have zeros above. No SCC is
// written but by comparisons.
//
// Example: s_fmac_f32 s0, s1, s2 is v_fma_f32 of s1, s2 and the old s0.
#include "runtime/softgpu/valu/lanes.h"
#include "runtime/softgpu/valu/slow.h"

namespace meld::softgpu {

namespace valu {
namespace {

using isa::Inst;
using isa::Op;

/// The vector operation that does the same, or none.
Op vectorOf(Op op) {
  switch (op) {
#define SAME(name)                                                                                 \
  case Op::s_##name:                                                                               \
    return Op::v_##name;
    SAME(add_f32)
    SAME(sub_f32)
    SAME(mul_f32)
    SAME(min_num_f32)
    SAME(max_num_f32)
    SAME(minimum_f32)
    SAME(maximum_f32)
    SAME(add_f16)
    SAME(sub_f16)
    SAME(mul_f16)
    SAME(min_num_f16)
    SAME(max_num_f16)
    SAME(minimum_f16)
    SAME(maximum_f16)
    SAME(ceil_f32)
    SAME(floor_f32)
    SAME(trunc_f32)
    SAME(rndne_f32)
    SAME(ceil_f16)
    SAME(floor_f16)
    SAME(trunc_f16)
    SAME(rndne_f16)
    SAME(cvt_f32_i32)
    SAME(cvt_f32_u32)
    SAME(cvt_i32_f32)
    SAME(cvt_u32_f32)
    SAME(cvt_f16_f32)
    SAME(cvt_f32_f16)
#define COMPARISONS(type)                                                                          \
  SAME(cmp_lt_##type)                                                                              \
  SAME(cmp_eq_##type)                                                                              \
  SAME(cmp_le_##type)                                                                              \
  SAME(cmp_gt_##type)                                                                              \
  SAME(cmp_lg_##type)                                                                              \
  SAME(cmp_ge_##type)                                                                              \
  SAME(cmp_o_##type)                                                                               \
  SAME(cmp_u_##type)                                                                               \
  SAME(cmp_nge_##type)                                                                             \
  SAME(cmp_nlg_##type)                                                                             \
  SAME(cmp_ngt_##type)                                                                             \
  SAME(cmp_nle_##type)                                                                             \
  SAME(cmp_neq_##type)                                                                             \
  SAME(cmp_nlt_##type)
    COMPARISONS(f32)
    COMPARISONS(f16)
#undef COMPARISONS
#undef SAME
  case Op::s_fmac_f32:
  case Op::s_fmaak_f32:
  case Op::s_fmamk_f32:
    return Op::v_fma_f32;
  case Op::s_fmac_f16:
    return Op::v_fma_f16;
  case Op::s_cvt_hi_f32_f16:
    return Op::v_cvt_f32_f16;
  case Op::s_cvt_pk_rtz_f16_f32:
    return Op::v_cvt_pkrtz_f16_f32;
  case Op::v_s_exp_f32:
    return Op::v_exp_f32;
  case Op::v_s_exp_f16:
    return Op::v_exp_f16;
  case Op::v_s_log_f32:
    return Op::v_log_f32;
  case Op::v_s_log_f16:
    return Op::v_log_f16;
  case Op::v_s_rcp_f32:
    return Op::v_rcp_f32;
  case Op::v_s_rcp_f16:
    return Op::v_rcp_f16;
  case Op::v_s_rsq_f32:
    return Op::v_rsq_f32;
  case Op::v_s_rsq_f16:
    return Op::v_rsq_f16;
  case Op::v_s_sqrt_f32:
    return Op::v_sqrt_f32;
  case Op::v_s_sqrt_f16:
    return Op::v_sqrt_f16;
  default:
    return Op::invalid;
  }
}

/// A source in all lanes, with what is done to sources.
void fillSource(uint32_t *row, const Wave &w, const Inst &in, unsigned k, Ty type, bool flushes) {
  uint32_t x = (uint32_t)scalarOperand(w, in.src[k], false);
  if (in.op == Op::s_cvt_hi_f32_f16)
    x >>= 16;
  if (is16(type))
    x &= 0xffff;
  fillRow(row, x);
  if (isFloat(type) && ((in.neg | in.abs) >> k & 1))
    negAbs(row, type, in.neg >> k & 1, in.abs >> k & 1);
  if (flushes && flushesInput(type, w.mode))
    flushRow(row, type);
}

/// `aux` has the vector operation. All lanes compute the same, one is kept.
const ExecInst *runScalarFloat(const ExecInst *i, Wave &w) {
  const Inst &in = *i->inst;
  const OpInfo &info = opTable()[Op(i->aux)];
  alignas(64) uint32_t sources[3][kWaveSize], out[kWaveSize];
  RowCtx ctx;
  ctx.exec = 1;
  ctx.mode = w.mode;
  ctx.inst = &in;
  ctx.dst = out;
  const bool flushes = !(info.flags & kNoFlush);
  for (unsigned k = 0; k < info.numSrc; ++k) {
    fillSource(sources[k], w, in, k, info.src[k], flushes);
    ctx.src[k] = sources[k];
  }
  callRow(info.row, ctx, info.flags & kNearest ? 0 : roundingOf(info.dst, w.mode));
  if (info.flags & kCompare) {
    w.scc = ctx.maskOut & 1;
    return following(i);
  }
  if (isFloat(info.dst))
    finishFloats(out, Op(i->aux), info, ctx, true);
  w.s[i->dst] = is16(info.dst) ? out[0] & 0xffff : out[0];
  return following(i);
}

} // namespace
} // namespace valu

bool prepareScalarFloat(ExecInst &e) {
  const isa::Inst &in = *e.inst;
  const isa::Op vector = valu::vectorOf(in.op);
  if (vector == isa::Op::invalid || !valu::opTable()[vector].row)
    return false;
  const bool result = in.dst.kind == isa::Operand::Kind::sgpr;
  e.dst = result ? in.dst.index : uint16_t(isa::Sgpr::sink);
  if (isa::traitsOf(in.target).waveSize < kWaveSize && e.dst == isa::Sgpr::exec + 1)
    e.dst = isa::Sgpr::sink; // nobody turns the lanes on that the wave lacks
  e.aux = uint64_t(vector);
  e.run = valu::runScalarFloat;
  return true;
}

} // namespace meld::softgpu
