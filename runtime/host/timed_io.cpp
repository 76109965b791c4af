#include "runtime/host/timed_io.h"

#include "runtime/host/text.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <string>
#include <sys/socket.h>

namespace meld {
namespace {

constexpr int kLookAgainMs = 1000; ///< for a descriptor that is not ours any more

/// Until the socket is ready for `events`.
Result<void> waitFor(const Descriptor &socket, short events, Deadline until, const char *peer) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return fail(ErrorCode::io, std::string(peer) + " did not answer in time");
    if (!socket.isStillOurs())
      return fail(ErrorCode::io, std::string(peer) + ": the application has closed our descriptor");
    pollfd wait{socket.get(), events, 0};
    const int ready = poll(&wait, 1, int(std::min<int64_t>(left.count(), kLookAgainMs)));
    if (ready > 0)
      return {};
    if (ready < 0 && errno != EINTR)
      return fail(ErrorCode::io, errnoText(peer, errno));
  }
}

bool again(ssize_t done) { return done < 0 && (errno == EAGAIN || errno == EINTR); }

} // namespace

Result<void> sendAll(const Descriptor &socket, std::span<const uint8_t> bytes, Deadline until,
                     const char *peer) {
  while (!bytes.empty()) {
    MELD_TRY(waitFor(socket, POLLOUT, until, peer));
    const ssize_t sent =
        ::send(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (again(sent))
      continue;
    if (sent < 0)
      return fail(ErrorCode::io, errnoText(peer, errno));
    bytes = bytes.subspan(size_t(sent));
  }
  return {};
}

Result<size_t> receiveSome(const Descriptor &socket, std::span<uint8_t> room, Deadline until,
                           const char *peer) {
  for (;;) {
    MELD_TRY(waitFor(socket, POLLIN, until, peer));
    const ssize_t got = ::recv(socket.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (again(got))
      continue;
    if (got < 0)
      return fail(ErrorCode::io, errnoText(peer, errno));
    return size_t(got);
  }
}

Result<void> receiveAll(const Descriptor &socket, std::span<uint8_t> room, Deadline until,
                        const char *peer) {
  while (!room.empty()) {
    const size_t got = MELD_TRY(receiveSome(socket, room, until, peer));
    if (!got)
      return fail(ErrorCode::io, std::string(peer) + " has closed the connection");
    room = room.subspan(got);
  }
  return {};
}

} // namespace meld
