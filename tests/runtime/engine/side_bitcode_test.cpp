#include "runtime/codeobject/codeobject.h"
#include "runtime/engine/side_bitcode.h"
#include "tests/runtime/codeobject/builder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace meld;
using namespace meld::test;

namespace {

class SideFiles : public ::testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/meld-side-XXXXXX";
    ASSERT_TRUE(mkdtemp(name));
    root_ = name;
    for (const char *folder : {"/one", "/two"})
      std::filesystem::create_directory(root_ + folder);
    BuildObject object;
    object.bitcode.clear();
    plain_ = build(object);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string &folder, const std::string &text) {
    std::ofstream(root_ + folder + "/" + sideBitcodeHash(plain_) + ".bc", std::ios::binary) << text;
  }
  std::string bitcode(const std::string &path) {
    const auto with = withSideBitcode(plain_, path);
    if (!with)
      return "none";
    const auto object = CodeObject::parse(*with);
    return std::string(object->bitcode().begin(), object->bitcode().end());
  }

  std::string root_;
  Bytes plain_;
};

const std::string kOne = "BC\xc0\xde one", kTwo = "BC\xc0\xde two";

} // namespace

// Test vector of the BLAKE3 paper's reference implementation: no bytes at all.
TEST_F(SideFiles, TheHashIsBlake3OfTheBytes) {
  EXPECT_EQ(sideBitcodeHash({}),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
}

TEST_F(SideFiles, TheFirstFolderThatHasItWins) {
  const std::string path = root_ + "/none::" + root_ + "/one:" + root_ + "/two";
  EXPECT_EQ(bitcode(path), "none");
  write("/two", kTwo);
  EXPECT_EQ(bitcode(path), kTwo);
  write("/one", kOne);
  EXPECT_EQ(bitcode(path), kOne);
  EXPECT_EQ(bitcode(""), "none");
}

TEST_F(SideFiles, WhatIsWrongIsNotLookedForElsewhere) {
  const std::string path = root_ + "/one:" + root_ + "/two";
  write("/two", kTwo);
  for (const std::string &wrong : {std::string(), std::string("BC"), std::string("text")}) {
    write("/one", wrong);
    EXPECT_EQ(bitcode(path), "none") << wrong;
  }
}

TEST_F(SideFiles, ObjectsThatHaveSomeAndOtherBytesAreLeft) {
  const Bytes with = build({});
  std::ofstream(root_ + "/one/" + sideBitcodeHash(with) + ".bc") << kOne;
  EXPECT_FALSE(withSideBitcode(with, root_ + "/one"));
  const Bytes text = {'t', 'e', 'x', 't'};
  std::ofstream(root_ + "/one/" + sideBitcodeHash(text) + ".bc") << kOne;
  EXPECT_FALSE(withSideBitcode(text, root_ + "/one"));
}
