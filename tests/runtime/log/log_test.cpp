#include "runtime/log/log.h"

#include <csignal>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
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
