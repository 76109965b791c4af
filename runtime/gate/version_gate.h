// The gate for versions: may this code object's kernel run in the place of that one's, and what has
// to change in a launch for it?
//
//   serve    the host gets the version's kernel object instead of the original's, and fills packets
//            from the original's metadata: as for a replacement, nothing may grow
//   launch   the packet is rewritten (packetFor), so sizes may differ where that can carry it. A
//            kernel that may wait for another work-group (`.meld` "waits", jit/variant/waits.h) may
//            need no more LDS and have no lower occupancy all the same: the host may have launched
//            as many work-groups as fit on the device at once.
//
// A version is refused whatever the gear when its interface differs (kernel_interface.h), when it
// needs variables that the original does not have, or more scratch than the queue was made for.
//
// Left to the caller, who alone knows it: cooperative launches. Their grids were sized by the
// original's registers; a version for the launch gear must not run on a cooperative queue.
//
// Thread rule: pure functions.
#pragma once

#include "runtime/gate/gate.h"

namespace meld {

enum class Gear : uint8_t { serve, launch };

/// Empty: accepted. `kernel`: its name in both objects, of which `version` has only that one.
std::vector<GateFinding> compareForVersion(const CodeObject &original, const CodeObject &version,
                                           const std::string &kernel, Gear gear,
                                           LowerOccupancy lower = LowerOccupancy::refused);

/// The original's variables that a version has to be given the addresses of: the symbols that are
/// undefined in it, and not in the original as well (dynamic LDS is in both, and nobody's).
std::vector<std::string> variablesNeeded(const CodeObject &original, const CodeObject &version);

/// What a launch's packet says of memory comes from this. Bytes.
struct LaunchSizes {
  uint32_t groupBytes = 0;   ///< LDS, static part
  uint32_t privateBytes = 0; ///< scratch per work-item
  bool dynamicStack = false;
};
LaunchSizes launchSizes(const KernelMetadata &kernel);

/// Of hsa_kernel_dispatch_packet_t. Bytes.
struct PacketSizes {
  uint32_t groupBytes = 0, privateBytes = 0;
  bool operator==(const PacketSizes &) const = default;
};

/// The sizes with which `version` runs a launch that was filled in for `original`. Nothing where it
/// cannot: other static LDS under a launch with dynamic LDS, whose place depends on it, or more
/// scratch than was asked for. Takes no memory and no lock: for the thread that launches.
std::optional<PacketSizes> packetFor(const LaunchSizes &original, const LaunchSizes &version,
                                     const PacketSizes &given) noexcept;
/// Why packetFor() gives nothing there; null where it gives something.
const char *whyNoPacket(const LaunchSizes &original, const LaunchSizes &version,
                        const PacketSizes &given) noexcept;

} // namespace meld
