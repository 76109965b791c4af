// What the parts of the decoder share: the words being decoded and the operand readers.
// Private to isa/.
#pragma once

#include "runtime/softgpu/isa/control_flow.h"
#include "runtime/softgpu/isa/decode_status.h"
#include "runtime/softgpu/isa/opcodes.h"

#include <algorithm>
#include <cstring>

namespace meld::softgpu::isa {

/// Codes 0..127 of a source or destination field are SGPRs and what is named like them.
inline constexpr unsigned kSgprCodes = 128;

struct Decoder {
  const uint8_t *code;
  size_t size;
  Target target;
  Inst &out;
  uint32_t lo = 0, hi = 0; ///< first and second dword (hi is 0 when not there)
  bool truncated = false;  ///< set by the readers when bytes are missing
  bool reserved = false;   ///< an operand code that GFX9 reserves (125) or that makes no sense here
  unsigned literalAt = 4;  ///< byte offset of a literal

  TargetTraits traits() const { return traitsOf(target); }
  bool gfx10() const { return traits().generation >= 10; } ///< and what holds from GFX10 on
  bool gfx11() const { return traits().generation >= 11; }
  bool gfx12() const { return traits().generation >= 12; }
  /// GFX11 has the codes of M0 and null the other way round.
  unsigned scalarCode(unsigned field) const {
    return gfx11() && (field | 1) == Sgpr::null ? field ^ 1 : field;
  }
  /// Registers of an operand: a lane mask's depend on the wave size.
  unsigned dwordsOf(Ty ty) const {
    constexpr unsigned kWave32 = 32; // whose numbers the table has
    const unsigned dwords = tyInfo(ty).dwords;
    return ty == Ty::mask                      ? traits().maskDwords()
           : ty >= Ty::wacc && ty <= Ty::wm256 ? std::max(1u, dwords * kWave32 / traits().waveSize)
                                               : dwords;
  }
  bool hasHi() const { return size >= 8; }

  /// Finds the row and fills op, enc, size, numSrc.
  const OpInfo *begin(Enc enc, unsigned number, unsigned bytes) {
    const OpInfo *row = findOpcode(enc, number, target);
    if (row) {
      out.op = row->op;
      out.enc = enc;
      out.size = uint8_t(bytes);
      out.numSrc = row->numSrc;
      out.target = target;
    }
    return row;
  }
  DecodeStatus finish(bool valid) const {
    if (truncated || !valid)
      return truncated ? DecodeStatus::truncated : DecodeStatus::unknown;
    return reserved ? DecodeStatus::unsupported : DecodeStatus::ok;
  }

  // Each returns false when the field names no operand of that width.
  bool sgpr(Operand &o, unsigned field, unsigned dwords); ///< a destination or a base address
  bool sgprSource(Operand &o, unsigned field, unsigned dwords);
  bool vgpr(Operand &o, unsigned index, unsigned dwords, bool acc = false);
  bool source(Operand &o, unsigned field, Ty ty, bool acc = false);
  /// A VGPR of a 32-bit encoding. GFX11 has the half of a 16-bit operand in the number's highest bit,
  /// which goes to bit `half` of opSel.
  bool vgprOrHalf(Operand &o, unsigned index, Ty ty, unsigned half, bool acc = false);
  bool scalarDest(Operand &o, unsigned field, unsigned dwords); ///< 8-bit destination field of VOP3
  bool constant(Operand &o, unsigned field, Ty ty);             ///< 128..208, 240..248, 255
  bool literal();
  void vcc(Operand &o) { sgpr(o, Sgpr::vcc, traits().maskDwords()); }
  /// Codes below are ordinary SGPRs.
  unsigned sgprLimit() const { return gfx10() ? Sgpr::vcc : Sgpr::flatScratch; }
};

DecodeStatus decodeScalar(Decoder &d);                    ///< SOP1 SOP2 SOPC SOPK SOPP SMEM
DecodeStatus decodeVop(Decoder &d);                       ///< VOP1 VOP2 VOPC with SDWA and DPP
DecodeStatus decodeVop3(Decoder &d);                      ///< VOP3A VOP3B VOP3P
DecodeStatus decodeMemory(Decoder &d);                    ///< DS FLAT GLOBAL SCRATCH MUBUF MTBUF
DecodeStatus decodeFlat11(Decoder &d, const OpInfo &row); ///< those of GFX11
DecodeStatus decodeBuffer11(Decoder &d, const OpInfo &row);
DecodeStatus decodeSmem12(Decoder &d); ///< those of GFX12
DecodeStatus decodeFlat12(Decoder &d, const OpInfo &row);
DecodeStatus decodeBuffer12(Decoder &d, const OpInfo &row);
/// Registers of what a memory instruction stores and of what comes back.
bool dataRegisters(Decoder &d, const OpInfo &row, unsigned data, unsigned dst, bool acc = false);
/// All that a buffer instruction names, once its bits are read.
bool bufferOperands(Decoder &d, const OpInfo &row, bool acc = false);
DecodeStatus decodeVopd(Decoder &d);     ///< two instructions in one (GFX11)
DecodeStatus decodeGraphics(Decoder &d); ///< MIMG EXP VINTRP VINTERP LDSDIR: recognised only

/// Reads a DPP dword: controls, not operands. Sets `out.dpp`.
void setDppControl(Decoder &d, uint32_t word);
/// The same with eight lane numbers; `code` is what src0 said.
void setDpp8(Decoder &d, unsigned code, uint32_t word);
/// What src0 says in place of an operand.
inline constexpr unsigned kDpp8 = 233, kDpp8Fi = 234, kSdwa = 249, kDpp16 = 250;

/// Instructions whose old destination is an input.
inline bool readsDst(Op op) {
  switch (op) {
  case Op::v_mac_f32:
  case Op::v_mac_f16:
  case Op::v_fmac_f32:
  case Op::v_fmac_f16:
  case Op::v_fmac_legacy_f32:
  case Op::v_fmac_f64:
  case Op::v_dot2c_f32_f16:
  case Op::v_dot2c_f32_bf16:
  case Op::v_dot2c_i32_i16:
  case Op::v_dot4c_i32_i8:
  case Op::v_dot8c_i32_i4:
  case Op::v_pk_fmac_f16:
    return true;
  default:
    return false;
  }
}

/// VOP3B: a second, scalar destination.
inline bool hasCarryOut(Op op) {
  switch (op) {
  case Op::v_add_co_u32:
  case Op::v_sub_co_u32:
  case Op::v_subrev_co_u32:
  case Op::v_addc_co_u32:
  case Op::v_subb_co_u32:
  case Op::v_subbrev_co_u32:
  case Op::v_div_scale_f32:
  case Op::v_div_scale_f64:
  case Op::v_mad_u64_u32:
  case Op::v_mad_i64_i32:
    return true;
  default:
    return false;
  }
}

/// Both registers are read and written.
inline bool isSwap(Op op) {
  return op == Op::v_swap_b32 || op == Op::v_swaprel_b32 || op == Op::v_swap_b16 ||
         op == Op::v_permlane16_swap_b32 || op == Op::v_permlane32_swap_b32;
}

/// v_madmk, v_fmamk: the literal is the second operand; v_madak, v_fmaak: the third.
inline bool isMadmk(Op op) {
  return op == Op::v_madmk_f32 || op == Op::v_madmk_f16 || op == Op::v_fmamk_f32 ||
         op == Op::v_fmamk_f16;
}
inline bool isMadak(Op op) {
  return op == Op::v_madak_f32 || op == Op::v_madak_f16 || op == Op::v_fmaak_f32 ||
         op == Op::v_fmaak_f16;
}

/// One value in the low half of a register.
inline bool isHalf(Ty ty) { return ty == Ty::i16 || ty == Ty::f16; }

/// A product of a matrix that is half as long, and of which an index says where its elements belong (GFX12).
inline bool isSparse(Op op) {
  return op >= Op::v_swmmac_f32_16x16x32_f16 && op <= Op::v_swmmac_f32_16x16x32_bf8_bf8;
}

/// GFX12: op_sel is the number of a byte of the source or of the destination.
inline bool choosesByte(Op op) {
  return op == Op::v_cvt_f32_fp8 || op == Op::v_cvt_f32_bf8 || op == Op::v_cvt_sr_fp8_f32 ||
         op == Op::v_cvt_sr_bf8_f32;
}
/// Of the source the two bits are the other way round.
inline unsigned chosenByte(const Inst &inst) {
  return inst.op == Op::v_cvt_f32_fp8 || inst.op == Op::v_cvt_f32_bf8
             ? (inst.opSel & 1u) << 1 | (inst.opSel >> 1 & 1)
             : inst.opSel >> 2;
}

/// Neither operands nor a result.
inline bool isVectorNop(Op op) {
  return op == Op::v_nop || op == Op::v_clrexcp || op == Op::v_pipeflush;
}

inline bool hasFlag(const OpInfo &row, char flag) { return row.flagBits >> (flag & 63) & 1; }

} // namespace meld::softgpu::isa
