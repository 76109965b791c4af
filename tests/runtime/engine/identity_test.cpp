#include "runtime/engine/identity.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace meld;

namespace {
std::string output(const std::string &command) {
  std::string text;
  FILE *pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (size_t got = fread(buffer, 1, sizeof(buffer), pipe))
    text.append(buffer, got);
  pclose(pipe);
  return text;
}
} // namespace

TEST(Identity, BuildIdIsReadelfs) {
  auto identity = fileIdentity("/bin/true");
  ASSERT_TRUE(identity);
  ASSERT_EQ(identity->rfind("build-id:", 0), 0u) << *identity;
  EXPECT_NE(output("readelf -n /bin/true").find(identity->substr(9)), std::string::npos);
}

TEST(Identity, OtherFilesAndErrors) {
  auto identity = fileIdentity("/etc/passwd");
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->rfind("file:", 0), 0u);
  EXPECT_EQ(fileIdentity("/nonexistent").error().code, ErrorCode::notFound);
  EXPECT_FALSE(fileIdentity("/"));
}

TEST(Identity, NeededLibrariesAreReadelfs) {
  auto needed = neededLibraries("/bin/true");
  ASSERT_FALSE(needed.empty());
  std::string text = output("readelf -d /bin/true");
  for (const std::string &name : needed)
    EXPECT_NE(text.find("[" + name + "]"), std::string::npos);
  EXPECT_EQ(long(needed.size()), [&] {
    long count = 0;
    for (size_t at = 0; (at = text.find("(NEEDED)", at)) != std::string::npos; ++at)
      ++count;
    return count;
  }());
  EXPECT_TRUE(neededLibraries("/etc/passwd").empty());
}

TEST(Identity, DynamicSectionsAreReadelfs) {
  auto program = dynamicSection("/bin/true");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_TRUE(program->dynamic);
  EXPECT_NE(output("readelf -lW /bin/true").find("interpreter: " + program->interpreter + "]"),
            std::string::npos);
  const std::string libc = findLibrary("libc.so.6", {});
  auto library = dynamicSection(libc);
  ASSERT_TRUE(library);
  EXPECT_EQ(library->soname, "libc.so.6");
  EXPECT_EQ(dynamicSection("/nonexistent").error().code, ErrorCode::notFound);
  EXPECT_EQ(dynamicSection("/etc/passwd").error().code, ErrorCode::unsupported);
}

TEST(Identity, SectionsByName) {
  EXPECT_TRUE(hasSection("/bin/true", ".dynamic"));
  EXPECT_FALSE(hasSection("/bin/true", ".hip_fatbin"));
  EXPECT_FALSE(hasSection("/bin/true", ".dynami"));
  EXPECT_FALSE(hasSection("/etc/passwd", ".dynamic"));
  EXPECT_FALSE(hasSection("/nonexistent", ".dynamic"));
}

TEST(Identity, FindsLoadedLibrariesFirst) {
  std::string libc = findLibrary("libc.so.6", {"/nonexistent"});
  EXPECT_EQ(access(libc.c_str(), R_OK), 0) << libc;
  EXPECT_EQ(findLibrary("libdoes-not-exist.so.1", {}), "");
}

// ldconfig -p prints what /etc/ld.so.cache holds.
TEST(Identity, FindsWhatLdconfigKnows) {
  const std::string known =
      output("/sbin/ldconfig -p | sed -n 's/^\t\\(lib[^ ]*\\) (libc6,x86-64) => .*/\\1/p'");
  size_t checked = 0;
  for (size_t at = 0; at < known.size();) {
    const size_t end = known.find('\n', at);
    const std::string name = known.substr(at, end - at), path = findLibrary(name, {});
    EXPECT_EQ(access(path.c_str(), R_OK), 0) << name << ": " << path;
    ++checked;
    at = end + 1;
  }
  EXPECT_GT(checked, 10u);
}

TEST(Identity, LooksIntoLdLibraryPath) {
  char folder[] = "/tmp/meld-identity-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  const std::string file = std::string(folder) + "/libdoes-not-exist.so.1";
  fclose(fopen(file.c_str(), "w"));
  setenv("LD_LIBRARY_PATH", ("/nonexistent::" + std::string(folder)).c_str(), 1);
  EXPECT_EQ(findLibrary("libdoes-not-exist.so.1", {}), file);
  unsetenv("LD_LIBRARY_PATH");
  unlink(file.c_str());
  rmdir(folder);
}
