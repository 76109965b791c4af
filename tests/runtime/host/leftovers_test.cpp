#include "runtime/host/leftovers.h"
#include "tests/runtime/cache/scratch.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace meld;
using meld::test::Scratch;
namespace fs = std::filesystem;

namespace {

constexpr time_t kNow = 2000000000;

class Leftovers : public testing::Test {
protected:
  /// A folder as a killed compile leaves it, `age` seconds old.
  std::string make(const std::string &name, time_t age,
                   const std::string &input = "meld-unit0.bc") {
    const std::string folder = scratch_.file(name);
    for (const char *part : {"input", "output", "include"})
      fs::create_directories(folder + "/" + part);
    std::ofstream(folder + "/input/" + input) << "BC";
    std::ofstream(folder + "/output/unit.o") << "o";
    setAge(folder, age);
    return folder;
  }
  void setAge(const std::string &folder, time_t age) {
    auto set = [&](const std::string &path) {
      const timespec times[2] = {{kNow - age, 0}, {kNow - age, 0}};
      ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
    };
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      set(entry.path());
    set(folder);
  }
  unsigned clean() { return removeOldCompilerFolders(scratch_.path(), kNow); }
  Scratch scratch_;
};

} // namespace

TEST_F(Leftovers, WhatIsOursAndOldGoes) {
  const std::string old = make("comgr-1a2b3c", 7200), young = make("comgr-4d5e6f", 60);
  EXPECT_EQ(clean(), 1u);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(Leftovers, WhatIsNotOursStays) {
  const std::string kept[] = {make("comgr-123456", 7200, "source.hip"), // another program's
                              make("comgr-12345g", 7200), make("comgr-1234567", 7200),
                              make("data-123456", 7200), make("comgr-aaaaaa", 7200)};
  std::ofstream(kept[4] + "/notes.txt") << "somebody's";
  setAge(kept[4], 7200);
  EXPECT_EQ(clean(), 0u);
  for (const std::string &folder : kept)
    EXPECT_TRUE(fs::exists(folder + "/output/unit.o")) << folder;
}

TEST_F(Leftovers, AForeignOneStays) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root to give a folder away";
  const std::string folder = make("comgr-1a2b3c", 7200);
  ASSERT_EQ(chown(folder.c_str(), 4242, 4242), 0);
  setAge(folder, 7200);
  EXPECT_EQ(clean(), 0u);
  EXPECT_TRUE(fs::exists(folder));
}

TEST_F(Leftovers, OneThatIsInUseStays) {
  const std::string folder = make("comgr-1a2b3c", 7200);
  const timespec now[2] = {{kNow, 0}, {kNow, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (folder + "/output/unit.o").c_str(), now, 0), 0);
  EXPECT_EQ(clean(), 0u);
}

TEST_F(Leftovers, NoLinkIsFollowed) {
  make("elsewhere", 7200);
  fs::create_directory_symlink(scratch_.file("elsewhere"), scratch_.file("comgr-1a2b3c"));
  const std::string inside = make("comgr-4d5e6f", 7200);
  fs::remove_all(inside + "/output");
  fs::create_directory_symlink(scratch_.file("elsewhere/output"), inside + "/output");
  setAge(inside, 7200);
  EXPECT_EQ(clean(), 0u);
  EXPECT_TRUE(fs::exists(scratch_.file("elsewhere/output/unit.o")));
}

TEST_F(Leftovers, ManyAreDoneInParts) {
  for (int i = 0; i < 105; ++i) {
    char name[] = "comgr-000000";
    snprintf(name, sizeof(name), "comgr-%06x", i);
    make(name, 7200);
  }
  EXPECT_EQ(clean(), 100u);
  EXPECT_EQ(clean(), 5u);
  EXPECT_EQ(removeOldCompilerFolders("/nonexistent", kNow), 0u);
}
