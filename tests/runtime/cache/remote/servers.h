// Servers that tests start themselves: Redis and nginx, on 127.0.0.1 or a unix socket, in a folder that
// goes away. They end with the test, whichever way it ends.
#pragma once

#include "tests/runtime/cache/scratch.h"
#include "tests/sanitizer.h"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace meld::test {

/// A socket that listens on 127.0.0.1, and where.
struct Listener {
  int fd = -1;
  unsigned port = 0;
};
inline Listener listenAnywhere(unsigned wanted = 0) {
  Listener listener{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), 0};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(uint16_t(wanted));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener.fd, reinterpret_cast<sockaddr *>(&address), size) || listen(listener.fd, 64) ||
      getsockname(listener.fd, reinterpret_cast<sockaddr *>(&address), &size)) {
    close(listener.fd);
    return {};
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}
/// One that nobody listens on at this moment.
inline unsigned freePort() {
  const Listener listener = listenAnywhere();
  close(listener.fd);
  return listener.port;
}
inline int connectTo(unsigned port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(uint16_t(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0)
    return fd;
  close(fd);
  return -1;
}

/// A program in the background.
class BackgroundProgram {
public:
  explicit BackgroundProgram(const std::vector<std::string> &arguments) {
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_)
      return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(127);
    const int nowhere = open("/dev/null", O_RDWR);
    for (int fd : {0, 1, 2})
      dup2(nowhere, fd);
    std::vector<char *> argv;
    for (const auto &argument : arguments)
      argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~BackgroundProgram() { kill(); }
  BackgroundProgram(const BackgroundProgram &) = delete;
  BackgroundProgram &operator=(const BackgroundProgram &) = delete;

  void kill() {
    if (pid_ <= 0)
      return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  void signal(int number) const {
    if (pid_ > 0)
      ::kill(pid_, number);
  }
  bool ended() {
    if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_)
      pid_ = -1;
    return pid_ <= 0;
  }

private:
  pid_t pid_ = -1;
};

/// Until `ready()`, at most half a minute.
inline bool waitUntil(const std::function<bool()> &ready) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(patience(30));
  while (!ready()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

inline bool accepts(unsigned port) {
  const int fd = connectTo(port);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

inline bool accepts(const std::string &socketPath) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socketPath.copy(address.sun_path, sizeof address.sun_path - 1);
  const bool good = connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
  close(fd);
  return good;
}

/// redis-server; started again with start() after kill().
class RedisServer {
public:
  /// Where the program is; empty: it is not installed.
  static std::string program() { return access(MELD_REDIS_SERVER, X_OK) ? "" : MELD_REDIS_SERVER; }

  explicit RedisServer(std::vector<std::string> more = {}) : more_(std::move(more)) {
    for (int tries = 0; tries < 5 && !start(); ++tries)
      port_ = freePort(); // somebody else has taken it meanwhile
  }

  bool start() {
    std::vector<std::string> arguments{
        program(),      "--bind", "127.0.0.1",    "--port", std::to_string(port_),
        "--unixsocket", socket(), "--save",       "",       "--appendonly",
        "no",           "--dir",  scratch_.path()};
    arguments.insert(arguments.end(), more_.begin(), more_.end());
    server_ = std::make_unique<BackgroundProgram>(arguments);
    return waitUntil([&] { return (accepts(port_) && accepts(socket())) || server_->ended(); }) &&
           !server_->ended();
  }
  void kill() { server_->kill(); }
  void signal(int number) { server_->signal(number); }
  unsigned port() const { return port_; }
  std::string socket() const { return scratch_.file("redis.sock"); }
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  std::string unixUrl() const { return "redis+unix://" + socket(); }

private:
  Scratch scratch_;
  unsigned port_ = freePort();
  const std::vector<std::string> more_;
  std::unique_ptr<BackgroundProgram> server_;
};

/// nginx with its DAV module, which keeps what is put into a folder.
class NginxServer {
public:
  static std::string program() { return access(MELD_NGINX, X_OK) ? "" : MELD_NGINX; }

  /// `folder`: where entries lie; empty: one of its own. `more`: for the location /meld.
  explicit NginxServer(std::string folder = {}, const std::string &more = {})
      : folder_(folder.empty() ? scratch_.file("entries") : std::move(folder)) {
    std::error_code ignored;
    std::filesystem::create_directories(folder_ + "/meld", ignored);
    std::filesystem::create_directories(scratch_.file("temporary"), ignored);
    for (int tries = 0; tries < 5; ++tries, port_ = freePort()) {
      configure(more);
      if (start())
        break;
    }
  }
  void configure(const std::string &more) const {
    std::ofstream(scratch_.file("nginx.conf"))
        << "daemon off; master_process off; worker_processes 1;\n"
        << "pid " << scratch_.file("pid") << "; error_log " << scratch_.file("error.log") << ";\n"
        << "events { worker_connections 256; }\n"
        << "http { access_log off; default_type application/octet-stream;\n"
        // On the entries' file system: what is put is renamed, and so is there as a whole or not at all.
        << "client_body_temp_path " << folder_ << "/incoming;\n"
        << "proxy_temp_path " << scratch_.file("temporary") << "; fastcgi_temp_path "
        << scratch_.file("temporary") << "; uwsgi_temp_path " << scratch_.file("temporary")
        << "; scgi_temp_path " << scratch_.file("temporary") << ";\n"
        << "server { listen 127.0.0.1:" << port_ << ";\n"
        << "location /meld { root " << folder_ << "; dav_methods PUT DELETE;\n"
        << "create_full_put_path on; client_max_body_size 256m;\n"
        << more << "} } }\n";
  }
  bool start() {
    server_ = std::make_unique<BackgroundProgram>(std::vector<std::string>{
        program(), "-p", scratch_.path(), "-c", scratch_.file("nginx.conf")});
    return waitUntil([&] { return accepts(port_) || server_->ended(); }) && !server_->ended();
  }
  void kill() { server_->kill(); }
  unsigned port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/meld"; }
  const std::string &folder() const { return folder_; }

private:
  Scratch scratch_;
  const std::string folder_;
  unsigned port_ = freePort();
  std::unique_ptr<BackgroundProgram> server_;
};

/// http_store.py: keeps everything in memory, knows If-None-Match, and can make an entry older.
class PythonServer {
public:
  static std::string program() { return access(MELD_PYTHON, X_OK) ? "" : MELD_PYTHON; }

  PythonServer() {
    server_ = std::make_unique<BackgroundProgram>(
        std::vector<std::string>{program(), MELD_HTTP_STORE, std::to_string(port_)});
    waitUntil([&] { return accepts(port_) || server_->ended(); });
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/meld"; }
  void age(const std::string &path, unsigned seconds) const {
    const int fd = connectTo(port_);
    const std::string request = "POST /age" + path + "?seconds=" + std::to_string(seconds) +
                                " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
    char answer[256];
    if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) > 0)
      (void)!recv(fd, answer, sizeof answer, 0);
    close(fd);
  }

private:
  const unsigned port_ = freePort();
  std::unique_ptr<BackgroundProgram> server_;
};

} // namespace meld::test

#define MELD_NEEDS(Server, package)                                                                \
  if (meld::test::Server::program().empty())                                                       \
  GTEST_SKIP() << "needs Debian's package " package
