// What libmeld does with a dispatch packet on its way to the device, measured alone.
//
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <vector>

namespace meld::bench {

struct PacketCost {
  std::string what;
  double nanoseconds; ///< of one packet, the fastest of several rounds
};

/// Of a kernel with 256 bytes of arguments by value: nothing to choose; its launches' arguments
/// collected; compared with the facts of four versions that hold, and that do not.
std::vector<PacketCost> packetCosts();

} // namespace meld::bench
