// VOP3A, VOP3B, VOP3P (with MFMA): 64-bit vector instructions.
//
// Bits 8..15 of the first and 27..31 of the second dword hold the modifiers; the table says for
// each opcode which of these thirteen bits are used, ignored, or must be zero.
#include "runtime/softgpu/isa/decode_common.h"
#include "runtime/softgpu/isa/decoder.h"

namespace meld::softgpu::isa {

namespace {

bool isAccumulator(Ty ty) { return ty >= Ty::accf64; }
bool isMfma(const OpInfo &row) { return isAccumulator(row.dst); }

bool readOperand(Decoder &d, Operand &o, unsigned field, Ty ty) {
  switch (ty) {
  case Ty::a32:
    return d.vgpr(o, field & 0xff, 1, true);
  case Ty::v32:
  case Ty::v64:
  case Ty::v128:
  case Ty::v256: // WMMA has no scalar operands; its accumulator may be a constant
  case Ty::v192:
  case Ty::v512:
  case Ty::v1024:
  case Ty::wm32:
  case Ty::wm64:
  case Ty::wm128:
  case Ty::wm256:
    d.reserved |= field < 256;
    return d.source(o, field, ty);
  case Ty::wacc:
  case Ty::waccf16:
  case Ty::waccbf16:
    d.reserved |= field < kSgprCodes || field == 255;
    return d.source(o, field, ty);
  case Ty::mask:
  case Ty::lane:
  case Ty::slane:
  case Ty::sf16:
  case Ty::sf32:
    d.reserved |= field >= 256;
    [[fallthrough]];
  default:
    return (field != 255 || d.gfx10()) && d.source(o, field, ty); // GFX9's VOP3 has no literal
  }
}

/// A matrix of gfx950's products of 8, 6 and 4 bits, by what cbsz or blgp calls its elements.
Ty matrixOf(Decoder &d, unsigned format) {
  constexpr unsigned kFp6 = 2, kFp4 = 4;
  d.reserved |= format > kFp4;
  return format < kFp6 || format > kFp4 ? Ty::av256 : format < kFp4 ? Ty::av192 : Ty::av128;
}

bool choosesFormats(Op op) {
  return op == Op::v_mfma_f32_16x16x128_f8f6f4 || op == Op::v_mfma_f32_32x32x64_f8f6f4 ||
         op == Op::v_mfma_scale_f32_16x16x128_f8f6f4 || op == Op::v_mfma_scale_f32_32x32x64_f8f6f4;
}

DecodeStatus decodeMfma(Decoder &d, const OpInfo &row, uint32_t lo, uint32_t hi) {
  Inst &out = d.out;
  out.cbsz = uint8_t(lo >> 8 & 7);
  out.abid = uint8_t(lo >> 11 & 15);
  out.blgp = uint8_t(hi >> 29);
  // gfx908: the accumulator is always in AGPRs.
  bool accCd = d.traits().unified ? lo >> 15 & 1 : true;
  unsigned dwords = tyInfo(row.dst).dwords;
  bool ok = d.vgpr(out.dst, lo & 0xff, dwords, accCd);
  ok = ok && (hi & 0x1ff) != 255 && (hi >> 9 & 0x1ff) != 255 && (hi >> 18 & 0x1ff) != 255;
  const bool byFormat = choosesFormats(row.op);
  ok = ok && d.source(out.src[0], hi & 0x1ff, byFormat ? matrixOf(d, out.cbsz) : row.src[0],
                      hi >> 27 & 1);
  ok = ok && d.source(out.src[1], hi >> 9 & 0x1ff, byFormat ? matrixOf(d, out.blgp) : row.src[1],
                      hi >> 28 & 1);
  // The index of a sparse product is never in an AGPR.
  ok = ok && d.source(out.src[2], hi >> 18 & 0x1ff, row.src[2], accCd && isAccumulator(row.src[2]));
  for (unsigned k = 0; k < 3; ++k) // the hardware takes no SGPR here, but as a scale
    d.reserved |=
        out.src[k].kind == Operand::Kind::sgpr || out.src[k].kind == Operand::Kind::special;
  d.reserved |= !isAccumulator(row.src[2]) && out.src[2].kind == Operand::Kind::imm;
  return d.finish(ok);
}

/// A matrix product with scales ("CDNA4" ISA, 7.2.1): two dwords with the scales, then a product that
/// says with the lowest bit of abid that it uses them. False: something else follows.
bool beginScaled(Decoder &d, uint32_t &lo, uint32_t &hi) {
  constexpr unsigned kScales = 0x3ac, kUsesScales = 1; // the first dword's bits 16 to 25
  constexpr size_t kBytes = 16;
  if (!d.traits().ocp || d.gfx10() || (d.lo >> 16 & 0x3ff) != kScales || d.size < kBytes)
    return false;
  std::memcpy(&lo, d.code + 8, 4);
  std::memcpy(&hi, d.code + 12, 4);
  return lo >> 23 == 0x1a7 && (lo >> 11 & 15) == kUsesScales &&
         d.begin(Enc::VOP3PX, lo >> 16 & 0x7f, kBytes);
}

DecodeStatus decodeScaled(Decoder &d, uint32_t lo, uint32_t hi) {
  Inst &out = d.out;
  const OpInfo &row = *findOp(out.op, Enc::VOP3PX, d.target);
  out.opSel = uint8_t(d.lo >> 11 & 3);
  out.opSelHi = uint8_t(d.hi >> 27 & 3);
  const unsigned a = d.hi & 0x1ff, b = d.hi >> 9 & 0x1ff;
  if (a == 255 || b == 255 || !d.source(out.src[3], a, Ty::b32) ||
      !d.source(out.scaleB, b, Ty::b32))
    return DecodeStatus::unknown;
  const DecodeStatus status = decodeMfma(d, row, lo, hi);
  out.abid = 0;
  return status;
}

/// Bits of op_sel that say which part of the index a sparse product takes ("RDNA4" ISA, SWMMAC):
/// there are two for each element that a lane has of A, in registers that are at least one.
unsigned indexKeyBits(const Decoder &d, const OpInfo &row) {
  constexpr unsigned kIndexBits = 2, kRegister = 32;
  const std::string_view name = mnemonic(row.op);
  const unsigned element = name.ends_with("iu4") ? 4 : name.ends_with("16") ? 16 : 8;
  const unsigned used = d.dwordsOf(row.src[0]) * kRegister / element * kIndexBits;
  return used >= kRegister ? 0 : used == kRegister / 2 ? 1 : 2;
}

/// GFX11: DPP in a 64-bit encoding. Nothing with a 64-bit operand, nothing that names lanes itself.
bool hasDpp(const OpInfo &row) {
  for (Ty ty : {row.dst, row.src[0], row.src[1], row.src[2]})
    if (ty != Ty::mask && tyInfo(ty).dwords > 1)
      return false;
  if (row.enc == Enc::VOP3P)
    return row.src[0] == Ty::mix || row.op == Op::v_dot2_f32_f16 ||
           row.op == Op::v_dot4_f32_fp8_bf8 || row.op == Op::v_dot4_f32_bf8_fp8 ||
           row.op == Op::v_dot4_f32_fp8_fp8 || row.op == Op::v_dot4_f32_bf8_bf8;
  switch (row.op) {
  case Op::v_fmac_legacy_f32:
  case Op::v_fma_legacy_f32:
  case Op::v_div_fixup_f32:
  case Op::v_div_fmas_f32:
  case Op::v_div_scale_f32:
  case Op::v_mul_lo_u32:
  case Op::v_mul_hi_u32:
  case Op::v_mul_hi_i32:
  case Op::v_permlane16_b32:
  case Op::v_permlanex16_b32:
  case Op::v_permlane16_var_b32:
  case Op::v_permlanex16_var_b32:
  case Op::v_readlane_b32:
  case Op::v_writelane_b32:
    return false;
  default:
    return row.src[0] != Ty::none && row.dst != Ty::s32;
  }
}

/// The DPP dword behind the instruction, if src0 names one. False: not such an instruction.
bool readDpp(Decoder &d, const OpInfo &row, unsigned &src0) {
  if (!d.gfx11() || (src0 != kDpp16 && src0 != kDpp8 && src0 != kDpp8Fi))
    return true;
  if (!hasDpp(row))
    return false;
  if (d.size < d.literalAt + 4) {
    d.truncated = true;
    return false;
  }
  uint32_t word;
  std::memcpy(&word, d.code + d.literalAt, 4);
  if (src0 == kDpp16)
    setDppControl(d, word);
  else
    setDpp8(d, src0, word);
  d.out.size = uint8_t(d.literalAt + 4);
  src0 = 256 + (word & 0xff);
  return true;
}

/// Bits of op_sel that choose halves of 16-bit operands. GFX11 has them wherever there are such
/// operands; before, only instructions that did not exist on GFX8.
unsigned halves(const OpInfo &row) {
  unsigned bits = isHalf(row.dst) ? 8 : 0;
  for (unsigned k = 0; k < 3; ++k)
    bits |= unsigned(isHalf(row.src[k])) << k;
  // What these shift by ("RDNA4" ISA, 7.2.2.3).
  if (row.op == Op::v_alignbit_b32 || row.op == Op::v_alignbyte_b32)
    bits |= 4;
  return bits;
}

} // namespace

DecodeStatus decodeVop3(Decoder &d) {
  uint32_t lo = d.lo, hi = d.hi;
  bool packed = lo >> 23 == (d.gfx10() ? 0x198 : 0x1a7);
  if (!packed && lo >> 26 == 0x33) // GFX11's VINTERP and LDSDIR do not come here
    return DecodeStatus::unknown;
  d.literalAt = 8;
  if (uint32_t lo2, hi2; packed && beginScaled(d, lo2, hi2))
    return decodeScaled(d, lo2, hi2);
  const OpInfo *found =
      packed ? d.begin(Enc::VOP3P, lo >> 16 & 0x7f, 8) : d.begin(Enc::VOP3, lo >> 16 & 0x3ff, 8);
  if (!found)
    return DecodeStatus::unknown;
  if (!d.hasHi())
    return DecodeStatus::truncated;
  const OpInfo &row = *found;
  Inst &out = d.out;
  unsigned bits = (lo >> 8 & 0xff) << 5 | hi >> 27;
  bool ok = (bits & row.bitsZero) == 0;
  if (isSparse(row.op))
    ok = ok && (lo >> 11 & 7) >> indexKeyBits(d, row) == 0;
  if (isMfma(row))
    return ok ? decodeMfma(d, row, lo, hi) : DecodeStatus::unknown;
  bits &= row.bitsUsed;
  bool carry = hasCarryOut(row.op);
  if (mnemonic(row.op).starts_with("v_interp"))
    return ok ? DecodeStatus::unsupported : DecodeStatus::unknown;

  out.clamp = bits >> 12 & 1;
  if (packed) {
    out.opSelHi = uint8_t((bits >> 11 & 1) << 2 | (bits & 3));
    out.opSel = uint8_t(bits >> 8 & 7);
    out.abs = uint8_t(bits >> 5 & 7); // neg_hi
    out.neg = uint8_t(bits >> 2 & 7);
  } else if (row.op == Op::v_bitop3_b32 || row.op == Op::v_bitop3_b16) {
    out.truth = uint8_t((bits & 3) << 6 | (bits >> 5 & 7) << 3 | (bits >> 2 & 7));
    out.opSel = uint8_t(bits >> 8 & 15);
  } else {
    out.omod = uint8_t(bits & 3);
    out.neg = uint8_t(bits >> 2 & 7);
    if (!carry) {
      out.opSel = uint8_t(bits >> 8 & 15);
      if (d.gfx11())
        out.opSel |= uint8_t(lo >> 11 & halves(row));
      out.abs = uint8_t(bits >> 5 & 7);
    }
  }

  // Destinations
  unsigned dst = lo & 0xff;
  out.keepsHigh = d.gfx10() && !packed && isHalf(row.dst);
  if (d.gfx10() && row.writesExec)
    ; // no destination
  else if (row.dst == Ty::mask || row.dst == Ty::s32)
    ok = ok && d.scalarDest(out.dst, dst, d.dwordsOf(row.dst));
  else if (row.dst != Ty::none)
    ok = ok && d.vgpr(out.dst, dst, d.dwordsOf(row.dst), row.dst == Ty::a32);
  else
    ok = ok && dst == 0;
  if (carry)
    ok = ok && d.sgpr(out.sdst, lo >> 8 & 0x7f, d.traits().maskDwords());

  // Sources: fields of operands that an opcode does not have must be zero.
  bool implicitSrc2 = readsDst(row.op);
  unsigned src0 = hi & 0x1ff;
  ok = ok && readDpp(d, row, src0);
  const bool onlyVgpr1 = (out.dpp || out.dpp8) && !d.gfx12(); // DPP's second source
  for (unsigned k = 0; k < 3; ++k) {
    const unsigned field = k == 0 ? src0 : hi >> (9 * k) & 0x1ff;
    if (row.src[k] == Ty::none || (k == 2 && implicitSrc2))
      ok = ok && field == 0;
    else if (k == 1 && onlyVgpr1 && row.src[0] != Ty::mix) { // a VGPR
      d.reserved |= field < 256;
      ok = ok && d.vgpr(out.src[1], field & 0xff, tyInfo(row.src[1]).dwords);
    } else {
      d.reserved |= k == 1 && onlyVgpr1 && field < 256;
      ok = ok &&
           readOperand(d, out.src[k], field,
                       row.src[k] == Ty::mix && !(out.opSelHi >> k & 1) ? Ty::f32 : row.src[k]);
    }
  }
  if (isSwap(row.op))
    out.sdst = out.src[0];
  if (implicitSrc2) {
    out.src[2] = out.dst;
    if (d.gfx11() && isHalf(row.dst))
      out.opSel = uint8_t((out.opSel & ~4u) | (out.opSel >> 1 & 4));
  }
  if (out.literal && (out.dpp || out.dpp8)) // they would be in the same place
    return DecodeStatus::unknown;
  return d.finish(ok);
}

} // namespace meld::softgpu::isa
