// The disk cache and the engine on a file server that is late and fails: what is read is right or not
// there, and a program gets its code.
#include "runtime/engine/engine.h"
#include "tests/runtime/cache/remote/remote_test.h"
#include "tests/runtime/codeobject/builder.h"

#include <sys/mount.h>
#include <sys/statfs.h>

using namespace meld;
using namespace meld::test;
using namespace std::chrono_literals;

namespace {

class FileServer : public testing::Test {
protected:
  void SetUp() override {
    if (std::string(MELD_FAILING_FS).empty() || access(MELD_FAILING_FS, X_OK))
      GTEST_SKIP() << "needs Debian's packages fuse3 and libfuse3-dev";
    if (access("/dev/fuse", R_OK | W_OK))
      GTEST_SKIP() << "needs /dev/fuse";
    std::filesystem::create_directory(source_);
    std::filesystem::create_directory(mount_);
    behave("0 0 0 all");
    program_ = std::make_unique<BackgroundProgram>(
        std::vector<std::string>{MELD_FAILING_FS, source_, mount_, control_, log_});
    constexpr unsigned kFuse = 0x65735546; // statfs(2)
    waitUntil([&] {
      struct statfs info {};
      return program_->ended() ||
             (!statfs(mount_.c_str(), &info) && unsigned(info.f_type) == kFuse);
    });
    if (program_->ended())
      GTEST_SKIP() << "this machine mounts nothing";
    mounted_ = true;
  }
  void TearDown() override {
    if (!mounted_)
      return;
    behave("0 0 0 all");
    program_->signal(SIGTERM); // it unmounts
    waitUntil([&] { return program_->ended(); });
    umount2(mount_.c_str(), MNT_DETACH);
  }

  /// As failing_fs.cpp says, in one step.
  void behave(const std::string &line) const {
    std::ofstream(control_ + ".new") << line << "\n";
    std::filesystem::rename(control_ + ".new", control_);
  }
  /// What has been asked of the server since the last call, by operation.
  std::map<std::string, int> operations() {
    std::map<std::string, int> counted;
    std::ifstream in(log_);
    in.seekg(seen_);
    for (std::string line; std::getline(in, line); seen_ += std::streamoff(line.size()) + 1)
      ++counted[line];
    return counted;
  }
  DiskCacheOptions options(bool network) {
    DiskCacheOptions options;
    options.directory = mount_ + "/cache";
    options.network = network;
    options.warn = [this](const std::string &text) { warnings_.push_back(text); };
    return options;
  }
  static CacheEntry entryOf(unsigned number) {
    CacheEntry entry;
    entry.key = KeyBuilder().add("n", number).finish();
    entry.verdict = Verdict::replaced;
    entry.tool = "test";
    entry.codeObject = someBytes(5000 + number * 13, number);
    return entry;
  }
  /// What is loaded of the entries 0 to count - 1; each is right.
  static unsigned loaded(DiskCache &cache, unsigned count) {
    unsigned good = 0;
    for (unsigned n = 0; n < count; ++n)
      if (const auto entry = cache.load(entryOf(n).key)) {
        EXPECT_EQ(entry->codeObject, entryOf(n).codeObject) << n;
        ++good;
      }
    return good;
  }

  Scratch scratch_;
  const std::string source_ = scratch_.file("source"), mount_ = scratch_.file("mount"),
                    control_ = scratch_.file("control"), log_ = scratch_.file("log");
  std::unique_ptr<BackgroundProgram> program_;
  bool mounted_ = false;
  std::streamoff seen_ = 0;
  std::vector<std::string> warnings_;
};

constexpr int kErrors[] = {EIO, ESTALE, EACCES, ENOSPC, EDQUOT, EROFS, ENOENT, ETIMEDOUT};

} // namespace

TEST_F(FileServer, AWarmStartOnlyReads) {
  {
    DiskCache writer(options(false));
    for (unsigned n = 0; n < 50; ++n)
      ASSERT_TRUE(writer.store(entryOf(n)));
  }
  operations();
  DiskCache reader(options(true));
  EXPECT_EQ(loaded(reader, 50), 50u);
  for (const auto &[name, count] : operations())
    EXPECT_TRUE(name == "getattr" || name == "open" || name == "read" || name == "flush" ||
                name == "release")
        << name << " " << count << " times";
  EXPECT_EQ(loaded(reader, 51), 50u) << "one that is missing";
  const auto missing = operations();
  for (const char *name : {"create", "mkdir", "lock", "rename", "unlink", "utimens", "write"})
    EXPECT_EQ(missing.count(name), 0u) << name;
}

TEST_F(FileServer, LateIsLateAndRight) {
  behave("5 0 0 all");
  DiskCache cache(options(false));
  for (unsigned n = 0; n < 5; ++n)
    EXPECT_TRUE(cache.store(entryOf(n)));
  EXPECT_EQ(loaded(cache, 5), 5u);
  EXPECT_TRUE(warnings_.empty());
}

// Locks fail from the beginning (ENOLCK): whoever does not get one goes on without it.
TEST_F(FileServer, NoLocks) {
  DiskCache cache(options(false));
  EXPECT_FALSE(cache.lock(entryOf(1).key, 10s).held());
  EXPECT_GT(operations()["lock"], 0);
  EXPECT_TRUE(cache.store(entryOf(1)));
  EXPECT_EQ(cache.prune(0)->size(), 0u) << "one cleaner at a time, so none";
  EXPECT_TRUE(cache.load(entryOf(1).key));
}

TEST_F(FileServer, EachOperationFailsWithEachError) {
  for (const bool network : {false, true})
    for (const char *operation :
         {"getattr", "open", "read", "create", "write", "flush", "mkdir", "rename", "fsync",
          "unlink", "readdir", "utimens", "statfs", "all"})
      for (const int error : kErrors) {
        behave("0 0 0 all");
        std::filesystem::remove_all(mount_ + "/cache");
        {
          DiskCache sound(options(false));
          for (unsigned n = 0; n < 3; ++n)
            ASSERT_TRUE(sound.store(entryOf(n)));
        }
        warnings_.clear();
        behave("0 1 " + std::to_string(error) + " " + operation);
        {
          DiskCache failing(options(network));
          loaded(failing, 4);
          (void)failing.store(entryOf(3));
          loaded(failing, 4);
          (void)failing.markTried(entryOf(1).key);
          failing.cleanIfNeeded();
        }
        EXPECT_LE(warnings_.size(), 4u) << operation << " " << error << ": " << warnings_.front();
        behave("0 0 0 all");
        std::vector<std::string> before = std::move(warnings_);
        warnings_.clear();
        DiskCache again(options(false));
        EXPECT_GE(loaded(again, 4), 3u)
            << operation << " " << error << ", " << (before.empty() ? "" : before.front())
            << ": nothing that was there is lost";
        EXPECT_TRUE(warnings_.empty()) << warnings_.front();
      }
}

TEST_F(FileServer, EverySoManyOperationsFailWhileManyWriteAndRead) {
  for (const int every : {2, 3, 7, 50})
    for (const int error : {EIO, ESTALE}) {
      behave("0 " + std::to_string(every) + " " + std::to_string(error) + " all");
      std::vector<std::thread> threads;
      for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
          for (unsigned round = 0; round < 10; ++round) {
            auto silent = options(t % 2);
            silent.warn = {};
            DiskCache cache(silent);
            for (unsigned n = 0; n < 5; ++n)
              cache.store(entryOf((round + n + t) % 12));
            loaded(cache, 12);
          }
        });
      for (std::thread &thread : threads)
        thread.join();
    }
  behave("0 0 0 all");
  auto silent = options(false);
  std::atomic<int> told{0};
  silent.warn = [&](const std::string &) { ++told; };
  DiskCache cache(silent);
  loaded(cache, 12);
  EXPECT_EQ(cache.damagedEntries(), 0u) << "what is there is whole";
}

TEST_F(FileServer, AProgramGetsItsCodeWhateverTheServerDoes) {
  setenv("FAKEJIT_MODE", "replace", 1);
  for (const char *name : {"FAKEJIT_LOG", "FAKEJIT_DELAY_MS", "FAKEJIT_PLAIN_MS", "FAKEJIT_GATE"})
    unsetenv(name);
  for (const char *how : {"0 1 5 all", "0 1 116 all", "0 1 28 write", "0 1 122 flush", "0 2 5 all",
                          "0 3 116 all", "20 0 0 all"}) {
    behave(how);
    EngineOptions options;
    options.settings = parseSettings([](const char *) { return std::nullopt; }, {}).settings;
    options.settings.compileBudgetMs = 0;
    options.settings.cacheDir = mount_ + "/cache";
    options.jitPath = MELD_FAKEJIT;
    Engine engine(options);
    Bytes object = build({});
    for (unsigned n = 0; n < 3; ++n) {
      object.push_back(0); // behind the ELF file's end: another object
      EXPECT_EQ(engine.decide(object).outcome, Outcome::replaced) << how;
    }
    engine.finish(20s);
  }
}
