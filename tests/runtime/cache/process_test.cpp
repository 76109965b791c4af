// Several processes on one cache: locks, writers that die, many at once.
#include "runtime/cache/disk.h"
#include "tests/runtime/cache/scratch.h"
#include "tests/sanitizer.h"

#include <csignal>
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

TEST(Lock, IsExclusiveAndBounded) {
  Scratch scratch;
  DiskCache a = open(scratch.file("c")), b = open(scratch.file("c"));
  CacheKey key = sample(1).key;
  FileLock held = a.lock(key, 0ms);
  ASSERT_TRUE(held.held());
  EXPECT_FALSE(b.lock(key, 30ms).held());
  EXPECT_TRUE(b.lock(KeyBuilder().add("other", "key").finish(), 0ms).held());
  held = FileLock();
  EXPECT_TRUE(b.lock(key, 0ms).held());
}

TEST(Lock, DiesWithItsHolder) {
  Scratch scratch;
  std::string folder = scratch.file("c");
  CacheKey key = sample(1).key;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t child = fork();
  if (!child) {
    DiskCache cache = open(folder);
    FileLock lock = cache.lock(key, 0ms);
    char byte = lock.held();
    (void)!write(ready[1], &byte, 1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 1);
  DiskCache cache = open(folder);
  EXPECT_FALSE(cache.lock(key, 0ms).held());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(cache.lock(key, 1000ms).held());
  close(ready[0]);
  close(ready[1]);
}

TEST(Writers, KilledAtRandomPointsNeverLeaveABadEntry) {
  Scratch scratch;
  std::string folder = scratch.file("c");
  CacheEntry entry = sample(300000);
  std::mt19937 random(1);
  unsigned loads = 0;
  size_t halfWritten = 0, left = 0;
  for (int round = 0; round < 200; ++round) {
    pid_t child = fork();
    if (!child) {
      for (;;) {
        DiskCache cache = open(folder);
        if (!cache.store(entry))
          _exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 4000) *
                                test::patience(1));
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";
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
