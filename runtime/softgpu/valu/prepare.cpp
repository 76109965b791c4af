// Chooses the handler of a vector ALU instruction.
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/valu/dual.h"
#include "runtime/softgpu/valu/op_info.h"

namespace meld::softgpu {

namespace valu {

const OpTable &opTable() {
  static const OpTable &table = []() -> OpTable & {
    static OpTable t;
    addInteger32(t);
    addInteger32Ternary(t);
    addInteger16(t);
    addInteger64(t);
    addFloat32(t);
    addFloat64(t);
    addFloat16(t);
    addMinima(t);
    addConversions(t);
    addFloat8(t);
    addScaledConversions(t);
    addScaledVectors(t);
    addTranscendentals(t);
    addDivision(t);
    addCompareInt(t);
    addCompareFloat(t);
    addMedia(t);
    addLaneAccess(t);
    addRelative(t);
    addPacked(t);
    addDot(t);
    addMatrix(t);
    addFormatMatrix(t);
    addWaveMatrix(t);
    addWaveMatrix12(t);
    return t;
  }();
  return table;
}

namespace {

/// Modifiers that an operation with kPlain would ignore.
bool hasUnknownModifiers(const isa::Inst &in, const OpInfo &info) {
  unsigned floats = 0;
  for (unsigned k = 0; k < info.numSrc; ++k)
    floats |= unsigned(isFloat(info.src[k])) << k;
  const bool signs = (in.neg | in.abs) & ~floats;
  return in.omod || in.clamp || (signs && !hasSignsOfHalves(in));
}

} // namespace
} // namespace valu

bool prepareValu(ExecInst &e, isa::Target target) {
  using isa::Enc;
  using isa::Operand;
  using namespace valu;
  const isa::Inst &in = *e.inst;
  if (in.enc == Enc::VOPD)
    return prepareDual(e, target);
  if (static_cast<unsigned>(in.op) >= static_cast<unsigned>(isa::Op::count))
    return false;
  if (prepareScalarFloat(e)) // v_s_*
    return true;
  const OpInfo &info = opTable()[in.op];
  const bool gfx12 = isa::traitsOf(target).generation >= 12;
  const Handler special = gfx12 && info.special12 ? info.special12 : info.special;
  if ((!info.row && !special) || (in.blgp && (info.flags & kNoBlgp)))
    return false;
  if ((info.flags & kPlain) && hasUnknownModifiers(in, info))
    return false;

  e.dst = in.dst.kind == Operand::Kind::none ? uint16_t(isa::Sgpr::vcc) : in.dst.index;
  e.sdst = in.sdst.kind == Operand::Kind::sgpr ? in.sdst.index : uint16_t(isa::Sgpr::vcc);
  const isa::TargetTraits traits = isa::traitsOf(target);
  const bool gfx10 = traits.generation >= 10;
  if (gfx10 && (info.flags & kCompareX))
    e.dst = isa::Sgpr::exec;         // and nothing else
  if (traits.waveSize < kWaveSize) { // nobody turns the lanes on that the wave lacks
    if (in.dst.kind == Operand::Kind::sgpr && e.dst == isa::Sgpr::exec + 1)
      e.dst = isa::Sgpr::sink;
    if (e.sdst == isa::Sgpr::exec + 1)
      e.sdst = isa::Sgpr::sink;
  }
  const bool isMatrix = isa::valuRate(in.op) == isa::ValuRate::mfma;
  e.flags = (isMatrix ? traits.halvesFlush : traits.dotFlushes) ? kFlushes : 0;
  if (isMatrix && traits.scopes)
    e.flags |= kNegatesDoubles;
  // Since GFX10 all of them do (LLVM, GCNSubtarget::zeroesHigh16BitsOfDest).
  const bool clears = traits.generation == 10 && (info.flags & kClearHigh10);
  const bool keepsHigh = is16(info.dst) && !clears && (gfx10 || (info.flags & kPreserveHigh));
  if (keepsHigh)
    e.flags |= kKeepsHigh;
  unsigned kinds = 0;
  bool simple = true;
  for (unsigned k = 0; k < 3; ++k) {
    e.src[k] = kImmSlot;
    e.imm[k] = 0;
    if (k >= info.numSrc)
      continue;
    const bool old = (info.flags & kAccumulate) && k + 1u == info.numSrc;
    const Operand &o = old ? in.dst : in.src[k];
    switch (o.kind) {
    case Operand::Kind::vgpr:
      e.src[k] = o.index;
      e.flags |= srcVgpr0 << k;
      kinds |= 1u << k;
      break;
    case Operand::Kind::sgpr:
      e.src[k] = o.index;
      break;
    case Operand::Kind::imm:
      e.imm[k] = o.value;
      break;
    case Operand::Kind::none:
      if (info.src[k] == Ty::mask)
        e.src[k] = isa::Sgpr::vcc;
      else
        simple = false;
      break;
    default:
      simple = false;
      break;
    }
  }

  const bool negAbs = in.neg || in.abs;
  const bool other = in.omod || in.clamp || in.opSel || in.sdwa || in.dpp || in.dpp8;
  if (negAbs || other)
    e.flags |= hasModifiers;
  if (special) {
    const bool fast = info.fastMod && simple && !in.clamp && !in.dpp && !in.dpp8 &&
                      in.dst.kind == Operand::Kind::vgpr;
    e.run = fast ? info.fastMod : special;
    return true;
  }
  const bool vdst = in.dst.kind == Operand::Kind::vgpr || (info.flags & kCompare);
  simple = simple && vdst && !other && !(info.flags & kRelative);
  const Handler fastMod = keepsHigh ? info.fastKeep : info.fastMod;
  e.run = slowValu;
  if (simple && !negAbs && !keepsHigh && info.fast[kinds & 7]) {
    e.run = info.fast[kinds & 7];
    e.flags |= chains;
  } else if (simple && fastMod) {
    e.run = fastMod;
  }
  return true;
}

} // namespace meld::softgpu
