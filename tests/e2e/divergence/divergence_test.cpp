// meld divergence on whole programs: the lines that their sources mark by hand, `// divergent: loop`
// and `// divergent: branch`, are those where lanes part.
#include "tests/e2e/process.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>

namespace meld::e2e {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kMeld = MELD_BIN_DIR "/meld";

std::string programOf(const std::string &name) { return MELD_BIN_DIR "/hip/" + name; }

struct MeldDivergence : testing::Test {
  fs::path folder =
      fs::temp_directory_path() / ("meld-divergence-test-" + std::to_string(getpid()));
  MeldDivergence() { fs::create_directories(folder); }
  ~MeldDivergence() override { fs::remove_all(folder); }

  Outcome divergence(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {kMeld, "divergence"});
    return run(arguments, {{"MELD_CACHE_DIR", folder / "cache"}, {"TMPDIR", folder}});
  }
  /// The report of a run; null and a failure where there is none.
  Json report(const std::string &program, std::vector<std::string> options = {"--no-plan"}) const {
    const std::string file = folder / "report.json";
    options.insert(options.end(),
                   {"--device", "software", "--json", file, "--", programOf(program)});
    const Outcome o = divergence(options);
    EXPECT_EQ(o.exitCode, 0) << o.err;
    EXPECT_NE(o.out.find("PASS"), std::string::npos) << "the program's own output";
    std::ifstream in(file);
    const Json json = Json::parse(in, nullptr, false);
    EXPECT_TRUE(json.is_object()) << o.err;
    return json;
  }
};

/// Line, kind.
std::map<unsigned, std::string> marked(const std::string &program) {
  std::map<unsigned, std::string> lines;
  std::ifstream in(MELD_KERNELS "/" + program + ".hip");
  const std::regex mark("// divergent: (loop|branch)$");
  std::smatch found;
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (std::regex_search(line, found, mark))
      lines[number] = found[1];
  }
  return lines;
}

class Marked : public MeldDivergence, public testing::WithParamInterface<std::string> {};

std::vector<std::string> programs() {
  std::vector<std::string> names;
  std::stringstream list(MELD_PROGRAMS);
  for (std::string name; std::getline(list, name, ',');)
    names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Programs, Marked, testing::ValuesIn(programs()),
                         [](auto &i) { return i.param; });

// Each marked line is named, as what it is, and what loses most is a marked one.
TEST_P(Marked, LinesAreNamed) {
  const auto marks = marked(GetParam());
  ASSERT_FALSE(marks.empty());
  const Json json = report("lines_" + GetParam());
  ASSERT_FALSE(json["kernels"].empty());
  const Json &kernel = json["kernels"][0]; // the worst
  const double slots = kernel["lanes"].get<double>() + kernel["lostLanes"].get<double>();
  std::map<unsigned, std::string> named;
  for (const Json &point : kernel["partedBy"]) {
    if (point["line"].is_null() ||
        fs::path(point["file"].get<std::string>()).filename() != GetParam() + ".hip")
      continue;
    if (point["lostLanes"].get<double>() > 0.01 * slots)
      named[point["line"].get<unsigned>()] = point["kind"];
    EXPECT_EQ(point.contains("loop"), point["kind"] == "loop");
  }
  for (const auto &[line, kind] : marks)
    EXPECT_EQ(named.contains(line) ? named[line] : "not named", kind) << "line " << line;
  EXPECT_TRUE(marks.contains(kernel["partedBy"][0]["line"].get<unsigned>()))
      << kernel["partedBy"][0]["line"];
}

// What a nest of two is known to do: 16 rows a thread, lengths by a power law.
TEST_F(MeldDivergence, TripsOfRows) {
  const Json json = report("lines_row_nest");
  const Json &kernel = json["kernels"][0];
  EXPECT_EQ(kernel["kernel"], "_Z7rowNestPKjS0_PKfS2_Pfj");
  const Json &loop = kernel["partedBy"][0]["loop"];
  EXPECT_EQ(loop["depth"], 2);
  EXPECT_EQ(loop["laneEntries"], 16384); // one for each row, all have elements
  EXPECT_EQ(loop["entries"], 16384 / 64);
  EXPECT_GT(loop["waveMean"].get<double>(), 10 * loop["laneMean"].get<double>());
  // Every slot of the loop that is not a lane's round is lost.
  const double rounds = loop["rounds"], laneRounds = loop["laneRounds"];
  EXPECT_GT(kernel["lostShare"].get<double>(), 0.9 * (1 - laneRounds / (64 * rounds)));
}

TEST_F(MeldDivergence, SaysWhatLibmeldDoes) {
  Json json = report("lines_divergent_saxpy", {});
  const Json &steps = json["kernels"][0]["partedBy"][0]["libmeld"];
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps[0]["kind"], "changes");
  EXPECT_EQ(json["kernels"][0]["libmeld"].get<std::string>().rfind("replaces the kernel", 0), 0u);

  json = report("lines_row_nest", {});
  EXPECT_EQ(json["kernels"][0]["partedBy"][0]["libmeld"][0]["kind"], "version");
  EXPECT_EQ(json["kernels"][0]["partedBy"][0]["libmeld"][0]["pass"], "meld-flatten-loops");

  json = report("lines_collision_loop", {});
  EXPECT_EQ(json["kernels"][0]["partedBy"][0]["libmeld"][0]["kind"], "version");
  EXPECT_EQ(json["kernels"][0]["partedBy"][0]["libmeld"][0]["pass"], "meld-delay-iterations");
}

// The page has the program's source, the marked line with what stands there.
TEST_F(MeldDivergence, PageHasTheSource) {
  const std::string page = folder / "page.html";
  report("lines_bfs", {"--no-plan", "--html", page});
  std::ifstream in(page);
  const std::string html(std::istreambuf_iterator<char>(in), {});
  for (const auto &[line, kind] : marked("bfs")) {
    const std::regex row("<summary class=\"l\"[^>]*><i>" + std::to_string(line) +
                         "</i>[^\n]*// divergent: " + kind + "</span></summary>[^\n]*<b>" + kind);
    EXPECT_TRUE(std::regex_search(html, row)) << line;
  }
}

TEST_F(MeldDivergence, SaysWhatIsMissing) {
  const Outcome o = divergence({"--device", "software", "--", programOf("bare_row_nest")});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_NE(o.err.find("-Xclang -fembed-bitcode=all"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("compile with -g"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("modelled issue cycles"), std::string::npos) << o.err;
}

// A recorded profile, read where the program is not: --object has the code.
TEST_F(MeldDivergence, FromARecordedProfile) {
  const std::string profile = folder / "profile.json";
  const Outcome recorded = run({kMeld, "run", "--plain", "--device", "software", "--",
                                programOf("lines_walk_nest"), "--size", "128"},
                               {{"MELD_GPU_PROFILE", profile}});
  ASSERT_EQ(recorded.exitCode, 0) << recorded.err;
  std::ifstream in(profile);
  Json json = Json::parse(in);
  json["program"] = "";
  std::ofstream(profile) << json;
  Outcome o = divergence({"--no-plan", "--from", profile, "--kernel", "^_Z8walkNest"});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out.find("walk_nest.hip"), std::string::npos) << o.out;
  o = divergence({"--no-plan", "--from", profile, "--object", programOf("lines_walk_nest"),
                  "--kernel", "walkNest"});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  const unsigned line = marked("walk_nest").begin()->first;
  EXPECT_NE(o.out.find("walk_nest.hip:" + std::to_string(line) + "  loop: a wave goes round"),
            std::string::npos)
      << o.out;
  EXPECT_EQ(o.err, "");
  o = divergence({"--no-plan", "--from", profile, "--kernel", "no such kernel"});
  EXPECT_EQ(o.out, "no kernel ran\n");
}

// What is wrong with the options is told before the program has run, perhaps for hours.
TEST_F(MeldDivergence, WrongOptionsRunNothing) {
  const std::string none = folder / "none" / "file";
  const auto attempt = [&](const char *option, const std::string &value) {
    return divergence(
        {option, value, "--device", "software", "--", "/bin/sh", "-c", "echo it ran"});
  };
  const std::vector<std::tuple<const char *, std::string, int>> wrong = {
      {"--json", none, 1}, {"--html", none, 1}, {"--html", folder, 1}, {"--kernel", "(", 2}};
  for (const auto &[option, value, status] : wrong) {
    const Outcome o = attempt(option, value);
    EXPECT_EQ(o.exitCode, status) << option << ": " << o.err;
    EXPECT_NE(o.err.find(value), std::string::npos) << o.err;
    EXPECT_EQ(o.out, "") << option;
  }
}

TEST_F(MeldDivergence, ExitStatus) {
  EXPECT_EQ(divergence({}).exitCode, 2);
  EXPECT_EQ(divergence({"--device", "gpu", "--", "/bin/true"}).exitCode, 2);
  EXPECT_EQ(divergence({"--device", "software", "--", "/bin/true"}).exitCode, 3); // no kernel ran
  EXPECT_EQ(divergence({"--device", "software", "--", "/bin/false"}).exitCode, 3);
  EXPECT_EQ(divergence({"--from", folder / "none"}).exitCode, 1);
  EXPECT_EQ(divergence({"--device", "software", "--kernel", "(", "--", "/bin/true"}).exitCode, 2);
  for (const char *option : {"--top", "--points"})
    for (const char *value : {"-1", "x", "99999999999999999999"})
      EXPECT_EQ(divergence({option, value, "--device", "software", "--", "/bin/true"}).exitCode, 2)
          << option << " " << value;
  // Nothing is left behind.
  EXPECT_TRUE(fs::is_empty(folder));
}

} // namespace
} // namespace meld::e2e
