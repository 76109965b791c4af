#include "bench/nvptx/forms.h"
#include "bench/nvptx/launch.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace meld::nvptx {
namespace {

// As LLVM 15 writes it.
const char *const ptx = R"(
.version 7.5
.target sm_75
.address_size 64
// dynamic second 32768

	// .globl	first
.visible .entry first(
	.param .u64 first_param_0,
	.param .u32 first_param_1,
	.param .align 8 .b8 first_param_2[24],
	.param .f32 first_param_3,
	.param .f64 first_param_4
)
{
	ret;
}
.weak .entry second()
{
	ret;
}
)";

TEST(NvptxFormsTest, ParametersLieAtTheirAlignment) {
  const auto all = parametersOf(ptx);
  EXPECT_TRUE(all.at("second").empty());
  const auto &first = all.at("first");
  const unsigned offsets[] = {0, 8, 16, 40, 48}, sizes[] = {8, 4, 24, 4, 8};
  ASSERT_EQ(first.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(first[i].offset, offsets[i]) << i;
    EXPECT_EQ(first[i].size, sizes[i]) << i;
  }
  EXPECT_TRUE(first[0].pointerSized);
  EXPECT_FALSE(first[1].pointerSized);
  EXPECT_FALSE(first[2].pointerSized);
}

// From LLVM 20 on pointers say what they point to.
TEST(NvptxFormsTest, PointersWithTheirAlignment) {
  const auto all = parametersOf(
      ".visible .entry k(\n\t.param .u64 .ptr .align 1 k_param_0,\n"
      "\t.param .u64 .ptr .global .align 4 k_param_1,\n\t.param .u32 k_param_2\n)\n{\n}\n");
  ASSERT_EQ(all.at("k").size(), 3u);
  EXPECT_TRUE(all.at("k")[1].pointerSized);
  EXPECT_EQ(all.at("k")[2].offset, 16u);
}

TEST(NvptxFormsTest, ParametersThatAreNotUnderstoodAreNamed) {
  try {
    parametersOf(".visible .entry k(\n\t.param .texref k_param_0\n)\n");
    FAIL();
  } catch (const std::exception &e) {
    EXPECT_NE(std::string(e.what()).find(".texref"), std::string::npos);
  }
}

TEST(NvptxFormsTest, NotesOfDynamicSharedMemoryAreRead) {
  EXPECT_EQ(dynamicSharedOf(ptx, "second"), 32768u);
  EXPECT_EQ(dynamicSharedOf(ptx, "first"), 0u);
}

// { void *; int; { float; pad; void *; short } }: pointers are told by where they point.
TEST(NvptxLaunchTest, FactsOfALaunch) {
  const uint64_t pointer = 0x7000, inside = 0x7010;
  int32_t n = 3;
  struct {
    float scale = 2;
    uint32_t pad = 0xabcd;
    uint64_t at = 0;
    uint16_t kind = 5;
  } options;
  options.at = inside;
  void *arguments[] = {const_cast<uint64_t *>(&pointer), &n, &options};
  const Launch launch{"k", {10, 2, 1}, {64, 1, 1}, arguments, 0};
  const std::vector<Parameter> parameters = {{0, 8, true}, {8, 4, false}, {16, 18, false}};
  const Facts facts =
      factsOf(launch, parameters, [](uint64_t v) { return v >= 0x7000 && v < 0x8000; });
  EXPECT_EQ(toText(facts),
            "argument 8 4 0x3; argument 16 4 0x40000000; argument 20 4 0xabcd; argument 32 2 0x5; "
            "workgroup 64 1 1; full-groups; grid 0 640; grid 1 2; grid 2 1; nonnull 0; nonnull 24");
}

// 2^32 work-items and more are no fact: as 32 bits they would be another grid.
TEST(NvptxLaunchTest, GridsThatHaveNoFact) {
  const Launch launch{"k", {4194305, 1, 1}, {1024, 1, 1}, nullptr, 0};
  EXPECT_EQ(toText(factsOf(launch, {}, [](uint64_t) { return false; })),
            "workgroup 1024 1 1; full-groups; grid 1 1; grid 2 1");
}

class NvptxManifestTest : public testing::Test {
protected:
  void SetUp() override {
    // Its own for each test: ctest runs several at once.
    std::string pattern = testing::TempDir() + "nvptx-manifest-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    write("a.plain.ptx", ptx);
    write("a.melded.ptx", ptx);
    write("a.0.ptx", ptx);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char *name, const std::string &text) const {
    std::ofstream(folder_ / name) << text;
  }
  Forms read(const std::string &text) const {
    write("a.json", text);
    return Forms::read((folder_ / "a.json").string());
  }
  std::filesystem::path folder_;
};

TEST_F(NvptxManifestTest, FormsAreRead) {
  const Forms forms = read(R"({"forms": {"plain": {"ptx": "a.plain.ptx", "changed": []},
    "melded": {"ptx": "a.melded.ptx", "changed": ["first"]}},
    "specialised": [{"entry": "second", "ptx": "a.0.ptx", "facts": "workgroup 64 1 1"}]})");
  ASSERT_EQ(forms.all.size(), 3u);
  EXPECT_EQ(forms.all[0].name, "plain");
  EXPECT_TRUE(forms.all[1].changes("first"));
  EXPECT_FALSE(forms.all[1].changes("second"));
  EXPECT_EQ(forms.all[2].name, "specialised");
  EXPECT_TRUE(forms.all[2].changes("second"));
  EXPECT_EQ(toText(forms.all[2].facts), "workgroup 64 1 1");
  EXPECT_EQ(forms.parameters.at("first").size(), 5u);
}

TEST_F(NvptxManifestTest, WhatIsNoneIsNamed) {
  for (const char *text : {"", "{", "{}", R"({"forms": {}})"})
    try {
      read(text);
      FAIL() << text;
    } catch (const std::exception &e) {
      EXPECT_NE(std::string(e.what()).find("a.json: not what build.py writes"), std::string::npos);
    }
  for (const char *facts : {"", "nonsense"})
    EXPECT_THROW(read(R"({"forms": {"plain": {"ptx": "a.plain.ptx"}}, "specialised":
      [{"entry": "second", "ptx": "a.0.ptx", "facts": ")" +
                      std::string(facts) + "\"}]}"),
                 std::runtime_error);
  try {
    read(R"({"forms": {"plain": {"ptx": "gone.ptx"}}})");
    FAIL();
  } catch (const std::exception &e) {
    EXPECT_NE(std::string(e.what()).find("gone.ptx: cannot be read"), std::string::npos);
  }
}

} // namespace
} // namespace meld::nvptx
