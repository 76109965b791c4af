// Several processes on one cache: locks, writers that die, many at once.
#include "runtime/cache/disk.h"
#include "tests/runtime/cache/scratch.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace meld;
using meld::test::Scratch;
using namespace std::chrono_literals;

namespace {

CacheEntry sample(size_t size) {
  CacheEntry entry;
  entry.key = KeyBuilder().add("shared", "key").finish();
  entry.verdict = Verdict::replaced;
  std::mt19937 random(7);
  for (size_t i = 0; i < size; ++i)
    entry.codeObject.push_back(random());
  return entry;
}

DiskCache open(const std::string &folder) { return DiskCache({folder, 0, false, {}}); }

} // namespace

namespace {

/// A process that holds the lock for the key, and says so.
class Holder {
public:
  enum class Then { waits, endsAndItsChildLivesOn, letsGo };

  Holder(const std::string &folder, const CacheKey &key, Then then) {
    int said[2], heard[2];
    EXPECT_EQ(pipe(said) + pipe(heard), 0);
    process_ = fork();
    if (!process_) {
      close(said[0]);
      close(heard[1]);
      DiskCache cache = open(folder);
      FileLock lock = cache.lock(key, 0ms);
      if (then == Then::endsAndItsChildLivesOn && fork()) // the child has every descriptor
        _exit(0);
      const char byte = lock.held();
      (void)!write(said[1], &byte, 1);
      char word;
      (void)!read(heard[0], &word, 1); // until the test ends it
      if (then == Then::letsGo) {
        lock = FileLock();
        (void)!write(said[1], &byte, 1);
        (void)!read(heard[0], &word, 1);
      }
      _exit(0);
    }
    close(said[1]);
    close(heard[0]);
    said_ = said[0];
    heard_ = heard[1];
    char byte = 0;
    EXPECT_EQ(read(said_, &byte, 1), 1);
    EXPECT_EQ(byte, 1) << "it has the lock";
  }
  ~Holder() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    close(said_);
    close(heard_); // ends a child of it
  }
  pid_t process() const { return process_; }
  void goOn() {
    char byte = 1;
    EXPECT_EQ(write(heard_, &byte, 1), 1);
    EXPECT_EQ(read(said_, &byte, 1), 1);
  }

private:
  pid_t process_ = -1;
  int said_ = -1, heard_ = -1;
};

constexpr auto kForEver = std::chrono::hours(1); ///< ctest's limit ends a test that waits for it

} // namespace

TEST(Lock, IsExclusiveAndBounded) {
  Scratch scratch;
  DiskCache cache = open(scratch.file("c"));
  CacheKey key = sample(1).key;
  Holder holder(scratch.file("c"), key, Holder::Then::letsGo);
  EXPECT_FALSE(cache.lock(key, 30ms).held());
  EXPECT_TRUE(cache.lock(KeyBuilder().add("other", "key").finish(), 0ms).held());
  holder.goOn();
  EXPECT_TRUE(cache.lock(key, 0ms).held());
}

TEST(Lock, DiesWithItsHolder) {
  Scratch scratch;
  CacheKey key = sample(1).key;
  Holder holder(scratch.file("c"), key, Holder::Then::waits);
  DiskCache cache = open(scratch.file("c"));
  EXPECT_FALSE(cache.lock(key, 0ms).held());
  kill(holder.process(), SIGKILL);
  waitpid(holder.process(), nullptr, 0);
  EXPECT_TRUE(cache.lock(key, kForEver).held());
}

// A daemon: the process that holds the lock ends, and a child that it forked meanwhile lives on.
TEST(Lock, IsNotInheritedByAForkedChild) {
  Scratch scratch;
  CacheKey key = sample(1).key;
  Holder holder(scratch.file("c"), key, Holder::Then::endsAndItsChildLivesOn);
  waitpid(holder.process(), nullptr, 0);
  EXPECT_TRUE(open(scratch.file("c")).lock(key, kForEver).held());
}

TEST(Lock, NobodyWaitsForAStoppedHolder) {
  Scratch scratch;
  CacheKey key = sample(1).key;
  Holder holder(scratch.file("c"), key, Holder::Then::waits);
  kill(holder.process(), SIGSTOP);
  int status;
  ASSERT_EQ(waitpid(holder.process(), &status, WUNTRACED), holder.process());
  EXPECT_FALSE(open(scratch.file("c")).lock(key, kForEver).held());
  kill(holder.process(), SIGCONT);
}

TEST(Lock, NobodyWaitsWhenToldToStop) {
  Scratch scratch;
  CacheKey key = sample(1).key;
  Holder holder(scratch.file("c"), key, Holder::Then::waits);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    std::this_thread::sleep_for(20ms);
    stop = true;
  });
  EXPECT_FALSE(open(scratch.file("c")).lock(key, kForEver, &stop).held());
  other.join();
}

// closefrom(3), and the numbers are the application's: letting go closes nothing of it.
TEST(Lock, WhoseDescriptorsAreGoneTouchesNothing) {
  Scratch scratch;
  CacheKey key = sample(1).key;
  FileLock lock = open(scratch.file("c")).lock(key, 0ms);
  ASSERT_TRUE(lock.held());
  for (int fd = 3; fd < 100; ++fd)
    if (fcntl(fd, F_GETFD) >= 0 &&
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd))
            .string()
            .starts_with(scratch.path()))
      dup2(STDIN_FILENO, fd);
  lock = FileLock();
  EXPECT_GE(fcntl(STDIN_FILENO, F_GETFD), 0);
  EXPECT_TRUE(std::filesystem::exists(scratch.file("c/v2/locks/" + key.hex())))
      << "another process may have it by now";
}

/// A process that stores the entry for ever and says so each time.
class Writer {
public:
  Writer(const std::string &folder, const CacheEntry &entry) {
    EXPECT_EQ(pipe(said_), 0);
    process_ = fork();
    if (!process_) {
      close(said_[0]);
      for (;;) {
        DiskCache cache = open(folder);
        const char byte = 1;
        if (!cache.store(entry) || write(said_[1], &byte, 1) != 1)
          _exit(1);
      }
    }
    close(said_[1]);
  }
  ~Writer() { close(said_[0]); }

  /// Until it has stored once more; false: it has ended.
  bool stored() {
    char byte;
    return read(said_[0], &byte, 1) == 1;
  }
  /// True when it was this that ended it.
  bool killed() {
    int status = 0;
    kill(process_, SIGKILL);
    return waitpid(process_, &status, 0) == process_ && WIFSIGNALED(status);
  }

private:
  int said_[2];
  pid_t process_;
};

// Where a writer is when it is killed is counted in what it has stored, not in time: a busy machine
// may take a hundred times as long to begin.
TEST(Writers, KilledAtRandomPointsNeverLeaveABadEntry) {
  using Clock = std::chrono::steady_clock;
  Scratch scratch;
  std::string folder = scratch.file("c");
  CacheEntry entry = sample(300000);
  std::mt19937 random(1);
  unsigned loads = 0;
  size_t halfWritten = 0, left = 0;
  Clock::duration one = 1ms; // what storing once takes here and now
  // More rounds only where no writer was in the middle of it yet.
  for (int round = 0; round < 200 || (!halfWritten && round < 5000); ++round) {
    Writer writer(folder, entry);
    for (unsigned i = random() % 3; i; --i) {
      const auto begin = Clock::now();
      ASSERT_TRUE(writer.stored()) << "the writer failed by itself";
      one = std::min<Clock::duration>(Clock::now() - begin, 20ms);
    }
    std::this_thread::sleep_for(one * (random() % 64) / 32);
    ASSERT_TRUE(writer.killed()) << "the writer failed by itself";
    DiskCache cache = open(folder);
    auto files = cache.list();
    ASSERT_TRUE(files);
    size_t temporaries = 0;
    for (const CacheFile &file : *files)
      temporaries += file.temporary;
    halfWritten += temporaries > left;
    left = temporaries;
    if (auto back = cache.load(entry.key)) {
      ++loads;
      ASSERT_EQ(back->codeObject, entry.codeObject);
    }
    ASSERT_EQ(cache.damagedEntries(), 0u);
  }
  EXPECT_GT(loads, 0u);
  EXPECT_GT(halfWritten, 0u) << "no writer was in the middle of it";
}

TEST(Writers, SixtyFourProcessesMakeOneEntryOnce) {
  Scratch scratch;
  std::string folder = scratch.file("c");
  CacheEntry entry = sample(20000);
  int counter[2];
  ASSERT_EQ(pipe(counter), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 64; ++i) {
    pid_t child = fork();
    if (!child) {
      DiskCache cache = open(folder);
      bool ok = true;
      if (!cache.load(entry.key)) {
        FileLock lock = cache.lock(entry.key, 30s);
        ok = lock.held();
        if (!cache.load(entry.key)) {
          (void)!write(counter[1], "x", 1); // the one "compile"
          std::this_thread::sleep_for(20ms);
          ok = ok && cache.store(entry);
        }
      }
      auto back = cache.load(entry.key);
      _exit(ok && back && back->codeObject == entry.codeObject ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  close(counter[1]);
  char bytes[64];
  EXPECT_EQ(read(counter[0], bytes, sizeof(bytes)), 1);
  close(counter[0]);
}

TEST(Readers, AndWritersAndCleanersAtOnce) {
  Scratch scratch;
  std::string folder = scratch.file("c");
  CacheEntry entry = sample(5000);
  std::vector<pid_t> children;
  for (int i = 0; i < 12; ++i) {
    pid_t child = fork();
    if (!child) {
      DiskCache cache = open(folder);
      for (int round = 0; round < 100; ++round) {
        if (i % 3 == 0) {
          if (!cache.store(entry))
            _exit(1);
        } else if (i % 3 == 1) {
          if (!cache.prune(0))
            _exit(2);
        } else if (auto back = cache.load(entry.key);
                   back && back->codeObject != entry.codeObject) {
          _exit(3);
        }
      }
      _exit(cache.usable() && !cache.damagedEntries() ? 0 : 4);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}
