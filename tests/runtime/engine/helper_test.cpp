// A compile in a process of its own, with a compiler that does what none may do.
#include "runtime/engine/engine.h"
#include "runtime/engine/helper.h"
#include "runtime/engine/open_compiler.h"
#include "tests/runtime/cache/scratch.h"
#include "tests/runtime/codeobject/builder.h"
#include "tests/sanitizer.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace meld;
using namespace meld::test;
using namespace std::chrono_literals;

namespace {
std::atomic<int> gCalls{0}; ///< of what follows; a child in this process's memory is counted
} // namespace

// Linked with --wrap.
extern "C" int __real_sigaction(int, const struct sigaction *, struct sigaction *);
extern "C" int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  ++gCalls;
  return __real_sigaction(number, action, old);
}
extern "C" pid_t __real_setsid();
extern "C" pid_t __wrap_setsid() {
  ++gCalls;
  return __real_setsid();
}
extern "C" int __real_execve(const char *, char *const *, char *const *);
extern "C" int __wrap_execve(const char *path, char *const *arguments, char *const *environment) {
  ++gCalls;
  return __real_execve(path, arguments, environment);
}

namespace {

constexpr const char *kIsa = "amdgcn-amd-amdhsa--gfx90a";

std::string folder() {
  const std::string path = MELD_FAKEJIT;
  return path.substr(0, path.rfind('/'));
}

class Helper : public testing::Test {
protected:
  void SetUp() override {
    unsetenv("FAKEJIT_LOG");
    unsetenv("FAKEJIT_GATE");
    unsetenv("FAKEJIT_DELAY_MS");
    setenv("FAKEJIT_PIDFILE", pidFile_.c_str(), 1);
    settings_ = parseSettings([](const char *) { return std::nullopt; }, {}).settings;
    settings_.compiler = "process";
  }
  void TearDown() override { unsetenv("FAKEJIT_PIDFILE"); }

  std::shared_ptr<HelperProcess> helper(const char *mode) {
    setenv("FAKEJIT_MODE", mode, 1);
    auto opened = HelperProcess::open(folder() + "/meld-compile", MELD_FAKEJIT);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *opened : nullptr;
  }
  JitOutcome compile(const char *mode) { return helper(mode)->compile(original_, kIsa, settings_); }

  /// The process that compiles, once it does.
  pid_t compiling() const {
    for (int waited = 0; waited < 6000; ++waited) {
      std::ifstream in(pidFile_);
      if (pid_t pid = 0; in >> pid)
        return pid;
      std::this_thread::sleep_for(10ms);
    }
    return 0;
  }
  static bool gone(pid_t pid) {
    for (int waited = 0; waited < 6000; ++waited) {
      std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
      std::string stat;
      if (!std::getline(in, stat) || stat.find(") Z") != std::string::npos)
        return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }
  /// In a process of its own: true when `body` returned true there.
  template <class F> static bool elsewhere(F &&body) {
    const pid_t child = fork();
    if (!child) {
      alarm(unsigned(patience(60)));
      _exit(body() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
  }

  Scratch scratch_;
  std::string pidFile_ = scratch_.file("pid");
  Settings settings_;
  Bytes original_ = build({});
};

} // namespace

TEST_F(Helper, TheSameAsInAThread) {
  setenv("FAKEJIT_MODE", "replace", 1);
  for (const char *mode : {"replace", "unchanged", "fail", "failForever", "garbage", "empty"}) {
    const JitOutcome there = compile(mode);
    Settings thread = settings_;
    thread.compiler = "thread";
    const JitOutcome here = (*openCompiler(thread, MELD_FAKEJIT))->compile(original_, kIsa, thread);
    EXPECT_EQ(there.status, here.status) << mode;
    EXPECT_EQ(there.permanent, here.permanent) << mode;
    EXPECT_EQ(there.codeObject, here.codeObject) << mode;
    EXPECT_EQ(there.metadata, here.metadata) << mode;
    EXPECT_EQ(there.reason, here.reason) << mode;
  }
}

// An application or a tool may have put functions of its own in the place of these (libjsig, sanitizers):
// called in the child, which shares the memory, they would take its signals for the application's.
TEST_F(Helper, CallsNothingOfTheCLibraryInTheApplicationsMemory) {
  gCalls = 0;
  EXPECT_EQ(compile("replace").status, MELD_JIT_REPLACED);
  EXPECT_EQ(gCalls, 0);
}

TEST_F(Helper, TheEngineCachesItsResults) {
  settings_.cacheDir = scratch_.file("cache");
  settings_.compileBudgetMs = 0;
  setenv("FAKEJIT_MODE", "replace", 1);
  auto engine = [&] {
    EngineOptions options;
    options.settings = settings_;
    options.jitPath = MELD_FAKEJIT;
    return std::make_unique<Engine>(options);
  };
  const Decision first = engine()->decide(original_);
  EXPECT_EQ(first.source, Source::compiled) << first.reason;
  settings_.compiler = "thread"; // the bytes are the same, and so is the key
  const Decision second = engine()->decide(original_);
  EXPECT_EQ(second.source, Source::disk);
  EXPECT_EQ(*first.replacement, *second.replacement);
}

TEST_F(Helper, WhateverHappensThereIsAReason) {
  const std::pair<const char *, const char *> all[] = {
      {"crash", "SIGSEGV"},      {"abort", "SIGABRT"},     {"exit", "ended by itself"},
      {"nonsense", "nonsense"},  {"huge", "nonsense"},     {"mute", "ended by itself"},
      {"throw", "fake: thrown"}, {"noMemory", "bad_alloc"}};
  for (const auto &[mode, reason] : all) {
    const JitOutcome outcome = compile(mode);
    EXPECT_EQ(outcome.status, MELD_JIT_FAILED) << mode;
    EXPECT_FALSE(outcome.permanent) << mode;
    EXPECT_NE(outcome.reason.find(reason), std::string::npos) << mode << ": " << outcome.reason;
  }
  EXPECT_EQ(compile("replace").status, MELD_JIT_REPLACED) << "none of it has consequences";
}

TEST_F(Helper, LimitsOfTimeAndMemory) {
  settings_.compilerSeconds = 1;
  EXPECT_NE(compile("spin").reason.find("more than 1 s of processor time"), std::string::npos);
  EXPECT_EQ(compile("stop").reason, "the compile took too long"); // it uses no processor time
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  settings_.compilerSeconds = 60;
  settings_.compilerMemory = 256 << 20;
  const std::string reason = compile("eatMemory").reason;
  EXPECT_TRUE(reason == "out of memory" || reason.find("bad_alloc") != std::string::npos ||
              reason.find("no reason") != std::string::npos)
      << reason;
#endif
}

TEST_F(Helper, NothingOfTheApplicationsIsInherited) {
  const int file = open("/dev/null", O_RDONLY); // without O_CLOEXEC
  signal(SIGUSR1, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  sigset_t some, before;
  sigemptyset(&some);
  sigaddset(&some, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &some, &before);
  setenv("LD_PRELOAD", "", 1);
  setenv("MELD_OF_THE_APPLICATION", "1", 1);
  setenv("HSA_TOOLS_LIB", "x", 1);
  settings_.compilerMemory = uint64_t(3) << 30;
  settings_.compilerSeconds = 77;
  const std::string reason = compile("surroundings").reason;
  unsetenv("LD_PRELOAD");
  unsetenv("MELD_OF_THE_APPLICATION");
  unsetenv("HSA_TOOLS_LIB");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGUSR1, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  close(file);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(reason, "descriptors 0 1 2; signals; variables FAKEJIT_MODE=surroundings; limits "
                    "3221225472 77 0; leads its session 1");
#endif
}

std::atomic<int> gChildSignals{0}, gChildrenFound{0};
void onChild(int) {
  ++gChildSignals;
  while (waitpid(-1, nullptr, WNOHANG) > 0)
    ++gChildrenFound;
}

// Applications wait for whatever child there is, or say that they want to hear of none.
TEST_F(Helper, TheApplicationDoesNotMeetTheProcess) {
  EXPECT_TRUE(elsewhere([&] {
    struct sigaction action {};
    action.sa_handler = onChild;
    sigaction(SIGCHLD, &action, nullptr);
    std::atomic<bool> done{false};
    std::thread waits([&] {
      while (!done) {
        gChildrenFound += waitpid(-1, nullptr, WNOHANG) > 0;
        std::this_thread::sleep_for(1ms);
      }
    });
    const bool good = compile("replace").status == MELD_JIT_REPLACED &&
                      compile("crash").reason.find("SIGSEGV") != std::string::npos;
    done = true;
    waits.join();
    return good && !gChildSignals && !gChildrenFound && waitpid(-1, nullptr, 0) < 0;
  }));
  EXPECT_TRUE(elsewhere([&] { // one that gets the children of its children
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, onChild);
    return compile("replace").status == MELD_JIT_REPLACED &&
           compile("crash").reason.find("SIGSEGV") != std::string::npos && !gChildSignals &&
           waitpid(-1, nullptr, 0) < 0;
  }));
  EXPECT_TRUE(elsewhere([&] {
    signal(SIGCHLD, SIG_IGN);
    return compile("replace").status == MELD_JIT_REPLACED &&
           compile("crash").reason.find("SIGSEGV") != std::string::npos;
  }));
}

TEST_F(Helper, CancelKillsItAtOnceAndNoOtherStarts) {
  auto compiler = helper("endless");
  JitOutcome outcome;
  std::thread compiles([&] { outcome = compiler->compile(original_, kIsa, settings_); });
  const pid_t pid = compiling();
  compiler->cancel();
  compiles.join();
  EXPECT_TRUE(pid && gone(pid));
  EXPECT_EQ(outcome.reason, "stopped: the process ends");
  EXPECT_EQ(compiler->compile(original_, kIsa, settings_).reason, "stopped: the process ends");
}

TEST_F(Helper, ItEndsWithTheApplicationHoweverThatEnds) {
  for (const char *how : {"exit", "kill", "exec", "fork"}) {
    std::filesystem::remove(pidFile_);
    const pid_t child = fork();
    if (!child) {
      setpgid(0, 0);
      auto *compiler = new std::shared_ptr<HelperProcess>(helper("endless"));
      std::thread([&, compiler] { (*compiler)->compile(original_, kIsa, settings_); }).detach();
      if (!compiling())
        _exit(1);
      if (how == std::string("kill"))
        raise(SIGKILL);
      if (how == std::string("exec"))
        execl("/bin/sleep", "sleep", "600", nullptr);
      if (how == std::string("fork") && !fork()) { // goes on, with our end of the socket
        sleep(unsigned(patience(60)));
        _exit(1);
      }
      _exit(0);
    }
    const pid_t pid = compiling();
    EXPECT_TRUE(pid && gone(pid)) << how;
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
}

TEST_F(Helper, AnApplicationThatClosesDescriptorsItDoesNotKnow) {
  EXPECT_TRUE(elsewhere([&] {
    auto compiler = helper("endless");
    std::string reason;
    std::thread compiles([&] { reason = compiler->compile(original_, kIsa, settings_).reason; });
    if (!compiling())
      return false;
    // ... and has files of its own under their numbers.
    const std::string data = scratch_.file("data");
    for (int fd = 3; fd < 256; ++fd)
      close(fd);
    while (open(data.c_str(), O_RDWR | O_CREAT, 0600) < 255)
      ;
    compiles.join();
    return reason == "the application has closed the descriptor of a compile" &&
           std::filesystem::file_size(data) == 0 && fcntl(200, F_GETFD) >= 0;
  }));
}

TEST_F(Helper, WithoutStandardDescriptors) {
  EXPECT_TRUE(elsewhere([&] {
    for (int fd : {0, 1, 2})
      close(fd);
    const bool good = compile("replace").status == MELD_JIT_REPLACED;
    return good && fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0 && fcntl(2, F_GETFD) < 0;
  }));
}

namespace {
/// From now on these system calls give `action`.
bool confine(std::initializer_list<int> calls, uint32_t action) {
  std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (int call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, action));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program{uint16_t(filter.size()), filter.data()};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
} // namespace

TEST_F(Helper, ConfinedApplications) {
  // One that ends whoever makes a process: none is made.
  EXPECT_TRUE(elsewhere([&] {
    auto compiler = helper("replace");
    return confine({SYS_clone, SYS_clone3, SYS_vfork, SYS_fork, SYS_execve},
                   SECCOMP_RET_KILL_PROCESS) &&
           compiler->compile(original_, kIsa, settings_).reason ==
               "the application has confined itself, no process for a compile is made";
  }));
  // From the beginning, by errors.
  for (int call : {SYS_clone, SYS_execve})
    EXPECT_TRUE(elsewhere([&] {
      return confine({call}, SECCOMP_RET_ERRNO | EPERM) &&
             compile("replace").reason.find("Operation not permitted") != std::string::npos;
    })) << call;
}

TEST_F(Helper, WhereNoProcessIsToBeHad) {
  if (geteuid())
    GTEST_SKIP() << "may not become another user";
  EXPECT_TRUE(elsewhere([&] {
    auto compiler = helper("replace");
    rlimit none{0, 0};
    return !setrlimit(RLIMIT_NPROC, &none) && !setuid(65534) &&
           compiler->compile(original_, kIsa, settings_).reason.find("no process to be had") == 0;
  }));
  EXPECT_TRUE(elsewhere([&] {
    auto compiler = helper("replace");
    const std::string empty = scratch_.file("root");
    return std::filesystem::create_directory(empty) && !chroot(empty.c_str()) && !chdir("/") &&
           compiler->compile(original_, kIsa, settings_).reason.find("cannot be started") !=
               std::string::npos; // there is no /proc to ask about seccomp, either
  }));
}

TEST_F(Helper, WithoutTheProgram) {
  const auto none = HelperProcess::open("/nonexistent/meld-compile", MELD_FAKEJIT);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("/nonexistent/meld-compile"), std::string::npos);
}
