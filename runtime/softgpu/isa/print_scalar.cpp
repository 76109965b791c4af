// Text of SOP1, SOP2, SOPC, SOPK, SOPP and SMEM.
#include "runtime/softgpu/isa/print_common.h"

#include <algorithm>

namespace meld::softgpu::isa {

namespace {

void smallOrHex(Text &t, unsigned value) {
  if (value <= 64)
    t << int64_t(value);
  else
    t.hex(value);
}

void printSopp(Text &t, const Inst &inst, const OpInfo &row) {
  unsigned imm = unsigned(inst.simm) & 0xffff;
  if (!hasFlag(row, 'i'))
    return;
  switch (inst.op) {
  case Op::s_endpgm:
    if (imm)
      t.next() << int64_t(imm);
    break;
  case Op::s_waitcnt:
    printWaitcnt(t.next(), imm);
    break;
  case Op::s_waitcnt_depctr:
    printDepctr(t.next(), imm);
    break;
  case Op::s_inst_prefetch:
  case Op::s_clause:
  case Op::s_wait_event:
  case Op::s_round_mode:
  case Op::s_ttracedata_imm:
    t.next().hex(imm);
    break;
  case Op::s_delay_alu:
    printDelay(t.next(), imm);
    break;
  case Op::s_sendmsg:
  case Op::s_sendmsghalt:
    printSendmsg(t.next(), imm);
    break;
  case Op::s_set_gpr_idx_mode:
    printGprIdx(t.next(), imm);
    break;
  default:
    if (branchOf(inst.op).exists())
      t.next() << int64_t(unsigned(inst.simm / 4) & 0xffff);
    else if (isCounterWait(inst.op))
      t.next().hex(imm);
    else
      smallOrHex(t.next(), imm);
  }
}

void printSopk(Text &t, const Inst &inst, const OpInfo &row) {
  unsigned imm = unsigned(inst.simm) & 0xffff;
  switch (inst.op) {
  case Op::s_getreg_b32:
    printRegister(t.next(), inst.dst);
    printHwreg(t.next(), imm);
    return;
  case Op::s_setreg_b32:
    printHwreg(t.next(), imm);
    printRegister(t.next(), inst.src[0]);
    return;
  case Op::s_setreg_imm32_b32:
    printHwreg(t.next(), imm);
    printOperand(t.next(), inst.src[0], inst, ImmKind::i32);
    return;
  case Op::s_version:
    if (t.gfx12())
      printVersion(t.next(), imm);
    else
      t.next().hex(imm);
    return;
  case Op::s_call_b64:
  case Op::s_cbranch_i_fork:
  case Op::s_subvector_loop_begin:
  case Op::s_subvector_loop_end:
    printRegister(t.next(), inst.op == Op::s_cbranch_i_fork ? inst.src[0] : inst.dst);
    t.next() << int64_t(unsigned(inst.simm / 4) & 0xffff);
    return;
  default:
    printRegister(t.next(), row.dst != Ty::none ? inst.dst : inst.src[0]);
    t.next().hex(imm);
  }
}

void signedHex(Text &t, int64_t value) {
  if (value < 0)
    t << "-";
  t.hex(uint64_t(value < 0 ? -value : value));
}

/// GFX12: an offset that is there alone stands in place of the register, beside one it is always shown.
void printSmem12(Text &t, const Inst &inst, const OpInfo &row) {
  const bool prefetch = hasFlag(row, 'p'), scalar = inst.soffset.kind != Operand::Kind::none;
  if (hasFlag(row, 'i') && !prefetch)
    smallOrHex(t.next(), unsigned(inst.offset1));
  else if (row.dst != Ty::none)
    printRegister(t.next(), inst.dst);
  if (row.src[0] != Ty::none)
    printRegister(t.next(), inst.saddr);
  if (!hasFlag(row, 'o'))
    return;
  if (scalar && !prefetch) {
    printRegister(t.next(), inst.soffset);
    t << " offset:";
    signedHex(t, inst.offset);
  } else {
    signedHex(t.next(), inst.offset);
  }
  if (prefetch) {
    if (scalar)
      printRegister(t.next(), inst.soffset);
    else
      t.next() << "null";
    smallOrHex(t.next(), unsigned(inst.offset1));
  } else if (!hasFlag(row, 'i')) {
    printPolicy(t, inst, row);
  }
}

void printSmem(Text &t, const Inst &inst, const OpInfo &row) {
  if (t.gfx12())
    return printSmem12(t, inst, row);
  if (hasFlag(row, 'i'))
    smallOrHex(t.next(), unsigned(inst.offset1));
  else if (row.dst != Ty::none)
    printRegister(t.next(), hasFlag(row, 'd') ? inst.dst : inst.vdata);
  if (row.src[0] != Ty::none)
    printRegister(t.next(), inst.saddr);
  if (hasFlag(row, 'o')) {
    // GFX10 has both; LLVM shows one that is there alone as GFX9's assembly does, and null for none.
    if (inst.soffset.kind != Operand::Kind::none) {
      printRegister(t.next(), inst.soffset);
      if (inst.offen && (inst.offset || !t.gfx10())) {
        t << " offset:";
        signedHex(t, inst.offset);
      }
    } else {
      if (t.gfx10() && !inst.offset)
        t.next() << "null";
      else
        signedHex(t.next(), inst.offset);
    }
  }
  t.flag(inst.glc, " glc").flag(inst.dlc, " dlc");
}

} // namespace

void printScalar(Text &t, const Inst &inst, const OpInfo &row) {
  switch (inst.enc) {
  case Enc::SOPP:
    return printSopp(t, inst, row);
  case Enc::SOPK:
    return printSopk(t, inst, row);
  case Enc::SMEM:
    return printSmem(t, inst, row);
  default:
    break;
  }
  if (row.dst != Ty::none)
    printRegister(t.next(), inst.dst);
  // Of an f16 literal with more than a half there is no name; two operands are shown as halves.
  const auto kindOf = [&](unsigned k) {
    const ImmKind kind = tyInfo(row.src[std::min(k, 1u)]).imm;
    return kind == ImmKind::f16 && inst.src[k].encoded == 255 && inst.literalValue >> 16
               ? (inst.enc == Enc::SOP2 ? ImmKind::i16 : ImmKind::i32)
               : kind;
  };
  const bool middle = inst.op == Op::s_fmamk_f32, last = inst.op == Op::s_fmaak_f32;
  for (unsigned k = 0; k < (middle || last ? 3 : 2); ++k)
    if (k == (middle ? 1u : last ? 2u : 3u))
      t.next().hex(inst.literalValue);
    else if (row.src[std::min(k, 1u)] != Ty::none)
      printOperand(t.next(), inst.src[k], inst, kindOf(k));
  if (sendsForResult(inst.op))
    printSendmsg(t.next(), unsigned(inst.simm));
  if (inst.op == Op::s_set_gpr_idx_on)
    printGprIdx(t.next(), unsigned(inst.simm));
}

} // namespace meld::softgpu::isa
