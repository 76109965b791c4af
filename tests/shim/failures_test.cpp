// Injected failures: whatever breaks, the program's output and exit code stay what they were.
#include "tests/shim/program.h"

#include <functional>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace meld::test;
namespace fs = std::filesystem;

namespace {

/// A folder with libmeld.so and whatever stands in for libmeld-jit.so.
struct Stage {
  Scratch scratch;
  Environment environment;
  bool mounted = false;
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
  const char *expect = nullptr; ///< must be on stderr
};

void useFake(Stage &s, const std::string &mode) {
  fs::remove(s.jit());
  fs::copy_file(MELD_LIB_DIR "/fakejit.so", s.jit());
  s.environment["FAKEJIT_MODE"] = mode;
}

/// Runs once so that the cache has entries, then damages each with `change`.
void damageEntries(Stage &s, const std::function<void(const std::string &)> &change) {
  runProgram(MELD_ARRIVALS " static", s.environment);
  std::vector<std::string> files;
  for (const auto &file : fs::recursive_directory_iterator(s.cache()))
    if (file.is_regular_file() && file.path().filename().string().size() == 64)
      files.push_back(file.path());
  EXPECT_FALSE(files.empty());
  for (const std::string &file : files)
    change(file);
}

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
       "no recompilation"},
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
      {"compileIsTooSlow", [](Stage &s) { s.environment["MELD_COMPILE_BUDGET_MS"] = "1"; },
       "late 1"},
      {"compileNeverEnds",
       [](Stage &s) {
         useFake(s, "endless");
         s.environment["MELD_COMPILE_BUDGET_MS"] = "50";
         s.environment["MELD_EXIT_WAIT_MS"] = "100"; // runProgram gives up after two minutes
       },
       "late 1"},
      {"neverWait", [](Stage &s) { s.environment["MELD_COMPILE_MODE"] = "async"; }, "late 1"},
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
         (void)!chown(s.cache().c_str(), geteuid() ? geteuid() : 4242, 4242);
       }},
      {"cacheIsRelative", [](Stage &s) { s.environment["MELD_CACHE_DIR"] = "cache"; },
       "not an absolute path"},
      {"noHome",
       [](Stage &s) {
         s.environment["MELD_CACHE_DIR"] = s.environment["HOME"] = s.environment["XDG_CACHE_HOME"] =
             "";
       },
       "cache off"},
      {"entriesAreDamaged",
       [](Stage &s) { damageEntries(s, [](auto &f) { overwrite(f, 500, "garbage"); }); },
       "damaged"},
      {"entriesAreShort",
       [](Stage &s) { damageEntries(s, [](auto &f) { fs::resize_file(f, 50); }); }, "damaged"},
      {"entriesAreEmpty",
       [](Stage &s) { damageEntries(s, [](auto &f) { fs::resize_file(f, 0); }); }, "damaged"},
      {"entriesAreFolders",
       [](Stage &s) {
         damageEntries(s, [](auto &f) {
           fs::remove(f);
           fs::create_directory(f);
         });
       }},
      {"entriesArePipes",
       [](Stage &s) {
         damageEntries(s, [](auto &f) {
           fs::remove(f);
           mkfifo(f.c_str(), 0600);
         });
       }},
      {"diskIsFull", // a file system of one page, where the user may mount one
       [](Stage &s) {
         fs::create_directory(s.cache());
         s.mounted =
             !geteuid() &&
             !std::system(("mount -t tmpfs -o size=4k,mode=700 none " + s.cache() + " 2> /dev/null")
                              .c_str());
       }},
      {"logCannotBeOpened", [](Stage &s) { s.environment["MELD_LOG_FILE"] = "/nonexistent/log"; },
       "logging to stderr"},
      {"settingsAreNonsense",
       [](Stage &s) {
         for (const char *name : {"MELD_JOBS", "MELD_CACHE_MAX_SIZE", "MELD_KERNEL_INCLUDE",
                                  "MELD_DISABLE", "MELD_TYPO"})
           s.environment[name] = "(((";
       },
       "unknown setting MELD_TYPO"},
      {"compilerUnknownPasses", [](Stage &s) { s.environment["MELD_PASSES"] = "no-such-pass"; }},
  };
  return all;
}

class Failures : public testing::TestWithParam<Failure> {};

} // namespace

TEST_P(Failures, OutputAndExitCodeStay) {
  Stage s;
  fs::create_directory(s.scratch.file("lib"));
  fs::copy_file(MELD_LIB_DIR "/libmeld.so", s.scratch.file("lib/libmeld.so"));
  fs::copy_file(MELD_LIB_DIR "/libmeld-jit.so", s.jit());
  s.environment = meldEnvironment(s.scratch, s.scratch.file("lib"));
  s.environment["MELD_PASSES"] = "none";
  GetParam().inject(s);
  for (int round = 0; round < 2; ++round) {
    Outcome o = runProgram(MELD_ARRIVALS " static globals", s.environment);
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_EQ(o.out, "PASS static\nPASS globals\n") << o.err;
    if (GetParam().expect && !round) {
      EXPECT_NE(o.err.find(GetParam().expect), std::string::npos) << o.err;
    }
  }
  // A program that fails by itself keeps its own exit code.
  EXPECT_EQ(runProgram(MELD_ARRIVALS " nonsense", s.environment).status, 1);
}

INSTANTIATE_TEST_SUITE_P(All, Failures, testing::ValuesIn(failures()),
                         [](const auto &one) { return std::string(one.param.name); });

TEST(FailureList, ThereAreAtLeastTwenty) { EXPECT_GE(failures().size(), 20u); }
