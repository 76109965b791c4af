// Runs single vector ALU instructions and compares every lane with a scalar reference.
#pragma once

#include "runtime/softgpu/execute/wave.h"
#include "runtime/softgpu/isa/decoder.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace meld::test {

using softgpu::ExecInst;
using softgpu::VRow;
using softgpu::Wave;
using softgpu::isa::Enc;
using softgpu::isa::Inst;
using softgpu::isa::Op;
using softgpu::isa::Operand;
using softgpu::isa::Target;

inline constexpr uint32_t kDefaultMode = 0xf0 | softgpu::Mode::ieee | softgpu::Mode::dx10Clamp;

/// What a reference sees and gives for one lane.
struct Lane {
  uint64_t a = 0, b = 0,
           c = 0;     ///< operands, zero-extended to 64 bits; 16-bit ones are the low halves
  bool mask = false;  ///< bit of the mask operand (or VCC)
  bool carry = false; ///< out: bit of the second destination
  uint32_t mode = kDefaultMode;
  unsigned lane = 0;
  unsigned rounding32() const { return mode & 3; }
  unsigned rounding64() const { return mode >> 2 & 3; }
};
using Reference = std::function<uint64_t(Lane &)>;

Operand vgpr(unsigned index, unsigned dwords = 1);
Operand agpr(unsigned index, unsigned dwords = 1);
Operand sgpr(unsigned index, unsigned dwords = 1);
Operand imm(uint64_t value);
Inst make(Op op, Enc enc, Operand dst, std::vector<Operand> sources);

/// A wave with its own registers, deterministic contents.
struct Machine {
  Machine();
  Wave wave;
  std::vector<VRow> rows;
  VRow &v(unsigned n) { return rows[n]; }
  void fill(uint32_t seed);
  /// False when the instruction is not implemented or faulted. The wave gets the target's size.
  bool run(const Inst &inst, Target target = Target::gfx90a);
};

/// Operand type letters: u 32-bit, f f32, q 64-bit, d f64, s 16-bit, h f16, m lane mask, - none.
/// Destination letters: the same, c for a compare mask; an extra '+' after it: carry-out to sdst.
struct Spec {
  Op op;
  const char *types; ///< destination first: "u:uu", "u+:uum", "c:ff"
  Reference reference;
  Enc enc = Enc::VOP3;
  bool preserveHigh = false; ///< 16-bit destination keeps the high half on GFX9, too
  uint32_t mode = kDefaultMode;
  std::function<void(Inst &)> adjust = {}; ///< modifiers
  Target target = Target::gfx90a;
  bool alsoRdna = true; ///< with gfx90a: gfx1030, gfx1100 and gfx1201 give the same
};

/// With waves of 32 and of 64 lanes.
inline constexpr Target kRdnaTargets[] = {Target::gfx1030, Target::gfx1030w64,
                                          Target::gfx1100, Target::gfx1100w64,
                                          Target::gfx1201, Target::gfx1201w64};

/// All operand kinds and EXEC patterns, edge and random values. Reports the first difference. What
/// asks for gfx90a is checked on gfx1030, gfx1100 and gfx1201 as well where those have the opcode.
void check(const Spec &spec);

/// Interesting raw values of a type letter.
const std::vector<uint64_t> &edgeValues(char type);
uint64_t random64();
std::string nameOf(Op op);

} // namespace meld::test
