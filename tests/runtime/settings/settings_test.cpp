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
  EXPECT_EQ(loaded.settings.compileMode, CompileMode::sync);
}

TEST(Settings, TheTableHasEveryNameOfTheDesign) {
  for (const char *name : {"MELD_DISABLE",        "MELD_LOG_LEVEL",      "MELD_LOG_FILE",
                           "MELD_CACHE",          "MELD_CACHE_DIR",      "MELD_CACHE_MAX_SIZE",
                           "MELD_CACHE_READONLY", "MELD_RECACHE",        "MELD_KERNEL_INCLUDE",
                           "MELD_KERNEL_EXCLUDE", "MELD_PASSES",         "MELD_MIN_PROFIT",
                           "MELD_MIN_GAIN",       "MELD_MAX_ITERATIONS", "MELD_COMPILE_BUDGET_MS",
                           "MELD_JOBS",           "MELD_DUMP_DIR",       "MELD_DUMP",
                           "MELD_REPORT",         "MELD_VERIFY",         "MELD_GPU",
                           "MELD_GPU_CUS",        "MELD_GPU_MEM",        "MELD_GPU_THREADS",
                           "MELD_GPU_TIMING",     "MELD_COUNTERS",       "MELD_TRACE"})
    EXPECT_NO_THROW(value(parse({}), name)) << name;
}

// What an environment may hold and no person means, for every setting there is. One warning of a
// bounded length, or a value; the time limit of the test ends what takes for ever. (The environment
// of a new process holds 128 KB per variable; a program can set any length before it uses the GPU.)
TEST(Settings, NonsenseOfAnyLengthIsAWarningAtMost) {
  const std::string_view patterns[] = {
      "a", "(",    "-",   "9", "%n", "\x01\xff", ",",          "[",  "\\",    "(a{1,200}){1,200}",
      "*", "cfm,", "ir,", " ", "/a", ".",        "\n\x1b[31m", "1e", "none,", "{",
      "|"};
  std::vector<std::string> names;
  for (const SettingValue &v : parse({}).values)
    names.push_back(v.name);
  for (const std::string &name : names)
    for (const std::string_view pattern : patterns)
      for (const size_t size : {size_t(1), size_t(1) << 10, size_t(1) << 20}) {
        std::string text;
        while (text.size() < size)
          text += pattern;
        text.resize(size);
        const LoadedSettings loaded = parse({{name, text}});
        const auto what = [&] {
          return name + " " + std::to_string(size) + " of " + std::string(pattern);
        };
        const std::vector<std::string> warnings = loaded.allWarnings();
        ASSERT_LE(warnings.size(), 1u) << what();
        const SettingValue &v = value(loaded, name);
        if (warnings.empty()) {
          ASSERT_EQ(v.origin, SettingOrigin::environment) << what();
          ASSERT_LE(v.value.size(), 16384u) << what() << ": no value of that length is meant";
          continue;
        }
        ASSERT_EQ(v.origin, SettingOrigin::rejected) << what();
        ASSERT_EQ(v.value, v.fallback) << what();
        ASSERT_LT(warnings[0].size(), 800u) << what();
        for (const unsigned char c : warnings[0])
          ASSERT_TRUE(c >= 0x20 && c < 0x7f) << what() << ": for a terminal";
      }
}

TEST(Settings, ManyUnknownNamesAreAFewWarnings) {
  std::map<std::string, std::string> environment;
  for (int i = 0; i < 10000; ++i)
    environment["MELD_X" + std::to_string(i)] = "1";
  environment["MELD_" + std::string(1 << 20, 'Y')] = "1";
  environment["MELD_\x1b\n"] = "1";
  const LoadedSettings loaded = parse(environment);
  EXPECT_LE(loaded.warnings.size(), 11u);
  for (const std::string &warning : loaded.warnings) {
    EXPECT_LT(warning.size(), 300u);
    EXPECT_EQ(warning.find_first_of("\x1b\n"), std::string::npos);
  }
}

TEST(Settings, AListNamesEachWordOnce) {
  std::string many;
  for (int i = 0; i < 30000; ++i)
    many += "cfm,meld-switch,cfm,";
  EXPECT_EQ(parse({{"MELD_PASSES", many}}).settings.passes, "cfm,switch");
}

TEST(Settings, JobsAreAFewThreads) {
  for (const char *text : {"0", "65", "4294967295"}) {
    const LoadedSettings loaded = parse({{"MELD_JOBS", text}});
    EXPECT_EQ(loaded.settings.jobs, 1u) << text;
    EXPECT_EQ(loaded.warnings.size(), 1u) << text;
  }
  EXPECT_EQ(parse({{"MELD_JOBS", "64"}}).settings.jobs, 64u);
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
  EXPECT_EQ(loaded.settings.compileMode, CompileMode::async);
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
  EXPECT_EQ(parse({{"MELD_PASSES", "no-meld-cfm, no-scalarize,no-cfm"}}).settings.passes,
            "no-cfm,no-scalarize");
  for (const char *wrong : {"no-none", "no-all", "no-such"})
    EXPECT_EQ(parse({{"MELD_PASSES", wrong}}).warnings.size(), 1u) << wrong;
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

TEST(Settings, SoftwareGpusRowsAreTyped) {
  const Settings usual = parse({}).settings;
  EXPECT_EQ(usual.gpu, settingtype::Devices{"gfx90a"});
  EXPECT_TRUE(usual.gpuCus.empty() && usual.gpuMem.empty()) << "as the device has";
  EXPECT_EQ(usual.gpuTranslateThreshold, 20000u);
  const LoadedSettings loaded = parse({{"MELD_GPU", "gfx900,gfx90a"},
                                       {"MELD_GPU_CUS", "8,4"},
                                       {"MELD_GPU_MEM", "1024M"},
                                       {"MELD_GPU_THREADS", "1024"},
                                       {"MELD_GPU_TIMING", "yes"},
                                       {"MELD_GPU_NOISE", "20,0,9"},
                                       {"MELD_GPU_TIMING_PARAMS", "valu=8,turn=1,valu=9,"},
                                       {"MELD_GPU_TIMING_VARIED", "turn=2"},
                                       {"MELD_GPU_CHECKED", "race,memory"},
                                       {"MELD_GPU_TRANSLATE", "0"},
                                       {"MELD_GPU_TRANSLATE_THRESHOLD", "18446744073709551615"},
                                       {"MELD_GPU_TRANSLATE_LANES", "8"}});
  const Settings &s = loaded.settings;
  EXPECT_TRUE(loaded.allWarnings().empty());
  EXPECT_EQ(s.gpuCus, (settingtype::Numbers{8, 4}));
  EXPECT_EQ(s.gpuMem, settingtype::Sizes{uint64_t(1) << 30});
  EXPECT_TRUE(s.gpuTiming);
  EXPECT_EQ(s.gpuNoise, (TimeNoise{20, 0, 9}));
  EXPECT_EQ(s.gpuTimingParams, (TimingChanges{{"valu", 9}, {"turn", 1}}));
  EXPECT_EQ(s.gpuTimingVaried, (TimingChanges{{"turn", 2}}));
  EXPECT_EQ(s.gpuTranslate, "off");
  EXPECT_EQ(s.gpuTranslateThreshold, ~uint64_t(0));
  // The canonical text is what `meld config` shows, and means the same.
  const std::pair<const char *, const char *> texts[] = {
      {"MELD_GPU", "gfx900,gfx90a"},
      {"MELD_GPU_CUS", "8,4"},
      {"MELD_GPU_MEM", "1G"},
      {"MELD_GPU_NOISE", "20,0,9"},
      {"MELD_GPU_TIMING_PARAMS", "valu=9,turn=1"},
      {"MELD_GPU_CHECKED", "memory,race"}};
  for (const auto &[name, text] : texts)
    EXPECT_EQ(value(loaded, name).value, text) << name;
}

// They are the software GPU's to say: libmeld in the same process does not say them, too.
TEST(Settings, BadRowsOfTheSoftwareGpuAreItsWarnings) {
  const std::pair<const char *, const char *> bad[] = {{"MELD_GPU", "gfx9"},
                                                       {"MELD_GPU_CUS", "1,2"}, // for one device
                                                       {"MELD_GPU_MEM", "63M"},
                                                       {"MELD_GPU_MEM", "513G"},
                                                       {"MELD_GPU_THREADS", "1025"},
                                                       {"MELD_GPU_TIMING", "maybe"},
                                                       {"MELD_GPU_NOISE", "101"},
                                                       {"MELD_GPU_TIMING_PARAMS", "l9Latency=4"},
                                                       {"MELD_GPU_TIMING_VARIED", "l9Latency=4"},
                                                       {"MELD_GPU_CHECKED", "hazards"},
                                                       {"MELD_GPU_TRANSLATE", "on"},
                                                       {"MELD_GPU_TRANSLATE_THRESHOLD", "many"},
                                                       {"MELD_GPU_TRANSLATE_LANES", "4"}};
  for (const auto &[name, text] : bad) {
    const LoadedSettings loaded = parse({{name, text}});
    EXPECT_TRUE(loaded.warnings.empty()) << name;
    ASSERT_EQ(loaded.gpuWarnings.size(), 1u) << name;
    EXPECT_TRUE(loaded.gpuWarnings[0].starts_with(std::string(name) + "=" + text + ": "))
        << loaded.gpuWarnings[0];
    EXPECT_EQ(value(loaded, name).value, value(parse({}), name).value);
    EXPECT_EQ(value(loaded, name).origin, SettingOrigin::rejected);
  }
}

TEST(CheckSettings, Words) {
  const auto is = [](const char *text, bool memory, unsigned checks) {
    const auto s = parseChecks(text);
    ASSERT_TRUE(s) << text;
    EXPECT_EQ(s->memory, memory) << text;
    EXPECT_EQ(s->checks, checks) << text;
  };
  // In the order of checks.def.
  constexpr unsigned hazard = 1, undefined = 2, race = 4, barrier = 8;
  for (const char *none : {"", "0", "off", "no", "false"})
    is(none, false, 0);
  for (const char *memory : {"1", "on", "yes", "true", "memory"})
    is(memory, true, 0);
  is("all", true, hazard | undefined | race | barrier);
  is("hazard,race", false, hazard | race);
  is("undefined,memory,barrier,", true, undefined | barrier);
  EXPECT_FALSE(parseChecks("hazards"));
  EXPECT_FALSE(parseChecks("race,,barrier"));
  EXPECT_FALSE(parseChecks(","));
}

TEST(TimingChanges, AreKnownNamesAndValuesWithinBounds) {
  EXPECT_EQ(parseTimingChanges("").value(), TimingChanges());
  EXPECT_EQ(parseTimingChanges("valu=8,l1Latency=200").value(),
            (TimingChanges{{"valu", 8}, {"l1Latency", 200}}));
  for (const char *text :
       {"valu=9,nonsense=1,salu=2", "valu", "valu=x", "turn=0", "l1Ways=4294967295",
        "l2Bytes=4294967295", "valu=4294967295", "valu=1000001", "vmemPerLine=1000000000",
        "valu=-1", "valu=", "=", "((("})
    EXPECT_FALSE(parseTimingChanges(text)) << text;
  EXPECT_NE(parseTimingChanges("valu=9,nonsense=1").error().message.find("'nonsense=1'"),
            std::string::npos);
}

TEST(TimeNoise, TextThatIsNone) {
  for (const char *text : {"", "x", "5,", "5,x", "5,2,", "5,2,1,", "101", "-1", "5,200", "nan"})
    EXPECT_FALSE(parseNoise(text)) << text;
  const auto noise = parseNoise("5,2.5,42");
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise->percent, 5);
  EXPECT_EQ(noise->outliers, 2.5);
  EXPECT_EQ(noise->seed, 42u);
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
