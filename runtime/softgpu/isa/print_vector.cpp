// Text of VOP1, VOP2, VOPC, VOP3, VOP3P with modifiers, SDWA and DPP.
#include "runtime/softgpu/isa/names.h"
#include "runtime/softgpu/isa/print_common.h"

namespace meld::softgpu::isa {

namespace {

bool only32(Op op, Target target) {
  switch (op) {
  case Op::v_nop:
  case Op::v_clrexcp:
  case Op::v_madmk_f32:
  case Op::v_madak_f32:
  case Op::v_madmk_f16:
  case Op::v_madak_f16:
  case Op::v_fmamk_f32:
  case Op::v_fmaak_f32:
  case Op::v_fmamk_f16:
  case Op::v_fmaak_f16:
  case Op::v_pipeflush:
  case Op::v_readfirstlane_b32:
  case Op::v_swap_b32:
  case Op::v_swaprel_b32:
  case Op::v_accvgpr_mov_b32:
  case Op::v_permlane64_b32:
  case Op::v_swap_b16:
    return true;
  case Op::v_pk_fmac_f16: // a VOP3P instruction in a 32-bit encoding
    return traitsOf(target).generation >= 10;
  case Op::v_dot2c_f32_f16:
    return traitsOf(target).generation >= 11;
  default:
    return false;
  }
}

/// A packed literal of GFX10 has both halves.
bool longPacked(Ty ty, const Operand &o, const Inst &inst) {
  return (ty == Ty::pkf16 || ty == Ty::pki16) && o.encoded == 255 && inst.literalValue >> 16;
}

/// Suffix of a 16-bit operand of a 32-bit encoding of GFX11; the low half goes without saying.
std::string_view halfOf(const Inst &inst, unsigned bit) {
  const bool wide = inst.enc == Enc::VOP3 || inst.enc == Enc::VOP3P || inst.enc == Enc::VOP3PX;
  return !wide && (inst.opSel >> bit & 1) ? ".h" : "";
}

void printSource(Text &t, const Inst &inst, const OpInfo &row, unsigned k) {
  const Operand &o = inst.src[k];
  ImmKind kind = tyInfo(row.src[k]).imm;
  bool packedNeg = inst.enc == Enc::VOP3P && row.src[k] != Ty::mix; // printed as neg_lo, neg_hi
  bool neg = !packedNeg && (inst.neg >> k & 1), abs = !packedNeg && (inst.abs >> k & 1);
  bool negCall = neg && !abs && o.kind == Operand::Kind::imm && o.encoded != Sgpr::null;
  bool sext = inst.sdwaSext >> k & 1;
  if (neg && k >= 1 && inst.op != Op::v_cndmask_b32 &&
      (row.src[k] == Ty::i32 ||
       (inst.op == Op::v_ldexp_f16 && !t.gfx12()))) { // LLVM's name for the bit here
    sext = true;
    neg = negCall = false;
  }
  // A scalar f16 literal with bits above the half has no name, even if the half alone would.
  if (kind == ImmKind::f16 && (row.src[k] == Ty::f16 || row.src[k] == Ty::mix) &&
      o.encoded == 255 && inst.literalValue >> 16)
    kind = ImmKind::i16;
  if ((inst.op == Op::v_madmk_f16 || inst.op == Op::v_fmamk_f16) && k == 0 && o.encoded == 255 &&
      !t.gfx12())
    kind = ImmKind::i32;
  if (row.src[k] == Ty::mix && !(inst.opSelHi >> k & 1) && o.encoded != 255)
    kind = ImmKind::i32;
  // Their second operand is an integer, which LLVM thinks has 32 bits.
  const bool integer = inst.op == Op::v_ldexp_f16 || inst.op == Op::v_cmp_class_f16 ||
                       inst.op == Op::v_cmpx_class_f16;
  if (integer && k == 1 && o.encoded == 255)
    kind = ImmKind::i32;
  if (t.gfx10() && (longPacked(row.src[k], o, inst) || (t.gfx12() && row.src[k] == Ty::pki16)))
    kind = ImmKind::i32;
  // Of a packed literal with something in the upper half there is no name.
  if (row.src[k] == Ty::pkbf16 && o.encoded == 255 && inst.literalValue >> 16) {
    t.hex(inst.literalValue);
    return;
  }
  if (row.src[k] == Ty::bf16 && o.encoded == 255 && inst.literalValue >> 16)
    kind = ImmKind::i32;
  t.flag(sext, "sext(").flag(neg, negCall ? "neg(" : "-").flag(abs, "|");
  if (o.encoded == 255 && (isMadmk(inst.op) || isMadak(inst.op)) &&
      k == (isMadmk(inst.op) ? 1u : 2u))
    t.hex(inst.literalValue);
  else
    printOperand(t, o, inst, kind);
  t << halfOf(inst, k);
  t.flag(abs, "|").flag(negCall || sext, ")");
}

void bitList(Text &t, std::string_view name, unsigned bits, unsigned count) {
  t << " " << name << ":[";
  for (unsigned k = 0; k < count; ++k)
    t << (k ? "," : "") << int64_t(bits >> k & 1);
  t << "]";
}

void printTruth(Text &t, unsigned table) {
  t << " bitop3:";
  if (table <= 10)
    t << int64_t(table);
  else
    t.hex(table);
}

void printOutput(Text &t, const Inst &inst) {
  static constexpr std::string_view kOmod[] = {"", " mul:2", " mul:4", " div:2"};
  t.flag(inst.clamp, " clamp") << kOmod[inst.omod & 3];
}

void printSdwa(Text &t, const Inst &inst, const OpInfo &row) {
  static constexpr std::string_view kSel[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                              "WORD_0", "WORD_1", "DWORD"};
  static constexpr std::string_view kUnused[] = {"PAD", "SEXT", "PRESERVE"};
  if (inst.enc != Enc::VOPC && !hasFlag(row, 'd'))
    t << " dst_sel:" << kSel[unsigned(inst.sdwaDst)] << " dst_unused:UNUSED_"
      << kUnused[unsigned(inst.sdwaUnused)];
  t << " src0_sel:" << kSel[unsigned(inst.sdwaSrc[0])];
  if (inst.enc != Enc::VOP1)
    t << " src1_sel:" << kSel[unsigned(inst.sdwaSrc[1])];
}

void printDppControl(Text &t, unsigned c, bool wide, Target target) {
  bool newbcast = c >= 0x150 && c <= 0x15f;
  if (wide && !newbcast) {
    t << "  /* 64 bit dpp only supports row_newbcast */";
    return;
  }
  t << " ";
  if (c <= 0xff) {
    t << "quad_perm:[" << int64_t(c & 3) << "," << int64_t(c >> 2 & 3) << "," << int64_t(c >> 4 & 3)
      << "," << int64_t(c >> 6 & 3) << "]";
    return;
  }
  unsigned n = c & 15;
  if (c > 0x100 && c < 0x130 && n != 0) {
    static constexpr std::string_view kRow[] = {"row_shl:", "row_shr:", "row_ror:"};
    t << kRow[(c >> 4) & 3] << int64_t(n);
    return;
  }
  // GFX10 has two of its own and lost those that cross rows.
  if (t.gfx10() && c >= 0x150 && c <= 0x16f) {
    t << (newbcast ? "row_share:" : "row_xmask:") << int64_t(n);
    return;
  }
  const auto crossing = [&](std::string_view name, std::string_view count) {
    if (t.gfx10())
      t << "/* " << name << " is not supported starting from GFX10 */";
    else
      t << name << count;
  };
  switch (c) {
  case 0x130:
    return crossing("wave_shl", ":1");
  case 0x134:
    return crossing("wave_rol", ":1");
  case 0x138:
    return crossing("wave_shr", ":1");
  case 0x13c:
    return crossing("wave_ror", ":1");
  case 0x140:
    t << "row_mirror";
    return;
  case 0x141:
    t << "row_half_mirror";
    return;
  case 0x142:
    return crossing("row_bcast", ":15");
  case 0x143:
    return crossing("row_bcast", ":31");
  default:
    break;
  }
  if (newbcast && traitsOf(target).unified)
    t << "row_newbcast:" << int64_t(n);
  else if (newbcast)
    t << " /* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */";
  else if (c >= 0x160 && c <= 0x16f)
    t << "/* row_xmask is not supported on ASICs earlier than GFX10 */";
  else
    t << "/* Invalid dpp_ctrl value */";
}

void printDpp(Text &t, const Inst &inst, const OpInfo &row, Target target) {
  if (inst.dpp8) {
    for (unsigned k = 0; k < 8; ++k)
      t << (k ? "," : " dpp8:[") << int64_t(inst.dpp8Sel >> (3 * k) & 7);
    t << "]";
    t.flag(inst.dppFi, " fi:1");
    return;
  }
  bool wide = tyInfo(row.src[0]).dwords == 2;
  printDppControl(t, inst.dppCtrl, wide, target);
  (t << " row_mask:").hex(inst.dppRowMask);
  (t << " bank_mask:").hex(inst.dppBankMask);
  t.flag(inst.dppBoundCtrl, " bound_ctrl:1").flag(inst.dppFi, " fi:1");
}

void printHalf(Text &t, const Inst &inst, Op op, const Operand &dst, const Operand *src) {
  const OpInfo &row = *findOp(op, Enc::VOPD, t.target());
  t << "v_dual_" << mnemonic(op, t.target()).substr(2) << " ";
  printRegister(t, dst);
  const unsigned count = row.numSrc - (readsDst(op) || row.src[2] == Ty::mask);
  for (unsigned k = 0; k < count; ++k) {
    t << ", ";
    if (k == (isMadmk(op) ? 1u : isMadak(op) ? 2u : count))
      t.hex(inst.literalValue);
    else
      printOperand(t, src[k], inst,
                   longPacked(row.src[k], src[k], inst) ? ImmKind::i32 : tyInfo(row.src[k]).imm);
  }
}

} // namespace

void printDual(Text &t, const Inst &inst) {
  t = Text("", t.target());
  printHalf(t, inst, inst.op, inst.dst, inst.src);
  t << " :: ";
  printHalf(t, inst, inst.dual.op, inst.dual.dst, inst.dual.src);
}

void printVector(Text &t, const Inst &inst, const OpInfo &row, Target target) {
  if (inst.enc == Enc::VOPD)
    return printDual(t, inst);
  bool vop3 = inst.enc == Enc::VOP3 || inst.enc == Enc::VOP3P || inst.enc == Enc::VOP3PX;
  if (isVectorNop(inst.op)) {
    if (inst.dpp || inst.dpp8)
      printDpp(t, inst, row, target);
    return;
  }
  // LLVM 15 has no suffix for the DPP forms of comparisons.
  if (inst.sdwa)
    t << "_sdwa";
  else if (inst.dpp || inst.dpp8)
    t << (vop3 ? "_e64_dpp" : inst.enc == Enc::VOPC ? "" : "_dpp");
  else if (vop3 ? row.e64 : !only32(inst.op, target))
    t << "_e" << (vop3 ? "64" : "32");
  if (inst.dst.kind != Operand::Kind::none)
    printRegister(t.next(), inst.dst);
  t << halfOf(inst, 3);
  if (hasCarryOut(inst.op))
    printRegister(t.next(), inst.sdst);
  bool mfma = row.dst >= Ty::accf64;
  unsigned count = row.numSrc - (readsDst(inst.op) && row.src[2] != Ty::none);
  for (unsigned k = 0; k < count; ++k)
    printSource(t.next(), inst, row, k);

  if (inst.truth)
    printTruth(t, inst.truth);
  if (inst.enc == Enc::VOP3PX) {
    printOperand(t.next(), inst.src[3], inst, ImmKind::i32);
    printOperand(t.next(), inst.scaleB, inst, ImmKind::i32);
    if (inst.opSel)
      bitList(t, "op_sel", inst.opSel, 3);
    bitList(t, "op_sel_hi", inst.opSelHi, 3);
  }
  if (mfma) {
    if (inst.cbsz)
      t << " cbsz:" << int64_t(inst.cbsz);
    if (inst.abid)
      t << " abid:" << int64_t(inst.abid);
    if (inst.blgp && traitsOf(target).scopes && tyInfo(row.dst).imm == ImmKind::f64)
      bitList(t, "neg", inst.blgp, 3);
    else if (inst.blgp)
      t << " blgp:" << int64_t(inst.blgp);
    return;
  }
  if (inst.enc == Enc::VOP3P) {
    bool mix = row.src[0] == Ty::mix;
    unsigned full = (1u << count) - 1;
    if (!row.numSrc || row.dst == Ty::a32 || row.src[0] == Ty::a32)
      return;
    if (isSparse(inst.op)) {
      if (inst.opSel)
        t << " index_key:" << int64_t(inst.opSel);
    } else if (inst.opSel & full) {
      bitList(t, "op_sel", inst.opSel, count);
    }
    if ((row.bitsUsed & 3) && (inst.opSelHi & full) != (mix ? 0 : full))
      bitList(t, "op_sel_hi", inst.opSelHi, count);
    if (!mix && (inst.neg & full))
      bitList(t, "neg_lo", inst.neg, count);
    if (!mix && (inst.abs & full))
      bitList(t, "neg_hi", inst.abs, count);
  } else if (vop3 && !hasCarryOut(inst.op) && (row.bitsUsed & 0xf00)) {
    if (t.gfx12() && choosesByte(inst.op)) {
      if (inst.opSel)
        t << " byte_sel:" << int64_t(chosenByte(inst));
    } else if (inst.op == Op::v_cvt_sr_fp8_f32 || inst.op == Op::v_cvt_sr_bf8_f32 ||
               inst.op == Op::v_cvt_scalef32_pk_fp4_f16 ||
               inst.op == Op::v_cvt_scalef32_pk_fp4_bf16) {
      if (inst.opSel) // the last two are the byte of the destination
        bitList(t, "op_sel", inst.opSel, 4);
    } else if (isSwap(inst.op)) {
      t.flag(inst.opSel & 2, " bound_ctrl:1").flag(inst.opSel & 1, " fi:1");
    } else if (inst.op == Op::v_permlane16_b32 || inst.op == Op::v_permlanex16_b32 ||
               inst.op == Op::v_permlane16_var_b32 || inst.op == Op::v_permlanex16_var_b32) {
      if (inst.opSel) // fi and bound_ctrl
        bitList(t, "op_sel", inst.opSel, t.gfx11() && !t.gfx12() ? 4 : 2);
    } else if (inst.opSel) { // the destination's bit comes last
      unsigned bits = (inst.opSel & ((1u << count) - 1)) | unsigned(inst.opSel >> 3 & 1) << count;
      if (bits)
        bitList(t, "op_sel", bits, count + 1);
    }
  }
  printOutput(t, inst);
  if (inst.sdwa)
    printSdwa(t, inst, row);
  if (inst.dpp || inst.dpp8)
    printDpp(t, inst, row, target);
}

} // namespace meld::softgpu::isa
