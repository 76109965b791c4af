// meld-compile LIBMELD-JIT: compiles once for the libmeld.so that started it. See
// runtime/engine/helper.h.
//
// Its standard input is the socket, both ways. It ends when the other side has gone.
#include "runtime/engine/jit_library.h"
#include "runtime/engine/wire.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace meld;

namespace {

constexpr int kSocket = 0;
enum Status { kDone = 0, kUsage = 2, kGone = 3, kBadRequest = 4 };

std::mutex gSending;

void sendAll(const Bytes &bytes) {
  std::lock_guard guard(gSending);
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t sent = send(kSocket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      _exit(kGone);
    at += size_t(std::max<ssize_t>(sent, 0));
  }
}

Bytes receive(size_t size) {
  Bytes bytes;
  while (bytes.size() < size) {
    const size_t before = bytes.size(), piece = std::min<size_t>(size - before, 1 << 20);
    bytes.resize(before + piece);
    const ssize_t got = recv(kSocket, bytes.data() + before, piece, 0);
    if (got == 0 || (got < 0 && errno != EINTR))
      _exit(kGone);
    bytes.resize(before + size_t(std::max<ssize_t>(got, 0)));
  }
  return bytes;
}

void forwardLog(void *, int level, const char *message) {
  if (message)
    sendAll(wire::encode(wire::LogLine{level, message}));
}

/// At most that, and at most what it is.
void limit(__rlimit_resource resource, rlim_t most, rlim_t hard) {
  rlimit now{};
  if (getrlimit(resource, &now))
    return;
  now.rlim_max = std::min(now.rlim_max, hard);
  now.rlim_cur = std::min({now.rlim_cur, most, now.rlim_max});
  setrlimit(resource, &now);
}

void setLimits(const Settings &settings) {
  limit(RLIMIT_CORE, 0, 0);
  if (settings.compilerSeconds) // the first is SIGXCPU, the second SIGKILL
    limit(RLIMIT_CPU, settings.compilerSeconds, settings.compilerSeconds + 5);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they reserve terabytes
  if (settings.compilerMemory)
    limit(RLIMIT_AS, settings.compilerMemory, settings.compilerMemory);
#endif
}

/// The kernel tells us of our parent's death, but not of its exec().
void endWithTheOther() {
  std::thread([] {
    pollfd wait{kSocket, POLLRDHUP, 0};
    while (poll(&wait, 1, -1) < 0 && errno == EINTR)
      ;
    _exit(kGone);
  }).detach();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 || send(kSocket, "", 0, MSG_NOSIGNAL) < 0) {
    std::fputs("meld-compile is started by libmeld.so (MELD_COMPILER=process)\n", stderr);
    return kUsage;
  }
  const auto header = wire::decodeHeader(receive(sizeof(wire::Header)));
  if (!header || header->kind != uint32_t(wire::Kind::request))
    return kBadRequest;
  auto request = wire::decodeRequest(receive(header->size));
  if (!request)
    return kBadRequest;
  setLimits(request->settings);
  wire::Reply reply;
  try {
    endWithTheOther();
    auto library = JitLibrary::open(argv[1], forwardLog);
    if (library) {
      reply.outcome = (*library)->compile(request->codeObject, request->isa, request->settings,
                                          request->version);
      reply.version = (*library)->version();
    } else {
      reply.outcome.reason = library.error().message;
    }
  } catch (const std::exception &error) {
    reply.outcome = {};
    reply.outcome.reason = error.what();
  }
  sendAll(wire::encode(reply));
  _exit(kDone); // LLVM's exit handlers have nothing to do
}
