// A decoded AMDGPU instruction (GFX9, GFX10.3, GFX11 and GFX12): what the decoder produces and
// everything else reads.
//
// Plain data, no pointers into the code: can be copied and kept. Field names follow the manuals
// ("Vega", "AMD Instinct MI200", "RDNA2", "RDNA3", "RDNA4" ISA, chapter "Microcode formats"). One
// Op per mnemonic, whatever the encoding: v_add_f32 as VOP2, VOP3, SDWA or DPP has the same `op`
// and differs in `enc` and in the modifier fields.
#pragma once

#include <cstdint>

namespace meld::softgpu::isa {

enum class Target : uint8_t {
#define TARGET(name, ...) name,
#include "runtime/softgpu/isa/targets.def"
#undef TARGET
};

inline constexpr Target kTargets[] = {
#define TARGET(name, ...) Target::name,
#include "runtime/softgpu/isa/targets.def"
#undef TARGET
};

/// What an instruction's meaning depends on beside its opcode; the columns of targets.def.
struct TargetTraits {
  bool unified, scopes, dotFlushes, halvesFlush, ocp;
  unsigned generation;                                            ///< 9, 10, 11 or 12
  unsigned waveSize;                                              ///< 32 or 64
  constexpr unsigned maskDwords() const { return waveSize / 32; } ///< of a lane mask
};
constexpr TargetTraits traitsOf(Target target) {
  constexpr TargetTraits kTraits[] = {
#define TARGET(name, ...) {__VA_ARGS__},
#include "runtime/softgpu/isa/targets.def"
#undef TARGET
  };
  return kTraits[unsigned(target)];
}

enum class Enc : uint8_t {
#define ENCODING(name, ...) name,
#include "runtime/softgpu/isa/encodings.def"
#undef ENCODING
};

/// Encodings that are executed alike.
enum class Family : uint8_t {
  scalar,
  scalarMemory,
  vector,
  lds,
  flat,
  vectorMemory,
  interpolation, ///< this and what follows is recognised only
  image,
  exports,
};

constexpr Family familyOf(Enc enc) {
  constexpr Family kFamilies[] = {
#define ENCODING(name, family, ...) Family::family,
#include "runtime/softgpu/isa/encodings.def"
#undef ENCODING
  };
  return kFamilies[unsigned(enc)];
}

/// One enumerator per mnemonic without encoding suffix: Op::v_add_f32, Op::s_mov_b32, ...
enum class Op : uint16_t {
  invalid = 0,
#define MELD_OP(name) name,
#include "runtime/softgpu/isa/op_names.def"
#undef MELD_OP
  count
};

/// Something for each mnemonic.
template <class T> class OpMap {
public:
  T &operator[](Op op) { return items_[unsigned(op)]; }
  const T &operator[](Op op) const { return items_[unsigned(op)]; }

private:
  T items_[unsigned(Op::count)] = {};
};

struct Operand {
  enum class Kind : uint8_t {
    none,
    sgpr, ///< slot `index` of the SGPR file (see Sgpr below), `dwords` long
    vgpr, ///< architectural VGPR `index`, `dwords` long
    agpr, ///< accumulation VGPR `index` (from gfx908 on)
    imm,  ///< inline constant or literal; `value` already expanded to the operand's type and width
    special, ///< value only known when executed; `index` is the 9-bit source code (235.., 251 vccz,
             ///< 252 execz, 253 scc)
  };
  Kind kind = Kind::none;
  uint8_t dwords = 0; ///< 0 when sub-dword semantics do not matter; 1, 2, 3, 4, 8, 16 otherwise
  uint16_t index = 0;
  uint16_t encoded = 0; ///< the raw source field, for the disassembler (128..208 inline int,
                        ///< 240..248 float, 255 literal)
  uint64_t value = 0; ///< imm only. 64-bit operands: int inline constants sign-extended, f64 inline
                      ///< constants as double bits, 32-bit literals of f64 operands shifted left by
                      ///< 32, of i64/b64 operands zero-extended (u64/b64) or sign-extended (i64),
                      ///< as the manual says. 16-bit operands: f16 bits in the low half.
};

/// Slots of the SGPR file, the numbering of the hardware's operand encoding.
namespace Sgpr {
enum : uint16_t {
  flatScratch = 102, ///< GFX9; GFX10 has ordinary SGPRs up to 105
  xnackMask = 104,   ///< so has GFX10 here
  vcc = 106,
  ttmp0 = 108,
  m0 = 124,
  null =
      125, ///< GFX10: a code, not a slot. Read it is a constant 0, written it is `sink`. GFX11 has
           ///< the codes of M0 and null the other way round; `index` of M0 is 124 here, too.
  exec = 126,
  sink = 128, ///< and 129: what is written here nothing reads
  slots = 130
};
}

/// Sub-dword addressing selections (SDWA), values as encoded.
enum class SdwaSel : uint8_t { byte0, byte1, byte2, byte3, word0, word1, dword };
enum class SdwaUnused : uint8_t { pad, sext, preserve };

// What is where, beyond the field comments:
//  - v_cmp's mask is `dst` (v_cmpx writes EXEC too); v_swap_b32's other register is `sdst`.
//  - v_mac, v_fmac, v_dot*c: the old destination is src[2]. s_addk, s_mulk, s_cmovk: src[0].
//  - SMEM: `offen` says that an immediate offset is encoded. cmpswap: dst is half of vdata.
//  - 16-bit and packed 16-bit constants: f16 bits in the low half, zero above; integers are
//    sign-extended to 32 bits. Packed f32 pairs: the 32-bit constant in the low half, zero above.
//    v_mad_mix, v_fma_mix: f32 or f16 bits as op_sel_hi says.
// GFX10 differs in
//  - lane masks (Ty::mask, carries, VCC, EXEC): one dword in wave32, two in wave64. s_*_b64 are there, too.
//  - v_cmpx: no `dst` at all, only EXEC is written (OpInfo::writesExec).
//  - 16-bit results: the other half of the destination stays (`keepsHigh`); GFX9 clears it but for
//    instructions with op_sel.
//  - Sgpr::null; a literal in VOP3 and VOP3P (size 12); SMEM adds soffset and offset, both always there.
//  - names: where only the name changed (v_add_nc_u32) the Op has GFX9's (v_add_u32), see
//    mnemonic(op, target). v_add_u16, v_add_co_u32 and others of GFX9's VOP2 have only VOP3 here,
//    v_cvt_pkrtz_f16_f32 has VOP2 as well.
//  - s_waitcnt: lgkmcnt has six bits; stores count in vscnt (s_waitcnt_vscnt: src[0] is added to simm).
//  - s_subvector_loop_*: dst is read, too; simm in bytes as of a branch.
//  - v_permlane*: op_sel bit 0 is fi, bit 1 bound_ctrl; lanes without a source keep the destination.
//  - v_movrel*, v_swaprel: M0 moves operands by registers (v_movrelsd_2, v_swaprel: the source by
//    bits 9..0, the destination by 25..16).
// GFX11 differs from GFX10 in
//  - Enc::VOPD (waves of 32 alone): two instructions. What is said below of one is of the first, `dual`
//    has the second. Both read their sources before either writes. The literal is one.
//  - 16-bit operands of VOP1, VOP2 and VOPC: bit 7 of a VGPR's number chooses the half. `index` is
//    0..127, the half is in opSel as of VOP3. `keepsHigh` as on GFX10.
//  - VOP3 and VOP3P have DPP forms; there is no SDWA.
//  - SCRATCH may have a vector and a scalar address, as on gfx942.
//  - names: the Op has GFX9's where the meaning is the same (global_load_dword is global_load_b32).
// GFX12 differs from GFX11 in
//  - memory instructions: `scope` and `th` instead of glc, slc and dlc; `glc` says of an atomic that it returns. FLAT,
//    GLOBAL, SCRATCH, MUBUF and MTBUF have 12 bytes. SMEM: offsets are 24 bits wide, a prefetch has its length in offset1.
//  - scalar floats: s_fmaak's literal is src[2], s_fmamk's is src[1], s_fmac's old destination is src[2].
//  - DPP of 64-bit encodings: src[1] may be scalar or a constant.
//  - products of matrices: no element is there twice, so that they are half as long; v_swmmac: D is C, src[2] says where
//    A's elements belong, opSel which part of it.
// gfx950:
//  - Enc::VOP3PX (16 bytes): a matrix product with scales. src[3] has A's, `scaleB` B's; opSel and
//    opSelHi say which byte of each, bit 0 of A's and bit 1 of B's.
//  - v_permlane*_swap: the other register is `sdst`, as of v_swap_b32.
struct Inst {
  Op op = Op::invalid;
  Enc enc = Enc::SOPP;
  Target target{};  ///< whose code it is: generation and wave size
  uint8_t size = 0; ///< bytes: 4, 8 or 12; VOP3PX 16, images of GFX10 up to 20
  uint8_t numSrc = 0;

  Operand dst;  ///< vdst / sdst
  Operand sdst; ///< second destination: carry-out of v_add_co, VOP3B, v_div_scale; v_cmp's mask is
                ///< `dst`
  Operand src[4]; ///< src0..src2. VOP2 with implicit VCC (v_cndmask, v_addc): the mask is src[2].
                  ///< Memory: see the fields below instead.
  // Scalar immediates
  int32_t simm =
      0; ///< SOPK/SOPP simm16 (sign-extended); branches: byte offset from the NEXT instruction

  // VOP3 / VOP3P modifiers, bit k for source k
  uint8_t neg = 0;     ///< VOP3P: neg_lo
  uint8_t abs = 0;     ///< VOP3P: neg_hi
  uint8_t opSel = 0;   ///< bit 3: destination half
  uint8_t opSelHi = 0; ///< VOP3P only
  uint8_t omod = 0;    ///< 0 none, 1 *2, 2 *4, 3 /2
  bool clamp = false;
  bool keepsHigh = false; ///< GFX10: the other half of a 16-bit result's register stays

  bool sdwa = false;
  SdwaSel sdwaDst = SdwaSel::dword, sdwaSrc[2] = {SdwaSel::dword, SdwaSel::dword};
  SdwaUnused sdwaUnused = SdwaUnused::pad;
  uint8_t sdwaSext =
      0; ///< bit k: source k sign-extended. SDWA neg/abs/omod/clamp use the fields above

  bool dpp = false;
  uint16_t dppCtrl = 0; ///< 9 bits as encoded
  uint8_t dppRowMask = 0xf, dppBankMask = 0xf;
  bool dppBoundCtrl =
      false;            ///< bound_ctrl:0 in assembly = this bit set = out-of-range lanes read 0
  bool dppFi = false;   ///< GFX10: lanes that EXEC disables are read, too
  bool dpp8 = false;    ///< GFX10: eight lane numbers instead of dppCtrl, masks and dppBoundCtrl
  uint32_t dpp8Sel = 0; ///< three bits for each lane of eight, the first in the lowest

  // Memory. vaddr/vdata/saddr/srsrc/soffset are Operands so that one code path sizes and prints
  // them.
  Operand vaddr;          ///< DS addr, FLAT/GLOBAL/SCRATCH vaddr, MUBUF vaddr
  Operand vdata;          ///< store data / atomic operand (DS data0)
  Operand vdata1;         ///< DS data1
  Operand saddr;          ///< GLOBAL/SCRATCH saddr (kind none = off); SMEM sbase
  Operand srsrc, soffset; ///< MUBUF/MTBUF; SMEM: soffset = SGPR offset when used
  int32_t offset = 0;     ///< instruction offset in bytes (DS offset0 as encoded)
  int32_t offset1 = 0;    ///< DS offset1 as encoded
  bool glc = false, slc = false, scc = false; ///< gfx942: sc0, nt, sc1
  bool dlc = false;                           ///< GFX10
  uint8_t scope = 0; ///< GFX12: of coherence. 0 wave, 1 SE, 2 device, 3 system
  uint8_t th = 0;    ///< GFX12: the temporal hint as encoded
  bool nv = false, lds = false, tfe = false;
  bool offen = false, idxen = false, gds = false; ///< SMEM: offen = an immediate offset is encoded
  uint8_t dfmt = 0, nfmt = 0;                     ///< MTBUF of GFX9
  uint8_t format = 0;                             ///< MTBUF of GFX10: one number of seven bits
  // MFMA
  uint8_t cbsz = 0, abid = 0, blgp = 0;
  Operand scaleB;
  uint8_t truth = 0; ///< v_bitop3: the result for each of the eight values of three bits

  /// The second half of a VOPD.
  struct Dual {
    Op op = Op::invalid;
    Operand dst;
    Operand
        src[3]; ///< v_dual_fmac, v_dual_dot2acc: the old destination is src[2]; v_dual_cndmask: VCC
    uint8_t numSrc = 0;
  } dual;

  bool literal = false;      ///< a 32-bit literal follows
  uint32_t literalValue = 0; ///< as encoded
};

} // namespace meld::softgpu::isa
