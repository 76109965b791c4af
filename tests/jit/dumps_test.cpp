// Where dumps go, and where they do not.
#include "jit/dumps.h"
#include "tests/runtime/cache/scratch.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>

using meld::jit::Dumps;
using meld::test::Scratch;
namespace fs = std::filesystem;

namespace {

std::string content(const fs::path &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST(Dumps, ReplaceWhatHasTheirName) {
  Scratch scratch;
  std::vector<std::string> warnings;
  Dumps dumps(scratch.file("dump"), "", "object",
              [&](const std::string &w) { warnings.push_back(w); });
  dumps.write("kernel", ".s", "first");
  const fs::path folder = fs::directory_iterator(scratch.file("dump"))->path();
  const fs::path file = folder / "kernel.s";
  EXPECT_EQ(content(file), "first");
  std::ofstream(scratch.file("victim")) << "precious";
  fs::remove(file);
  fs::create_symlink(scratch.file("victim"), file);
  dumps.write("kernel", ".s", "second");
  EXPECT_EQ(content(scratch.file("victim")), "precious");
  EXPECT_EQ(content(file), "second");
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  dumps.write("kernel", ".s", "third"); // nobody reads the pipe
  EXPECT_EQ(content(file), "third");
  EXPECT_TRUE(warnings.empty()) << warnings[0];

  fs::rename(folder, scratch.file("elsewhere"));
  fs::create_directory_symlink(scratch.file("elsewhere"), folder);
  dumps.write("other", ".s", "not there");
  EXPECT_FALSE(fs::exists(scratch.file("elsewhere/other.s")));
  EXPECT_EQ(warnings.size(), 1u);
}
