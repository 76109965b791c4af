// meld-remote: speaks with the remote cache for the libmeld.so or meld that started it. See
// runtime/cache/remote/process.h.
//
// Its standard input is the socket, both ways. It ends when the other side has gone.
#include "runtime/cache/remote/remote.h"
#include "runtime/cache/remote/wire.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace meld;
using namespace meld::remote;

namespace {

constexpr int kSocket = 0;
constexpr int kIdleMs = 2000; ///< without a call; then connections are closed
constexpr uint64_t kMemoryBesides = uint64_t(1) << 30;
enum Status { kUsage = 2, kGone = 3, kBadRequest = 4 };

void sendAll(const void *data, size_t size) {
  for (const char *at = static_cast<const char *>(data); size;) {
    const ssize_t sent = send(kSocket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      _exit(kGone);
    at += std::max<ssize_t>(sent, 0);
    size -= size_t(std::max<ssize_t>(sent, 0));
  }
}

void receiveAll(void *data, size_t size) {
  for (char *at = static_cast<char *>(data); size;) {
    const ssize_t got = recv(kSocket, at, size, 0);
    if (got == 0 || (got < 0 && errno != EINTR))
      _exit(kGone);
    at += std::max<ssize_t>(got, 0);
    size -= size_t(std::max<ssize_t>(got, 0));
  }
}

struct Request {
  Call call{};
  std::string key;
  Bytes body;
  uint64_t numbers[3];
};

Request receive(uint64_t mostBody) {
  RequestHead head{};
  receiveAll(&head, sizeof head);
  if (head.magic != kMagic || head.keyBytes > kMostKeyBytes || head.bodyBytes > mostBody)
    _exit(kBadRequest);
  Request request{Call(head.call), std::string(head.keyBytes, '\0'), Bytes(head.bodyBytes), {}};
  std::copy(std::begin(head.numbers), std::end(head.numbers), request.numbers);
  receiveAll(request.key.data(), request.key.size());
  receiveAll(request.body.data(), request.body.size());
  return request;
}

void answer(uint32_t what, ByteView body = {}) {
  const ReplyHead head{kMagic, what, body.size()};
  sendAll(&head, sizeof head);
  sendAll(body.data(), body.size());
}
void answer(bool yes, ByteView body = {}) {
  answer(uint32_t(yes ? Answer::yes : Answer::no), body);
}
void answer(const Error &error) {
  const std::string text = error.message.substr(0, kMostMessageBytes);
  answer(uint32_t(Answer::firstError) + uint32_t(error.code),
         {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

void serve(RemoteStore &store, const Request &request) {
  switch (request.call) {
  case Call::get: {
    const auto got = store.get(request.key);
    if (!got)
      return answer(got.error());
    return answer(got->has_value(), got->has_value() ? ByteView(**got) : ByteView());
  }
  case Call::has: {
    const auto has = store.has(request.key);
    return has ? answer(*has) : answer(has.error());
  }
  case Call::put: {
    const auto put = store.put(request.key, request.body);
    return put ? answer(true) : answer(put.error());
  }
  case Call::claim: {
    const auto ours = store.claim(request.key, std::chrono::seconds(request.numbers[kExpiry]));
    return ours ? answer(*ours) : answer(ours.error());
  }
  case Call::release: {
    const auto released = store.release(request.key);
    return released ? answer(true) : answer(released.error());
  }
  case Call::open:
    break;
  }
  _exit(kBadRequest);
}

/// What a library does with what a server sends is not to cost the machine.
void setLimits(uint64_t entryBytes) {
  rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they reserve terabytes
  rlimit memory{};
  const rlim_t most = rlim_t(kMemoryBesides + 8 * entryBytes);
  if (!getrlimit(RLIMIT_AS, &memory)) {
    memory.rlim_max = std::min(memory.rlim_max, most);
    memory.rlim_cur = std::min(memory.rlim_cur, memory.rlim_max);
    setrlimit(RLIMIT_AS, &memory);
  }
#endif
}

} // namespace

int main(int argc, char **) {
  if (argc != 1 || send(kSocket, "", 0, MSG_NOSIGNAL) < 0) {
    std::fputs("meld-remote is started by libmeld.so and meld (MELD_CACHE_REMOTE)\n", stderr);
    return kUsage;
  }
  const Request first = receive(kMostTokenBytes);
  if (first.call != Call::open)
    return kBadRequest;
  RemoteLimits limits;
  limits.connect = std::chrono::milliseconds(first.numbers[kConnect]);
  limits.request = std::chrono::milliseconds(first.numbers[kRequest]);
  limits.entryBytes = first.numbers[kEntryBytes];
  setLimits(limits.entryBytes);
  auto store = openRemote(first.key, limits, std::string(first.body.begin(), first.body.end()));
  if (!store) {
    answer(store.error());
    return kGone;
  }
  answer(true);
  for (;;) {
    pollfd wait{kSocket, POLLIN, 0};
    if (poll(&wait, 1, kIdleMs) == 0) {
      (*store)->rest();
      while (poll(&wait, 1, -1) < 0 && errno == EINTR)
        ;
    }
    const Request request = receive(limits.entryBytes);
    try {
      serve(**store, request);
    } catch (const std::bad_alloc &) {
      answer(Error{ErrorCode::io, "no memory for an entry"});
    }
  }
}
