// `meld validate` from end to end, with the software GPU in the place of a real one.
#include "tests/runtime/cache/scratch.h"
#include "tests/sanitizer.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <regex>
#include <sys/wait.h>
#include <unistd.h>

using nlohmann::json;

namespace {

struct Ran {
  int status = -1;
  std::string output;
};

Ran run(const std::string &arguments) {
  Ran ran;
  std::string environment; // of the programs that it starts
  for (const auto &[name, value] : meld::test::preloaded(""))
    environment += name + "='" + value + "' ";
  FILE *pipe = popen((environment + MELD_CLI " validate " + arguments + " 2>&1").c_str(), "r");
  char buffer[4096];
  for (size_t n; pipe && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    ran.output.append(buffer, n);
  const int status = pipe ? pclose(pipe) : -1;
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

json read(const std::string &file) {
  std::ifstream in(file);
  return json::parse(in, nullptr, false);
}

void write(const std::string &file, const json &value) { std::ofstream(file) << value.dump(); }

void eachText(const json &value, const std::function<void(const std::string &)> &see) {
  if (value.is_string())
    see(value.get<std::string>());
  for (const auto &[key, part] : value.items())
    if (value.is_structured()) {
      if (value.is_object())
        see(key);
      eachText(part, see);
    }
}

const char *const kMeasure = "--hardware --device software --quick --only 'BIT 64' -o ";

} // namespace

TEST(MeldValidate, MeasuresComparesAndGoesOn) {
  meld::test::Scratch scratch;
  const std::string file = scratch.file("software.json");
  const Ran measured = run(kMeasure + file);
  ASSERT_EQ(measured.status, 0) << measured.output;
  const json record = read(file);
  ASSERT_TRUE(record.is_object()) << measured.output;
  EXPECT_TRUE(record["complete"].get<bool>());
  EXPECT_TRUE(record["device"]["software"].get<bool>());
  EXPECT_GT(record["micro"].size(), 50u);
  ASSERT_EQ(record["programs"].size(), 1u);
  const json &program = record["programs"][0];
  EXPECT_TRUE(program["replaced"].get<bool>());
  const json &times = program["kernels"][0];
  ASSERT_EQ(times["original"].size(), 2u);
  EXPECT_EQ(times["original"][0], times["original"][1]) << "modelled times repeat";
  EXPECT_LT(times["melded"][0].get<double>(), times["original"][0].get<double>());
  EXPECT_GT(program["counters"]["original"].begin().value()["SQ_INSTS_VALU"], 0);

  // Nothing in it tells where it was made.
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const passwd *user = getpwuid(getuid());
  eachText(record, [&](const std::string &text) {
    EXPECT_EQ(text.find('/'), std::string::npos) << text;
    EXPECT_EQ(text.find("0000:"), std::string::npos) << text << ": a place on the bus";
    if (std::string(host).size() > 2) {
      EXPECT_EQ(text.find(host), std::string::npos) << text;
    }
    if (user) {
      EXPECT_NE(text, user->pw_name) << "a part of it may be a kernel's name";
    }
  });

  // With itself it agrees.
  const Ran same = run("--compare " + file + " --format json");
  ASSERT_EQ(same.status, 0) << same.output;
  const json agreed = json::parse(same.output, nullptr, false);
  ASSERT_TRUE(agreed.is_array()) << same.output;
  EXPECT_EQ(agreed[0]["kernels"].size(), 1u);
  EXPECT_LT(agreed[0]["summary"]["meanError"].get<double>(), 1e-3);
  EXPECT_EQ(agreed[0]["summary"]["sameSign"], 1);
  EXPECT_EQ(agreed[0]["summary"]["equalCounts"], 2);
  EXPECT_GT(agreed[0]["micro"].size(), 30u);
  for (const json &row : agreed[0]["micro"])
    EXPECT_NEAR(row["model"].get<double>(), row["silicon"].get<double>(),
                0.01 * row["model"].get<double>())
        << row["what"];

  // A device that does otherwise is told apart: twice as slow melded, additions of eight cycles.
  json other = record;
  for (json &time : other["programs"][0]["kernels"][0]["melded"])
    time = time.get<double>() * 2;
  for (json &micro : other["micro"])
    if (micro["name"] == "valu-add")
      for (json &time : micro["nanoseconds"])
        time = time.get<double>() * 2;
  const std::string otherFile = scratch.file("other.json");
  write(otherFile, other);
  const Ran different = run("--compare " + otherFile + " --model " + file);
  EXPECT_EQ(different.status, 0) << different.output;
  EXPECT_NE(different.output.find("OTHER"), std::string::npos) << different.output;
  EXPECT_NE(different.output.find("sign the same in 0 of 1"), std::string::npos)
      << different.output;
  EXPECT_TRUE(std::regex_search(
      different.output, std::regex("v_add_f32, dependent chain, cycles +[0-9.]+ +[0-9.]+ +0\\.50")))
      << different.output;

  // A complete file is nobody's to overwrite; a begun one goes on to the same end.
  EXPECT_EQ(run(kMeasure + file).status, 1);
  EXPECT_EQ(read(file), record);
  json begun = record;
  begun["complete"] = false;
  begun["programs"][0]["kernels"][0]["original"].erase(1);
  begun["programs"][0]["kernels"][0]["melded"].erase(1);
  write(file, begun);
  const Ran otherwise = run(kMeasure + file + " --rounds 5");
  EXPECT_EQ(otherwise.status, 1);
  EXPECT_NE(otherwise.output.find("2 rounds, here 5"), std::string::npos) << otherwise.output;
  const Ran went = run(kMeasure + file);
  EXPECT_EQ(went.status, 0) << went.output;
  EXPECT_NE(went.output.find("going on"), std::string::npos) << went.output;
  EXPECT_EQ(read(file), record);
}

TEST(MeldValidate, SaysWhatIsWrong) {
  meld::test::Scratch scratch;
  const std::string file = scratch.file("x.json");
  std::ofstream(file) << "{\"format\": \"something\"}";
  const Ran bad = run("--compare " + file);
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.output.find(file + ": no file of meld validate"), std::string::npos) << bad.output;
  EXPECT_EQ(run("--compare " + scratch.file("missing.json")).status, 1);
  // Eight dies are no die of eight times the size.
  write(file, {{"format", "libmeld hardware record"},
               {"version", 1},
               {"complete", true},
               {"date", "2026-11-24"},
               {"counterTool", "none"},
               {"device",
                {{"software", false},
                 {"name", "AMD Instinct MI300X"},
                 {"arch", "gfx942:sramecc+:xnack-"},
                 {"computeUnits", 304},
                 {"clockMHz", 2100},
                 {"hipRuntime", "60300000"},
                 {"hipDriver", "60300000"},
                 {"kernel", "6.1.0"}}},
               {"options",
                {{"rounds", 20},
                 {"repeats", 2},
                 {"microTimes", 500},
                 {"size", "small"},
                 {"only", ""},
                 {"allBlockSizes", false}}},
               {"power", {{"performanceLevel", ""}, {"profile", ""}, {"rounds", json::array()}}},
               {"micro", json::array()},
               {"programs", json::array()}});
  const Ran dies = run("--compare " + file);
  EXPECT_EQ(dies.status, 1);
  EXPECT_NE(dies.output.find("304 compute units are not modelled"), std::string::npos)
      << dies.output;
  const Ran unknown = run("--hardware --device software --only nonsense -o " + file + "2");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.output.find("no benchmark is called 'nonsense'"), std::string::npos)
      << unknown.output;
  if (access("/dev/kfd", R_OK | W_OK) != 0) {
    const Ran none = run("--hardware --quick -o " + file + "2");
    EXPECT_EQ(none.status, 1);
    EXPECT_NE(none.output.find("--device software"), std::string::npos) << none.output;
  }
}
