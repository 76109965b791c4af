// The end of a process, and of one that was forked from it.
#include "shim/process.h"
#include "tests/runtime/cache/scratch.h"
#include "tests/runtime/codeobject/builder.h"
#include "tests/sanitizer.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace meld;
using namespace meld::test;

// For LeakSanitizer: the child of a fork has the memory of a thread that it does not have.
static bool forked = false;
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return forked; }

namespace {

/// Exit status, or -1 for a child that had to be killed.
int endOf(pid_t child, int seconds) {
  int status = 0;
  for (int tenths = 0; tenths < 10 * patience(seconds); ++tenths) {
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

/// Under libmeld with a compile that is still running: a child is forked and ends by exit(), then
/// the process does.
void useAndFork(const Scratch &scratch) {
  forked = true;
  setenv("MELD_CACHE_DIR", scratch.file("cache").c_str(), 1);
  setenv("MELD_REPORT", "1", 1);
  setenv("MELD_COMPILE_MODE", "async", 1);
  setenv("MELD_EXIT_WAIT_MS", "600000", 1);
  setenv("FAKEJIT_MODE", "replace", 1);
  setenv("FAKEJIT_DELAY_MS", "3000", 1);
  dup2(open(scratch.file("stderr").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
  Process *process = startProcess();
  if (!process)
    _exit(10);
  EngineOptions options;
  options.settings = process->settings;
  options.jitPath = MELD_FAKEJIT;
  options.atExit = finishProcess; // before its globals go
  process->engine = std::make_unique<Engine>(options);
  ReportLine line;
  line.outcome = process->engine->decide(build({})).outcome;
  if (line.outcome != Outcome::late)
    _exit(11);
  process->report.add(line);
  pid_t child = fork();
  if (!child)
    std::exit(process->passThrough ? 5 : 6); // does not wait for the parent's compile
  if (int status = endOf(child, 60); status != 5)
    _exit(status < 0 ? 12 : status);
  std::exit(7);
}

} // namespace

TEST(ProcessEnd, AForkedChildWaitsForNothingAndReportsNothing) {
  Scratch scratch;
  pid_t process = fork();
  if (!process)
    useAndFork(scratch);
  EXPECT_EQ(endOf(process, 120), 7);
  std::ifstream in(scratch.file("stderr"));
  const std::string text(std::istreambuf_iterator<char>(in), {}), report = "libmeld report: ";
  EXPECT_NE(text.find(report), std::string::npos) << text;
  EXPECT_EQ(text.find(report), text.rfind(report)) << text;
  // The parent's compile was finished for the next run.
  bool entry = false;
  for (const auto &file : std::filesystem::recursive_directory_iterator(scratch.file("cache")))
    entry |= file.is_regular_file() && file.path().filename().string().size() == 64;
  EXPECT_TRUE(entry);
}
