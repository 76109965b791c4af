#include "runtime/settings/settings.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

using namespace meld;

namespace {

LoadedSettings parse(const std::map<std::string, std::string> &environment) {
  std::vector<std::string> present;
  for (const auto &[name, value] : environment)
    present.push_back(name);
  return parseSettings(
      [&](const char *name) -> std::optional<std::string> {
        auto it = environment.find(name);
        return it == environment.end() ? std::nullopt : std::optional(it->second);
      },
      present);
}

const SettingValue &value(const LoadedSettings &loaded, const std::string &name) {
  for (const SettingValue &v : loaded.values)
    if (name == v.name)
      return v;
  throw std::runtime_error("no setting " + name);
}

} // namespace

TEST(Settings, EveryDefaultParses) {
  LoadedSettings loaded = parse({});
  EXPECT_TRUE(loaded.warnings.empty());
  for (const SettingValue &v : loaded.values) {
    EXPECT_EQ(v.origin, SettingOrigin::fallback) << v.name;
    EXPECT_EQ(v.value, v.fallback) << v.name << ": the default is written in its canonical form";
    EXPECT_NE(std::string(v.help), "") << v.name;
  }
  EXPECT_FALSE(loaded.settings.disable);
  EXPECT_TRUE(loaded.settings.cache);
  EXPECT_EQ(loaded.settings.cacheMaxSize, uint64_t(2) << 30);
  EXPECT_EQ(loaded.settings.logLevel, 2);
  EXPECT_EQ(loaded.settings.compileMode, "sync");
}

TEST(Settings, TheTableHasEveryNameOfTheDesign) {
  for (const char *name : {"MELD_DISABLE",
                           "MELD_LOG_LEVEL",
                           "MELD_LOG_FILE",
                           "MELD_CACHE",
                           "MELD_CACHE_DIR",
                           "MELD_CACHE_MAX_SIZE",
                           "MELD_CACHE_READONLY",
                           "MELD_RECACHE",
                           "MELD_KERNEL_INCLUDE",
                           "MELD_KERNEL_EXCLUDE",
                           "MELD_PASSES",
                           "MELD_MIN_PROFIT",
                           "MELD_MAX_ITERATIONS",
                           "MELD_SCALARIZE",
                           "MELD_BRANCH_FUSION",
                           "MELD_TAIL_MERGE",
                           "MELD_COMPILE_BUDGET_MS",
                           "MELD_JOBS",
                           "MELD_DUMP_DIR",
                           "MELD_DUMP",
                           "MELD_REPORT",
                           "MELD_VERIFY",
                           "MELD_GPU",
                           "MELD_GPU_CUS",
                           "MELD_GPU_MEM",
                           "MELD_GPU_THREADS",
                           "MELD_GPU_TIMING",
                           "MELD_COUNTERS",
                           "MELD_TRACE"})
    EXPECT_NO_THROW(value(parse({}), name)) << name;
}

TEST(Settings, ValuesOfEveryKind) {
  LoadedSettings loaded = parse({{"MELD_DISABLE", "Yes"},
                                 {"MELD_JOBS", "4"},
                                 {"MELD_CACHE_MAX_SIZE", "512MiB"},
                                 {"MELD_MIN_PROFIT", "2.5"},
                                 {"MELD_LOG_LEVEL", "debug"},
                                 {"MELD_PASSES", "meld"},
                                 {"MELD_KERNEL_INCLUDE", "^saxpy.*"},
                                 {"MELD_COMPILE_MODE", "ASYNC"},
                                 {"MELD_DUMP", "isa,IR"}});
  EXPECT_TRUE(loaded.warnings.empty()) << loaded.warnings[0];
  EXPECT_TRUE(loaded.settings.disable);
  EXPECT_EQ(loaded.settings.jobs, 4u);
  EXPECT_EQ(loaded.settings.cacheMaxSize, uint64_t(512) << 20);
  EXPECT_EQ(loaded.settings.minProfit, 2.5);
  EXPECT_EQ(loaded.settings.logLevel, 4);
  EXPECT_EQ(loaded.settings.passes, "meld");
  EXPECT_EQ(loaded.settings.kernelInclude, "^saxpy.*");
  EXPECT_EQ(loaded.settings.compileMode, "async");
  EXPECT_EQ(loaded.settings.dump, "isa,ir");
  EXPECT_EQ(value(loaded, "MELD_DISABLE").origin, SettingOrigin::environment);
  EXPECT_EQ(value(loaded, "MELD_CACHE_MAX_SIZE").value, "512M");
}

// The compiler matches names with LLVM's regular expressions, which are POSIX extended ones: what
// it would refuse, or take for something else, is a bad value here.
TEST(Settings, RegularExpressionsAreTheCompilers) {
  for (const char *good :
       {"^_Z[0-9]+saxpy", "(reduce|scan){1,2}$", "a\\.b", "[[:digit:]]+x?", "\\$"})
    EXPECT_TRUE(parse({{"MELD_KERNEL_INCLUDE", good}}).warnings.empty()) << good;
  for (const char *bad : {"(?:s)", "\\d+", "a\\w", "(a)\\1", "[a", "a{2,1}", "*"}) {
    LoadedSettings loaded = parse({{"MELD_KERNEL_INCLUDE", bad}});
    ASSERT_EQ(loaded.warnings.size(), 1u) << bad;
    EXPECT_EQ(loaded.settings.kernelInclude, "");
  }
}

TEST(Settings, PassesAreNamed) {
  EXPECT_EQ(parse({{"MELD_PASSES", "meld-cfm, tail-merge"}}).settings.passes, "cfm,tail-merge");
  EXPECT_EQ(parse({{"MELD_PASSES", "none"}}).settings.passes, "none");
  LoadedSettings loaded = parse({{"MELD_PASSES", "cfm,none"}});
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_NE(loaded.warnings[0].find("'none' stands alone"), std::string::npos);
  EXPECT_EQ(loaded.settings.passes, "");
}

TEST(Settings, BadValueIsOneWarningAndTheDefault) {
  const std::map<std::string, std::string> bad = {{"MELD_DISABLE", "maybe"},
                                                  {"MELD_JOBS", "-1"},
                                                  {"MELD_CACHE_MAX_SIZE", "much"},
                                                  {"MELD_MIN_PROFIT", "nan"},
                                                  {"MELD_LOG_LEVEL", "6"},
                                                  {"MELD_KERNEL_INCLUDE", "(unclosed"},
                                                  {"MELD_KERNEL_EXCLUDE", "\\w+"},
                                                  {"MELD_PASSES", "cfm,no-such-pass"},
                                                  {"MELD_DUMP", "ir,pictures"},
                                                  {"MELD_COMPILE_MODE", "later"},
                                                  {"MELD_MAX_ITERATIONS", "99999999999"}};
  for (const auto &[name, text] : bad) {
    LoadedSettings loaded = parse({{name, text}});
    ASSERT_EQ(loaded.warnings.size(), 1u) << name;
    EXPECT_NE(loaded.warnings[0].find(name + "=" + text), std::string::npos) << loaded.warnings[0];
    EXPECT_EQ(value(loaded, name).value, value(parse({}), name).value);
    EXPECT_EQ(value(loaded, name).origin, SettingOrigin::rejected);
  }
}

TEST(Settings, UnknownNameGetsASuggestion) {
  LoadedSettings loaded = parse({{"MELD_DISBALE", "1"}, {"MELD_XYZZY_PLUGH", "1"}, {"OTHER", "1"}});
  ASSERT_EQ(loaded.warnings.size(), 2u);
  EXPECT_NE(loaded.warnings[0].find("did you mean MELD_DISABLE?"), std::string::npos);
  EXPECT_EQ(loaded.warnings[1], "unknown setting MELD_XYZZY_PLUGH");
}

TEST(Settings, EmptyIsUnset) {
  LoadedSettings loaded = parse({{"MELD_JOBS", ""}});
  EXPECT_TRUE(loaded.warnings.empty());
  EXPECT_EQ(value(loaded, "MELD_JOBS").origin, SettingOrigin::fallback);
}

TEST(Sizes, UnitsAndOverflow) {
  EXPECT_EQ(*parseSize("0"), 0u);
  EXPECT_EQ(*parseSize("1k"), 1024u);
  EXPECT_EQ(*parseSize("3MB"), uint64_t(3) << 20);
  EXPECT_EQ(*parseSize("2T"), uint64_t(2) << 40);
  EXPECT_EQ(*parseSize("7b"), 7u);
  for (const char *bad :
       {"", "K", "1X", "1KK", "-1", "1.5G", "99999999999999999999", "18446744073709551615K", " 1"})
    EXPECT_FALSE(parseSize(bad)) << bad;
}

TEST(Environment, IsReadFromTheProcess) {
  setenv("MELD_JOBS", "3", 1);
  setenv("MELD_CAHCE", "1", 1);
  LoadedSettings loaded = loadSettings();
  EXPECT_EQ(loaded.settings.jobs, 3u);
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_NE(loaded.warnings[0].find("MELD_CACHE?"), std::string::npos);
  unsetenv("MELD_JOBS");
  unsetenv("MELD_CAHCE");
}
