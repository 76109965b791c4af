// The engine with a remote layer: what loads do while a server far away is asked, which may be dead,
// slow, full or lying.
#include "runtime/cache/signing.h"
#include "runtime/engine/engine.h"
#include "tests/runtime/cache/fake_remote.h"
#include "tests/runtime/cache/scratch.h"
#include "tests/runtime/codeobject/builder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace meld;
using namespace meld::test;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

class RemoteLayer : public testing::Test {
protected:
  void SetUp() override {
    setenv("FAKEJIT_LOG", log().c_str(), 1);
    setenv("FAKEJIT_MODE", "replace", 1);
    for (const char *name : {"FAKEJIT_DELAY_MS", "FAKEJIT_PLAIN_MS", "FAKEJIT_GATE"})
      unsetenv(name);
    settings_ = parseSettings([](const char *) { return std::nullopt; }, {}).settings;
    settings_.compileBudgetMs = 30000;
    settings_.cacheRemote = "fake://server";
  }
  std::string log() const { return scratch_.file("compiles"); }
  int compiles() const {
    std::ifstream in(log());
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
  }
  /// One of a node's processes; nodes have their own folders.
  std::unique_ptr<Engine> engine(const std::string &node) {
    EngineOptions options;
    options.settings = settings_;
    options.settings.cacheDir = scratch_.file("cache-" + node);
    options.jitPath = MELD_FAKEJIT;
    options.remoteClaim = remoteClaim_;
    options.openRemote = [this](const std::string &) -> Result<std::unique_ptr<RemoteStore>> {
      return std::make_unique<FakeStore>(server_);
    };
    return std::make_unique<Engine>(options);
  }
  static void finish(Engine &engine) { engine.finish(10s); }
  /// As a thread of ours asks: it waits.
  Decision patiently(Engine &engine, ByteView bytes) {
    return engine.decide(bytes, {}, Patience::untilDone);
  }
  bool eventually(const std::function<bool()> &happens) {
    const auto end = Clock::now() + 20s;
    while (!happens() && Clock::now() < end)
      std::this_thread::sleep_for(2ms);
    return happens();
  }

  Scratch scratch_;
  Settings settings_;
  FakeServer server_;
  std::chrono::seconds remoteClaim_{30};
  Bytes original_ = build({});
};

} // namespace

TEST_F(RemoteLayer, ALoadThatMissesRunsTheOriginalAndTheNextHasWhatTheRemoteHad) {
  {
    auto first = engine("a");
    EXPECT_EQ(patiently(*first, original_).outcome, Outcome::replaced);
    finish(*first);
  }
  EXPECT_EQ(compiles(), 1);
  EXPECT_EQ(server_.size(), 1u);
  auto second = engine("b");
  EXPECT_EQ(second->decide(original_).outcome, Outcome::late);
  EXPECT_TRUE(eventually([&] { return second->decide(original_).outcome == Outcome::replaced; }));
  finish(*second);
  EXPECT_EQ(compiles(), 1);
  // And the node's next process asks nobody.
  const int gets = server_.gets;
  auto third = engine("b");
  EXPECT_EQ(third->decide(original_).outcome, Outcome::replaced);
  EXPECT_EQ(server_.gets, gets);
}

TEST_F(RemoteLayer, WhatIsNowhereIsCompiledInTheBackgroundAndSent) {
  auto first = engine("a");
  EXPECT_EQ(first->decide(original_).outcome, Outcome::late);
  EXPECT_TRUE(eventually([&] { return first->decide(original_).outcome == Outcome::replaced; }));
  finish(*first);
  EXPECT_EQ(compiles(), 1);
  EXPECT_EQ(server_.size(), 1u);
  EXPECT_TRUE(server_.claims.empty()) << "given back";
}

TEST_F(RemoteLayer, OneOfManyNodesCompiles) {
  setenv("FAKEJIT_DELAY_MS", "150", 1);
  constexpr int nodes = 6, kernels = 3;
  std::vector<Bytes> objects;
  for (int k = 0; k < kernels; ++k) {
    objects.push_back(original_);
    objects.back().resize(objects.back().size() + 1 + size_t(k)); // behind the ELF file's end
  }
  std::vector<std::thread> threads;
  std::atomic<int> replaced{0};
  for (int n = 0; n < nodes; ++n)
    threads.emplace_back([&, n] {
      auto one = engine("node" + std::to_string(n));
      for (const Bytes &object : objects)
        replaced += patiently(*one, object).outcome == Outcome::replaced;
      finish(*one);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(replaced, nodes * kernels);
  EXPECT_EQ(compiles(), kernels);
  EXPECT_EQ(server_.size(), size_t(kernels));
}

TEST_F(RemoteLayer, AClaimOfADeadProcessRunsOut) {
  remoteClaim_ = 1s;
  auto one = engine("b");
  const CacheKey key = one->keyOf(original_, "amdgcn-amd-amdhsa--gfx90a");
  {
    std::lock_guard guard(server_.lock);
    server_.claims[key.hex()] = {777, Clock::now() + 600ms};
  }
  EXPECT_EQ(one->decide(original_).outcome, Outcome::late) << "the application does not wait";
  const Decision d = patiently(*one, original_);
  EXPECT_EQ(d.outcome, Outcome::replaced);
  EXPECT_EQ(d.source, Source::compiled);
  finish(*one);
}

TEST_F(RemoteLayer, WhoEndsWhileAnotherCompilesDoesNotWait) {
  auto one = engine("b");
  const CacheKey key = one->keyOf(original_, "amdgcn-amd-amdhsa--gfx90a");
  {
    std::lock_guard guard(server_.lock);
    server_.claims[key.hex()] = {777, Clock::now() + 1h};
  }
  EXPECT_EQ(one->decide(original_).outcome, Outcome::late);
  one->finish(1h);
  EXPECT_EQ(compiles(), 0);
}

TEST_F(RemoteLayer, ADeadServerCostsNothingAndEveryProcessCompiles) {
  server_.dead = true;
  auto one = engine("a");
  EXPECT_EQ(one->decide(original_).outcome, Outcome::late);
  EXPECT_TRUE(eventually([&] { return one->decide(original_).outcome == Outcome::replaced; }));
  finish(*one);
  EXPECT_EQ(compiles(), 1);
  // Given up after three failures; from then on all is as without.
  const int asked = server_.asked;
  Bytes other = original_;
  other.push_back(1);
  auto two = engine("a");
  for (int i = 0; i < 5; ++i) {
    Bytes more = original_;
    more.resize(more.size() + 2 + size_t(i));
    patiently(*two, more);
  }
  EXPECT_LE(server_.asked - asked, 8);
  Bytes last = original_;
  last.resize(last.size() + 20);
  EXPECT_EQ(two->decide(last).outcome, Outcome::replaced) << "waited for, as without a remote";
  finish(*two);
}

TEST_F(RemoteLayer, AServerThatNeverAnswersDelaysNoLoadAndNoExit) {
  server_.stopped = true;
  auto one = engine("a");
  for (int i = 0; i < 20; ++i) {
    Bytes object = original_;
    object.resize(object.size() + size_t(i));
    EXPECT_EQ(one->decide(object).outcome, Outcome::late);
  }
  one->finish(1h);
  EXPECT_EQ(compiles(), 0);
}

TEST_F(RemoteLayer, AFullServerBreaksNothing) {
  server_.full = true;
  auto one = engine("a");
  EXPECT_EQ(patiently(*one, original_).outcome, Outcome::replaced);
  finish(*one);
  EXPECT_EQ(server_.puts, 1);
  EXPECT_EQ(engine("a")->decide(original_).outcome, Outcome::replaced) << "on this node's disk";
}

TEST_F(RemoteLayer, WhatALyingServerSaysIsNotUsed) {
  {
    auto first = engine("a");
    patiently(*first, original_);
    finish(*first);
  }
  server_.lies = true;
  auto second = engine("b");
  const Decision d = patiently(*second, original_);
  finish(*second);
  EXPECT_EQ(d.outcome, Outcome::replaced);
  EXPECT_EQ(d.source, Source::compiled);
  EXPECT_EQ(compiles(), 2);
}

TEST_F(RemoteLayer, AnotherKeysEntryAndMeasurementsAreNotUsed) {
  auto first = engine("a");
  Bytes other = original_;
  other.push_back(0);
  const CacheKey key = patiently(*first, original_).key,
                 wrong = first->keyOf(other, "amdgcn-amd-amdhsa--gfx90a");
  finish(*first);
  {
    std::lock_guard guard(server_.lock);
    server_.entries[wrong.hex()] = server_.entries[key.hex()];
    CacheEntry measured;
    measured.key = key;
    measured.verdict = Verdict::measured;
    measured.metadata = "{}";
    server_.entries[key.hex()] = *writeEntry(measured);
  }
  auto second = engine("b");
  EXPECT_EQ(patiently(*second, other).source, Source::compiled);
  EXPECT_EQ(patiently(*second, original_).source, Source::compiled);
  finish(*second);
}

TEST_F(RemoteLayer, AServerThatKnowsNoClaimsLetsEverybodyCompile) {
  server_.claimsUnknown = true;
  auto one = engine("a"), two = engine("b");
  EXPECT_EQ(patiently(*one, original_).outcome, Outcome::replaced);
  finish(*one);
  EXPECT_EQ(patiently(*two, original_).outcome, Outcome::replaced);
  finish(*two);
  EXPECT_EQ(compiles(), 1) << "the second finds what the first has sent";
}

TEST_F(RemoteLayer, WithTrustedKeysOnlySignedEntriesAreUsedAndNothingIsSent) {
  if (!hasSignatures())
    GTEST_SKIP() << "built without libsodium";
  const SigningKey ours = *SigningKey::make();
  const std::string keys = scratch_.file("keys");
  std::ofstream(keys) << ours.publicText("site");
  chmod(keys.c_str(), 0644);
  CacheKey key;
  {
    auto first = engine("a");
    key = patiently(*first, original_).key;
    finish(*first);
  }
  ASSERT_EQ(server_.size(), 1u);
  settings_.cacheTrust = keys;
  {
    auto second = engine("b");
    EXPECT_EQ(patiently(*second, original_).source, Source::compiled);
    finish(*second);
  }
  EXPECT_EQ(server_.puts, 1) << "the first one's";
  {
    std::lock_guard guard(server_.lock);
    server_.entries[key.hex()] = *ours.sign(server_.entries[key.hex()]);
  }
  auto third = engine("c");
  const Decision d = patiently(*third, original_);
  EXPECT_EQ(d.outcome, Outcome::replaced);
  EXPECT_EQ(d.source, Source::disk);
  finish(*third);
  EXPECT_EQ(compiles(), 2);
}

TEST_F(RemoteLayer, ReadonlySendsNothing) {
  settings_.cacheReadonly = true;
  auto one = engine("a");
  EXPECT_EQ(patiently(*one, original_).outcome, Outcome::replaced);
  finish(*one);
  EXPECT_EQ(server_.puts, 0);
  EXPECT_TRUE(server_.claims.empty());
}

TEST_F(RemoteLayer, AFreshCompileAsksNobodyAndIsSent) {
  settings_.recache = true;
  auto one = engine("a");
  EXPECT_EQ(one->decide(original_).outcome, Outcome::replaced);
  finish(*one);
  EXPECT_EQ(server_.gets, 0);
  EXPECT_EQ(server_.size(), 1u);
}

TEST_F(RemoteLayer, WithoutAMissNobodyIsAsked) {
  {
    auto first = engine("a");
    patiently(*first, original_);
    finish(*first);
  }
  const int stores = server_.stores;
  auto second = engine("a");
  EXPECT_EQ(second->decide(original_).outcome, Outcome::replaced);
  finish(*second);
  EXPECT_EQ(server_.stores, stores) << "no connection, no process, no thread";
}

TEST(RemoteExchange, WhatIsToBeSentHasABound) {
  FakeServer server;
  server.stopped = true;
  RemoteExchange::Callbacks callbacks;
  callbacks.open = [&]() -> Result<std::unique_ptr<RemoteStore>> {
    return std::make_unique<FakeStore>(server);
  };
  RemoteExchange exchange(callbacks);
  const Bytes large(RemoteExchange::kMostBytes / 8);
  for (uint64_t i = 0; i < 100; ++i)
    exchange.put(KeyBuilder().add("n", i).finish(), large);
  server.stopped = false;
  exchange.finish(1h);
  EXPECT_GE(server.size(), 8u);
  EXPECT_LE(server.size(), 9u) << "one was on its way, eight wait";
}

TEST(RemoteExchange, AStoreThatCannotBeOpenedIsGivenUpAndEveryQuestionAnswered) {
  RemoteExchange::Callbacks callbacks;
  std::atomic<int> missing{0}, warnings{0};
  callbacks.open = []() -> Result<std::unique_ptr<RemoteStore>> {
    return fail(ErrorCode::badInput, "no URL");
  };
  callbacks.missing = [&](const CacheKey &) { ++missing; };
  callbacks.warn = [&](const std::string &) { ++warnings; };
  RemoteExchange exchange(callbacks);
  int asked = 0;
  for (uint64_t i = 0; i < 50; ++i)
    asked += exchange.lookUp(KeyBuilder().add("n", i).finish());
  EXPECT_EQ(exchange.claim(KeyBuilder().finish()).whose, RemoteExchange::Claim::unknown);
  const auto end = Clock::now() + 20s;
  while (missing < asked && Clock::now() < end)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(missing, asked);
  EXPECT_EQ(warnings, 1);
  EXPECT_FALSE(exchange.usable());
  EXPECT_FALSE(exchange.lookUp(KeyBuilder().finish()));
}

// Between our question and our claim, whoever had the claim may have sent the entry and given it back.
TEST(RemoteExchange, WithAClaimComesWhatIsThereByNow) {
  FakeServer server;
  const CacheKey there = KeyBuilder().add("n", 1).finish(),
                 none = KeyBuilder().add("n", 2).finish();
  server.entries[there.hex()] = {1, 2, 3};
  RemoteExchange::Callbacks callbacks;
  callbacks.open = [&]() -> Result<std::unique_ptr<RemoteStore>> {
    return std::make_unique<FakeStore>(server);
  };
  RemoteExchange exchange(callbacks);
  const auto first = exchange.claim(there), second = exchange.claim(none);
  EXPECT_EQ(first.whose, RemoteExchange::Claim::ours);
  EXPECT_EQ(first.file, (Bytes{1, 2, 3}));
  EXPECT_EQ(second.whose, RemoteExchange::Claim::ours);
  EXPECT_FALSE(second.file);
}
