// LD_PRELOAD=libmeld.so in processes that never see a GPU.
#include "tests/runtime/cache/scratch.h"
#include "tests/sanitizer.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using meld::test::Scratch;

namespace {

struct Result {
  int status;
  std::string text;
};

Result run(const std::string &command) {
  Result result;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (size_t got = fread(buffer, 1, sizeof(buffer), pipe))
    result.text.append(buffer, got);
  result.status = pclose(pipe);
  return result;
}

const std::string kPreload = [] {
  std::string text;
  for (const auto &[name, value] : meld::test::preloaded(MELD_LIB))
    text += name + "=" + value + " ";
  return text;
}();

std::string library() {
  char path[PATH_MAX];
  return realpath(MELD_LIB, path);
}

std::string variable(const Result &result, const std::string &name) {
  std::istringstream lines(result.text);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(name + "=", 0) == 0)
      return line.substr(name.size() + 1);
  return "(unset)";
}

/// File names in the maps.
std::set<std::string> mapped(const Result &result) {
  std::set<std::string> names;
  std::istringstream lines(result.text);
  for (std::string line; std::getline(lines, line);)
    if (size_t at = line.find(" /"); at != std::string::npos)
      names.insert(line.substr(line.rfind('/') + 1));
  return names;
}

} // namespace

TEST(Preload, BinTrueWorksAndIsSilent) {
  Result r = run(kPreload + "/bin/true");
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.text, "");
}

TEST(Preload, LoadsNoLlvmAndNothingElseOfSize) {
  Result with = run(kPreload + MELD_PROBE), without = run(MELD_PROBE);
  ASSERT_EQ(with.status, 0);
  std::set<std::string> extra;
  auto a = mapped(with), b = mapped(without);
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(extra, extra.end()));
  EXPECT_TRUE(extra.erase("libmeld.so"));
  extra.erase("libm.so.6");
  for (const std::string &name : extra)
    if (name.rfind("tsan.", 0) != 0) // ThreadSanitizer's copies of read-only data
      ADD_FAILURE() << "also loads " << name;
  EXPECT_EQ(with.text.find("LLVM"), std::string::npos);
  EXPECT_EQ(with.text.find("comgr"), std::string::npos);
  EXPECT_EQ(with.text.find("libmeld-jit"), std::string::npos);
}

TEST(Preload, AddsItselfToTheToolsAndKeepsTheUsers) {
  EXPECT_EQ(variable(run(kPreload + MELD_PROBE), "HSA_TOOLS_LIB"), library());
  EXPECT_EQ(variable(run("HSA_TOOLS_LIB=/my/tool.so " + kPreload + MELD_PROBE), "HSA_TOOLS_LIB"),
            "/my/tool.so " + library());
}

TEST(Preload, InheritingProcessesDoNotAddItTwice) {
  EXPECT_EQ(variable(run(kPreload + MELD_PROBE " again"), "HSA_TOOLS_LIB"), library());
  EXPECT_EQ(variable(run(kPreload + "sh -c 'sh -c \"sh -c " MELD_PROBE "\"'"), "HSA_TOOLS_LIB"),
            library());
}

TEST(Preload, DisabledMeansUntouched) {
  for (const char *yes : {"1", "on", "true", "YES"})
    EXPECT_EQ(variable(run(std::string("MELD_DISABLE=") + yes + " " + kPreload + MELD_PROBE),
                       "HSA_TOOLS_LIB"),
              "(unset)")
        << yes;
  EXPECT_EQ(variable(run("MELD_DISABLE=0 " + kPreload + MELD_PROBE), "HSA_TOOLS_LIB"), library());
}

TEST(Preload, AShellThatRunsManyCommands) {
  Result r =
      run(kPreload +
          "bash -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/echo line $i; done | sort -u | wc -l'");
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.text, "10\n");
}

TEST(Preload, ExportsOnlyTheToolInterface) {
  Result r =
      run("nm -D --defined-only --format=posix " MELD_LIB " | cut -d' ' -f1 | LC_ALL=C sort");
  EXPECT_EQ(r.text,
            "HSA_AMD_TOOL_PRIORITY\nOnLoad\nOnUnload\nhiprtcCompileProgram\n"
            "hsa_code_object_reader_create_from_file\nhsa_code_object_reader_create_from_memory\n"
            "hsa_code_object_reader_destroy\nhsa_executable_destroy\nhsa_executable_freeze\n"
            "hsa_executable_load_agent_code_object\nhsa_executable_symbol_get_info\nhsa_init\n"
            "hsa_system_get_extension_table\nhsa_system_get_major_extension_table\n");
}

// Who looks for ROCr in a process without it finds our functions, and they say that there is none.
TEST(Preload, WhereThereIsNoRocrItsFunctionsFail) {
  EXPECT_EQ(run(MELD_PROBE " rocr").text, "hsa_init missing, hiprtcCompileProgram missing\n");
  EXPECT_EQ(run(kPreload + MELD_PROBE " rocr").text,
            "hsa_init fails, hiprtcCompileProgram fails\n");
}

// A program with more rights than who runs it: nothing of ours, whatever the environment says.
TEST(Preload, InertInSetuidPrograms) {
  if (geteuid() != 0 || getenv("TEST_SANITIZER_LIBRARY"))
    GTEST_SKIP() << "needs root, and a library that needs no other one preloaded";
  Scratch scratch;
  const std::string probe = scratch.file("probe");
  std::filesystem::copy_file(MELD_SECUREPROBE, probe);
  ASSERT_EQ(chown(probe.c_str(), 4242, 4242), 0);
  ASSERT_EQ(chmod(probe.c_str(), 04755), 0);
  ASSERT_EQ(chmod(scratch.path().c_str(), 0755), 0);
  const std::string environment = "env HSA_TOOLS_LIB=/the/users.so ";
  const Result plain = run(environment + MELD_SECUREPROBE " " MELD_LIB);
  EXPECT_NE(plain.text.find("secure 0, tools /the/users.so " + library() + ", kept 1\n"),
            std::string::npos)
      << plain.text;
  EXPECT_NE(plain.text.find("API table"), std::string::npos) << "it wants to attach";
  const Result secure = run(environment + probe + " " MELD_LIB);
  if (secure.text.rfind("secure 0", 0) == 0)
    GTEST_SKIP() << "this file system has no setuid programs";
  EXPECT_EQ(secure.text, "secure 1, tools /the/users.so, kept 1\n");
}
