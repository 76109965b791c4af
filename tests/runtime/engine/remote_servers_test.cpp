// The engine with a remote layer of real servers, by the real meld-remote: what loads do while a server
// is dead, slow, full or lying, and what other nodes get.
#include "runtime/engine/engine.h"
#include "tests/runtime/cache/remote/remote_test.h"
#include "tests/runtime/codeobject/builder.h"

using namespace meld;
using namespace meld::test;
using namespace std::chrono_literals;

namespace {

class RemoteServers : public testing::Test {
protected:
  void SetUp() override {
    setenv("FAKEJIT_LOG", compilesFile_.c_str(), 1);
    setenv("FAKEJIT_MODE", "replace", 1);
    for (const char *name : {"FAKEJIT_DELAY_MS", "FAKEJIT_PLAIN_MS", "FAKEJIT_GATE"})
      unsetenv(name);
    for (unsigned n = 0; n < 20; ++n) {
      objects_.push_back(build({}));
      objects_.back().resize(objects_.back().size() + 1 + n); // behind the ELF file's end
    }
  }

  int compiles() const {
    std::ifstream in(compilesFile_);
    return int(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
  }
  /// One of a node's processes; each node has a folder.
  std::unique_ptr<Engine> engine(const std::string &node, const std::string &url,
                                 const RemoteLimits &limits = patient()) const {
    EngineOptions options;
    options.settings = parseSettings([](const char *) { return std::nullopt; }, {}).settings;
    options.settings.compileBudgetMs = 0;
    options.settings.cacheDir = scratch_.file("cache-" + node);
    options.settings.cacheRemote = url;
    options.jitPath = MELD_FAKEJIT;
    options.openRemote = [limits](const std::string &at) {
      return openRemoteProcess(MELD_LIB_DIR, at, limits);
    };
    return std::make_unique<Engine>(options);
  }
  /// As a thread of ours asks: it waits.
  static Decision patiently(Engine &engine, ByteView bytes) {
    return engine.decide(bytes, {}, Patience::untilDone);
  }

  Scratch scratch_;
  const std::string compilesFile_ = scratch_.file("compiles");
  std::vector<Bytes> objects_;
};

} // namespace

// With limits of hours: a load, or the end of the process, that waited for the server would not end.
TEST_F(RemoteServers, NeitherLoadsNorTheEndWaitForAServerThatNeverAnswers) {
  std::atomic<int> asked{0};
  FaultyServer server([&](int client) {
    while (!receiveText(client).empty())
      ++asked;
  });
  RemoteLimits limits;
  limits.connect = limits.request = 10h;
  for (const std::string &url : {server.redis(), server.http()}) {
    asked = 0;
    const auto one = engine("a", url, limits);
    for (const Bytes &object : objects_)
      EXPECT_EQ(one->decide(object).outcome, Outcome::late);
    EXPECT_TRUE(waitUntil([&] { return asked > 0; })) << "it was asked behind the loads";
    for (const Bytes &object : objects_)
      EXPECT_EQ(one->decide(object).outcome, Outcome::late);
    one->finish(0ms);
  }
  EXPECT_EQ(compiles(), 0);
}

TEST_F(RemoteServers, AnotherNodeHasWhatOneHasCompiled) {
  MELD_NEEDS(RedisServer, "redis-server");
  MELD_NEEDS(NginxServer, "nginx-core");
  RedisServer redis;
  NginxServer nginx;
  int expected = 0;
  for (const std::string &url : {redis.url(), redis.unixUrl() + "?db=1", nginx.url()}) {
    const std::string name = std::to_string(expected);
    const auto first = engine(name + "a", url);
    for (const Bytes &object : objects_)
      EXPECT_EQ(patiently(*first, object).outcome, Outcome::replaced);
    first->finish(20s);
    expected += int(objects_.size());
    EXPECT_EQ(compiles(), expected);
    const auto second = engine(name + "b", url);
    for (const Bytes &object : objects_)
      EXPECT_EQ(second->decide(object).outcome, Outcome::late) << "nobody waits for the network";
    for (const Bytes &object : objects_)
      EXPECT_TRUE(waitUntil([&] { return second->decide(object).outcome == Outcome::replaced; }));
    second->finish(20s);
    EXPECT_EQ(compiles(), expected) << "and nothing is compiled again: " << url;
  }
}

TEST_F(RemoteServers, ManyNodesAtOnceCompileEachOnce) {
  MELD_NEEDS(RedisServer, "redis-server");
  RedisServer redis;
  setenv("FAKEJIT_DELAY_MS", "50", 1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> nodes;
  for (int n = 0; n < 6; ++n)
    nodes.emplace_back([&, n] {
      const auto one = engine("node" + std::to_string(n), redis.url());
      for (size_t k = 0; k < objects_.size(); ++k) // each in an order of its own
        wrong += patiently(*one, objects_[(k * (n + 1) + n) % objects_.size()]).outcome !=
                 Outcome::replaced;
      one->finish(20s);
    });
  for (std::thread &node : nodes)
    node.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(compiles(), int(objects_.size()));
}

TEST_F(RemoteServers, ALyingServersEntriesAreNotUsed) {
  MELD_NEEDS(RedisServer, "redis-server");
  RedisServer redis;
  {
    const auto first = engine("a", redis.url());
    for (const Bytes &object : objects_)
      patiently(*first, object);
    first->finish(20s);
  }
  ASSERT_EQ(compiles(), int(objects_.size()));
  // A bit of each entry, and no length: it arrives whole, and wrong.
  std::atomic<unsigned> spoiled{0};
  FaultyServer liar(between(redis.port(), [&](std::string &piece, size_t) {
    if (piece.size() > 150)
      piece[100 + spoiled++ % 40] ^= 4;
    return true;
  }));
  const auto second = engine("b", liar.redis());
  for (const Bytes &object : objects_)
    EXPECT_EQ(patiently(*second, object).outcome, Outcome::replaced);
  second->finish(20s);
  EXPECT_GE(spoiled, objects_.size());
  EXPECT_EQ(compiles(), 2 * int(objects_.size())) << "it compiled by itself";
}

TEST_F(RemoteServers, KilledInTheMiddle) {
  MELD_NEEDS(RedisServer, "redis-server");
  RedisServer redis;
  LogFile log(log::Level::warning);
  const auto one = engine("a", redis.url());
  for (size_t k = 0; k < objects_.size(); ++k) {
    if (k == 5)
      redis.kill();
    EXPECT_EQ(patiently(*one, objects_[k]).outcome, Outcome::replaced) << k;
  }
  one->finish(20s);
  EXPECT_EQ(compiles(), int(objects_.size()));
  EXPECT_EQ(log.count("remote cache"), 1) << log.text();
}

TEST_F(RemoteServers, FullOrForReadingOnly) {
  MELD_NEEDS(RedisServer, "redis-server");
  RedisServer full({"--maxmemory", "1", "--maxmemory-policy", "noeviction"});
  const auto one = engine("a", full.url());
  for (const Bytes &object : objects_)
    EXPECT_EQ(patiently(*one, object).outcome, Outcome::replaced);
  one->finish(20s);
  EXPECT_EQ(compiles(), int(objects_.size()));
}
