// Which bits of a scalar instruction's result are defined, from those of its sources.
//
// Bitwise operations pass definedness on bit by bit, and a defined 0 under AND or a defined 1 under
// OR decides alone: lane masks are built that way. Everything else is defined when all of its
// sources are.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <string_view>

namespace meld::softgpu::check {

/// A scalar source: its value and which of its bits are defined.
struct ScalarValue {
  uint64_t value = 0, defined = ~0ull;
};

/// What matters about an opcode, found by name once.
struct Traits {
  enum Logic : uint8_t { arithmetic, land, lor, lxor, landn2, lorn2, lmove, lnot, landn1, lorn1 };
  Logic logic = arithmetic;
  bool readsScc = false, writesScc = false;
  bool saveexec = false, wrexec = false;
  bool addsToOld = false; ///< s_fmac_*: its destination is a source, too
  /// Results that count as defined whatever the sources: too intricate to follow.
  bool alwaysDefined = false;
};
const Traits &traitsOf(isa::Op op);

/// The result's value for a bitwise operation, its defined bits for all. Bits outside `width` count
/// as defined.
ScalarValue combine(Traits::Logic logic, ScalarValue a, ScalarValue b, uint64_t width);

} // namespace meld::softgpu::check
