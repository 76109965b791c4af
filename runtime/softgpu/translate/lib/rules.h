// How each vector ALU operation is computed on one chunk of lanes: operand types and a function
// that emits IR. An operation without a rule is done by the interpreter's handler.
//
// Exactness: a rule gives the interpreter's result bit for bit in every active lane, under the
// usual MODE; rules that make NaNs end in Chunk::fixNan.
#pragma once

#include "runtime/softgpu/execute/wave.h"

namespace meld::softgpu::translate {

class Chunk;

enum class Ty : uint8_t {
  none,
  b32, ///< bits
  m32, ///< bits with neg/abs on bit 31
  f32,
  b64,
  f64,
  mask, ///< one bit per lane
};

enum RuleFlags : uint8_t {
  compares = 1,    ///< the result is a lane mask in ExecInst::dst
  carryOut = 2,    ///< a lane mask in ExecInst::sdst, beside the result
  accumulates = 4, ///< the last source is the destination's old value
  packed = 8,      ///< VOP3P on pairs of dwords: op_sel and neg pick by themselves
  toExec = 16,     ///< compares: v_cmpx, whose result is EXEC (GFX10: and nothing else)
};

struct Rule {
  void (*emit)(Chunk &) = nullptr;
  Ty dst = Ty::none;
  Ty src[3] = {};
  uint8_t numSrc = 0;
  uint8_t flags = 0;
};

/// The rule of an operation, or nullptr.
const Rule *ruleOf(isa::Op op);

using RuleTable = isa::OpMap<Rule>;
void addIntegerRules(RuleTable &t);
void addFloatRules(RuleTable &t);
void addWideRules(RuleTable &t);
/// v_cmpx: as v_cmp, which are there, with EXEC as the destination.
void addExecRules(RuleTable &t);

} // namespace meld::softgpu::translate
