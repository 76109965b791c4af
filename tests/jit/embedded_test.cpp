#include "jit/code_object.h"
#include "tests/jit/test_objects.h"

#include "jit/units.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <random>

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;

namespace {

TEST(Embedded, findsBitcodeCommandAndTarget) {
  auto file = codeObject("diamond-gfx90a");
  auto object = readDeviceObject(*file);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  EXPECT_EQ(object->processor, "gfx90a");
  EXPECT_EQ(object->isaName, "amdgcn-amd-amdhsa--gfx90a");
  EXPECT_EQ(object->modules.size(), 1u);
  ASSERT_EQ(object->commands.size(), 1u);
  EXPECT_EQ(object->commands[0][0], "-triple");
  LLVMContext context;
  auto module = parseUnits(object->modules, context);
  ASSERT_TRUE(bool(module)) << errorOf(module);
  EXPECT_NE((*module)->getFunction("diamond"), nullptr);
}

TEST(Embedded, targetIdFeaturesComeFromTheHeader) {
  auto file = codeObject("reduce-xnack");
  auto object = readDeviceObject(*file);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  EXPECT_EQ(object->isaName, "amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack+");
}

TEST(Embedded, withoutBitcodeIsNotAnError) {
  auto file = codeObject("reduce-plain");
  auto object = readDeviceObject(*file);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  EXPECT_TRUE(object->modules.empty());
}

TEST(Embedded, twoUnitsOfOneDeviceLink) {
  auto file = codeObject("rdc");
  auto object = readDeviceObject(*file);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  EXPECT_EQ(object->modules.size(), 2u);
  EXPECT_EQ(object->commands.size(), 2u);
  LLVMContext context;
  auto module = parseUnits(object->modules, context);
  ASSERT_TRUE(bool(module)) << errorOf(module);
  EXPECT_FALSE((*module)->getFunction("unitA")->isDeclaration());
  EXPECT_FALSE((*module)->getFunction("unitB")->isDeclaration());
}

TEST(Embedded, splitterSurvivesEveryTruncation) {
  auto file = codeObject("diamond-gfx900");
  auto object = readDeviceObject(*file);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  std::string whole = object->modules[0].str();
  size_t refused = 0;
  for (size_t n = 1; n < whole.size(); ++n) {
    auto parts = splitBitcode(StringRef(whole).take_front(n));
    if (parts) { // only at a block's end can a shorter file look complete
      ASSERT_EQ(n % 4, 0u);
      continue;
    }
    ++refused;
    std::string text = toString(parts.takeError());
    EXPECT_NE(text.find("offset"), std::string::npos) << text;
  }
  EXPECT_GT(refused, whole.size() * 9 / 10);
}

TEST(Embedded, splitterJoinsWhatItSplit) {
  auto file = codeObject("diamond-gfx900");
  auto object = readDeviceObject(*file);
  ASSERT_TRUE(bool(object)) << errorOf(object);
  std::string one = object->modules[0].str();
  std::string three = one + one + one;
  auto parts = splitBitcode(three);
  ASSERT_TRUE(bool(parts)) << errorOf(parts);
  ASSERT_EQ(parts->size(), 3u);
  for (auto p : *parts)
    EXPECT_TRUE(p == one);
}

TEST(Embedded, magicInsideABlockDoesNotSplit) {
  // Magic, then one block (abbreviation width 2, id 23, 2 words) whose body is the magic twice.
  const uint32_t words[] = {0xdec04342, 1u | (23u << 2) | (3u << 10), 2, 0xdec04342, 0xdec04342};
  auto parts = splitBitcode(StringRef(reinterpret_cast<const char *>(words), sizeof words));
  ASSERT_TRUE(bool(parts)) << errorOf(parts);
  EXPECT_EQ(parts->size(), 1u);
}

TEST(Embedded, corruptedObjectsNeverCrash) {
  auto file = codeObject("diamond-gfx900");
  std::string good = file->getBuffer().str();
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    // Headers are where offsets are: hit them more often than their size would.
    size_t span = round % 3 == 0 ? bad.size() : (round % 3 == 1 ? 64 : bad.size());
    for (int k = 0; k < 1 + round % 4; ++k) {
      size_t at = random() % span;
      if (round % 3 == 2)
        at = bad.size() - 1 - random() % std::min<size_t>(bad.size(), 64 * 16);
      bad[at] = char(random());
    }
    if (round % 5 == 0)
      bad.resize(random() % bad.size());
    auto object = readDeviceObject(MemoryBufferRef(bad, "bad"));
    if (!object) {
      EXPECT_FALSE(toString(object.takeError()).empty());
    }
  }
}

TEST(Embedded, commandsNeedTheirTerminatorAndStart) {
  auto cut = splitCommands(StringRef("-cc1\0-O3", 8));
  EXPECT_NE(errorOf(cut).find("NUL-terminated at offset 8"), std::string::npos);
  auto stray = splitCommands(StringRef("-O3\0-cc1\0", 9));
  EXPECT_NE(errorOf(stray).find("offset 0"), std::string::npos);
  auto two = splitCommands(StringRef("-cc1\0-O3\0-cc1\0-O2\0", 18));
  ASSERT_TRUE(bool(two)) << errorOf(two);
  EXPECT_EQ((*two)[1], std::vector<std::string>{"-O2"});
}

} // namespace
