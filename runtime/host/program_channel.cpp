#include "runtime/host/program_channel.h"

#include "runtime/host/text.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace meld {
namespace {

constexpr int kLowestDescriptor = 64;

/// Our ends, for the child of a fork.
struct Open {
  std::atomic<int> fd{-1}; ///< -1: free; -2: being filled in
  FileIdentity identity;
};
Open gOpen[16];

void remember(int fd) noexcept {
  const auto identity = FileIdentity::of(fd);
  if (!identity)
    return;
  for (Open &open : gOpen) {
    int none = -1;
    if (open.fd.load() == -1 && open.fd.compare_exchange_strong(none, -2)) {
      open.identity = *identity;
      open.fd.store(fd);
      return;
    }
  }
}

void forget(int fd) noexcept {
  for (Open &open : gOpen) {
    int expected = fd;
    if (fd >= 0 && open.fd.compare_exchange_strong(expected, -1))
      return;
  }
}

/// Moved up: an application that has closed 0, 1 or 2 finds its next file there, or writes to it.
int moveUp(int fd) noexcept {
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, kLowestDescriptor);
  if (moved < 0)
    return fd;
  close(fd);
  return moved;
}

bool forTheApplicationAlone(std::string_view variable) {
  for (std::string_view begin : {"LD_PRELOAD=", "LD_AUDIT=", "MELD_", "HSA_TOOLS_"})
    if (variable.starts_with(begin))
      return true;
  return false;
}

} // namespace

Result<ProgramChannel> ProgramChannel::open() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return fail(ErrorCode::io, errnoText("no socket for a program of ours", errno));
  ProgramChannel channel;
  channel.ours = Descriptor(moveUp(ends[0]));
  channel.theirs = Descriptor(moveUp(ends[1]));
  remember(channel.ours.get());
  return channel;
}

ProgramChannel &ProgramChannel::operator=(ProgramChannel &&other) noexcept {
  if (this != &other) {
    forget(ours.get());
    ours = std::move(other.ours);
    theirs = std::move(other.theirs);
  }
  return *this;
}

ProgramChannel::~ProgramChannel() { forget(ours.get()); }

void closeProgramChannelsAfterFork() noexcept {
  for (Open &open : gOpen) {
    const int fd = open.fd.exchange(-1);
    if (fd >= 0 && FileIdentity::of(fd) == open.identity)
      close(fd);
  }
}

std::vector<std::string> environmentForPrograms() {
  std::vector<std::string> out;
  for (char **variable = environ; variable && *variable; ++variable)
    if (!forTheApplicationAlone(*variable))
      out.emplace_back(*variable);
  return out;
}

std::vector<char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (const std::string &text : texts)
    out.push_back(const_cast<char *>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

} // namespace meld
