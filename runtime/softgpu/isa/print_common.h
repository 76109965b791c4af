// Pieces of the disassembler. Private to isa/.
#pragma once

#include "runtime/softgpu/isa/decode_common.h"

#include <string>

namespace meld::softgpu::isa {

/// Operand list under construction: the first operand follows a space, the others a comma.
class Text {
public:
  Text(std::string_view mnemonic, Target target) : text_(mnemonic), target_(target) {}
  Target target() const { return target_; }
  bool gfx10() const { return traitsOf(target_).generation >= 10; } ///< and later
  bool gfx11() const { return traitsOf(target_).generation >= 11; }
  bool gfx12() const { return traitsOf(target_).generation >= 12; }
  Text &operator<<(std::string_view s) {
    text_ += s;
    return *this;
  }
  Text &operator<<(int64_t n) {
    text_ += std::to_string(n);
    return *this;
  }
  Text &hex(uint64_t n);
  /// Starts the next operand.
  Text &next() {
    text_ += first_ ? " " : ", ";
    first_ = false;
    return *this;
  }
  Text &flag(bool on, std::string_view name) {
    if (on)
      text_ += name;
    return *this;
  }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
  Target target_;
  bool first_ = true;
};

/// A register or constant; `inst` gives the literal, `kind` how a constant prints.
void printOperand(Text &t, const Operand &o, const Inst &inst, ImmKind kind);
void printRegister(Text &t, const Operand &o);

// Fields of scalar immediates.
void printWaitcnt(Text &t, unsigned imm);
void printDepctr(Text &t, unsigned imm);
void printHwreg(Text &t, unsigned imm);
void printSendmsg(Text &t, unsigned imm);
void printDelay(Text &t, unsigned imm);
void printGprIdx(Text &t, unsigned imm);
void printVersion(Text &t, unsigned imm);
/// Temporal hint and scope of a memory instruction of GFX12.
void printPolicy(Text &t, const Inst &inst, const OpInfo &row);

void printScalar(Text &t, const Inst &inst, const OpInfo &row);
void printDual(Text &t, const Inst &inst);
void printVector(Text &t, const Inst &inst, const OpInfo &row, Target target);
void printMemory(Text &t, const Inst &inst, const OpInfo &row, Target target);

} // namespace meld::softgpu::isa
