#include "runtime/engine/helper.h"

#include "runtime/engine/wire.h"
#include "runtime/host/program_channel.h"
#include "runtime/log/log.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace meld {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookAgainMs = 1000;
constexpr unsigned kClockFactor = 10; ///< a machine may be busy
constexpr size_t kPiece = 1 << 16;
constexpr uint64_t kMostLogBytes = 16 << 20;

/// The lines of /proc/self/status about seccomp; empty where there is no /proc.
std::string seccompFilters() {
  const int fd = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return {};
  std::string text(8192, '\0');
  const ssize_t size = read(fd, text.data(), text.size());
  close(fd);
  text.resize(size_t(std::max<ssize_t>(size, 0)));
  std::string out;
  for (size_t at = 0; (at = text.find("\nSeccomp", at)) != std::string::npos;) {
    const size_t end = std::min(text.find('\n', ++at), text.size());
    out += text.substr(at, end - at);
  }
  return out;
}

/// Why it ended without a reply.
std::string describe(const ProgramEnd &end, const Settings &settings) {
  const std::string limit = std::to_string(settings.compilerSeconds) + " s of processor time";
  if (!end.known)
    return "the compile's process has gone";
  if (WIFEXITED(end.status))
    return "the compile's process ended by itself, status " +
           std::to_string(WEXITSTATUS(end.status));
  const int number = WTERMSIG(end.status);
  if (number == SIGXCPU ||
      (number == SIGKILL && settings.compilerSeconds && end.seconds >= settings.compilerSeconds))
    return "the compile took more than " + limit + " (MELD_COMPILER_SECONDS)";
  const char *name = sigabbrev_np(number);
  return std::string("the compile's process was ended by SIG") + (name ? name : "?");
}

/// The exchange of one compile. Nothing here waits longer than it says.
class Exchange {
public:
  Exchange(const Descriptor &socket, ByteView request, Clock::time_point until)
      : socket_(socket), request_(request), until_(until) {}

  /// Until the reply is there, the other side has closed, or something is wrong.
  std::optional<wire::Reply> run(std::string &why) {
    for (;;) {
      if (!socket_.isStillOurs()) {
        why = "the application has closed the descriptor of a compile";
        return std::nullopt;
      }
      pollfd wait{socket_.get(), short(POLLIN | (request_.empty() ? 0 : POLLOUT)), 0};
      const int ready = poll(&wait, 1, kLookAgainMs);
      if (until_ != Clock::time_point::max() && Clock::now() >= until_) {
        why = "the compile took too long";
        return std::nullopt;
      }
      if (ready <= 0 || !socket_.isStillOurs())
        continue;
      if ((wait.revents & POLLOUT) && !send())
        request_ = {}; // what it says before its end is read all the same
      if (wait.revents & (POLLIN | POLLHUP | POLLERR)) {
        const bool more = receive();
        if (!handleMessages()) {
          why = "the compile's process answers nonsense";
          return std::nullopt;
        }
        if (reply_ || !more)
          return std::move(reply_);
      }
    }
  }

private:
  bool send() {
    const ssize_t sent = ::send(socket_.get(), request_.data(), std::min(request_.size(), kPiece),
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0)
      return errno == EAGAIN || errno == EINTR;
    request_ = request_.subspan(size_t(sent));
    return true;
  }

  bool receive() {
    const size_t before = received_.size();
    received_.resize(before + kPiece);
    const ssize_t got = recv(socket_.get(), received_.data() + before, kPiece, MSG_DONTWAIT);
    received_.resize(before + size_t(std::max<ssize_t>(got, 0)));
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  }

  bool handleMessages() {
    while (!reply_ && received_.size() >= sizeof(wire::Header)) {
      const auto header = wire::decodeHeader(received_);
      if (!header || header->kind == uint32_t(wire::Kind::request))
        return false;
      const size_t whole = sizeof(wire::Header) + header->size;
      if (received_.size() < whole)
        return true;
      const ByteView body = ByteView(received_).subspan(sizeof(wire::Header), header->size);
      if (header->kind == uint32_t(wire::Kind::log)) {
        const auto line = wire::decodeLog(body);
        if (!line || (logBytes_ += whole) > kMostLogBytes)
          return false;
        log::write(static_cast<log::Level>(std::clamp(line->level, 1, 5)), line->text);
      } else if (!(reply_ = wire::decodeReply(body))) {
        return false;
      }
      received_.erase(received_.begin(), received_.begin() + ptrdiff_t(whole));
    }
    return true;
  }

  const Descriptor &socket_;
  ByteView request_;
  Clock::time_point until_;
  Bytes received_;
  uint64_t logBytes_ = 0;
  std::optional<wire::Reply> reply_;
};

JitOutcome failed(std::string reason) {
  JitOutcome outcome;
  outcome.reason = std::move(reason);
  return outcome;
}

} // namespace

/// One process, known to cancel() as long as it can be killed.
class HelperProcess::Running {
public:
  Running(const HelperProcess &owner, RunningProgram &program) : owner_(owner), program_(program) {
    std::lock_guard guard(owner_.lock_);
    owner_.running_.push_back(&program_);
    if (owner_.stopped_)
      program_.kill();
  }
  ~Running() {
    if (!ended_)
      end(true);
  }
  ProgramEnd end(bool now) {
    ended_ = true;
    if (now)
      program_.kill();
    return program_.end([this] {
      std::lock_guard guard(owner_.lock_);
      std::erase(owner_.running_, &program_);
    });
  }

private:
  const HelperProcess &owner_;
  RunningProgram &program_;
  bool ended_ = false;
};

Result<std::shared_ptr<HelperProcess>> HelperProcess::open(const std::string &helperPath,
                                                           const std::string &jitPath) {
  for (const std::string &path : {helperPath, jitPath})
    if (access(path.c_str(), path == helperPath ? X_OK : R_OK))
      return fail(ErrorCode::notFound, path + ": " + std::strerror(errno));
  std::shared_ptr<HelperProcess> helper(new HelperProcess);
  helper->helperPath_ = helperPath;
  helper->jitPath_ = jitPath;
  helper->environment_ = environmentForPrograms();
  helper->filtersAtStart_ = seccompFilters();
  return helper;
}

JitOutcome HelperProcess::compile(ByteView codeObject, const std::string &isa,
                                  const Settings &settings, const VersionWanted &version,
                                  const PlainTakes &) const {
  {
    std::lock_guard guard(lock_);
    if (stopped_)
      return failed("stopped: the process ends");
  }
  if (const std::string now = seccompFilters();
      !now.empty() && !filtersAtStart_.empty() && now != filtersAtStart_)
    return failed("the application has confined itself, no process for a compile is made");
  const Bytes request = wire::encode(codeObject, isa, settings, version);
  auto channel = ProgramChannel::open();
  if (!channel)
    return failed(channel.error().message);
  std::vector<std::string> arguments{helperPath_, jitPath_};
  const auto argv = pointersTo(arguments), environment = pointersTo(environment_);
  const Program program{helperPath_.c_str(), argv.data(), environment.data(),
                        channel->theirs.get()};
  auto child = RunningProgram::start(program);
  (void)channel->theirs.close();

  JitOutcome outcome;
  if (!child) {
    outcome = failed(child.error().message);
  } else {
    Running running(*this, **child);
    const auto until =
        settings.compilerSeconds
            ? Clock::now() + std::chrono::seconds(uint64_t(settings.compilerSeconds) * kClockFactor)
            : Clock::time_point::max();
    std::string why;
    Exchange exchange(channel->ours, request, until);
    auto reply = exchange.run(why);
    if (reply) {
      running.end(true); // it has nothing more to do
      outcome = std::move(reply->outcome);
      std::lock_guard guard(lock_);
      version_ = std::move(reply->version);
    } else {
      const ProgramEnd end = running.end(!why.empty());
      outcome = failed(why.empty() ? describe(end, settings) : why);
      std::lock_guard guard(lock_);
      if (stopped_)
        outcome.reason = "stopped: the process ends";
    }
  }
  return outcome;
}

std::string HelperProcess::version() const {
  std::lock_guard guard(lock_);
  return version_;
}

void HelperProcess::cancel() const noexcept {
  std::lock_guard guard(lock_);
  stopped_ = true;
  for (RunningProgram *program : running_)
    program->kill();
}

} // namespace meld
