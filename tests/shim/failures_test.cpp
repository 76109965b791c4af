// Injected failures: whatever breaks, the program's output and exit code stay what they were, where a
// replacement is made at load and where versions are made while the program launches its kernels.
#include "tests/shim/program.h"

#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace meld::test;
namespace fs = std::filesystem;

namespace {

/// A folder with libmeld.so and whatever stands in for libmeld-jit.so.
struct Stage {
  Scratch scratch;
  Environment environment;
  bool mounted = false;
  std::string program = MELD_ARRIVALS, arguments = " static globals";
  const char *cannot = nullptr; ///< why this machine cannot have the failure
  ~Stage() {
    if (mounted)
      (void)!std::system(("umount -l " + cache()).c_str());
  }
  std::string jit() const { return scratch.file("lib/libmeld-jit.so"); }
  std::string cache() const { return scratch.file("cache"); }
};

struct Failure {
  const char *name;
  std::function<void(Stage &)> inject;
  const char *expect;                        ///< on stderr: that it did happen
  enum { always, ownProcess } when = always; ///< no application survives some of them in a thread
  const char *ofVersions = nullptr; ///< what is said instead of a version; nullptr: the same
};

void useFake(Stage &s, const std::string &mode) {
  fs::remove(s.jit());
  fs::copy_file(MELD_LIB_DIR "/fakejit.so", s.jit());
  s.environment["FAKEJIT_MODE"] = mode;
}

/// Runs once so that the cache has entries, then damages each with `change`.
void damageEntries(Stage &s, const std::function<void(const std::string &)> &change) {
  runProgram(s.program + s.arguments, s.environment);
  std::vector<std::string> files;
  for (const auto &file : fs::recursive_directory_iterator(s.cache()))
    if (file.is_regular_file() && file.path().filename().string().size() == 64)
      files.push_back(file.path());
  EXPECT_FALSE(files.empty());
  for (const std::string &file : files)
    change(file);
}

/// A file system of its own for the cache.
void mountCache(Stage &s, const std::string &options) {
  fs::create_directory(s.cache());
  s.mounted = !geteuid() && !std::system(("mount -t tmpfs -o mode=700," + options + " none " +
                                          s.cache() + " 2> /dev/null")
                                             .c_str());
  if (!s.mounted)
    s.cannot = "may not mount";
}

/// Where LLVM's embedded bitcode begins, and it is behind the header.
constexpr std::string_view kBitcodeMagic = "BC\xC0\xDE";

void overwrite(const std::string &file, size_t at, const std::string &text) {
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekp(at);
  f << text;
}

const std::vector<Failure> &failures() {
  static const std::vector<Failure> all = {
    {"noCompiler", [](Stage &s) { fs::remove(s.jit()); }, "no recompilation"},
    {"compilerIsGarbage",
     [](Stage &s) {
       fs::remove(s.jit());
       std::ofstream(s.jit()) << "garbage";
     },
     "libmeld-jit.so: "}, // the loader's words
    {"compilerIsAnotherLibrary",
     [](Stage &s) {
       fs::remove(s.jit());
       fs::copy_file(MELD_LIB_DIR "/othertool.so", s.jit());
     },
     "does not export"},
    {"compileFails", [](Stage &s) { useFake(s, "fail"); }, "compile failed"},
    {"compileFailsForGood", [](Stage &s) { useFake(s, "failForever"); }, "compile failed"},
    {"compilerRefuses", [](Stage &s) { useFake(s, "refuse"); }, "compile failed"},
    {"compilerReturnsNothing", [](Stage &s) { useFake(s, "empty"); }, "empty code object"},
    {"compilerReturnsGarbage", [](Stage &s) { useFake(s, "garbage"); }, "malformed"},
    {"gateRefuses", [](Stage &s) { useFake(s, "gate"); }, "gate refused"},
    {"compileIsTooSlow", [](Stage &s) { s.environment["MELD_COMPILE_BUDGET_MS"] = "1"; }, "late 1",
     Failure::always, "failed 0, late 0, with versions beside 1"},
    {"compileNeverEnds",
     [](Stage &s) {
       useFake(s, "endless");
       s.environment["MELD_COMPILE_BUDGET_MS"] = "50";
       s.environment["MELD_EXIT_WAIT_MS"] = "100"; // runProgram gives up after two minutes
     },
     "late 1", Failure::always, "failed 0, late 0, with versions beside 1"},
    {"cacheIsAFile", [](Stage &s) { std::ofstream(s.cache()) << "x"; }, "cache off"},
    {"cacheIsALink",
     [](Stage &s) {
       fs::create_directory(s.scratch.file("real"));
       fs::create_directory_symlink(s.scratch.file("real"), s.cache());
     },
     "cache off"},
    {"cacheIsWritableByOthers",
     [](Stage &s) {
       fs::create_directory(s.cache());
       chmod(s.cache().c_str(), 0777);
     },
     "can be written by others"},
    {"cacheIsForeign",
     [](Stage &s) {
       fs::create_directory(s.cache());
       chmod(s.cache().c_str(), 0700);
       if (chown(s.cache().c_str(), 4242, 4242))
         s.cannot = "may not give a folder away";
     },
     "belongs to user 4242"},
    {"cacheIsRelative", [](Stage &s) { s.environment["MELD_CACHE_DIR"] = "cache"; },
     "not an absolute path"},
    {"noHome",
     [](Stage &s) {
       s.environment["MELD_CACHE_DIR"] = s.environment["HOME"] = s.environment["XDG_CACHE_HOME"] =
           "";
     },
     "cache off"},
    {"entriesAreDamaged",
     [](Stage &s) { damageEntries(s, [](auto &f) { overwrite(f, 500, "garbage"); }); }, "damaged"},
    {"entriesAreShort", [](Stage &s) { damageEntries(s, [](auto &f) { fs::resize_file(f, 50); }); },
     "damaged"},
    {"entriesAreEmpty", [](Stage &s) { damageEntries(s, [](auto &f) { fs::resize_file(f, 0); }); },
     "damaged"},
    {"entriesAreFolders",
     [](Stage &s) {
       damageEntries(s, [](auto &f) {
         fs::remove(f);
         fs::create_directory(f);
       });
     },
     "damaged"},
    {"entriesArePipes",
     [](Stage &s) {
       damageEntries(s, [](auto &f) {
         fs::remove(f);
         mkfifo(f.c_str(), 0600);
       });
     },
     "damaged"},
    {"diskIsFull", [](Stage &s) { mountCache(s, "size=4k"); }, "No space left on device"},
    {"diskIsReadOnly", [](Stage &s) { mountCache(s, "ro"); }, "Read-only file system"},
    {"bitcodeIsDamaged",
     [](Stage &s) {
       const std::string whole = std::exchange(s.program, s.scratch.file("program"));
       fs::copy_file(whole, s.program);
       const std::string bytes = slurpText(s.program);
       int modules = 0;
       for (size_t at = 0; (at = bytes.find(kBitcodeMagic, at)) != std::string::npos; ++at)
         overwrite(s.program, at + 100, std::string(200, '\xa5')), ++modules;
       EXPECT_GT(modules, 0);
     },
     "compile failed"},
    {"logCannotBeOpened", [](Stage &s) { s.environment["MELD_LOG_FILE"] = "/nonexistent/log"; },
     "logging to stderr"},
    {"logIsAPipe",
     [](Stage &s) {
       s.environment["MELD_LOG_FILE"] = s.scratch.file("pipe");
       mkfifo(s.scratch.file("pipe").c_str(), 0600);
     },
     "nobody reads it"},
    {"regularExpressionIsLong",
     [](Stage &s) { s.environment["MELD_KERNEL_INCLUDE"] = std::string(100000, 'a'); },
     "1000 characters"},
    {"regularExpressionUnfolds",
     [](Stage &s) { s.environment["MELD_KERNEL_EXCLUDE"] = "((a{1,200}){1,200}){1,200}"; },
     "repeats too much"},
    {"timingParametersAreNonsense",
     [](Stage &s) { s.environment["MELD_GPU_TIMING_PARAMS"] = "((("; }, "timing parameter"},
    {"settingsAreNonsense",
     [](Stage &s) {
       for (const char *name : {"MELD_JOBS", "MELD_CACHE_MAX_SIZE", "MELD_KERNEL_INCLUDE",
                                "MELD_DISABLE", "MELD_TYPO"})
         s.environment[name] = "(((";
     },
     "unknown setting MELD_TYPO"},
    {"compilerCrashes", [](Stage &s) { useFake(s, "crash"); }, "ended by SIGSEGV",
     Failure::ownProcess},
    {"compilerAborts", [](Stage &s) { useFake(s, "abort"); }, "ended by SIGABRT",
     Failure::ownProcess},
    {"compilerExits", [](Stage &s) { useFake(s, "exit"); }, "ended by itself", Failure::ownProcess},
    {"compilerAnswersNonsense", [](Stage &s) { useFake(s, "nonsense"); }, "answers nonsense",
     Failure::ownProcess},
    {"compilerNeedsTooLong",
     [](Stage &s) {
       useFake(s, "spin");
       s.environment["MELD_COMPILER_SECONDS"] = "1";
     },
     "more than 1 s of processor time", Failure::ownProcess},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they need more than any limit
    {"compilerNeedsTooMuch", [](Stage &s) { s.environment["MELD_COMPILER_MEMORY"] = "100M"; },
     "compile failed", Failure::ownProcess},
#endif
    {"compilerUnknownPasses", [](Stage &s) { s.environment["MELD_PASSES"] = "no-such-pass"; },
     "no-such-pass"},
  };
  return all;
}

struct Injected {
  Failure failure;
  const char *compiler; ///< MELD_COMPILER
};

class Failures : public testing::TestWithParam<Injected> {};

std::vector<Injected> inBothCompilers() {
  std::vector<Injected> all;
  for (const Failure &failure : failures()) {
    if (failure.when == Failure::always)
      all.push_back({failure, "thread"});
    all.push_back({failure, "process"});
  }
  return all;
}

std::vector<Injected> inOneCompiler() {
  std::vector<Injected> all;
  for (const Failure &failure : failures())
    all.push_back({failure, failure.when == Failure::always ? "thread" : "process"});
  return all;
}

class FailuresOfVersions : public Failures {};

/// The libraries in a folder where they can be replaced, and a run with them.
void prepare(Stage &s, const char *compiler) {
  fs::create_directory(s.scratch.file("lib"));
  fs::copy_file(MELD_LIB_DIR "/libmeld.so", s.scratch.file("lib/libmeld.so"));
  fs::copy_file(MELD_LIB_DIR "/libmeld-jit.so", s.jit());
  fs::copy_file(MELD_LIB_DIR "/meld-compile", s.scratch.file("lib/meld-compile"));
  s.environment = meldEnvironment(s.scratch, s.scratch.file("lib"));
  s.environment["MELD_COMPILER"] = compiler;
}

} // namespace

TEST_P(Failures, OutputAndExitCodeStay) {
  Stage s;
  prepare(s, GetParam().compiler);
  s.environment["MELD_PASSES"] = "none";
  GetParam().failure.inject(s);
  if (s.cannot)
    GTEST_SKIP() << s.cannot;
  for (int round = 0; round < 2; ++round) {
    Outcome o = runProgram(s.program + s.arguments, s.environment);
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_EQ(o.out, "PASS static\nPASS globals\n") << o.err;
    if (!round) {
      EXPECT_NE(o.err.find(GetParam().failure.expect), std::string::npos) << o.err;
    }
  }
  // A program that fails by itself, after it has used the GPU, keeps its own exit code.
  Outcome o = runProgram(s.program + " static nonsense globals", s.environment);
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.out, "PASS static\nFAIL nonsense\nPASS globals\n") << o.err;
}

// 60 launches of a kernel: versions of it are asked for at the eighth, and tried where there are some.
TEST_P(FailuresOfVersions, OutputAndExitCodeStay) {
  Stage s;
  prepare(s, GetParam().compiler);
  s.program = MELD_CHOICE;
  s.arguments = " gains 60";
  s.environment.insert({{"MELD_ADAPT", "on"}, {"MELD_GPU_TIMING", "1"}, {"MELD_GPU_CUS", "4"}});
  const Failure &failure = GetParam().failure;
  failure.inject(s);
  if (s.cannot)
    GTEST_SKIP() << s.cannot;
  for (int round = 0; round < 2; ++round) {
    const Outcome o = runProgram(s.program + s.arguments, s.environment);
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_EQ(o.out, "PASS\n") << o.err;
    if (!round) {
      const std::string expect = failure.ofVersions ? failure.ofVersions : failure.expect;
      EXPECT_NE(o.err.find(expect), std::string::npos) << o.err;
    }
  }
}

// The compiler is not there in the first run: no verdict about the kernel.
TEST(FailureOfVersions, WhatCouldNotBeMadeIsTriedAgainInTheNextRun) {
  Stage s;
  prepare(s, "thread");
  s.environment.insert({{"MELD_ADAPT", "on"},
                        {"MELD_GPU_TIMING", "1"},
                        {"MELD_GPU_CUS", "4"},
                        {"MELD_LOG_LEVEL", "info"}});
  fs::rename(s.jit(), s.scratch.file("away"));
  const std::string command = MELD_CHOICE " gains 60";
  const Outcome first = runProgram(command, s.environment);
  EXPECT_EQ(first.out, "PASS\n") << first.err;
  EXPECT_NE(first.err.find("no version of gains as "), std::string::npos) << first.err;
  fs::rename(s.scratch.file("away"), s.jit());
  const Outcome second = runProgram(command, s.environment);
  EXPECT_EQ(second.out, "PASS\n") << second.err;
  EXPECT_NE(second.err.find("version of gains as melded is tried from now on"), std::string::npos)
      << second.err;
}

constexpr auto kNames = [](const auto &one) {
  return one.param.failure.name + std::string("_") + one.param.compiler;
};
INSTANTIATE_TEST_SUITE_P(All, Failures, testing::ValuesIn(inBothCompilers()), kNames);
INSTANTIATE_TEST_SUITE_P(All, FailuresOfVersions, testing::ValuesIn(inOneCompiler()), kNames);

TEST(FailureList, ThereAreAtLeastTwenty) {
  std::set<std::string> names;
  for (const Failure &failure : failures()) {
    ASSERT_NE(failure.expect, nullptr) << failure.name << " may not have happened";
    names.insert(failure.name);
  }
  EXPECT_GE(names.size(), 20u);
}

// All that we say goes into a pipe that nobody reads. Who writes to such a one ends by SIGPIPE,
// with what was not yet flushed of its output.
TEST(FailureOfStderr, NobodyReadsIt) {
  Scratch scratch;
  Environment environment = meldEnvironment(scratch);
  environment["MELD_LOG_LEVEL"] = "trace";
  environment["MELD_TYPO"] = "1";
  EXPECT_EQ(runProgram("sh -c 'echo said >&2'", environment, Errors::toNobody).status,
            128 + SIGPIPE)
      << "it is such a pipe";
  for (int round = 0; round < 2; ++round) {
    Outcome o = runProgram(MELD_ARRIVALS " static globals", environment, Errors::toNobody);
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out, "PASS static\nPASS globals\n");
  }
  EXPECT_EQ(runProgram(MELD_ARRIVALS " static nonsense", environment, Errors::toNobody).status, 1);
}
