// Text of SOP1, SOP2, SOPC, SOPK, SOPP and SMEM.
#include "runtime/softgpu/isa/print_common.h"

namespace meld::softgpu::isa {

namespace {

// s_waitcnt: vmcnt in bits 0..3 and 14..15, expcnt 4..6, lgkmcnt 8..11. Counters at their maximum
// do not wait.
void printWaitcnt(Text &t, unsigned imm) {
  unsigned vm = (imm & 15) | (imm >> 10 & 0x30), exp = imm >> 4 & 7, lgkm = imm >> 8 & 15;
  bool all = vm == 63 && exp == 7 && lgkm == 15;
  const char *space = "";
  auto item = [&](const char *name, unsigned value, unsigned max) {
    if (value == max && !all)
      return;
    t << space << name << "(" << int64_t(value) << ")";
    space = " ";
  };
  item("vmcnt", vm, 63);
  item("expcnt", exp, 7);
  item("lgkmcnt", lgkm, 15);
}

void printHwreg(Text &t, unsigned imm, Target target) {
  static constexpr std::string_view kNames[] = {
      "",       "MODE",   "STATUS", "TRAPSTS", "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS",
      "",       "",       "",       "",        "",      "",          "",          "SH_MEM_BASES",
      "TBA_LO", "TBA_HI", "TMA_LO", "TMA_HI"};
  // gfx942: which of its dies a wave runs on, and samples of a profiler.
  static constexpr std::string_view kMore[] = {"XCC_ID", "SQ_PERF_SNAPSHOT_DATA",
                                               "SQ_PERF_SNAPSHOT_DATA1", "SQ_PERF_SNAPSHOT_PC_LO",
                                               "SQ_PERF_SNAPSHOT_PC_HI"};
  unsigned id = imm & 63, offset = imm >> 6 & 31, width = (imm >> 11 & 31) + 1;
  t << "hwreg(";
  if (id < std::size(kNames) && !kNames[id].empty())
    t << "HW_REG_" << kNames[id];
  else if (traitsOf(target).scopes && id >= std::size(kNames) &&
           id < std::size(kNames) + std::size(kMore))
    t << "HW_REG_" << kMore[id - std::size(kNames)];
  else
    t << int64_t(id);
  if (offset != 0 || width != 32)
    t << ", " << int64_t(offset) << ", " << int64_t(width);
  t << ")";
}

// s_sendmsg: id in bits 0..3, operation 4..6, stream 8..9.
void printSendmsg(Text &t, unsigned imm) {
  static constexpr std::string_view kNames[16] = {"",
                                                  "INTERRUPT",
                                                  "GS",
                                                  "GS_DONE",
                                                  "SAVEWAVE",
                                                  "STALL_WAVE_GEN",
                                                  "HALT_WAVES",
                                                  "ORDERED_PS_DONE",
                                                  "EARLY_PRIM_DEALLOC",
                                                  "GS_ALLOC_REQ",
                                                  "GET_DOORBELL",
                                                  "",
                                                  "",
                                                  "",
                                                  "",
                                                  "SYSMSG"};
  static constexpr std::string_view kGs[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
                                             "GS_OP_EMIT_CUT"};
  static constexpr std::string_view kSys[] = {"", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
                                              "SYSMSG_OP_HOST_TRAP_ACK", "SYSMSG_OP_TTRACE_PC"};
  unsigned id = imm & 15, op = imm >> 4 & 7, stream = imm >> 8 & 3;
  bool gs = id == 2 || id == 3, sys = id == 15;
  bool opOk = gs ? op < 4 && !(id == 2 && op == 0) : sys ? op >= 1 && op <= 4 : op == 0;
  bool hasStream = gs && op != 0;
  if (!kNames[id].empty() && opOk && (hasStream || stream == 0)) {
    t << "sendmsg(MSG_" << kNames[id];
    if (gs || sys)
      t << ", " << (gs ? kGs[op] : kSys[op]);
    if (hasStream)
      t << ", " << int64_t(stream);
    t << ")";
  } else if ((imm & ~0x37fu) == 0) {
    t << "sendmsg(" << int64_t(id) << ", " << int64_t(op) << ", " << int64_t(stream) << ")";
  } else {
    t << int64_t(imm);
  }
}

void printGprIdx(Text &t, unsigned imm) {
  static constexpr std::string_view kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (imm > 15) {
    t.hex(imm);
    return;
  }
  t << "gpr_idx(";
  const char *comma = "";
  for (unsigned k = 0; k < 4; ++k)
    if (imm >> k & 1) {
      t << comma << kNames[k];
      comma = ",";
    }
  t << ")";
}

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
    else
      smallOrHex(t.next(), imm);
  }
}

void printSopk(Text &t, const Inst &inst, const OpInfo &row, Target target) {
  unsigned imm = unsigned(inst.simm) & 0xffff;
  switch (inst.op) {
  case Op::s_getreg_b32:
    printRegister(t.next(), inst.dst);
    printHwreg(t.next(), imm, target);
    return;
  case Op::s_setreg_b32:
    printHwreg(t.next(), imm, target);
    printRegister(t.next(), inst.src[0]);
    return;
  case Op::s_setreg_imm32_b32:
    printHwreg(t.next(), imm, target);
    printOperand(t.next(), inst.src[0], inst, ImmKind::i32);
    return;
  case Op::s_call_b64:
  case Op::s_cbranch_i_fork:
    printRegister(t.next(), inst.op == Op::s_call_b64 ? inst.dst : inst.src[0]);
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

void printSmem(Text &t, const Inst &inst, const OpInfo &row) {
  if (hasFlag(row, 'i'))
    smallOrHex(t.next(), unsigned(inst.offset1));
  else if (row.dst != Ty::none)
    printRegister(t.next(), hasFlag(row, 'd') ? inst.dst : inst.vdata);
  if (row.src[0] != Ty::none)
    printRegister(t.next(), inst.saddr);
  if (hasFlag(row, 'o')) {
    if (inst.soffset.kind != Operand::Kind::none) {
      printRegister(t.next(), inst.soffset);
      if (inst.offen) {
        t << " offset:";
        signedHex(t, inst.offset);
      }
    } else {
      signedHex(t.next(), inst.offset);
    }
  }
  t.flag(inst.glc, " glc");
}

} // namespace

void printScalar(Text &t, const Inst &inst, const OpInfo &row, Target target) {
  switch (inst.enc) {
  case Enc::SOPP:
    return printSopp(t, inst, row);
  case Enc::SOPK:
    return printSopk(t, inst, row, target);
  case Enc::SMEM:
    return printSmem(t, inst, row);
  default:
    break;
  }
  if (row.dst != Ty::none)
    printRegister(t.next(), inst.dst);
  for (unsigned k = 0; k < 2; ++k)
    if (row.src[k] != Ty::none)
      printOperand(t.next(), inst.src[k], inst, tyInfo(row.src[k]).imm);
  if (inst.op == Op::s_set_gpr_idx_on)
    printGprIdx(t.next(), unsigned(inst.simm));
}

} // namespace meld::softgpu::isa
