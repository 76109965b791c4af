// The resource and ABI gate: may this code object stand in for that one?
//
// HIP reads sizes from the metadata of the ORIGINAL bytes and fills the AQL packet from them,
// before ROCr sees the code object. A replacement is therefore accepted only when everything a host
// could have learned from the original is still true of it, and when it does not run at a lower
// occupancy. Every refusal has a name.
#pragma once

#include "runtime/codeobject/codeobject.h"
#include "runtime/gate/finding.h"

namespace meld {

/// Empty: accepted. Order: object, kernels in the original's order, symbols in the original's
/// order.
std::vector<GateFinding> compareForReplacement(const CodeObject &original,
                                               const CodeObject &replacement,
                                               LowerOccupancy lower = LowerOccupancy::refused);

/// The same for bytes that may not even parse.
std::vector<GateFinding> gate(const CodeObject &original, ByteView replacement,
                              LowerOccupancy lower = LowerOccupancy::refused);

/// The same from bytes. Errors: only when the ORIGINAL does not parse.
Result<std::vector<GateFinding>> gate(ByteView original, ByteView replacement,
                                      LowerOccupancy lower = LowerOccupancy::refused);

} // namespace meld
