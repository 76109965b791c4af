// Why a code object may not stand in for another one: every refusal has a name. Plain data.
#pragma once

#include <cstdint>
#include <string>

namespace meld {

enum class GateReason : uint8_t {
  targetId,  ///< e_flags or code-object version differ
  kernelSet, ///< a kernel is missing or new
  kernargSize,
  kernargAlign,
  explicitArgs,
  hiddenArgs, ///< needs a hidden argument the host does not pass
  wavefrontSize,
  reqdWorkgroupSize,
  maxWorkgroupSize, ///< smaller than before
  privateSegment,   ///< more scratch than the packet will say
  groupSegment,     ///< more LDS than the packet will say
  dynamicStack,
  floatMode,            ///< rounding, denormals, IEEE or clamp bits of the descriptor
  descriptor,           ///< descriptor and metadata of the replacement disagree
  occupancy,            ///< fewer waves per SIMD
  cooperativeRegisters, ///< a kernel with grid synchronisation needs more registers
  symbolMissing,
  symbolAdded,
  symbolSize,
  symbolAlignment, ///< less than its declaration asks for (alignment.h)
  symbolBytes,     ///< initial value of a device variable
  malformed,       ///< the replacement does not parse
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
