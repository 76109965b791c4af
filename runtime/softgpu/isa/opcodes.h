// The opcode table: what decoder and disassembler know about each (encoding, opcode number,
// target).
//
// Rows live in opcodes_*.def; each file documents its columns. Tables are built once, on first use.
// Thread rule: read-only after construction. Source: "Vega", "MI200", "MI300", "RDNA2", "RDNA3" and
// "RDNA4" ISA manuals, chapters "Microcode formats" and "Instructions"; tests compare every row
// with LLVM's MC layer, and every number that has none. For GFX11 LLVM 15 is the oracle of the
// text, the installed later one of what LLVM 15 lacks or has wrong: v_mov_b16,
// ds_bvh_stack_rtn_b32, the halves of 16-bit registers, DPP of some 64-bit encodings
// (tests/runtime/softgpu/isa/oracle.cpp lists it all). No LLVM here decodes v_swap_b16 and
// v_dual_dot2acc_f32_bf16: their numbers are the manual's.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <span>

namespace meld::softgpu::isa {

/// Type of an operand: its width, how inline constants expand, which register file.
enum class Ty : uint8_t {
  none,
  i16,
  f16,
  bf16, // one dword, low half
  i32,
  f32,
  pki16,
  pkf16,
  pkbf16,
  mix, // two halves; mix: f16 or f32 by op_sel_hi (v_mad_mix, v_fma_mix)
  b64,
  i64,
  f64,
  pkf32,
  pkb32, // two dwords, 32-bit inline constants
  b96,
  b128,
  b256,
  b512, // scalar or vector tuples
  mask, // lane mask in SGPRs: a pair, one in wave32
  s32,  // SGPR destination of a vector instruction
  lane,
  slane, // lane select / scalar source: no VGPR, no literal
  sf16,
  sf32, // scalar source of a vector instruction with a scalar result
  r32,
  r64,
  r128, // register, no constant (v_readfirstlane_b32, s_setpc_b64)
  v32,  // VGPR only
  a32,  // AGPR only
  av32,
  av64,
  av128,
  av192,
  av256, // VGPR or AGPR by the acc bit (MFMA sources)
  v64,
  v128,
  v256, // VGPRs only (WMMA)
  v192,
  v512,
  v1024, // VGPRs only (conversions of 32 numbers)
  // From here to wm256 by the wave size.
  wacc, // its accumulator: 16 by 16 numbers of 32 bits, by the wave size
  waccf16,
  waccbf16, // the same of 16 bits (GFX12)
  wm32,
  wm64,
  wm128,
  wm256, // GFX12: a matrix of so many dwords, spread over the wave; at least one VGPR
  accf64,
  accf128,
  accf256,
  accf512,
  accf1024,
  acci128,
  acci512,
  acci1024, // MFMA accumulators
  b16 = i16,
  b32 = i32,
};

/// How a constant expands and prints.
enum class ImmKind : uint8_t { i16, f16, bf16, i32, i64, f64, none /* not allowed */ };

struct TyInfo {
  uint8_t dwords;
  ImmKind imm;
};
inline constexpr TyInfo kTyInfo[] = {
    {0, ImmKind::i32},                                           // none
    {1, ImmKind::i16},  {1, ImmKind::f16},   {1, ImmKind::bf16}, // i16 f16 bf16
    {1, ImmKind::i32},  {1, ImmKind::i32},                       // i32 f32
    {1, ImmKind::i16},  {1, ImmKind::f16},   {1, ImmKind::bf16},
    {1, ImmKind::f16},                                          // pki16 pkf16 pkbf16 mix
    {2, ImmKind::i64},  {2, ImmKind::i64},   {2, ImmKind::f64}, // b64 i64 f64
    {2, ImmKind::i32},  {2, ImmKind::i32},                      // pkf32 pkb32
    {3, ImmKind::i32},  {4, ImmKind::i32},   {8, ImmKind::i32},
    {16, ImmKind::i32},                                           // b96 b128 b256 b512
    {2, ImmKind::none},                                           // mask (wave64)
    {1, ImmKind::none},                                           // s32
    {1, ImmKind::i32},  {1, ImmKind::i32},                        // lane slane
    {1, ImmKind::f16},  {1, ImmKind::i32},                        // sf16 sf32
    {1, ImmKind::none}, {2, ImmKind::none},  {4, ImmKind::none},  // r32 r64 r128
    {1, ImmKind::i32},                                            // v32
    {1, ImmKind::i32},                                            // a32
    {1, ImmKind::none}, {2, ImmKind::none},  {4, ImmKind::none},  // av32 av64 av128
    {6, ImmKind::none}, {8, ImmKind::none},                       // av192 av256
    {2, ImmKind::none}, {4, ImmKind::none},  {8, ImmKind::none},  // v64 v128 v256
    {6, ImmKind::none}, {16, ImmKind::none}, {32, ImmKind::none}, // v192 v512 v1024
    {8, ImmKind::i32},                                            // wacc (wave32)
    {4, ImmKind::f16},  {4, ImmKind::bf16},                       // waccf16 waccbf16 (wave32)
    {1, ImmKind::none}, {2, ImmKind::none},  {4, ImmKind::none},
    {8, ImmKind::none}, // wm32 wm64 wm128 wm256 (wave32)
    {2, ImmKind::f64},  {4, ImmKind::i32},   {8, ImmKind::f64},
    {16, ImmKind::i32}, {32, ImmKind::i32},  {4, ImmKind::i32},
    {16, ImmKind::i32}, {32, ImmKind::i32}, // accumulators
};
static_assert(std::size(kTyInfo) == size_t(Ty::acci1024) + 1);
constexpr TyInfo tyInfo(Ty ty) { return kTyInfo[size_t(ty)]; }

struct OpInfo {
  Op op;
  Enc enc;
  uint16_t number;                     ///< of the generation of its targets
  uint16_t targets;                    ///< bit per Target, all of one generation
  Ty dst, src[3];                      ///< memory: vdst, data, data1; SMEM: sdata, sbase
  const char *flags;                   ///< see the .def files
  const char *dpp;                     ///< VOP1/2 only
  bool e64;                            ///< VOP3 form of a 32-bit instruction
  uint16_t bitsUsed = 0, bitsZero = 0; ///< VOP3: the thirteen modifier bits
  uint8_t numSrc = 0;
  uint64_t flagBits = 0;   ///< bit (letter & 63)
  bool writesExec = false; ///< v_cmpx; from GFX10 on it has no other destination
};

/// Where an encoding has what in the first dword; see encodings.def.
struct Format {
  uint32_t fixed;
  unsigned place;    ///< of the opcode number
  uint32_t operands; ///< or modifiers
};
constexpr Format formatOf(Enc enc, Target target) {
  constexpr Format kFormats[][4] = {
#define ENCODING(name, family, fixed9, place9, operands9, fixed10, place10, operands10, fixed11,   \
                 place11, operands11, fixed12, place12, operands12)                                \
  {{fixed9, place9, operands9},                                                                    \
   {fixed10, place10, operands10},                                                                 \
   {fixed11, place11, operands11},                                                                 \
   {fixed12, place12, operands12}},
#include "runtime/softgpu/isa/encodings.def"
#undef ENCODING
  };
  return kFormats[unsigned(enc)][traitsOf(target).generation - 9];
}

/// The row for an opcode number, or nullptr.
const OpInfo *findOpcode(Enc enc, unsigned number, Target target);
/// The row a decoded instruction came from, or nullptr.
const OpInfo *findOp(Op op, Enc enc, Target target);
std::span<const OpInfo> allOpcodes();

} // namespace meld::softgpu::isa
