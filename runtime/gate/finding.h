// Why a code object may not stand in for another one: every refusal has a name. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace meld {

enum class GateReason : uint8_t {
#define MELD_GATE_REASON(name, text) name,
#include "runtime/gate/gate_reasons.def"
#undef MELD_GATE_REASON
};
inline constexpr unsigned kGateReasons = static_cast<unsigned>(GateReason::malformed) + 1;

/// Stable short name: "private-segment".
const char *gateReasonName(GateReason reason);

struct GateFinding {
  GateReason reason;
  std::string subject; ///< kernel or symbol; empty for the whole object
  std::string text;    ///< "private segment 0 -> 32 bytes"
  std::string describe() const;
};

/// A lower occupancy costs time and breaks nothing, unless the host has counted on it
/// (cooperativeRegisters, which is always refused): tests that force all meldings allow it.
enum class LowerOccupancy : uint8_t { refused, allowed };

} // namespace meld
