// Files that a setting names, of every kind of file there is.
#include "runtime/host/new_file.h"
#include "runtime/host/output.h"
#include "runtime/write.h"
#include "tests/runtime/cache/scratch.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace meld;
using meld::test::Scratch;
namespace fs = std::filesystem;

namespace {

std::string content(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Output : public testing::Test {
protected:
  Scratch scratch_;
  std::string file_ = scratch_.file("file");
  Descriptor here_{open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

} // namespace

TEST_F(Output, RegularFilesAreAppendedToOrEmptied) {
  std::ofstream(file_) << "before ";
  writeAll(openOutput(file_, true)->get(), "after");
  EXPECT_EQ(content(file_), "before after");
  writeAll(openOutput(file_, false)->get(), "new");
  EXPECT_EQ(content(file_), "new");
  fs::create_symlink(file_, scratch_.file("link"));
  writeAll(openOutput(scratch_.file("link"), true)->get(), " end");
  EXPECT_EQ(content(file_), "new end") << "the name is the user's own";
}

TEST_F(Output, WhatIsNoFileForOutputIsRefused) {
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof(address.sun_path), "%s", scratch_.file("socket").c_str());
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr *>(&address), sizeof(address)), 0);
  fs::create_symlink("loop", scratch_.file("loop"));
  mkfifo(scratch_.file("pipe").c_str(), 0600);
  fs::create_symlink(scratch_.file("pipe"), scratch_.file("link to pipe"));
  for (const std::string &path :
       {scratch_.path(), scratch_.file("socket"), scratch_.file("loop"), scratch_.file("pipe"),
        scratch_.file("link to pipe"), scratch_.file("no/such/folder"),
        scratch_.file(std::string(5000, 'a')), std::string("/proc/self/mem"),
        std::string("/proc/self/comm"), std::string("/proc/self/exe"), std::string("/dev/random"),
        std::string("/proc/self/fd/") + std::to_string(server), std::string()})
    EXPECT_FALSE(openOutput(path, true)) << path;
  ::close(server);
}

TEST_F(Output, APipeNeverWaits) {
  mkfifo(file_.c_str(), 0600);
  Descriptor reader(open(file_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  auto pipe = openOutput(file_, true);
  ASSERT_TRUE(pipe);
  int error = 0;
  for (int i = 0; i < 1000 && !error; ++i)
    error = writeWithoutBlocking(pipe->get(), std::string(1000, 'x'));
  EXPECT_EQ(error, EAGAIN);
}

TEST_F(Output, TheNullDevicesAreFine) {
  for (const char *path : {"/dev/null", "/dev/zero", "/dev/full"})
    EXPECT_TRUE(openOutput(path, true)) << path;
  EXPECT_EQ(writeAll(openOutput("/dev/full", true)->get(), "x"), ENOSPC);
}

TEST_F(Output, ANewFileReplacesWhatHasItsName) {
  std::ofstream(scratch_.file("victim")) << "precious";
  fs::create_symlink(scratch_.file("victim"), file_);
  ASSERT_TRUE(writeNewFile(here_, "file", "ours"));
  EXPECT_FALSE(fs::is_symlink(file_));
  EXPECT_EQ(content(file_), "ours");
  EXPECT_EQ(content(scratch_.file("victim")), "precious");
  fs::remove(file_);
  mkfifo(file_.c_str(), 0600);
  ASSERT_TRUE(writeNewFile(here_, "file", "again")) << "and nobody waits for a reader";
  EXPECT_EQ(content(file_), "again");
  fs::remove(file_);
  fs::create_directory(file_);
  EXPECT_FALSE(writeNewFile(here_, "file", "x"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), {}), 2) << "nothing is left";
}

TEST_F(Output, AWholePathMayBeADevice) {
  struct stat before, after;
  ASSERT_EQ(stat("/dev/null", &before), 0);
  EXPECT_TRUE(writeWholePath("/dev/null", "x"));
  EXPECT_FALSE(writeWholePath("/dev/full", "x"));
  ASSERT_EQ(stat("/dev/null", &after), 0);
  EXPECT_TRUE(S_ISCHR(after.st_mode) && before.st_ino == after.st_ino) << "it is still a device";
  mkfifo(file_.c_str(), 0600);
  EXPECT_FALSE(writeWholePath(file_, "x")) << "nobody reads it";
  EXPECT_FALSE(writeWholePath(scratch_.path(), "x"));
  EXPECT_FALSE(writeWholePath(scratch_.path() + "/", "x"));
  EXPECT_FALSE(writeWholePath("", "x"));
  EXPECT_TRUE(writeWholePath(scratch_.file("plain"), "x"));
  EXPECT_EQ(content(scratch_.file("plain")), "x");
}
