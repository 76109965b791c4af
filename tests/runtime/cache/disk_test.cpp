#include "runtime/cache/disk.h"
#include "tests/runtime/cache/scratch.h"
#include "tests/sanitizer.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace meld;
using meld::test::Scratch;
namespace fs = std::filesystem;

namespace {

CacheEntry entryNumber(int number, size_t size = 1000) {
  CacheEntry entry;
  entry.key = KeyBuilder().add("number", uint64_t(number)).finish();
  entry.verdict = Verdict::replaced;
  entry.created = 1;
  entry.tool = "test";
  uint32_t state = number + 1;
  for (size_t i = 0; i < size; ++i) // does not compress
    entry.codeObject.push_back((state = state * 1664525 + 1013904223) >> 24);
  return entry;
}

class Disk : public testing::Test {
protected:
  DiskCache open(bool readonly = false, uint64_t maxSize = 0) {
    return DiskCache(
        {folder(), maxSize, readonly, [this](const std::string &w) { warnings_.push_back(w); }});
  }
  std::string folder() const { return scratch_.file("cache"); }
  std::string fileOf(const CacheKey &key) const {
    std::string name = key.hex();
    return folder() + "/v2/" + name.substr(0, 1) + "/" + name.substr(1, 1) + "/" + name;
  }
  void setAge(const CacheKey &key, int64_t seconds) {
    timespec times[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, fileOf(key).c_str(), times, 0), 0);
  }
  Scratch scratch_;
  std::vector<std::string> warnings_;
};

} // namespace

TEST_F(Disk, StoresAndLoads) {
  DiskCache cache = open();
  CacheEntry entry = entryNumber(1);
  EXPECT_FALSE(cache.load(entry.key));
  EXPECT_TRUE(cache.store(entry));
  auto back = cache.load(entry.key);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->codeObject, entry.codeObject);
  EXPECT_TRUE(open().load(entry.key)) << "another process";
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Disk, ModesAreTight) {
  mode_t old = umask(0);
  DiskCache cache = open();
  CacheEntry entry = entryNumber(1);
  cache.store(entry);
  umask(old);
  struct stat info;
  std::string path = fileOf(entry.key);
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  for (fs::path p = fs::path(path).parent_path(); p != fs::path(scratch_.path());
       p = p.parent_path()) {
    ASSERT_EQ(stat(p.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u) << p;
  }
}

// A site's cache, made by one user for all: what meld warm and meld cache sign write there is of no use
// where nobody else can read it.
TEST_F(Disk, WhoCanReadTheFolderCanReadTheEntries) {
  fs::create_directory(folder());
  ASSERT_EQ(chmod(folder().c_str(), 0755), 0);
  const mode_t before = umask(022);
  DiskCache cache = open();
  const CacheEntry entry = entryNumber(1);
  EXPECT_TRUE(cache.store(entry));
  umask(before);
  struct stat info;
  ASSERT_EQ(stat(fileOf(entry.key).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
  for (fs::path p = fs::path(fileOf(entry.key)).parent_path(); p != folder(); p = p.parent_path()) {
    ASSERT_EQ(stat(p.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0755u) << p;
  }
  EXPECT_TRUE(cache.load(entry.key));
}

TEST_F(Disk, DamagedEntryIsRemovedAndCounted) {
  DiskCache cache = open();
  CacheEntry entry = entryNumber(1);
  cache.store(entry);
  {
    std::fstream file(fileOf(entry.key), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200);
    file.put('!');
  }
  EXPECT_FALSE(cache.load(entry.key));
  EXPECT_EQ(cache.damagedEntries(), 1u);
  EXPECT_FALSE(fs::exists(fileOf(entry.key)));
  EXPECT_TRUE(cache.usable()) << "one bad entry is no reason to give up";
  EXPECT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(cache.store(entry));
  EXPECT_TRUE(cache.load(entry.key));
}

TEST_F(Disk, AnEntryUnderAnotherNameIsNotUsed) {
  DiskCache cache = open();
  CacheEntry a = entryNumber(1), b = entryNumber(2);
  cache.store(a);
  cache.store(b);
  fs::copy_file(fileOf(a.key), fileOf(b.key), fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.load(b.key));
}

TEST_F(Disk, SymbolicLinksAreNotFollowed) {
  DiskCache cache = open();
  CacheEntry entry = entryNumber(1);
  cache.store(entry);
  fs::rename(fileOf(entry.key), scratch_.file("elsewhere"));
  fs::create_symlink(scratch_.file("elsewhere"), fileOf(entry.key));
  EXPECT_FALSE(cache.load(entry.key));

  fs::rename(folder(), scratch_.file("moved"));
  fs::create_directory_symlink(scratch_.file("moved"), folder());
  DiskCache linked = open();
  EXPECT_FALSE(linked.store(entry));
  EXPECT_FALSE(linked.usable());
  EXPECT_NE(warnings_.back().find("symbolic link"), std::string::npos);
}

TEST_F(Disk, ANamedPipeDoesNotHang) {
  DiskCache cache = open();
  CacheEntry entry = entryNumber(1);
  cache.store(entry);
  fs::remove(fileOf(entry.key));
  ASSERT_EQ(mkfifo(fileOf(entry.key).c_str(), 0600), 0);
  EXPECT_FALSE(cache.load(entry.key));
}

// Nothing is trusted before it is known to be an entry: no memory of the size that a file claims.
TEST_F(Disk, WhatCannotBeAnEntryIsNotRead) {
  DiskCache cache = open();
  CacheEntry entry = entryNumber(1);
  rlimit before;
  getrlimit(RLIMIT_AS, &before);
  auto damaged = [&](const char *what) {
    const uint64_t count = cache.damagedEntries();
    // As much as a test needs; 900 MB more would throw.
    rlimit limit{uint64_t(512) << 20, before.rlim_max};
    if (meld::test::patience(1) == 1) // sanitizers need all there is
      setrlimit(RLIMIT_AS, &limit);
    EXPECT_FALSE(cache.load(entry.key)) << what;
    setrlimit(RLIMIT_AS, &before);
    EXPECT_EQ(cache.damagedEntries(), count + 1) << what;
    EXPECT_FALSE(fs::exists(fileOf(entry.key))) << what;
    EXPECT_TRUE(cache.store(entry));
  };
  cache.store(entry);
  // Sparse: all zeros; an entry with a long tail; one whose header says that it is as long.
  fs::resize_file(fileOf(entry.key), 0);
  fs::resize_file(fileOf(entry.key), 900 << 20);
  damaged("zeros");
  fs::resize_file(fileOf(entry.key), 900 << 20);
  damaged("a tail");
  const uint64_t size = fs::file_size(fileOf(entry.key));
  fs::resize_file(fileOf(entry.key), (900 << 20) + 88 + entry.tool.size() + 32);
  {
    std::fstream file(fileOf(entry.key), std::ios::in | std::ios::out | std::ios::binary);
    const uint64_t raw = uint64_t(1) << 30, payload = 900 << 20;
    file.seekp(56);
    file.write(reinterpret_cast<const char *>(&raw), 8);
    file.write(reinterpret_cast<const char *>(&payload), 8);
  }
  damaged("a header that goes with it");
  EXPECT_EQ(fs::file_size(fileOf(entry.key)), size);
}

TEST_F(Disk, ACodeObjectLargerThanItMayBeIsNotRead) {
  DiskCache cache = open();
  CacheEntry entry = entryNumber(1, 5000);
  cache.store(entry);
  EXPECT_TRUE(cache.load(entry.key, 5000));
  EXPECT_FALSE(cache.load(entry.key, 4999));
  EXPECT_EQ(cache.damagedEntries(), 1u);
}

// closefrom(3) between two loads, and the numbers are the application's own now.
TEST_F(Disk, NoDescriptorIsKept) {
  auto openNow = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  DiskCache cache = open();
  const auto before = openNow();
  CacheEntry entry = entryNumber(1);
  EXPECT_TRUE(cache.store(entry));
  EXPECT_TRUE(cache.load(entry.key));
  EXPECT_TRUE(cache.lock(entry.key, std::chrono::milliseconds(0)).held());
  cache.markTried(entry.key);
  EXPECT_TRUE(cache.prune(UINT64_MAX));
  EXPECT_EQ(openNow(), before);
}

TEST_F(Disk, LocksOfKilledProcessesGoWhenTheyAreOld) {
  DiskCache cache = open();
  cache.store(entryNumber(1));
  fs::create_directories(folder() + "/v2/locks");
  chmod((folder() + "/v2/locks").c_str(), 0700);
  const std::string old = folder() + "/v2/locks/old", young = folder() + "/v2/locks/young";
  std::ofstream(old) << "";
  std::ofstream(young) << "";
  timespec times[2] = {{time(nullptr) - 7200, 0}, {time(nullptr) - 7200, 0}};
  utimensat(AT_FDCWD, old.c_str(), times, 0);
  ASSERT_TRUE(cache.prune(UINT64_MAX));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(Disk, ANameLongerThanAnyPathMakesNoFolders) {
  std::string path = scratch_.path();
  while (path.size() < 5000)
    path += "/deep";
  std::vector<std::string> warnings;
  DiskCache cache({path, 0, false, [&](const std::string &w) { warnings.push_back(w); }});
  EXPECT_FALSE(cache.store(entryNumber(1)));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_LT(warnings[0].size(), 300u);
  EXPECT_FALSE(fs::exists(scratch_.file("deep")));
}

TEST_F(Disk, FoldersThatOthersCanWriteAreRefused) {
  for (mode_t mode : {0770, 0707, 0777}) {
    fs::remove_all(folder());
    fs::create_directory(folder());
    chmod(folder().c_str(), mode);
    warnings_.clear();
    DiskCache cache = open();
    EXPECT_FALSE(cache.store(entryNumber(1)));
    EXPECT_FALSE(cache.load(entryNumber(1).key));
    EXPECT_FALSE(cache.usable());
    ASSERT_EQ(warnings_.size(), 1u) << "one warning only";
    EXPECT_NE(warnings_[0].find("can be written by others"), std::string::npos) << warnings_[0];
    EXPECT_TRUE(fs::is_empty(folder()));
  }
}

TEST_F(Disk, ForeignFoldersAreRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root to give a folder away";
  fs::create_directory(folder());
  chmod(folder().c_str(), 0700);
  ASSERT_EQ(chown(folder().c_str(), 12345, 12345), 0);
  DiskCache cache = open();
  EXPECT_FALSE(cache.store(entryNumber(1)));
  EXPECT_NE(warnings_.at(0).find("belongs to user 12345"), std::string::npos);
}

TEST_F(Disk, RelativePathsAreRefused) {
  std::vector<std::string> warnings;
  DiskCache cache({"cache", 0, false, [&](const std::string &w) { warnings.push_back(w); }});
  EXPECT_FALSE(cache.store(entryNumber(1)));
  EXPECT_NE(warnings.at(0).find("not an absolute path"), std::string::npos);
  EXPECT_FALSE(fs::exists("cache"));
}

TEST_F(Disk, ReadonlyWritesNothing) {
  CacheEntry entry = entryNumber(1), damaged = entryNumber(2);
  {
    DiskCache cache = open();
    cache.store(entry);
    cache.store(damaged);
  }
  std::ofstream(fileOf(damaged.key)) << "garbage";
  chmod(fileOf(damaged.key).c_str(), 0600);
  DiskCache cache = open(true);
  EXPECT_TRUE(cache.load(entry.key));
  EXPECT_FALSE(cache.load(damaged.key));
  EXPECT_TRUE(fs::exists(fileOf(damaged.key)));
  EXPECT_FALSE(cache.store(entryNumber(3)));
  EXPECT_FALSE(cache.lock(entry.key, std::chrono::milliseconds(0)).held());
  EXPECT_FALSE(fs::exists(folder() + "/v2/locks"));
  EXPECT_TRUE(cache.usable());
}

// As a cluster's shared folder may be: what is there is used, what is not is compiled each time.
TEST_F(Disk, AReadOnlyFileSystemStillServes) {
  CacheEntry entry = entryNumber(1);
  fs::create_directory(folder());
  if (geteuid() != 0 ||
      std::system(("mount -t tmpfs -o mode=700 none " + folder() + " 2> /dev/null").c_str()))
    GTEST_SKIP() << "may not mount";
  ASSERT_TRUE(open().store(entry));
  EXPECT_EQ(std::system(("mount -o remount,ro " + folder()).c_str()), 0);
  {
    DiskCache cache = open();
    EXPECT_TRUE(cache.load(entry.key));
    EXPECT_FALSE(cache.lock(entryNumber(2).key, std::chrono::milliseconds(0)).held());
    EXPECT_TRUE(warnings_.empty()) << warnings_[0];
    EXPECT_FALSE(cache.store(entryNumber(2)));
    EXPECT_FALSE(cache.store(entryNumber(3)));
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_NE(warnings_[0].find("Read-only file system"), std::string::npos) << warnings_[0];
  }
  EXPECT_EQ(std::system(("umount -l " + folder()).c_str()), 0);
}

TEST_F(Disk, AMissingReadonlyCacheIsSilent) {
  DiskCache cache = open(true);
  EXPECT_FALSE(cache.load(entryNumber(1).key));
  EXPECT_TRUE(warnings_.empty());
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(Disk, AFullDiskIsOneWarning) {
  // A limit on the size of files fails writes as a full disk does, and needs no mount.
  DiskCache cache = open();
  EXPECT_TRUE(cache.store(entryNumber(1, 10)));
  pid_t child = fork();
  if (!child) {
    signal(SIGXFSZ, SIG_DFL); // ends the process; not for a write of ours
    rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    int warnings = 0;
    DiskCache limited({folder(), 0, false, [&](const std::string &) { ++warnings; }});
    bool ok = !limited.store(entryNumber(2, 100000)) && !limited.store(entryNumber(3, 100000)) &&
              warnings == 1 && !limited.usable();
    _exit(ok ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  for (const auto &file : fs::recursive_directory_iterator(folder()))
    EXPECT_EQ(file.path().filename().string().find(kTemporaryPrefix), std::string::npos)
        << file.path();
}

TEST_F(Disk, LeastRecentlyUsedGoFirst) {
  DiskCache cache = open();
  for (int i = 0; i < 10; ++i) {
    cache.store(entryNumber(i));
    setAge(entryNumber(i).key, 1000 - i);
  }
  ASSERT_TRUE(cache.load(entryNumber(0).key)); // used now
  uint64_t one = fs::file_size(fileOf(entryNumber(5).key));
  auto planned = cache.prune(4 * one + one / 2, true);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->size(), 6u);
  EXPECT_EQ(cache.list()->size(), 10u) << "a dry run removes nothing";
  auto gone = cache.prune(4 * one + one / 2);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->size(), 6u);
  for (int i : {0, 7, 8, 9})
    EXPECT_TRUE(cache.load(entryNumber(i).key)) << i;
  for (int i : {1, 2, 3, 4, 5, 6})
    EXPECT_FALSE(cache.load(entryNumber(i).key)) << i;
}

TEST_F(Disk, AClockSetBackMakesNothingImmortal) {
  DiskCache cache = open();
  cache.store(entryNumber(1));
  setAge(entryNumber(1).key, -1000000); // "used" in the future
  auto gone = cache.prune(0);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->size(), 1u);
  cache.store(entryNumber(2));
  setAge(entryNumber(2).key, -1000000);
  ASSERT_TRUE(cache.load(entryNumber(2).key));
  struct stat info;
  stat(fileOf(entryNumber(2).key).c_str(), &info);
  // A file's clock may be some milliseconds ahead of time()'s, which moves with the timer's ticks.
  EXPECT_LE(info.st_mtime, time(nullptr) + 60) << "a use sets the time right";
}

TEST_F(Disk, CleansUpWhenTooLarge) {
  DiskCache cache = open(false, 5000);
  for (int i = 0; i < 20; ++i)
    cache.store(entryNumber(i));
  cache.cleanIfNeeded();
  EXPECT_LE(cache.totals()->bytes, 4500u);
  EXPECT_GE(cache.totals()->entries, 2u);
}

TEST_F(Disk, StaleTemporaryFilesGoYoungOnesStay) {
  DiskCache cache = open();
  CacheEntry entry = entryNumber(1);
  cache.store(entry);
  std::string near = fs::path(fileOf(entry.key)).parent_path().string() + "/";
  std::ofstream(near + ".tmp.1.old") << "x";
  std::ofstream(near + ".tmp.1.young") << "x";
  std::ofstream(near + "notes.txt") << "not ours";
  timespec old[2] = {{time(nullptr) - 7200, 0}, {time(nullptr) - 7200, 0}};
  utimensat(AT_FDCWD, (near + ".tmp.1.old").c_str(), old, 0);
  ASSERT_TRUE(cache.prune(UINT64_MAX));
  EXPECT_FALSE(fs::exists(near + ".tmp.1.old"));
  EXPECT_TRUE(fs::exists(near + ".tmp.1.young"));
  EXPECT_TRUE(fs::exists(near + "notes.txt"));
  EXPECT_TRUE(cache.load(entry.key));
}

TEST_F(Disk, VerifyFindsWhatIsDamaged) {
  DiskCache cache = open();
  for (int i = 0; i < 5; ++i)
    cache.store(entryNumber(i));
  std::ofstream(fileOf(entryNumber(3).key)) << "garbage";
  chmod(fileOf(entryNumber(3).key).c_str(), 0600);
  auto dry = cache.verify(true);
  ASSERT_TRUE(dry);
  ASSERT_EQ(dry->size(), 1u);
  EXPECT_EQ((*dry)[0].first.name, entryNumber(3).key.hex());
  EXPECT_EQ(cache.totals()->damaged, 1u);
  EXPECT_EQ(cache.verify()->size(), 1u);
  EXPECT_EQ(cache.verify()->size(), 0u);
  EXPECT_EQ(cache.totals()->entries, 4u);
}

TEST_F(Disk, RemoveTakesNoPaths) {
  DiskCache cache = open();
  cache.store(entryNumber(1));
  std::ofstream(scratch_.file("precious")) << "x";
  EXPECT_FALSE(cache.remove("../../../precious"));
  EXPECT_FALSE(cache.remove(""));
  EXPECT_TRUE(fs::exists(scratch_.file("precious")));
  EXPECT_TRUE(cache.remove(entryNumber(1).key.hex()));
  EXPECT_EQ(cache.list()->size(), 0u);
}

TEST(Directory, IsChosenAsXdgSays) {
  EXPECT_EQ(DiskCache::chooseDirectory("/set", "/xdg", "/home/u"), "/set");
  EXPECT_EQ(DiskCache::chooseDirectory("", "/xdg", "/home/u"), "/xdg/libmeld");
  EXPECT_EQ(DiskCache::chooseDirectory("", "relative", "/home/u"), "/home/u/.cache/libmeld");
  EXPECT_EQ(DiskCache::chooseDirectory("", nullptr, "/home/u"), "/home/u/.cache/libmeld");
  EXPECT_EQ(DiskCache::chooseDirectory("", nullptr, nullptr), "");
  EXPECT_EQ(DiskCache::chooseDirectory("", "", ""), "");
}
