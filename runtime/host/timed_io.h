// Reading from and writing to a socket until a moment, whatever the other side does.
//
// The moment holds for all of it: a peer that sends a byte now and then does not move it. A descriptor
// that the application has closed, or used for a file of its own, is not touched. Neither SIGPIPE nor
// a mode of the descriptor is changed.
//
// Thread rule: one thread at a time per descriptor.
#pragma once

#include "runtime/host/descriptor.h"
#include "runtime/result.h"

#include <chrono>
#include <span>

namespace meld {

using Deadline = std::chrono::steady_clock::time_point;

/// All of `bytes`. Errors: io, beginning with `peer`.
Result<void> sendAll(const Descriptor &socket, std::span<const uint8_t> bytes, Deadline until,
                     const char *peer);

/// At least one byte into `room`; how many. 0: the other side has closed. Errors as above.
Result<size_t> receiveSome(const Descriptor &socket, std::span<uint8_t> room, Deadline until,
                           const char *peer);

/// All of `room`. Errors as above; a peer that closes before is one, too.
Result<void> receiveAll(const Descriptor &socket, std::span<uint8_t> room, Deadline until,
                        const char *peer);

} // namespace meld
