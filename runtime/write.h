// write(2) into what is the application's: its stderr may be a pipe that nobody reads, its files
// may have a limit. Neither must end it with a signal of our making.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <initializer_list>
#include <poll.h>
#include <pthread.h>
#include <string_view>
#include <unistd.h>

namespace meld {

/// While it lives, writes of this thread fail (EPIPE, EFBIG) where they would have raised SIGPIPE
/// or SIGXFSZ. What was pending before stays pending. No memory, any thread.
class WithoutWriteSignals {
public:
  WithoutWriteSignals() noexcept {
    sigset_t pending;
    sigpending(&pending);
    sigemptyset(&ours_);
    for (int number : {SIGPIPE, SIGXFSZ})
      if (!sigismember(&pending, number))
        sigaddset(&ours_, number);
    pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  ~WithoutWriteSignals() {
    const int error = errno;
    const timespec now{};
    while (sigtimedwait(&ours_, nullptr, &now) > 0 || errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  WithoutWriteSignals(const WithoutWriteSignals &) = delete;
  WithoutWriteSignals &operator=(const WithoutWriteSignals &) = delete;

private:
  sigset_t ours_, before_;
};

/// All of `text`, or as much as goes: 0, or the errno of what did not.
inline int writeAll(int descriptor, std::string_view text) noexcept {
  WithoutWriteSignals quiet;
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return done ? errno : EIO;
    text.remove_prefix(done);
  }
  return 0;
}

/// The same where a reader may be slow or gone for good: waits for room once for a fifth of a
/// second, and after such a wait in vain no more until there is room again. What does not fit is
/// dropped: EAGAIN then. A pipe that says it has room takes PIPE_BUF bytes without waiting, so that
/// much is written at a time.
inline int writeWithoutBlocking(int descriptor, std::string_view text) noexcept {
  constexpr size_t kPart = 4096; // PIPE_BUF
  constexpr int kPatienceMs = 200;
  static std::atomic<bool> nobodyReads{false};
  while (!text.empty()) {
    pollfd room{descriptor, POLLOUT, 0};
    const int ready = ::poll(&room, 1, nobodyReads ? 0 : kPatienceMs);
    if (ready < 0 && errno == EINTR)
      continue;
    nobodyReads = ready == 0;
    if (ready <= 0)
      return ready ? errno : EAGAIN;
    if (const int error = writeAll(descriptor, text.substr(0, kPart)))
      return error;
    text.remove_prefix(std::min(kPart, text.size()));
  }
  return 0;
}

} // namespace meld
