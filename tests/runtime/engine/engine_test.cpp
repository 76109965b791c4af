#include "runtime/engine/engine.h"
#include "runtime/host/confinement.h"
#include "tests/runtime/cache/scratch.h"
#include "tests/runtime/codeobject/builder.h"
#include "tests/runtime/host/confine.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <type_traits>
#include <unistd.h>

using namespace meld;
using namespace meld::test;
using namespace std::chrono_literals;

namespace {
std::atomic<bool> gNoThreads{false};
std::atomic<size_t> gThreads{0}; ///< made
} // namespace

// Linked with --wrap=pthread_create.
extern "C" int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                                     void *);
extern "C" int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                     void *(*body)(void *), void *argument) {
  ++gThreads;
  return gNoThreads ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}

namespace {

class EngineTest : public testing::Test {
protected:
  void SetUp() override {
    log_ = scratch_.file("compiles");
    setenv("FAKEJIT_LOG", log_.c_str(), 1);
    setenv("FAKEJIT_MODE", "replace", 1);
    unsetenv("FAKEJIT_DELAY_MS");
    unsetenv("FAKEJIT_PLAIN_MS");
    unsetenv("FAKEJIT_REST_MS");
    unsetenv("FAKEJIT_GATE");
    settings_ = parseSettings([](const char *) { return std::nullopt; }, {}).settings;
    settings_.cacheDir = scratch_.file("cache");
    settings_.compileBudgetMs = 30000;
  }

  std::unique_ptr<Engine> engine(const std::string &jit = MELD_FAKEJIT) {
    EngineOptions options;
    options.settings = settings_;
    options.jitPath = jit;
    options.lockWait = lockWait_;
    return std::make_unique<Engine>(options);
  }

  int compiles() const {
    std::ifstream in(log_);
    return std::count(std::istreambuf_iterator<char>(in), {}, '\n');
  }

  Scratch scratch_;
  std::string log_;
  Settings settings_;
  std::chrono::milliseconds lockWait_ = 60s; ///< on a busy machine a fake compile takes its time
  Bytes original_ = build({});
};

/// Another process, which has begun to compile and will not end.
class Compiling {
public:
  explicit Compiling(const std::function<void()> &compile) : process_(fork()) {
    if (!process_) {
      compile();
      pause();
    }
  }
  ~Compiling() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

private:
  pid_t process_;
};

} // namespace

TEST_F(EngineTest, CompilesOnceThenMemoryThenDisk) {
  auto first = engine();
  Decision a = first->decide(original_);
  ASSERT_EQ(a.outcome, Outcome::replaced) << a.reason;
  EXPECT_EQ(a.source, Source::compiled);
  EXPECT_EQ(a.isa, "amdgcn-amd-amdhsa--gfx90a");
  EXPECT_EQ(a.kernels, std::vector<std::string>{"kernel"});
  EXPECT_NE(*a.replacement, original_);
  Decision b = first->decide(original_);
  EXPECT_EQ(b.source, Source::memory);
  EXPECT_EQ(*b.replacement, *a.replacement);
  auto second = engine("/nonexistent/libmeld-jit.so");
  // Another libmeld-jit is another key: nothing to be found there.
  EXPECT_EQ(second->decide(original_).outcome, Outcome::failed);
  Decision c = engine()->decide(original_);
  EXPECT_EQ(c.source, Source::disk);
  EXPECT_EQ(*c.replacement, *a.replacement);
  EXPECT_EQ(compiles(), 1);
}

TEST_F(EngineTest, VersionsAndReplacementsAreKeptApart) {
  auto first = engine();
  const std::vector<VersionWanted> wanted = {
      {}, {"kernel", "melded"}, {"kernel", "scalarized"}, {"other", "melded"}};
  std::set<std::string> keys;
  for (const VersionWanted &version : wanted)
    keys.insert(first->decide(original_, version).key.hex());
  EXPECT_EQ(keys.size(), wanted.size());
  EXPECT_EQ(compiles(), 4);
  const Decision version = first->decide(original_, wanted[1]);
  EXPECT_EQ(version.source, Source::memory);
  EXPECT_EQ(version.outcome, Outcome::replaced) << version.reason;
  EXPECT_EQ(version.kernels, std::vector<std::string>{"kernel"});
  // The gate for versions: the object does not have that kernel.
  const Decision none = first->decide(original_, wanted[3]);
  EXPECT_EQ(none.outcome, Outcome::unchanged);
  EXPECT_NE(none.reason.find("kernel-set"), std::string::npos) << none.reason;
  EXPECT_EQ(engine()->decide(original_, wanted[2]).source, Source::disk);
  EXPECT_EQ(compiles(), 4);
}

TEST_F(EngineTest, NegativeVerdictsAreCached) {
  setenv("FAKEJIT_MODE", "unchanged", 1);
  Decision a = engine()->decide(original_);
  EXPECT_EQ(a.outcome, Outcome::unchanged);
  EXPECT_EQ(a.reason, "fake: unchanged");
  EXPECT_FALSE(a.replacement);
  Decision b = engine()->decide(original_);
  EXPECT_EQ(b.outcome, Outcome::unchanged);
  EXPECT_EQ(b.source, Source::disk);
  EXPECT_EQ(b.reason, "fake: unchanged");
  EXPECT_EQ(compiles(), 1);
}

TEST_F(EngineTest, TheGateDecidesAndItsVerdictIsCached) {
  setenv("FAKEJIT_MODE", "gate", 1);
  Decision a = engine()->decide(original_);
  EXPECT_EQ(a.outcome, Outcome::unchanged);
  EXPECT_EQ(a.reason.rfind("gate: ", 0), 0u) << a.reason;
  EXPECT_FALSE(a.replacement);
  EXPECT_EQ(engine()->decide(original_).source, Source::disk);
  EXPECT_EQ(compiles(), 1);
}

TEST_F(EngineTest, EveryFailureMeansTheOriginal) {
  for (const char *mode :
       {"fail", "garbage", "empty", "refuse", "failForever", "throw", "noMemory"}) {
    setenv("FAKEJIT_MODE", mode, 1);
    settings_.cacheDir = scratch_.file(std::string("cache-") + mode);
    Decision d = engine()->decide(original_);
    EXPECT_NE(d.outcome, Outcome::replaced) << mode;
    EXPECT_FALSE(d.replacement) << mode;
    EXPECT_FALSE(d.reason.empty()) << mode;
  }
}

TEST_F(EngineTest, OnlyPermanentFailuresAreCached) {
  setenv("FAKEJIT_MODE", "fail", 1);
  engine()->decide(original_);
  engine()->decide(original_);
  EXPECT_EQ(compiles(), 2);
  setenv("FAKEJIT_MODE", "failForever", 1);
  engine()->decide(original_);
  EXPECT_EQ(compiles(), 3);
  engine()->decide(original_);
  EXPECT_EQ(compiles(), 3);
}

TEST_F(EngineTest, ADamagedEntryIsCompiledAgain) {
  Decision a = engine()->decide(original_);
  for (const auto &file : std::filesystem::recursive_directory_iterator(settings_.cacheDir))
    if (file.is_regular_file()) {
      std::fstream f(file.path(), std::ios::in | std::ios::out | std::ios::binary);
      f.seekp(300);
      f.put(1);
      f.put(2);
    }
  Decision b = engine()->decide(original_);
  EXPECT_EQ(b.source, Source::compiled);
  EXPECT_EQ(*b.replacement, *a.replacement);
  EXPECT_EQ(compiles(), 2);
}

TEST_F(EngineTest, AnEntryThatFailsTheGateIsIgnored) {
  auto e = engine();
  BuildObject larger;
  larger.kernels[0].priv = 64;
  CacheEntry entry;
  entry.key = e->keyOf(original_, "amdgcn-amd-amdhsa--gfx90a");
  entry.verdict = Verdict::replaced;
  entry.codeObject = build(larger);
  ASSERT_TRUE(e->disk()->store(entry)) << "sound, but not a replacement of this object";
  Decision d = e->decide(original_);
  EXPECT_EQ(d.source, Source::compiled);
}

TEST_F(EngineTest, RecacheAndDumpsCompileAgain) {
  engine()->decide(original_);
  settings_.recache = true;
  EXPECT_EQ(engine()->decide(original_).source, Source::compiled);
  settings_.recache = false;
  settings_.dumpDir = scratch_.file("dump");
  EXPECT_EQ(engine()->decide(original_).source, Source::compiled);
  EXPECT_EQ(compiles(), 3);
}

TEST_F(EngineTest, WithoutCacheEveryProcessCompiles) {
  settings_.cache = false;
  engine()->decide(original_);
  engine()->decide(original_);
  EXPECT_EQ(compiles(), 2);
  EXPECT_FALSE(std::filesystem::exists(settings_.cacheDir));
}

TEST_F(EngineTest, PastTheBudgetTheOriginalRunsAndTheNextLoadHasIt) {
  setenv("FAKEJIT_DELAY_MS", "1500", 1);
  settings_.compileBudgetMs = 20;
  auto e = engine();
  Decision a = e->decide(original_);
  EXPECT_EQ(a.outcome, Outcome::late);
  EXPECT_FALSE(a.replacement);
  e->finish(60s);
  EXPECT_EQ(e->decide(original_).source, Source::memory);
  EXPECT_EQ(engine()->decide(original_).source, Source::disk);
  EXPECT_EQ(compiles(), 1);
}

// However long the budget: not much longer than comgr alone would take.
TEST_F(EngineTest, NobodyWaitsLongerThanTheCompileIsWorth) {
  setenv("FAKEJIT_PLAIN_MS", "10", 1);
  setenv("FAKEJIT_DELAY_MS", "1500", 1);
  settings_.compileBudgetMs = 600000;
  auto e = engine();
  EXPECT_EQ(e->decide(original_).outcome, Outcome::late);
  e->finish(60s);
  EXPECT_EQ(e->decide(original_).source, Source::memory);
  EXPECT_EQ(compiles(), 1);
}

// What cannot end within the limit is not waited for until then.
TEST_F(EngineTest, NobodyWaitsInVain) {
  setenv("FAKEJIT_PLAIN_MS", "10000", 1);
  setenv("FAKEJIT_REST_MS", "20000", 1);
  setenv("FAKEJIT_DELAY_MS", "3000", 1);
  settings_.compileBudgetMs = 600000;
  auto e = engine();
  EXPECT_EQ(e->decide(original_).outcome, Outcome::late);
  e->finish(60s);
  EXPECT_EQ(e->decide(original_).source, Source::memory);
}

TEST_F(EngineTest, WhatIsWorthAsMuchIsWaitedFor) {
  setenv("FAKEJIT_DELAY_MS", "600", 1);
  struct Case {
    const char *plain; ///< milliseconds
    double wait;
    uint32_t budget;
  };
  for (const Case &c : {Case{"400000", 1.5, 600000}, Case{"1", 0, 600000}, Case{"1", 1.5, 0}}) {
    setenv("FAKEJIT_PLAIN_MS", c.plain, 1);
    settings_.compileWait = c.wait;
    settings_.compileBudgetMs = c.budget;
    settings_.cache = false;
    EXPECT_EQ(engine()->decide(original_).outcome, Outcome::replaced) << c.plain << " " << c.wait;
  }
}

TEST_F(EngineTest, ACompileThatNeverEndsDelaysTheExitByABoundedTime) {
  // In a process of its own: the thread goes on for as long as the process lives.
  pid_t child = fork();
  if (!child) {
    setenv("FAKEJIT_MODE", "endless", 1);
    settings_.compileBudgetMs = 20;
    auto *e = engine().release();
    bool late = e->decide(original_).outcome == Outcome::late;
    e->finish(10ms);
    _exit(late ? 0 : 1);
  }
  int status = -1;
  for (int waited = 0; waited < 30 && waitpid(child, &status, WNOHANG) == 0; ++waited)
    std::this_thread::sleep_for(1s);
  kill(child, SIGKILL); // nothing where it has ended
  EXPECT_EQ(status, 0);
}

// What waits behind a compile that takes too long would wait as long, again and again.
TEST_F(EngineTest, BehindAnOverdueCompileNobodyWaits) {
  setenv("FAKEJIT_DELAY_MS", "6000", 1);
  settings_.compileBudgetMs = 1;
  auto patient = engine();
  EXPECT_EQ(patient->decide(original_).outcome, Outcome::late);
  BuildObject other;
  other.kernels[0].name = "other";
  auto start = std::chrono::steady_clock::now();
  const_cast<Settings &>(patient->options().settings).compileBudgetMs = 600000;
  EXPECT_EQ(patient->decide(build(other)).outcome, Outcome::late);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 4s);
  const auto known = [&](const Bytes &code) {
    return patient->decide(code).source == Source::memory;
  };
  for (int i = 0; i < 600 && !(known(original_) && known(build(other))); ++i)
    std::this_thread::sleep_for(200ms);
  // All is well again.
  BuildObject third;
  third.kernels[0].name = "third";
  setenv("FAKEJIT_DELAY_MS", "0", 1);
  EXPECT_EQ(patient->decide(build(third)).source, Source::compiled);
}

TEST_F(EngineTest, AsyncNeverWaits) {
  const std::string gate = scratch_.file("gate"); // who waited would do so for ever
  setenv("FAKEJIT_GATE", gate.c_str(), 1);
  settings_.compileMode = CompileMode::async;
  auto e = engine();
  EXPECT_EQ(e->decide(original_).outcome, Outcome::late);
  EXPECT_EQ(e->decide(original_).outcome, Outcome::late);
  std::ofstream(gate).put('.');
  e->finish(60s);
  EXPECT_EQ(e->decide(original_).outcome, Outcome::replaced);
  EXPECT_EQ(compiles(), 1);
}

TEST_F(EngineTest, CompilesQueueForTheThreadsThatMeldJobsAllows) {
  settings_.compileMode = CompileMode::async;
  std::vector<Bytes> objects;
  std::string inOrder;
  for (size_t length : {900, 100, 700, 300, 500}) { // in no order of its own
    BuildObject object;
    object.kernels[0].name = std::string(length, 'k');
    objects.push_back(build(object));
    inOrder += "amdgcn-amd-amdhsa--gfx90a " + std::to_string(objects.back().size()) + "\n";
  }
  for (unsigned jobs : {0u, 1u, 3u}) {
    const size_t allowed = std::max(1u, jobs);
    const std::string gate = scratch_.file("gate-" + std::to_string(jobs));
    std::filesystem::remove(log_);
    setenv("FAKEJIT_GATE", gate.c_str(), 1);
    settings_.jobs = jobs;
    settings_.cacheDir = scratch_.file("cache-" + std::to_string(jobs));
    auto e = engine();
    gThreads = 0;
    for (const Bytes &object : objects)
      EXPECT_EQ(e->decide(object).outcome, Outcome::late);
    EXPECT_EQ(gThreads, allowed);
    for (int waited = 0; waited < 6000 && compiles() < int(allowed); ++waited)
      std::this_thread::sleep_for(10ms);
    EXPECT_EQ(compiles(), allowed);
    std::ofstream(gate).put('.');
    e->finish(60s);
    for (const Bytes &object : objects)
      EXPECT_EQ(e->decide(object).outcome, Outcome::replaced);
    std::ifstream log(log_);
    if (allowed == 1) {
      EXPECT_EQ(std::string(std::istreambuf_iterator<char>(log), {}), inOrder);
    }
    EXPECT_EQ(compiles(), objects.size());
  }
}

TEST_F(EngineTest, WithoutAThreadTheOriginalRunsAndLaterLoadsTryAgain) {
  auto e = engine();
  gNoThreads = true;
  Decision none = e->decide(original_);
  EXPECT_EQ(none.outcome, Outcome::failed);
  EXPECT_EQ(none.reason, "no thread");
  gNoThreads = false;
  EXPECT_EQ(compiles(), 0);
  EXPECT_EQ(e->decide(original_).outcome, Outcome::replaced);
}

// The queue has a thread already; that it may have no second one is no reason to give up.
TEST_F(EngineTest, WithoutASecondThreadTheFirstDoesAll) {
  const std::string gate = scratch_.file("gate");
  setenv("FAKEJIT_GATE", gate.c_str(), 1);
  settings_.compileMode = CompileMode::async;
  settings_.jobs = 2;
  auto e = engine();
  BuildObject other;
  other.kernels[0].name = "other";
  EXPECT_EQ(e->decide(original_).outcome, Outcome::late);
  gNoThreads = true;
  EXPECT_EQ(e->decide(build(other)).outcome, Outcome::late);
  gNoThreads = false;
  std::ofstream(gate).put('.');
  e->finish(60s);
  EXPECT_EQ(e->decide(original_).outcome, Outcome::replaced);
  EXPECT_EQ(e->decide(build(other)).outcome, Outcome::replaced);
}

// Another process that wants it need not wait for its turn in ours.
TEST_F(EngineTest, WhatIsInTheQueueIsNotLocked) {
  const std::string gate = scratch_.file("gate");
  setenv("FAKEJIT_GATE", gate.c_str(), 1);
  settings_.compileMode = CompileMode::async;
  auto first = engine();
  BuildObject other;
  other.kernels[0].name = "other";
  EXPECT_EQ(first->decide(original_).outcome, Outcome::late);
  EXPECT_EQ(first->decide(build(other)).outcome, Outcome::late);
  for (int waited = 0; waited < 6000 && !compiles(); ++waited)
    std::this_thread::sleep_for(10ms);
  unsetenv("FAKEJIT_GATE");
  settings_.compileMode = CompileMode::sync;
  EXPECT_EQ(engine()->decide(build(other)).outcome, Outcome::replaced);
  EXPECT_EQ(compiles(), 2);
  std::ofstream(gate).put('.');
  first->finish(60s);
  EXPECT_EQ(first->decide(build(other)).outcome, Outcome::replaced);
  EXPECT_EQ(compiles(), 2) << "found in the cache when its turn came";
}

// What another process has begun costs others the wait for its lock, once, and nothing at their
// end.
TEST_F(EngineTest, AnothersUnfinishedCompileIsWaitedForBriefly) {
  const std::string gate = scratch_.file("gate");
  setenv("FAKEJIT_GATE", gate.c_str(), 1);
  Compiling other([&] { engine()->decide(original_); });
  for (int waited = 0; waited < 6000 && !compiles(); ++waited)
    std::this_thread::sleep_for(10ms);
  ASSERT_EQ(compiles(), 1);
  unsetenv("FAKEJIT_GATE");
  lockWait_ = 50ms;
  EXPECT_EQ(engine()->decide(original_).source, Source::compiled) << "here, too";
  EXPECT_EQ(compiles(), 2);
  EXPECT_LE(EngineOptions().lockWait * 10, 10s) << "far below the default budget of a compile";
}

TEST_F(EngineTest, TheEndOfAProcessDoesNotWaitForAnother) {
  const std::string gate = scratch_.file("gate");
  setenv("FAKEJIT_GATE", gate.c_str(), 1);
  Compiling other([&] { engine()->decide(original_); });
  for (int waited = 0; waited < 6000 && !compiles(); ++waited)
    std::this_thread::sleep_for(10ms);
  lockWait_ = std::chrono::hours(1); // ctest's limit ends a test that waits for it
  settings_.compileMode = CompileMode::async;
  auto e = engine();
  EXPECT_EQ(e->decide(original_).outcome, Outcome::late);
  e->finish(std::chrono::hours(1));
  EXPECT_EQ(compiles(), 1) << "the other one's";
}

// A filter that ends the process for what a compile and the cache do.
TEST_F(EngineTest, AfterTheApplicationHasConfinedItselfNothingIsCompiledOrWritten) {
  BuildObject other;
  other.kernels[0].name = "other";
  ASSERT_EQ(engine()->decide(original_).source, Source::compiled);
  for (const auto &file : std::filesystem::recursive_directory_iterator(settings_.cacheDir))
    if (file.is_regular_file()) // so that its time of use would be set
      std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - 24h);
  constexpr int cannot = 77;
  const pid_t child = fork();
  if (!child) {
    rememberConfinement();
    auto e = engine();
    if (!confine())
      _exit(cannot);
    const bool hit = e->decide(original_).source == Source::disk;
    const Decision none = e->decide(build(other));
    e->finish(1s);
    _exit(hit && none.outcome == Outcome::failed && !none.replacement ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == cannot)
    GTEST_SKIP() << "may not install a filter";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(compiles(), 1);
}

TEST_F(EngineTest, TheQueueHasABound) {
  const std::string gate = scratch_.file("gate");
  setenv("FAKEJIT_GATE", gate.c_str(), 1);
  settings_.compileMode = CompileMode::async;
  settings_.cache = false;
  auto e = engine();
  size_t refused = 0;
  for (int i = 0; i < 1200; ++i) {
    BuildObject object;
    object.kernels[0].name = "k" + std::to_string(i);
    const Decision d = e->decide(build(object));
    EXPECT_EQ(d.outcome, Outcome::late);
    refused += d.reason.find("too many") != std::string::npos;
  }
  EXPECT_EQ(refused, 200u);
  std::ofstream(gate).put('.');
  e->finish(120s);
  EXPECT_EQ(compiles(), 1000);
}

TEST(DecisionMemory, TheLeastRecentlyUsedGoesFirst) {
  auto key = [](uint64_t n) { return KeyBuilder().add("n", n).finish(); };
  Decision large;
  large.outcome = Outcome::replaced;
  large.replacement = std::make_shared<const Bytes>(1000);
  DecisionMemory memory(100, 20000);
  for (uint64_t n = 0; n < 100000; ++n) {
    memory.insert(key(n), {});
    EXPECT_NE(memory.find(key(0)), nullptr) << "used again and again";
    ASSERT_LE(memory.size(), 100u);
    ASSERT_LE(memory.bytes(), 20000u);
  }
  EXPECT_EQ(memory.find(key(1)), nullptr);
  EXPECT_NE(memory.find(key(99999)), nullptr);
  for (uint64_t n = 0; n < 50; ++n) {
    memory.insert(key(n), large);
    ASSERT_LE(memory.bytes(), 20000u);
  }
  EXPECT_EQ(memory.find(key(49))->replacement, large.replacement);
  EXPECT_LT(memory.size(), 20u);
  large.replacement = std::make_shared<const Bytes>(30000);
  memory.insert(key(49), large);
  EXPECT_EQ(memory.find(key(49)), nullptr) << "too large, and the old one is not right any more";
}

TEST_F(EngineTest, ThreadsShareOneCompile) {
  setenv("FAKEJIT_DELAY_MS", "100", 1);
  auto e = engine();
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&] { good += e->decide(original_).outcome == Outcome::replaced; });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 16);
  EXPECT_EQ(compiles(), 1);
}

TEST_F(EngineTest, ProcessesShareOneCompile) {
  setenv("FAKEJIT_DELAY_MS", "100", 1);
  std::vector<pid_t> children;
  for (int i = 0; i < 64; ++i) {
    pid_t child = fork();
    if (!child) {
      Decision d = engine()->decide(original_);
      _exit(d.outcome == Outcome::replaced ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(compiles(), 1);
}

TEST_F(EngineTest, RejectIsRemembered) {
  auto e = engine();
  Decision a = e->decide(original_);
  e->reject(a.key, "ROCr refused it");
  EXPECT_EQ(e->decide(original_).outcome, Outcome::unchanged);
  Decision later = engine()->decide(original_);
  EXPECT_EQ(later.outcome, Outcome::unchanged);
  EXPECT_EQ(later.reason, "ROCr refused it");
}

TEST_F(EngineTest, AnAbandonedEngineDoesNothing) {
  auto e = engine();
  e->abandon();
  EXPECT_FALSE(e->decide(original_).replacement);
  EXPECT_EQ(compiles(), 0);
}

TEST_F(EngineTest, MalformedObjectsAreLeftAlone) {
  auto e = engine();
  for (size_t size = 0; size < original_.size(); size += 37)
    EXPECT_FALSE(e->decide(ByteView(original_).first(size)).replacement);
  EXPECT_EQ(compiles(), 0);
}

TEST_F(EngineTest, TheKeyDependsOnEveryField) {
  const std::string isa = "amdgcn-amd-amdhsa--gfx90a";
  std::set<CacheKey> keys;
  size_t expected = 0;
  auto add = [&](const char *what, const CacheKey &key) {
    keys.insert(key);
    EXPECT_EQ(keys.size(), ++expected) << what << " does not reach the key";
  };
  add("nothing", engine()->keyOf(original_, isa));
  EXPECT_EQ(engine()->keyOf(original_, isa), *keys.begin()) << "the key is stable";
  add("isa", engine()->keyOf(original_, isa + ":xnack-"));
  Bytes changed = original_;
  changed.back() ^= 1;
  add("bytes", engine()->keyOf(changed, isa));
  changed = original_;
  changed.push_back(0);
  add("size", engine()->keyOf(changed, isa));
  Settings plain = settings_;
  auto vary = [&](const char *what, auto change) {
    settings_ = plain;
    change(settings_);
    add(what, engine()->keyOf(original_, isa));
    settings_ = plain;
  };
  const auto differ = [](auto &value) {
    if constexpr (std::is_same_v<decltype(value), bool &>)
      value = !value;
    else if constexpr (std::is_same_v<decltype(value), std::string &>)
      value = "none";
    else
      value += 1;
  };
#define MELD_OPTION(kind, field, name, byDefault, environment, help)                               \
  vary(environment, [&](Settings &s) { differ(s.field); });
#include "passes/options.def"
  vary("trust", [](Settings &s) { s.trust = "verify"; });
  add("libmeld-jit", engine("/bin/true")->keyOf(original_, isa));
  EngineOptions other;
  other.settings = settings_;
  other.jitPath = MELD_FAKEJIT;
  other.libmeldPath = "/bin/true";
  add("libmeld", Engine(other).keyOf(original_, isa));
  // A copy of a compiler library that needs an LLVM and opens a comgr: theirs count, too.
  const std::string copy = scratch_.file("libmeld-jit.so");
  auto put = [&](const char *from, const char *name) {
    std::filesystem::copy_file(from, scratch_.file(name),
                               std::filesystem::copy_options::overwrite_existing);
  };
  put(MELD_FAKEJIT_WITH_LLVM, "libmeld-jit.so");
  add("libmeld-jit with LLVM", engine(copy)->keyOf(original_, isa));
  put("/bin/true", "libLLVM-stand-in.so");
  add("LLVM", engine(copy)->keyOf(original_, isa));
  put("/bin/false", "libLLVM-stand-in.so");
  add("another LLVM", engine(copy)->keyOf(original_, isa));
  put("/bin/true", MELD_COMGR_LIBRARY);
  add("comgr", engine(copy)->keyOf(original_, isa));
  put("/bin/false", MELD_COMGR_LIBRARY);
  add("another comgr", engine(copy)->keyOf(original_, isa));
  put("/bin/true", "libamd_comgr.so.99");
  EXPECT_TRUE(keys.contains(engine(copy)->keyOf(original_, isa))) << "one that nobody opens";
  setenv("AMD_COMGR_SOMETHING", "1", 1);
  add("comgr variable", engine()->keyOf(original_, isa));
  unsetenv("AMD_COMGR_SOMETHING");
  setenv("CCC_OVERRIDE_OPTIONS", "+-O0", 1);
  add("driver variable", engine()->keyOf(original_, isa));
  unsetenv("CCC_OVERRIDE_OPTIONS");

  // And not on what cannot change the output.
  setenv("AMD_COMGR_EMIT_VERBOSE_LOGS", "1", 1);
  EXPECT_TRUE(keys.contains(engine()->keyOf(original_, isa)));
  unsetenv("AMD_COMGR_EMIT_VERBOSE_LOGS");
  settings_.logLevel = 5;
  settings_.report = true;
  EXPECT_TRUE(keys.contains(engine()->keyOf(original_, isa)));
}
// LLVM's global objects are made while the compiler is loaded: its exit handlers must not run before
// that is over, and nothing may be compiled behind them.
TEST_F(EngineTest, TheEndOfAProcessWaitsForACompilerThatIsBeingLoaded) {
  const std::string slow = scratch_.file("slowjit.so"); // is not loaded yet
  std::filesystem::copy_file(MELD_FAKEJIT, slow);
  const std::string held = scratch_.file("held");
  std::ofstream(held).put('.');
  setenv("FAKEJIT_OPENS", held.c_str(), 1);
  auto e = engine(slow);
  const Bytes object = build({});
  Decision decision;
  std::atomic<bool> ended{false};
  std::thread loader([&] { decision = e->decide(object); });
  for (int waited = 0; waited < 6000 && !std::filesystem::exists(held + "-began"); ++waited)
    std::this_thread::sleep_for(10ms);
  std::thread end([&] {
    e->finish(0ms);
    ended = true;
  });
  std::this_thread::sleep_for(100ms); // many times what the end takes where nothing holds it up
  EXPECT_FALSE(ended);
  std::filesystem::remove(held);
  end.join();
  loader.join();
  unsetenv("FAKEJIT_OPENS");
  EXPECT_EQ(decision.outcome, Outcome::late);
  EXPECT_EQ(compiles(), 0);
  EXPECT_EQ(e->decide(build({})).outcome, Outcome::late); // nor later
  EXPECT_EQ(compiles(), 0);
}
