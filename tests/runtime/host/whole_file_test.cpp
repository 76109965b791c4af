// Files that a person names, of every kind of file there is.
#include "runtime/host/whole_file.h"
#include "runtime/write.h"
#include "tests/runtime/cache/scratch.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <thread>

using namespace meld;
using meld::test::Scratch;

namespace {

std::string read(const std::string &path) {
  const auto bytes = readWholeFile(path);
  if (!bytes)
    return "error: " + bytes.error().message;
  return {bytes->begin(), bytes->end()};
}

} // namespace

TEST(WholeFile, RegularFilesOfEverySize) {
  const Scratch scratch;
  for (const size_t size : {0u, 1u, 4096u, 65535u, 65536u, 65537u, 1u << 20}) {
    std::string text(size, '\0');
    for (size_t i = 0; i < size; ++i)
      text[i] = char(i * 31 + i / 251);
    const std::string file = scratch.file("of_" + std::to_string(size));
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_EQ(read(file), text) << size;
  }
}

TEST(WholeFile, WhoseSizeIsNotSaid) { // proc(5): a regular file of 0 bytes that has some
  EXPECT_NE(read("/proc/self/status").find("\nPid:\t" + std::to_string(getpid()) + "\n"),
            std::string::npos);
}

TEST(WholeFile, PipesAreReadUntilTheyAreClosed) {
  const Scratch scratch;
  const std::string pipe = scratch.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(300000, 'x');
  std::thread writer([&] {
    const int end = open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(writeAll(end, text), 0);
    close(end);
  });
  EXPECT_EQ(read(pipe), text);
  writer.join();
}

TEST(WholeFile, WhatHasNoEndIsNotBegun) {
  const Scratch scratch;
  EXPECT_EQ(read("/dev/zero"), "error: /dev/zero is neither a regular file nor a pipe");
  EXPECT_EQ(read(scratch.path()),
            "error: " + scratch.path() + " is neither a regular file nor a pipe");
  const std::string missing = scratch.file("missing");
  EXPECT_NE(read(missing).find(missing), std::string::npos) << read(missing);
}
