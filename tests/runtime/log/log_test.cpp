#include "runtime/log/log.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

using namespace meld;

namespace {

class Log : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/meld-log-XXXXXX";
    close(mkstemp(name));
    file_ = name;
    unlink(name);
  }
  void TearDown() override {
    log::configure(2, "");
    unlink(file_.c_str());
  }
  std::string content() const {
    std::ifstream in(file_);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  std::string file_;
};

} // namespace

// Who writes to a pipe that nobody reads, or past the limit on a file's size, is ended by a signal:
// the application must not be, by what we say.
TEST_F(Log, ASignalOfAWriteIsNotTheApplications) {
  for (int number : {SIGPIPE, SIGXFSZ}) {
    pid_t child = fork();
    if (!child) {
      signal(number, SIG_DFL);
      if (number == SIGPIPE) {
        int ends[2];
        if (pipe(ends) || close(ends[0]) || dup2(ends[1], STDERR_FILENO) < 0)
          _exit(1);
        log::configure(2, "");
      } else {
        const rlimit limit{16, 16};
        setrlimit(RLIMIT_FSIZE, &limit);
        log::configure(2, file_);
      }
      log::warning("longer than sixteen bytes");
      log::warning("and once more");
      sigset_t pending;
      sigpending(&pending);
      if (sigismember(&pending, number))
        _exit(2);
      // The application's own is still its own, blocked or not.
      sigset_t blocked;
      sigemptyset(&blocked);
      sigaddset(&blocked, number);
      sigprocmask(SIG_BLOCK, &blocked, nullptr);
      raise(number);
      log::warning("meanwhile");
      sigpending(&pending);
      if (!sigismember(&pending, number))
        _exit(3);
      sigprocmask(SIG_UNBLOCK, &blocked, nullptr); // ends here
      _exit(4);
    }
    int status;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    EXPECT_EQ(WTERMSIG(status), number);
  }
}

TEST_F(Log, NothingIsOpenedBeforeTheFirstMessageThatPasses) {
  log::configure(2, file_);
  log::info("not this one");
  EXPECT_NE(access(file_.c_str(), F_OK), 0);
  log::warning("this one");
  EXPECT_EQ(access(file_.c_str(), F_OK), 0);
  EXPECT_NE(content().find("warning: this one\n"), std::string::npos) << content();
  EXPECT_EQ(content().find("not this one"), std::string::npos);
}

TEST_F(Log, LevelsFilter) {
  for (int level = 0; level <= 5; ++level) {
    unlink(file_.c_str());
    log::configure(level, file_);
    for (int at = 1; at <= 5; ++at) {
      EXPECT_EQ(log::enabled(static_cast<log::Level>(at)), at <= level);
      log::write(static_cast<log::Level>(at), "message " + std::to_string(at));
    }
    std::string text = content();
    for (int at = 1; at <= 5; ++at)
      EXPECT_EQ(text.find("message " + std::to_string(at)) != std::string::npos, at <= level)
          << level << " " << at;
  }
}

TEST_F(Log, StderrByDefaultAndNeverStdout) {
  log::configure(3, "");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  log::info("where does it go");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("where does it go"), std::string::npos);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_F(Log, AFileThatCannotBeOpenedFallsBackToStderr) {
  log::configure(2, "/nonexistent-folder/file");
  testing::internal::CaptureStderr();
  log::warning("kept");
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("kept"), std::string::npos);
  EXPECT_NE(text.find("/nonexistent-folder/file"), std::string::npos);
}

// Whatever MELD_LOG_FILE names: nobody waits, the message is on stderr, and so is one line that
// says why.
TEST_F(Log, FilesOfEveryKindOfFile) {
  const std::string folder = file_ + ".d/";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  ASSERT_EQ(mkfifo((folder + "pipe").c_str(), 0600), 0);
  ASSERT_EQ(symlink("pipe", (folder + "link-to-pipe").c_str()), 0);
  ASSERT_EQ(symlink("loop", (folder + "loop").c_str()), 0);
  ASSERT_EQ(mknod((folder + "socket").c_str(), S_IFSOCK | 0600, 0), 0);
  for (const std::string &name :
       {folder, folder + "pipe", folder + "link-to-pipe", folder + "loop", folder + "socket",
        folder + "no/such/folder", std::string("/proc/self/mem"), std::string("/proc/self/exe"),
        std::string("/dev/random"), "/" + std::string(1 << 20, 'a'), std::string(300, '\x01'),
        std::string("\x1b[31m%n%s"), std::string("/proc/self/fd/77")}) {
    log::configure(2, name);
    testing::internal::CaptureStderr();
    log::warning("first");
    log::warning("second");
    const std::string text = testing::internal::GetCapturedStderr();
    const std::string shown = name.substr(0, 40);
    if (name.starts_with("\x1b")) { // a file with an odd name, and why not
      unlink(name.c_str());
      EXPECT_EQ(text, "") << shown;
      continue;
    }
    EXPECT_NE(text.find("MELD_LOG_FILE"), std::string::npos) << shown;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << shown << text;
    EXPECT_LT(text.size(), 1200u) << shown; // the name, three bytes a character, and process ids
    EXPECT_EQ(text.find_first_of("\x01\x1b"), std::string::npos) << shown;
  }
  for (const char *name : {"pipe", "link-to-pipe", "loop", "socket"})
    unlink((folder + name).c_str());
  rmdir(folder.c_str());
}

TEST_F(Log, APipeThatFillsUpKeepsNobodyWaiting) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  const int reader = open(file_.c_str(), O_RDONLY | O_NONBLOCK);
  log::configure(2, file_);
  for (int i = 0; i < 5000; ++i)
    log::warning("nobody reads this " + std::to_string(i));
  char start[64] = "";
  EXPECT_GT(read(reader, start, sizeof(start) - 1), 0) << "some of it fitted";
  close(reader);
}

TEST_F(Log, ATerminalThatWasStoppedKeepsNobodyWaiting) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_TRUE(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
  const std::string name = ptsname(terminal);
  const int other = open(name.c_str(), O_RDWR | O_NOCTTY);
  log::configure(2, name);
  log::warning("shown");
  char text[256] = "";
  EXPECT_GT(read(terminal, text, sizeof(text) - 1), 0);
  EXPECT_NE(std::string(text).find("shown"), std::string::npos);
  tcflow(other, TCOOFF); // Ctrl-S
  for (int i = 0; i < 5000; ++i)
    log::warning("nobody sees this " + std::to_string(i));
  tcflow(other, TCOON);
  close(other);
  close(terminal);
}

TEST_F(Log, AFileThatBecomesFullIsOneLine) {
  log::configure(2, "/dev/full");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10; ++i)
    log::warning("no room");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_NE(text.find("No space left"), std::string::npos) << text;
}

// closefrom(3), and the number of our log is a data file of the application's.
TEST_F(Log, ANumberThatTheApplicationHasTakenIsNotWrittenTo) {
  log::configure(2, file_);
  log::warning("ours");
  char target[256];
  int taken = 0;
  const std::string data = file_ + ".data";
  const int theirs = open(data.c_str(), O_WRONLY | O_CREAT, 0600);
  for (int fd = 3; fd < 100; ++fd)
    if (const ssize_t n =
            readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof(target));
        n > 0 && std::string(target, n) == file_) {
      dup2(theirs, fd);
      taken = fd;
    }
  ASSERT_GT(taken, 2);
  testing::internal::CaptureStderr();
  log::warning("not there");
  log::warning("nor this");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  log::configure(2, ""); // would have closed it
  EXPECT_EQ(write(taken, "x", 1), 1) << "it is still open";
  std::ifstream in(data);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "x");
  unlink(data.c_str());
  close(theirs);
  close(taken);
}

TEST_F(Log, AMessageIsOneLineOfBoundedLength) {
  log::configure(2, file_);
  log::warning("first\nsecond\x1b[31m\r\tend");
  log::warning(std::string(1 << 20, 'x'));
  const std::string text = content();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 10000u);
  EXPECT_NE(text.find("(1048576 bytes)"), std::string::npos);
}

TEST_F(Log, WarnOncePerKey) {
  log::configure(2, file_);
  for (int i = 0; i < 3; ++i)
    log::warnOnce("key of this test", "only once");
  std::string text = content();
  EXPECT_EQ(text.find("only once"), text.rfind("only once"));
}

TEST_F(Log, BracesAreText) {
  log::configure(2, file_);
  log::warning("{} {0} {");
  EXPECT_NE(content().find("{} {0} {"), std::string::npos);
}

TEST_F(Log, LinesOfThreadsStayWhole) {
  log::configure(3, file_);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i)
        log::info("<" + std::string(200, char('a' + t)) + ">");
    });
  for (std::thread &thread : threads)
    thread.join();
  std::istringstream lines(content());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    size_t open = line.find('<');
    ASSERT_NE(open, std::string::npos);
    EXPECT_EQ(line.substr(open), "<" + std::string(200, line[open + 1]) + ">");
  }
  EXPECT_EQ(count, 800);
}

TEST_F(Log, TheChildOfAForkIsSilent) {
  log::configure(2, file_);
  log::warning("parent");
  pid_t child = fork();
  if (!child) {
    log::silenceAfterFork();
    log::warning("child");
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  EXPECT_EQ(content().find("child"), std::string::npos);
}
