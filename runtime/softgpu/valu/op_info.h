// What the vector ALU knows about each operation: operand types, the row function that computes all
// lanes, and the handlers specialised for it.
//
// Two ways to execute an instruction:
//   fast   a handler made for this operation and for which sources are VGPRs; used when there are
//          no modifiers, MODE has the usual rounding and denormal settings, and no indexing is on.
//   slow   slowValu(): gathers the sources into temporary rows (SDWA, DPP, op_sel, neg/abs,
//          denormal flush, VGPR indexing), calls the row function, applies omod/clamp/selects,
//          writes the active lanes.
// Every operation has a row function, so everything works through the slow way.
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu::valu {

/// Operand types. They decide width, sign bit of neg/abs, denormal flush, and 16-bit selection.
enum class Ty : uint8_t {
  none,
  b32, ///< integer or bits; no modifiers
  m32, ///< bits, but neg/abs act on bit 31 (v_mov_b32, v_cndmask_b32)
  f32,
  b16, ///< low half, zero-extended for the operation
  i16, ///< low half, sign-extended for the operation
  f16,
  b64,
  f64,
  b128,
  mask, ///< lane mask in SGPRs: v_cndmask, v_addc. Read as 64 bits, also where the wave has 32 lanes
};

constexpr unsigned dwordsOf(Ty t) {
  return t == Ty::b128 ? 4 : t == Ty::b64 || t == Ty::f64 || t == Ty::mask ? 2 : 1;
}
constexpr bool is16(Ty t) { return t == Ty::b16 || t == Ty::i16 || t == Ty::f16; }
constexpr bool isFloat(Ty t) { return t == Ty::f32 || t == Ty::f16 || t == Ty::f64; }

enum OpFlags : uint16_t {
  kNan = 1,             ///< result NaNs follow the propagation rule
  kCompare = 2,         ///< the result is a lane mask in dst
  kCompareX = 4,        ///< ... which also goes to EXEC
  kCarryOut = 8,        ///< lane mask in sdst (VCC when the encoding has none)
  kAccumulate = 16,     ///< the last source is the destination's old value
  kPreserveHigh = 32,   ///< 16-bit result leaves the destination's other half alone also on GFX9
  kNoFlush = 64,        ///< ignores MODE's denormal fields
  kPacked = 128,        ///< VOP3P: the row function is the single operation, done for both elements
  kReadOld = 256,       ///< the row function sees the destination's old rows in dst
  kRelative = 512,      ///< M0 is added to register numbers, see RelativeIndex
  kIeee = 1024,         ///< the fast handlers assume MODE.ieee is set
  kNearest = 2048,      ///< rounds to nearest whatever MODE says
  kReadVcc = 4096,      ///< VCC is the lane mask operand (v_div_fmas)
  kNoBlgp = 8192,       ///< what a blgp does here is not defined: refused when not 0
  kClearHigh10 = 16384, ///< a 16-bit result that clears the other half on GFX10, too
  kPlain = 32768, ///< refused with what its operands' types do not know: neg or abs of one that
                  ///< is no float, omod and clamp
};

/// ExecInst::flags bit, beyond those of wave.h: the target flushes denormals in v_dot2, or those of
/// f16 and bf16 in v_mfma.
inline constexpr uint8_t kFlushes = 0x80;
/// The same: matrix products of f64 read blgp as signs of A, B and C.
inline constexpr uint8_t kNegatesDoubles = 0x40;
/// The same: a 16-bit result leaves the other half of the destination alone.
inline constexpr uint8_t kKeepsHigh = 0x20;

/// Arguments of a row function: 64 lanes of each operand; 64-bit operands have the high dwords at
/// +64.
struct RowCtx {
  const uint32_t *src[3] = {};
  uint32_t *dst = nullptr;
  uint64_t exec = 0;    ///< lanes that matter; others may hold anything
  uint64_t mask = 0;    ///< Ty::mask operand
  uint64_t maskOut = 0; ///< compare result, carry out
  uint32_t mode = 0;
  bool flushes = false;
  const isa::Inst *inst = nullptr;
};
using RowFn = void (*)(RowCtx &);

/// One lane at a time, for operations too rare or too branchy for vectors.
struct LaneCtx {
  uint32_t mode;
  bool maskIn;
  bool maskOut;
};
using LaneFn = uint64_t (*)(uint64_t a, uint64_t b, uint64_t c, LaneCtx &);

struct OpInfo {
  RowFn row = nullptr;
  RowFn rowClamp = nullptr; ///< integer saturation, where clamp means that
  Ty dst = Ty::none;
  Ty src[3] = {};
  uint8_t numSrc = 0;
  uint16_t flags = 0;
  Handler fast[8] = {};      ///< index: bit k set when source k is a VGPR
  Handler fastMod = nullptr; ///< any operand kinds, with neg/abs
  /// The same for a 16-bit result that leaves the other half of the destination alone.
  Handler fastKeep = nullptr;
  Handler special = nullptr;   ///< handles every form by itself
  Handler special12 = nullptr; ///< the same on GFX12, where that is another
};

/// Whether neg and abs of a VOP3 instruction are the signs of a source's lower and upper half.
inline bool hasSignsOfHalves(const isa::Inst &in) {
  return in.op == isa::Op::v_dot2c_f32_bf16 && in.enc == isa::Enc::VOP3;
}

const ExecInst *slowValu(const ExecInst *i, Wave &w);

/// Adds `info` for `op`; each family registers its operations once.
using OpTable = isa::OpMap<OpInfo>;
const OpTable &opTable();

void addInteger32(OpTable &t);
void addInteger32Ternary(OpTable &t);
void addInteger16(OpTable &t);
void addInteger64(OpTable &t);
void addFloat32(OpTable &t);
void addFloat64(OpTable &t);
void addMinima(OpTable &t);
void addFloat16(OpTable &t);
void addConversions(OpTable &t);
void addFloat8(OpTable &t);
void addScaledConversions(OpTable &t);
void addScaledVectors(OpTable &t);
void addTranscendentals(OpTable &t);
void addDivision(OpTable &t);
void addCompareInt(OpTable &t);
void addCompareFloat(OpTable &t);
void addMedia(OpTable &t);
void addLaneAccess(OpTable &t);
void addRelative(OpTable &t);
void addPacked(OpTable &t);
void addDot(OpTable &t);
void addMatrix(OpTable &t);
void addFormatMatrix(OpTable &t);
void addWaveMatrix(OpTable &t);
void addWaveMatrix12(OpTable &t);

} // namespace meld::softgpu::valu
