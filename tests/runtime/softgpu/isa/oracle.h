// LLVM's MC disassembler as the oracle for our decoder, and random instruction words that reach
// deep.
#pragma once

#include "runtime/softgpu/isa/decoder.h"

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace meld::softgpu::isa::test {

class Oracle {
public:
  explicit Oracle(Target target);
  ~Oracle();
  Oracle(const Oracle &) = delete;
  struct Answer {
    size_t size = 0;      ///< 0: not an instruction
    std::string text;     ///< mnemonic and operands; comments and outer blanks removed
    bool crashed = false; ///< LLVM hit an assertion-like trap: no verdict
  };
  Answer disassemble(const void *code, size_t size);

private:
  void *context_ = nullptr;
  Target target_;
};

/// Three dwords: a random encoding and opcode number, with fields that are random, small or zero,
/// so that opcodes which demand zero bits are reached too.
std::array<uint32_t, 3> randomWords(std::mt19937_64 &rng, Target target);

/// Before LLVM 20, gfx942 stands in for gfx950: whether these bytes are the same instruction on both,
/// or on none. Of GFX12 nothing stands in.
bool knownByStandIn(Target target, std::span<const uint8_t> bytes);

/// Empty when we agree with the oracle about these bytes, else what differs.
std::string compare(Oracle &oracle, Target target, std::span<const uint8_t> bytes);

} // namespace meld::softgpu::isa::test
