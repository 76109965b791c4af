// What became of the decoding of one instruction.
#pragma once

#include <cstdint>

namespace meld::softgpu::isa {

enum class DecodeStatus : uint8_t {
  ok,
  truncated, ///< the instruction is longer than the bytes given
  unknown,   ///< no such opcode on this target
  /// A real opcode of this target that we do not model (MIMG, GWS, EXP, VINTRP), or one with a code
  /// in an operand field that the hardware reserves (125, an SGPR in an MFMA, ...). op, enc and
  /// size are set; the text is right except for the operands of image, export and interpolation
  /// instructions.
  unsupported,
};

} // namespace meld::softgpu::isa
