// Layers of the cache with real programs: meld warm, a site's folder, a job's node, signatures.
#include "tests/e2e/process.h"

#include <arpa/inet.h>
#include <atomic>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <thread>

using namespace meld::e2e;
using Environment = std::map<std::string, std::string>;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string lib = MELD_LIB_DIR, bin = MELD_BIN_DIR;

class Cluster : public testing::Test {
protected:
  ~Cluster() override { writable(); }
  Outcome meld(std::vector<std::string> arguments, Environment environment = {}) {
    arguments.insert(arguments.begin(), bin + "/meld");
    environment.emplace("HOME", folder_ / "home");
    environment.emplace("MELD_ADAPT", "static");
    return run(arguments, environment);
  }
  std::string program() const { return bin + "/hip/divergent_saxpy"; }
  std::string site() const { return folder_ / "site"; }
  /// The program in a job of a batch system, with the site's layer.
  Outcome job(Environment more = {}) {
    Environment environment = {{"LD_PRELOAD", lib + "/libmeld.so:" + lib + "/libmeld-softgpu.so"},
                               {"SLURM_JOB_ID", "17"},
                               {"HOME", folder_ / "home"},
                               {"XDG_CACHE_HOME", ""},
                               {"MELD_CACHE_NODE", folder_ / "node"},
                               {"MELD_CACHE_SITE", site()},
                               {"MELD_ADAPT", "static"},
                               {"MELD_COMPILE_BUDGET_MS", "0"},
                               {"MELD_LOG_LEVEL", "info"}};
    for (const auto &[name, value] : more)
      environment[name] = value;
    Outcome o = run({program()}, environment);
    EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
    EXPECT_NE(o.out.find(": PASS"), std::string::npos) << o.out << o.err;
    return o;
  }
  static size_t countOf(const std::string &text, const std::string &word) {
    size_t count = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      ++count;
    return count;
  }
  static size_t compiles(const Outcome &o) { return countOf(o.err, ", compiled in "); }
  static size_t hits(const Outcome &o) { return countOf(o.err, "cache hit "); }
  std::vector<fs::path> entriesIn(const std::string &folder) {
    std::vector<fs::path> entries;
    if (fs::exists(folder))
      for (const auto &one : fs::recursive_directory_iterator(folder))
        if (one.is_regular_file() && one.path().filename().string().size() == 64)
          entries.push_back(one.path());
    return entries;
  }
  void warmSite() {
    const Outcome o = meld({"warm", "--layer", site(), "--format=json", program()});
    ASSERT_EQ(o.exitCode, 0) << o.err;
    EXPECT_GT(json::parse(o.out)["compiled"], 0);
    ASSERT_FALSE(entriesIn(site()).empty());
  }
  void readOnly() { chmodAll(site(), fs::perms(0555), fs::perms(0444)); }
  void writable() {
    if (fs::exists(site()))
      chmodAll(site(), fs::perms(0755), fs::perms(0644));
  }
  static void chmodAll(const std::string &folder, fs::perms folders, fs::perms files) {
    fs::permissions(folder, fs::perms(0755));
    for (const auto &one : fs::directory_iterator(folder))
      one.is_directory() ? chmodAll(one.path(), folders, files)
                         : fs::permissions(one.path(), files);
    fs::permissions(folder, folders);
  }
  TemporaryFolder folder_;
};

} // namespace

TEST_F(Cluster, AJobCompilesNothingThatTheSiteHas) {
  warmSite();
  readOnly();
  const auto before = entriesIn(site());
  const Outcome first = job();
  EXPECT_EQ(compiles(first), 0u) << first.err;
  EXPECT_GT(hits(first), 0u);
  EXPECT_FALSE(entriesIn(folder_ / "node").empty()) << "that ROCr has loaded it";
  const Outcome second = job();
  EXPECT_EQ(compiles(second), 0u) << second.err;
  // Without the site the node has it.
  const Outcome third = job({{"MELD_CACHE_SITE", ""}});
  EXPECT_EQ(compiles(third), 0u) << third.err;
  EXPECT_EQ(entriesIn(site()), before);
}

TEST_F(Cluster, WhatIsNotThereIsCompiledForTheNodeAndTheUser) {
  fs::create_directory(site());
  const Outcome first = job();
  EXPECT_GT(compiles(first), 0u);
  EXPECT_EQ(entriesIn(folder_ / "node").size(), entriesIn(folder_ / "home/.cache/libmeld").size());
  EXPECT_TRUE(entriesIn(site()).empty());
  EXPECT_EQ(compiles(job()), 0u);
  EXPECT_EQ(compiles(job({{"MELD_CACHE_LAYERS", "node"}})), 0u);
  EXPECT_EQ(compiles(job({{"MELD_CACHE_LAYERS", "user"}})), 0u);
  EXPECT_GT(compiles(job({{"MELD_CACHE_LAYERS", "site"}})), 0u);
}

TEST_F(Cluster, WithTrustedKeysOnlySignedEntriesRun) {
  warmSite();
  const std::string key = folder_ / "key";
  Outcome o = meld({"cache", "keygen", key});
  if (o.exitCode && o.err.find("without libsodium") != std::string::npos)
    GTEST_SKIP() << o.err;
  ASSERT_EQ(o.exitCode, 0) << o.err;
  const Environment trust = {{"MELD_CACHE_TRUST", key + ".pub"}, {"MELD_CACHE_LAYERS", "site"}};
  EXPECT_GT(compiles(job(trust)), 0u) << "not signed yet";
  o = meld({"cache", "verify", "--layer", site(), "--dry-run"}, trust);
  EXPECT_EQ(o.exitCode, 1) << o.out;
  o = meld({"cache", "sign", "--key", key, "--layer", site()});
  ASSERT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(meld({"cache", "verify", "--layer", site(), "--dry-run"}, trust).exitCode, 0);
  EXPECT_EQ(compiles(job(trust)), 0u);
  EXPECT_NE(meld({"cache", "sign", "--key", key, "--layer", site()}).out.find("signed 0 entries"),
            std::string::npos);
  // One of another key, and a byte of the signature changed.
  meld({"cache", "keygen", folder_ / "other"});
  EXPECT_GT(compiles(job({{"MELD_CACHE_TRUST", std::string(folder_ / "other") + ".pub"},
                          {"MELD_CACHE_LAYERS", "site"}})),
            0u);
  for (const fs::path &entry : entriesIn(site())) {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\0');
    file.seekp(-2, std::ios::end);
    file.put('\0');
  }
  const Outcome forged = job(trust);
  EXPECT_GT(compiles(forged), 0u);
  EXPECT_NE(forged.err.find("is wrong"), std::string::npos) << forged.err;
}

TEST_F(Cluster, WarmTakesTargetsAndSaysWhatIsWrong) {
  Outcome o = meld({"warm", "--target", "gfx1012", "--layer", site(), program()});
  EXPECT_EQ(o.exitCode, 1);
  EXPECT_NE(o.err.find("no device code for the targets"), std::string::npos) << o.err;
  o = meld({"warm", "--target", "gfx1012", "--layer", site(), "--", program()});
  EXPECT_EQ(o.exitCode, 1);
  EXPECT_NE(o.err.find("the software GPU is no 'gfx1012'"), std::string::npos) << o.err;
  o = meld({"warm", "--target", "gfx90a:tgsplit+", "--layer", site(), program()});
  EXPECT_EQ(o.exitCode, 2);
  EXPECT_NE(o.err.find("in target 'gfx90a:tgsplit+'"), std::string::npos) << o.err;
  EXPECT_EQ(meld({"warm"}).exitCode, 2);
  EXPECT_EQ(meld({"warm", "/bin/true"}).exitCode, 1);
  EXPECT_EQ(meld({"warm", "/nonexistent"}).exitCode, 1);
  EXPECT_EQ(meld({"warm", "--layer", "moon", program()}).exitCode, 1);
  o = meld({"warm", "--target", "gfx90a", "--layer", site(), "--format=json", program()});
  EXPECT_EQ(o.exitCode, 0) << o.err;
  o = meld({"warm", "--target", "gfx90a", "--layer", site(), "--format=json", program()});
  EXPECT_EQ(json::parse(o.out)["compiled"], 0) << "all of it is there";
  o = meld({"warm", "--target", "gfx90a:sramecc+:xnack-", "--layer", site(), "--format=json",
            program()});
  EXPECT_EQ(o.exitCode, 0) << o.err << "code that leaves both features open runs on such a device";
  EXPECT_EQ(json::parse(o.out)["compiled"], 0) << "it is the same code";
}

TEST_F(Cluster, WarmRunsAProgramAndCompilesWhatItLoads) {
  const Outcome o = meld({"warm", "--layer", site(), "--", bin + "/hip/divergent_saxpy"});
  EXPECT_EQ(o.exitCode, 0) << o.out << o.err;
  EXPECT_NE(o.out.find(": PASS"), std::string::npos) << o.out;
  readOnly();
  EXPECT_EQ(compiles(job()), 0u);
}

TEST_F(Cluster, WarmMakesTheVersionsThatAMeasuredChoiceTries) {
  const std::string choice = bin + "/hip/choice";
  const auto versions = [&](const std::string &site) {
    TemporaryFolder folder;
    Environment environment = measuredChoice(lib, folder);
    environment["MELD_CACHE_SITE"] = site;
    const Outcome o = run({choice, "gains", "60"}, environment);
    EXPECT_EQ(o.out, "PASS\n") << o.err;
    EXPECT_NE(o.err.find("version of gains as "), std::string::npos) << o.err;
    return o;
  };
  EXPECT_GT(compiles(versions("")), 0u);
  const Outcome o =
      meld({"warm", "--layer", site(), "--jobs", "2", choice}, {{"MELD_ADAPT", "on"}});
  ASSERT_EQ(o.exitCode, 0) << o.err;
  const Outcome warm = versions(site());
  EXPECT_EQ(compiles(warm), 0u) << warm.err;
}

TEST_F(Cluster, PathTellsAllLayers) {
  fs::create_directory(site());
  const Environment job = {{"SLURM_JOB_ID", "17"},
                           {"XDG_CACHE_HOME", ""},
                           {"MELD_CACHE_NODE", folder_ / "node"},
                           {"MELD_CACHE_SITE", site()},
                           {"MELD_CACHE_REMOTE", "redis://user:secret@host:6379"}};
  Outcome o = meld({"cache", "path", "--all", "--format=json"}, job);
  ASSERT_EQ(o.exitCode, 0) << o.err;
  EXPECT_EQ(o.out.find("secret"), std::string::npos);
  const json layers = json::parse(o.out)["layers"];
  std::string names;
  for (const json &layer : layers)
    names += layer["layer"].get<std::string>() + " ";
  EXPECT_EQ(names, "node user site remote ");
  EXPECT_EQ(meld({"cache", "path", "--layer", "site"}, job).out, site() + "\n");
  EXPECT_EQ(meld({"cache", "stats", "--layer", "site"}, job).exitCode, 0);
  EXPECT_EQ(meld({"cache", "list", "--layer", folder_ / "anywhere"}).exitCode, 0);
  o = meld({"cache", "push"});
  EXPECT_EQ(o.exitCode, 2);
  EXPECT_EQ(meld({"cache", "sign", "--key", folder_ / "none"}).exitCode, 1);
}

namespace {

/// A server that answers whatever it is asked with an error of Redis's.
class ErrorServer {
public:
  ErrorServer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (bind(listener_, reinterpret_cast<sockaddr *>(&address), size) || listen(listener_, 16) ||
        getsockname(listener_, reinterpret_cast<sockaddr *>(&address), &size))
      return;
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ErrorServer() {
    stop_ = true;
    if (thread_.joinable())
      thread_.join();
    close(listener_);
  }
  uint16_t port() const { return port_; }

private:
  void serve() {
    std::vector<pollfd> open{{listener_, POLLIN, 0}};
    while (!stop_) {
      poll(open.data(), open.size(), 20);
      for (size_t i = open.size(); i-- > 1;) {
        char asked[4096];
        if (!open[i].revents)
          continue;
        if (read(open[i].fd, asked, sizeof(asked)) > 0) {
          static const char answer[] = "-ERR no\r\n";
          (void)!send(open[i].fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL);
        } else {
          close(open[i].fd);
          open.erase(open.begin() + i);
        }
      }
      if (open[0].revents)
        if (const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); fd >= 0)
          open.push_back({fd, POLLIN, 0});
    }
    for (size_t i = 1; i < open.size(); ++i)
      close(open[i].fd);
  }
  int listener_;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

} // namespace

// With a remote no load waits, so a short program ends while the compiler is being opened, about when HIP's
// comgr has its LLVM destroyed.
TEST_F(Cluster, AProgramThatEndsWhileTheCompilerIsOpened) {
  ErrorServer server;
  ASSERT_NE(server.port(), 0);
  for (int i = 0; i < 8; ++i) {
    const Outcome o =
        job({{"MELD_CACHE_REMOTE", "redis://127.0.0.1:" + std::to_string(server.port())},
             {"MELD_CACHE_NODE", folder_ / ("node" + std::to_string(i))},
             {"HOME", folder_ / ("home" + std::to_string(i))},
             {"MELD_CACHE_SITE", ""}});
    EXPECT_EQ(o.err.find("pure virtual"), std::string::npos) << o.err;
    EXPECT_EQ(o.err.find("terminate called"), std::string::npos) << o.err;
  }
}
