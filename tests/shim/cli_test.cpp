// The `meld` command as a person runs it. No GPU, no libmeld-jit.so needed.
#include "runtime/cache/disk.h"
#include "tests/runtime/cache/scratch.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using meld::test::Scratch;
using nlohmann::json;

namespace {

struct Result {
  int status;
  std::string out, err;
  json parsed() const { return json::parse(out); }
};

class Cli : public testing::Test {
protected:
  Result meld(const std::string &arguments, const std::string &environment = "") {
    return run(MELD_CLI " " + arguments, environment);
  }
  Result run(const std::string &command, const std::string &environment = "") {
    std::string errors = scratch_.file("stderr");
    FILE *pipe = popen(("MELD_CACHE_DIR=" + scratch_.file("cache") + " " + environment + " " +
                        command + " 2>" + errors)
                           .c_str(),
                       "r");
    Result result;
    char buffer[4096];
    while (size_t got = fread(buffer, 1, sizeof(buffer), pipe))
      result.out.append(buffer, got);
    int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream in(errors);
    result.err.assign(std::istreambuf_iterator<char>(in), {});
    return result;
  }
  Scratch scratch_;
};

} // namespace

TEST_F(Cli, KeygenLeavesNoHalfOfAPair) {
  const std::string key = scratch_.file("key");
  std::ofstream(key + ".pub") << "somebody's\n";
  EXPECT_NE(meld("cache keygen " + key).status, 0);
  EXPECT_FALSE(std::filesystem::exists(key));
  EXPECT_EQ(std::filesystem::file_size(key + ".pub"), 11u) << "not ours";
}

// What people paste into a report of a bug.
TEST_F(Cli, NoVerbShowsThePasswordOfTheRemoteCache) {
  for (const char *verb : {"config", "config --format=json", "doctor", "cache path --all"}) {
    const Result r = meld(verb, "MELD_CACHE_REMOTE=redis://bob:hunter2@127.0.0.1:1");
    EXPECT_NE((r.out + r.err).find("127.0.0.1:1"), std::string::npos) << verb;
    EXPECT_EQ((r.out + r.err).find("hunter2"), std::string::npos) << verb << r.out << r.err;
  }
}

TEST_F(Cli, HelpOfEveryVerbHasExamples) {
  for (const char *verb :
       {"run", "validate", "doctor", "inspect", "compile", "explain", "cache", "config", "warm",
        "cache keygen", "cache sign", "cache push", "cache pull"}) {
    Result r = meld(std::string(verb) + " --help");
    EXPECT_EQ(r.status, 0) << verb;
    EXPECT_NE(r.out.find("Examples:"), std::string::npos) << verb;
    const std::string word(verb);
    EXPECT_NE(meld("--help").out.find(word.substr(0, word.find(' '))), std::string::npos);
  }
}

TEST_F(Cli, TheManPageNamesEveryVerbAndSetting) {
  Result r = meld("manual");
  EXPECT_EQ(r.status, 0);
  for (const char *text :
       {".TH MELD 1",        ".SS run\n",          ".SS doctor\n",       ".SS inspect\n",
        ".SS compile\n",     ".SS explain\n",      ".SS cache path\n",   ".SS cache stats\n",
        ".SS cache list\n",  ".SS cache show\n",   ".SS cache verify\n", ".SS cache prune\n",
        ".SS cache clear\n", ".SS cache keygen\n", ".SS cache sign\n",   ".SS cache push\n",
        ".SS cache pull\n",  ".SS warm\n",         ".SS config\n",       "\\-\\-counters"})
    EXPECT_NE(r.out.find(text), std::string::npos) << text;
  const json config = meld("config --format=json").parsed();
  EXPECT_GT(config["settings"].size(), 20u);
  for (const json &setting : config["settings"]) {
    const std::string name = setting["name"];
    EXPECT_NE(r.out.find(name + "\n"), std::string::npos) << name;
  }
}

TEST_F(Cli, WrongUsageIsTwo) {
  for (const char *arguments :
       {"", "nonsense", "cache", "cache nonsense", "inspect", "run", "run --device tpu -- x",
        "cache prune --max-size much", "validate", "validate --hardware --compare x.json",
        "validate --hardware --rounds 0", "config --format=xml",
        "run --device gpu --counters x.json -- ./app"}) {
    Result r = meld(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_NE(r.err, "") << arguments;
  }
}

TEST_F(Cli, InspectShowsKernelsAndBitcode) {
  Result r = meld("inspect --format=json " MELD_SAMPLE);
  ASSERT_EQ(r.status, 0) << r.err;
  json images = r.parsed()["images"];
  ASSERT_EQ(images.size(), 2u);
  for (const json &image : images) {
    EXPECT_GT(image["bitcode_bytes"], 0);
    ASSERT_EQ(image["kernels"].size(), 3u);
    EXPECT_EQ(image["kernels"][1]["demangled"], "reduce(float const*, float*)");
    EXPECT_EQ(image["kernels"][1]["group_bytes"], 1024);
    EXPECT_TRUE(image["cache"]["verdict"].is_null());
  }
  r = meld("inspect " MELD_PLAIN);
  EXPECT_EQ(r.status, 0);
  EXPECT_NE(r.out.find("no bitcode"), std::string::npos);
  EXPECT_NE(r.out.find("saxpy(float, float const*, float*, int)"), std::string::npos);
}

TEST_F(Cli, InspectProblems) {
  EXPECT_EQ(meld("inspect /nonexistent").status, 1);
  EXPECT_EQ(meld("inspect /bin/true").status, 1);
  EXPECT_EQ(meld("inspect /etc/passwd").status, 1);
  EXPECT_EQ(meld("inspect /").status, 1);
  EXPECT_NE(meld("inspect /nonexistent").err.find("/nonexistent"), std::string::npos);
}

TEST_F(Cli, ConfigShowsOrigin) {
  Result r = meld("config --format=json", "MELD_JOBS=7 MELD_VERIFY=perhaps MELD_RECACH=1");
  EXPECT_EQ(r.status, 1) << "a bad value is a problem";
  json out = r.parsed();
  bool seen = false;
  for (const json &setting : out["settings"])
    if (setting["name"] == "MELD_JOBS") {
      seen = true;
      EXPECT_EQ(setting["value"], "7");
      EXPECT_EQ(setting["origin"], "environment");
      EXPECT_EQ(setting["default"], "1");
    }
  EXPECT_TRUE(seen);
  EXPECT_EQ(out["warnings"].size(), 2u);
  EXPECT_NE(r.err.find("MELD_RECACHE?"), std::string::npos);
  EXPECT_EQ(meld("config").status, 0);
}

TEST_F(Cli, TheSettingsPageIsUpToDate) {
  std::ifstream in(MELD_SETTINGS_PAGE);
  std::string page(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(page, meld("config --markdown").out)
      << "write it again: meld config --markdown > docs/settings.md";
}

TEST_F(Cli, TheCommandsPageIsUpToDate) {
  std::ifstream in(MELD_COMMANDS_PAGE);
  std::string page(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(page, meld("manual --markdown").out + run(MELD_GPU_CLI " manual --markdown").out)
      << "write it again: (meld manual --markdown; meld-gpu manual --markdown) > docs/commands.md";
  for (const char *text : {"\n## meld run\n", "\n## meld divergence\n", "\n## meld cache prune\n",
                           "\n## meld-gpu replay\n", "\n- `--counters FILE.json`: ",
                           "\n```\nmeld doctor\nmeld doctor ./app "})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  EXPECT_EQ(page.find("## meld manual"), std::string::npos) << "it is not in --help either";
  EXPECT_EQ(page.find("--help`:"), std::string::npos);
}

// What a run has left in the cache, told to a person: numbers side by side, what was melded, and
// each reason for what was not once, with its places in the source.
TEST_F(Cli, ExplainTellsWhatACacheEntryHolds) {
  const json decisions = {
      {{"location", "block 1 at a.hip:7"},
       {"pass", "meld-cfm"},
       {"point", "early"},
       {"melded", true},
       {"reason", "regions"},
       {"profit", 70.0},
       {"alignment", "blocks 2, paired 6"},
       {"sides",
        {{"rows",
          {{"blocks", "%if.then", ""},
           {"both", "load i32 lds  a.hip:8", "load i32 lds  a.hip:10"},
           {"left", "store float global", ""},
           {"right, run by all", "", "fmul float"}}},
         {"leftOut", 3}}}},
      {{"location", "block 3 at a.hip:9"}, {"melded", false}, {"reason", "not a diamond"}},
      {{"location", "block 5 at a.hip:12"}, {"melded", false}, {"reason", "not a diamond"}}};
  const json kernel = {{"name", "_Z6reducePKfPf"},
                       {"selected", true},
                       {"melded", true},
                       {"verdict", "estimated cycles 200 -> 100"},
                       {"gainPercent", 50.0},
                       {"before", {{"vgprs", 11}, {"estimatedCycles", 200.4}}},
                       {"after", {{"vgprs", 13}, {"estimatedCycles", 100.0}}},
                       {"decisions", decisions}};
  meld::DiskCache cache({scratch_.file("cache"), 0, false, {}});
  meld::CacheEntry entry;
  entry.key = meld::KeyBuilder().add("any", "key").finish();
  entry.metadata = json{{"kernels", {kernel}}}.dump();
  ASSERT_TRUE(cache.store(entry));

  Result r = meld("explain reduce");
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char *part :
       {"reduce(float const*, float*)", "estimated cycles 200 -> 100 (50.0 % better)",
        "vgprs            11      13", "estimatedCycles  200     100", "block 1 at a.hip:7",
        "regions, profit 70.0", "blocks 2, paired 6", "block 3 at a.hip:9, block 5 at a.hip:12",
        "\n        %if.then                right\n",
        "\n        load i32 lds  a.hip:8 | load i32 lds  a.hip:10\n",
        "\n        store float global    < \n",
        "\n                              > fmul float  (run by all)\n", "and 3 more"})
    EXPECT_NE(r.out.find(part), std::string::npos) << part << "\n" << r.out;
  EXPECT_EQ(r.out.find("not a diamond"), r.out.rfind("not a diamond")) << "once";
  EXPECT_EQ(meld("explain reduce --format=json").parsed()[0]["kernel"], kernel);

  EXPECT_EQ(meld("explain reduce --brief").out.find("fmul"), std::string::npos);
  EXPECT_EQ(r.out.find("melded in functions"), std::string::npos);

  // What was melded before inlining is the function's, and the kernel's reader wants to know.
  json inlined = {{"function", "_Z4stepi"}, {"pass", "meld-cfm"}, {"point", "early"},
                  {"reason", "diamond"},    {"profit", 12.5},     {"location", "block 2"},
                  {"melded", true}};
  entry.metadata = json{{"kernels", {kernel}}, {"functions", {inlined, 7}}}.dump();
  ASSERT_TRUE(cache.store(entry));
  r = meld("explain reduce");
  for (const char *part : {"\n  melded in functions of this code object",
                           "meld-cfm (early): diamond, profit 12.5", "step(int) block 2"})
    EXPECT_NE(r.out.find(part), std::string::npos) << part << "\n" << r.out;
  EXPECT_EQ(meld("explain reduce --format=json").parsed()[0]["functions"][0], inlined);

  // Where a search went to its end, and where its budget ended it.
  EXPECT_EQ(r.out.find("search:"), std::string::npos);
  json sought = kernel;
  sought["search"] = {{"spent", 3600}, {"allowance", 7600}, {"perTry", 1200}, {"cutShort", false}};
  entry.metadata = json{{"kernels", {sought}}}.dump();
  ASSERT_TRUE(cache.store(entry));
  EXPECT_NE(meld("explain reduce").out.find("  search: to its end, for 3600 instructions\n"),
            std::string::npos);
  sought["search"]["cutShort"] = true;
  entry.metadata = json{{"kernels", {sought}}}.dump();
  ASSERT_TRUE(cache.store(entry));
  EXPECT_NE(
      meld("explain reduce")
          .out.find("  search: cut short after 3600 instructions of at most 7600, as one more "
                    "try takes 1200; the best that was seen is taken\n"),
      std::string::npos);

  Result near = meld("explain redcue");
  EXPECT_EQ(near.status, 1);
  EXPECT_NE(near.err.find("did you mean reduce?"), std::string::npos) << near.err;

  // Fields of other types than ours: nothing to be learnt, nothing breaks.
  entry.metadata =
      R"({"kernels":[{"name":"odd","melded":7,"selected":"x","before":3,"decisions":[4,{"melded":"y"},)"
      R"({"melded":true,"sides":5},{"melded":true,"sides":{"rows":[1,["both",2,3],[]]}}]}]})";
  ASSERT_TRUE(cache.store(entry));
  EXPECT_EQ(meld("explain odd").status, 0);
}

TEST_F(Cli, CacheVerbsOnAnEmptyCache) {
  EXPECT_EQ(meld("cache path").out, scratch_.file("cache") + "\n");
  json stats = meld("cache stats --format=json").parsed();
  EXPECT_EQ(stats["entries"], 0);
  EXPECT_EQ(meld("cache list --format=json").parsed(), json::array());
  EXPECT_EQ(meld("cache verify").status, 0);
  EXPECT_EQ(meld("cache prune --dry-run").status, 0);
  EXPECT_EQ(meld("cache clear").status, 0);
  EXPECT_EQ(meld("cache show 12ab").status, 1);
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("cache"))) << "looking creates nothing";
}

TEST_F(Cli, PruneRemovesTheLeastRecentlyUsed) {
  meld::DiskCache cache({scratch_.file("cache"), 0, false, {}});
  std::vector<std::string> keys;
  for (int i = 0; i < 4; ++i) {
    meld::CacheEntry entry;
    entry.key = meld::KeyBuilder().add("number", uint64_t(i)).finish();
    entry.verdict = meld::Verdict::replaced;
    uint32_t state = i + 1;
    for (int at = 0; at < 100000; ++at) // does not compress
      entry.codeObject.push_back((state = state * 1664525 + 1013904223) >> 24);
    ASSERT_TRUE(cache.store(entry));
    keys.push_back(entry.key.hex());
    timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    std::string file = scratch_.file("cache/v2/") + keys[i][0] + "/" + keys[i][1] + "/" + keys[i];
    ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }
  auto names = [&](const Result &r) {
    EXPECT_EQ(r.status, 0) << r.err;
    std::set<std::string> out;
    const json told = r.parsed();
    for (const json &one : told["removed"])
      out.insert(one.get<std::string>());
    return out;
  };
  const std::set<std::string> oldest{keys[0], keys[1]};
  EXPECT_GT(meld("cache stats --format=json").parsed()["bytes"], 400000);
  EXPECT_EQ(names(meld("cache prune --max-size 250K --dry-run --format=json")), oldest);
  EXPECT_EQ(meld("cache stats --format=json").parsed()["entries"], 4);
  EXPECT_EQ(names(meld("cache prune --max-size 250K --format=json")), oldest);
  EXPECT_EQ(names(meld("cache prune --max-size 250K --format=json")), std::set<std::string>{});
  json list = meld("cache list --format=json").parsed();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_NE(meld("cache path --format=json").out.find(scratch_.file("cache")), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.file("cache/v2/locks"))) << "released";
  json verified = meld("cache verify --format=json").parsed();
  EXPECT_EQ(verified["damaged"], json::array()) << verified;
}

TEST_F(Cli, CompileSaysWhatIsWrong) {
  const std::string out = " -o " + scratch_.file("out.co");
  auto problem = [&](const std::string &arguments, int status, const std::string &text) {
    Result r = meld("compile " + arguments + out);
    EXPECT_EQ(r.status, status) << arguments;
    EXPECT_NE(r.err.find(text), std::string::npos) << r.err;
    EXPECT_FALSE(std::filesystem::exists(scratch_.file("out.co"))) << arguments;
  };
  problem("/nonexistent", 1, "/nonexistent");
  problem("/etc/passwd", 1, "/etc/passwd");
  problem(MELD_PLAIN " --index 0", 1, "carries no bitcode");
  problem(MELD_SAMPLE, 2, "several device images");
  problem(MELD_SAMPLE " --arch gfx90", 2, "no such device image"); // there is gfx90a
  problem(MELD_SAMPLE " --index 99", 2, "no such device image");
  EXPECT_EQ(meld("compile " MELD_SAMPLE).status, 2) << "no output named";
}

TEST_F(Cli, KeysAreMadeOnceAndSignWhatIsThere) {
  Result r = meld("cache keygen " + scratch_.file("key") + " --name 'a site'");
  if (r.status && r.err.find("without libsodium") != std::string::npos)
    GTEST_SKIP() << r.err;
  ASSERT_EQ(r.status, 0) << r.err;
  struct stat info;
  ASSERT_EQ(stat(scratch_.file("key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  r = meld("cache keygen " + scratch_.file("key"));
  EXPECT_EQ(r.status, 1) << "a key is not written over";

  meld::DiskCache cache({scratch_.file("cache"), 0, false, {}});
  meld::CacheEntry entry;
  entry.key = meld::KeyBuilder().add("any", "key").finish();
  entry.reason = "nothing pays";
  ASSERT_TRUE(cache.store(entry));
  const std::string trust = " --trust " + scratch_.file("key.pub");
  r = meld("cache verify --format=json" + trust);
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.parsed()["wrongly_signed"].size(), 1u);
  EXPECT_EQ(meld("cache verify").status, 0) << "one's own entries need no signature";
  const std::string sign = "cache sign --format=json --key " + scratch_.file("key");
  EXPECT_EQ(meld(sign + " --dry-run").parsed()["signed"], 1);
  EXPECT_EQ(meld("cache verify" + trust).status, 1);
  EXPECT_EQ(meld(sign).parsed()["signed"], 1);
  EXPECT_EQ(meld(sign).parsed()["signed_before"], 1);
  EXPECT_EQ(meld("cache verify" + trust).status, 0);
  EXPECT_EQ(cache.load(entry.key)->reason, "nothing pays");

  chmod(scratch_.file("key").c_str(), 0644);
  r = meld("cache sign --key " + scratch_.file("key"));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("can be read by others"), std::string::npos) << r.err;
  EXPECT_EQ(meld("cache sign --key " + scratch_.file("key.pub")).status, 1);
}

TEST_F(Cli, PushWithoutAServerSaysSo) {
  const Result r = meld("cache push --remote redis+unix://" + scratch_.file("none.sock"));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("cache push: "), std::string::npos) << r.err;
  EXPECT_EQ(meld("cache pull --remote gopher://host").status, 1);
  EXPECT_EQ(meld("cache pull").status, 2);
}

TEST_F(Cli, CacheListSaysForWhichProcessor) {
  meld::DiskCache cache({scratch_.file("cache"), 0, false, {}});
  meld::CacheEntry entry;
  entry.key = meld::KeyBuilder().add("any", "key").finish();
  for (const auto &[isa, shown] :
       {std::pair<json, std::string>{"amdgcn-amd-amdhsa--gfx90a:sramecc+", "gfx90a:sramecc+"},
        {"gfx900", "gfx900"},
        {7, "-"},
        {nullptr, "-"}}) {
    entry.metadata = json{{"isa", isa}}.dump();
    ASSERT_TRUE(cache.store(entry));
    json list = meld("cache list --format=json").parsed();
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0]["isa"], shown);
    EXPECT_NE(meld("cache list").out.find(" " + shown + " "), std::string::npos);
  }
}

TEST_F(Cli, CacheFindsAndRemovesWhatIsDamaged) {
  std::string folder = scratch_.file("cache"), key = "ab" + std::string(62, '0');
  for (std::string path : {"", "/v2", "/v2/a", "/v2/a/b"})
    std::filesystem::create_directory(folder + path);
  std::ofstream(folder + "/v2/a/b/" + key) << "not an entry";
  chmod((folder + "/v2/a/b/" + key).c_str(), 0600);
  Result list = meld("cache list --format=json");
  EXPECT_EQ(list.status, 1);
  ASSERT_EQ(list.parsed().size(), 1u);
  EXPECT_EQ(list.parsed()[0]["verdict"], "damaged");
  EXPECT_EQ(meld("cache show ab00").status, 1);
  EXPECT_EQ(meld("cache verify --dry-run").status, 1);
  EXPECT_EQ(meld("cache stats --format=json").parsed()["damaged"], 1);
  EXPECT_EQ(meld("cache clear --dry-run --format=json").parsed()["removed"].size(), 1u);
  EXPECT_EQ(meld("cache verify").status, 1);
  EXPECT_EQ(meld("cache verify").status, 0);
}

TEST_F(Cli, RunPassesArgumentsAndExitStatusOn) {
  EXPECT_EQ(meld("run --device gpu -- sh -c 'exit 7'").status, 7);
  Result r = meld("run --device gpu -- echo -a --report 'b c'");
  EXPECT_EQ(r.out, "-a --report b c\n");
  EXPECT_EQ(meld("run --device gpu echo -a --b").out, "-a --b\n");
  EXPECT_EQ(meld("run --device gpu -- /nonexistent").status, 127);
  EXPECT_EQ(meld("run --device gpu -- /etc/passwd").status, 126);
}

TEST_F(Cli, RunSetsThePreload) {
  json out =
      meld("run --device gpu --report --dry-run --format=json -- ./app x", "LD_PRELOAD=libm.so.6")
          .parsed();
  std::string preload = out["environment"]["LD_PRELOAD"];
  EXPECT_NE(preload.find("libmeld.so libm.so.6"), std::string::npos) << preload;
  EXPECT_EQ(out["environment"]["MELD_REPORT"], "1");
  EXPECT_EQ(out["command"], (json{"./app", "x"}));
  out = meld("run --device gpu --plain --dry-run --format=json -- ./app").parsed();
  EXPECT_FALSE(out["environment"].contains("LD_PRELOAD"));
}

TEST_F(Cli, DoctorAnswersInJson) {
  Result r = meld("doctor --format=json " MELD_SAMPLE);
  json out = r.parsed();
  EXPECT_EQ(r.status, out["healthy"].get<bool>() ? 0 : 1);
  bool bitcode = false;
  for (const json &check : out["checks"])
    bitcode |= check["check"] == "kernels" && check["health"] == "ok";
  const bool attach =
      std::any_of(out["checks"].begin(), out["checks"].end(), [](const json &check) {
        return check["check"] == "attach" && check["health"] == "ok";
      });
  EXPECT_TRUE(attach) << r.out;
  EXPECT_TRUE(bitcode);
  bool missing = false;
  out = meld("doctor --format=json " MELD_PLAIN).parsed();
  for (const json &check : out["checks"])
    missing |= check["check"] == "kernels" && check["health"] == "problem";
  EXPECT_TRUE(missing) << "a program without bitcode is a problem worth saying";
}

TEST_F(Cli, DoctorsExitStatusIsForScripts) {
  EXPECT_EQ(meld("doctor /nonexistent").status, 1);
  const std::string pipe = scratch_.file("pipe");
  mkfifo(pipe.c_str(), 0600); // a look inside would wait for ever
  for (const std::string &path : {std::string("/"), std::string("/dev/zero"), pipe}) {
    const Result r = meld("doctor " + path);
    EXPECT_EQ(r.status, 1) << path;
    EXPECT_NE(r.out.find("is not a regular file"), std::string::npos)
        << path << ": " << r.out << r.err;
  }
  EXPECT_EQ(meld("doctor --pid 0").status, 2);
  EXPECT_EQ(meld("doctor --nonsense").status, 2);
  EXPECT_EQ(meld("doctor", "MELD_DISABLE=1").status, 1) << "libmeld does nothing then";
  Result r = meld("doctor " MELD_PLAIN);
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("problem  kernels"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("-> compile with -Xclang -fembed-bitcode=all"), std::string::npos) << r.out;
  // Of this process's own: the shell has no libmeld in it.
  r = meld("doctor --format=json --pid " + std::to_string(getpid()));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("libmeld.so is not in it"), std::string::npos) << r.out;
}

TEST_F(Cli, DoctorLooksAtARunningProcess) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_PRELOAD", MELD_LIB, 1);
    setenv("HSA_TOOLS_LIB", "/nonexistent/tool.so", 1);
    execl("/bin/sleep", "sleep", "60", nullptr);
    _exit(1);
  }
  const std::string maps = "/proc/" + std::to_string(child) + "/maps";
  for (int i = 0; i < 500; ++i, usleep(10000)) { // until the linker has been there
    std::ifstream file(maps);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (text.find("libmeld.so") != std::string::npos)
      break;
  }
  const Result r = meld("doctor --pid " + std::to_string(child));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_NE(r.out.find("libmeld.so is in it"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("/nonexistent/tool.so is not there"), std::string::npos)
      << "its environment, not this one's: " << r.out;
}
