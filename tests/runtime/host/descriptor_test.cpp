// Descriptors and stderr in a process whose application does what it wants with both.
#include "runtime/host/descriptor.h"
#include "runtime/host/stderr.h"
#include "runtime/write.h"
#include "tests/runtime/cache/scratch.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace meld;
using meld::test::Scratch;

namespace {

std::string content(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs `body` in a process of its own; what it returns is its exit code.
int inChild(const std::function<int()> &body) {
  const pid_t child = fork();
  if (!child)
    _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

TEST(Descriptors, ANumberThatTheApplicationHasTakenIsLeftAlone) {
  Scratch scratch;
  std::ofstream(scratch.file("ours")) << "o";
  std::ofstream(scratch.file("theirs")) << "t";
  int number;
  {
    Descriptor ours(open(scratch.file("ours").c_str(), O_RDONLY | O_CLOEXEC));
    number = ours.get();
    EXPECT_TRUE(ours.isStillOurs());
    ::close(number); // closefrom(3)
    EXPECT_FALSE(ours.isStillOurs());
    ASSERT_EQ(open(scratch.file("theirs").c_str(), O_RDONLY), number);
    EXPECT_FALSE(ours.isStillOurs());
  }
  char byte = 0;
  EXPECT_EQ(read(number, &byte, 1), 1) << "it is still open";
  EXPECT_EQ(byte, 't');
  ::close(number);
}

TEST(Descriptors, OursAreClosedAndMovedAsUsual) {
  Descriptor a(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = a.get();
  Descriptor b(std::move(a));
  EXPECT_FALSE(a);
  EXPECT_EQ(b.get(), number);
  b = Descriptor();
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
  EXPECT_FALSE(Descriptor(-1));
}

TEST(Descriptors, NeverTheNumbersOfTheStandardStreams) {
  EXPECT_EQ(inChild([] {
              for (int low : {0, 1, 2})
                ::close(low);
              Descriptor fd(open("/dev/null", O_RDWR | O_CLOEXEC));
              return fd.get() > 2 && fcntl(0, F_GETFD) == -1 &&
                             (fcntl(fd.get(), F_GETFD) & FD_CLOEXEC)
                         ? 0
                         : 1;
            }),
            0);
}

TEST(Stderr, ADataFileWithItsNumberGetsNothing) {
  Scratch scratch;
  const std::string data = scratch.file("data");
  // However the application opens it: for writing only, for both, as a stream.
  for (int how = 0; how < 3; ++how) {
    EXPECT_EQ(inChild([&]() -> int {
                rememberStderr();
                ::close(2);
                if (how == 2)
                  return !fopen(data.c_str(), "w") || (writeToStderr("ours"), stderrIsOurs());
                if (open(data.c_str(), (how ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC, 0600) != 2)
                  return 2;
                writeToStderr("ours");
                return stderrIsOurs();
              }),
              0);
    EXPECT_EQ(content(data), "") << how;
  }
}

TEST(Stderr, AConnectionWithItsNumberGetsNothing) {
  EXPECT_EQ(inChild([] {
              rememberStderr();
              int ends[2];
              ::close(2);
              if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || ends[0] != 2)
                return 2;
              writeToStderr("ours");
              char byte;
              return recv(ends[1], &byte, 1, MSG_DONTWAIT) == -1 ? 0 : 1;
            }),
            0);
}

TEST(Stderr, ClosedFromTheStartMeansNever) {
  Scratch scratch;
  const std::string data = scratch.file("data");
  EXPECT_EQ(inChild([&] {
              ::close(2);
              rememberStderr();
              if (open(data.c_str(), O_WRONLY | O_CREAT, 0600) != 2)
                return 2;
              writeToStderr("ours");
              return 0;
            }),
            0);
  EXPECT_EQ(content(data), "");
}

TEST(Stderr, TheOneOfTheStartIsUsed) {
  Scratch scratch;
  const std::string log = scratch.file("log");
  EXPECT_EQ(inChild([&] {
              dup2(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), 2); // as a shell does
              rememberStderr();
              writeToStderr("one\n");
              dup2(2, 100); // closed and put back
              ::close(2);
              dup2(100, 2);
              writeToStderr("two\n");
              return 0;
            }),
            0);
  EXPECT_EQ(content(log), "one\ntwo\n");
}

TEST(Stderr, AFileThatIsReadTooIsData) {
  Scratch scratch;
  const std::string data = scratch.file("data");
  EXPECT_EQ(inChild([&] {
              dup2(open(data.c_str(), O_RDWR | O_CREAT, 0600), 2);
              rememberStderr(); // a library that is loaded late
              writeToStderr("ours");
              return 0;
            }),
            0);
  EXPECT_EQ(content(data), "");
}

// Nobody reads it and nobody ever will: a blocking write would stay for ever (the alarm ends it).
TEST(Stderr, AFullPipeIsNotWaitedFor) {
  EXPECT_EQ(inChild([] {
              int ends[2];
              if (pipe(ends))
                return 2;
              dup2(ends[1], 2);
              rememberStderr();
              alarm(60);
              const std::string line(5000, 'x');
              for (int i = 0; i < 1000; ++i)
                writeToStderr(line);
              std::string got(1 << 20, 0);
              fcntl(ends[0], F_SETFL, O_NONBLOCK);
              if (read(ends[0], got.data(), got.size()) < 4096)
                return 3;
              while (read(ends[0], got.data(), got.size()) > 0) {
              }
              writeToStderr("there is room again");
              return read(ends[0], got.data(), got.size()) == 19 ? 0 : 4;
            }),
            0);
}
