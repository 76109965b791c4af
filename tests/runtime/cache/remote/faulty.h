// A server on 127.0.0.1 that does what it likes with each connection, and one between a client and a
// real server that spoils what the real one answers.
#pragma once

#include "tests/runtime/cache/remote/servers.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <poll.h>
#include <string_view>

namespace meld::test {

/// Each connection is given to `handle` on a thread of its own, with a descriptor that is closed
/// afterwards. At the end all connections are shut down: a handler must return when they fail.
class FaultyServer {
public:
  using Handler = std::function<void(int client)>;

  explicit FaultyServer(Handler handle)
      : handle_(std::move(handle)), listener_(listenAnywhere()), accepting_([this] { accept(); }) {}
  ~FaultyServer() {
    {
      std::lock_guard guard(lock_);
      ending_ = true;
      for (const int fd : open_)
        shutdown(fd, SHUT_RDWR);
    }
    shutdown(listener_.fd, SHUT_RDWR);
    accepting_.join();
    for (std::thread &thread : threads_)
      thread.join();
    close(listener_.fd);
  }

  unsigned port() const { return listener_.port; }
  std::string redis() const { return "redis://127.0.0.1:" + std::to_string(port()); }
  std::string http() const { return "http://127.0.0.1:" + std::to_string(port()) + "/meld"; }
  unsigned connections() const { return connections_; }

  /// Sleeps, unless the test ends. False then.
  bool sleep(std::chrono::milliseconds time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    while (!ending_ && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return !ending_;
  }

private:
  void accept() {
    for (;;) {
      const int fd = ::accept4(listener_.fd, nullptr, nullptr, SOCK_CLOEXEC);
      std::lock_guard guard(lock_);
      if (ending_ || fd < 0) {
        if (fd >= 0)
          close(fd);
        return;
      }
      ++connections_;
      open_.push_back(fd);
      threads_.emplace_back([this, fd] {
        handle_(fd);
        std::lock_guard closing(lock_);
        std::erase(open_, fd);
        close(fd);
      });
    }
  }

  Handler handle_;
  Listener listener_;
  std::atomic<bool> ending_{false};
  std::atomic<unsigned> connections_{0};
  std::mutex lock_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

/// What a test changes between its requests while threads of its server may still read it.
template <class T> class Shared {
public:
  Shared() = default;
  void set(T value) {
    std::lock_guard guard(lock_);
    value_ = std::move(value);
  }
  T get() const {
    std::lock_guard guard(lock_);
    return value_;
  }

private:
  mutable std::mutex lock_;
  T value_{};
};

inline bool sendText(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    text.remove_prefix(size_t(sent));
  }
  return true;
}

/// What has come, at least a byte; empty: the other side has closed.
inline std::string receiveText(int fd) {
  std::string text(64 << 10, '\0');
  const ssize_t got = recv(fd, text.data(), text.size(), 0);
  text.resize(size_t(std::max<ssize_t>(got, 0)));
  return text;
}

/// Between a client and the server at `port`. `spoil` is called with each piece that the server
/// answers, and with where it begins in all that the connection has answered; it changes the piece, and
/// returns false to cut the connection after it.
inline FaultyServer::Handler between(unsigned port,
                                     std::function<bool(std::string &piece, size_t at)> spoil) {
  return [port, spoil = std::move(spoil)](int client) {
    const int server = connectTo(port);
    if (server < 0)
      return;
    size_t answered = 0;
    for (;;) {
      pollfd both[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      if (poll(both, 2, -1) <= 0)
        break;
      if (both[0].revents) {
        const std::string text = receiveText(client);
        if (text.empty() || !sendText(server, text))
          break;
      }
      if (both[1].revents) {
        std::string text = receiveText(server);
        const size_t size = text.size();
        if (text.empty())
          break;
        const bool goOn = spoil(text, answered);
        if (!sendText(client, text) || !goOn)
          break;
        answered += size;
      }
    }
    close(server);
  };
}

} // namespace meld::test
