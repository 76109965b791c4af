#include "tests/runtime/codeobject/builder.h"

#include <gtest/gtest.h>

using namespace meld;
using namespace meld::test;

namespace {

BuildObject rich() {
  BuildObject object;
  object.kernels.resize(2);
  object.kernels[1].name = "other";
  object.kernels[1].reqd = {64, 1, 1};
  object.variables = {{"counter", {7, 0, 0, 0}, false, 4}, {"zeros", Bytes(64), true, 16}};
  return object;
}

/// Everything a caller can ask for: must never crash, whatever the bytes.
void exercise(ByteView bytes) {
  (void)hasBitcode(bytes);
  auto object = CodeObject::parse(bytes);
  if (!object) {
    EXPECT_FALSE(object.error().message.empty());
    return;
  }
  for (const KernelMetadata &kernel : object->metadata.kernels)
    (void)object->descriptor(kernel);
}

} // namespace

TEST(Elf, FindsSectionsSymbolsAndNotes) {
  Bytes bytes = build(rich());
  auto elf = Elf::parse(bytes);
  ASSERT_TRUE(elf) << elf.error().message;
  ASSERT_NE(elf->section(".text"), nullptr);
  EXPECT_EQ(elf->section(".text")->size, 256u);
  EXPECT_EQ(elf->section(".nothing"), nullptr);
  auto symbols = elf->dynamicSymbols();
  ASSERT_TRUE(symbols);
  ASSERT_EQ(symbols->size(), 6u);
  EXPECT_EQ((*symbols)[0].name, "kernel");
  EXPECT_EQ((*symbols)[1].name, "kernel.kd");
  auto notes = elf->notes();
  ASSERT_TRUE(notes);
  ASSERT_EQ(notes->size(), 1u);
  EXPECT_EQ((*notes)[0].owner, "AMDGPU");
}

TEST(Elf, TellsInitialisedFromZeroMemory) {
  Bytes bytes = build(rich());
  auto object = CodeObject::parse(bytes);
  ASSERT_TRUE(object) << object.error().message;
  const ElfSymbol *counter = object->symbol("counter"), *zeros = object->symbol("zeros");
  ASSERT_TRUE(counter && zeros);
  auto value = object->elf.atAddress(counter->value, counter->size);
  ASSERT_TRUE(value);
  EXPECT_EQ((*value)[0], 7);
  EXPECT_FALSE(object->elf.atAddress(zeros->value, zeros->size));
  EXPECT_TRUE(object->elf.isZeroFilled(zeros->value, zeros->size));
  EXPECT_FALSE(object->elf.isZeroFilled(zeros->value, uint64_t(-1)));
}

TEST(Elf, EveryTruncationIsHandled) {
  Bytes bytes = build(rich());
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A copy of the exact size, so that a sanitizer sees a read past the end.
    Bytes part(bytes.begin(), bytes.begin() + size);
    exercise(part);
    EXPECT_FALSE(CodeObject::parse(part)) << size << " of " << bytes.size() << " bytes";
  }
}

TEST(Elf, EveryByteChangeIsHandled) {
  Bytes bytes = build(rich());
  for (size_t at = 0; at < bytes.size(); ++at)
    for (uint8_t value :
         {uint8_t(0x00), uint8_t(0xff), uint8_t(bytes[at] ^ 0x80), uint8_t(bytes[at] + 1)}) {
      Bytes changed = bytes;
      changed[at] = value;
      exercise(changed);
    }
}

TEST(Elf, ErrorsNameThingAndOffset) {
  Bytes bytes = build(rich());
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.e_shoff = bytes.size() - 8;
  std::memcpy(bytes.data(), &header, sizeof(header));
  auto elf = Elf::parse(bytes);
  ASSERT_FALSE(elf);
  EXPECT_NE(elf.error().message.find("section header table"), std::string::npos);
  EXPECT_NE(elf.error().message.find(hexOffset(header.e_shoff)), std::string::npos);
}

TEST(Elf, RangeCheckDoesNotOverflow) {
  EXPECT_TRUE(inRange(0, 0, 0));
  EXPECT_TRUE(inRange(4, 4, 8));
  EXPECT_FALSE(inRange(5, 4, 8));
  EXPECT_FALSE(inRange(UINT64_MAX, 2, 8));
  EXPECT_FALSE(inRange(2, UINT64_MAX, 8));
}

TEST(Bitcode, IsFoundWithoutReadingTheWholeFile) {
  BuildObject object = rich();
  EXPECT_TRUE(hasBitcode(build(object)));
  object.bitcode.clear();
  EXPECT_FALSE(hasBitcode(build(object)));
  EXPECT_FALSE(hasBitcode(Bytes{}));
  // A host ELF with such a section is not ours.
  object.bitcode = {1};
  Bytes host = build(object);
  host[18] = 62; // EM_X86_64
  EXPECT_FALSE(hasBitcode(host));

  for (bool has : {true, false}) {
    BuildObject large = rich();
    if (!has)
      large.bitcode.clear();
    large.extraSections.push_back({".large", Bytes(1 << 20)});
    struct Reads {
      Bytes file;
      size_t calls = 0, bytes = 0;
    } reads{build(large)};
    auto read = [](void *context, uint64_t offset, void *to, size_t size) {
      Reads &r = *static_cast<Reads *>(context);
      ++r.calls;
      r.bytes += size;
      if (!inRange(offset, size, r.file.size()))
        return false;
      std::memcpy(to, r.file.data() + offset, size);
      return true;
    };
    EXPECT_EQ(hasBitcode(reads.file.size(), read, &reads), has);
    EXPECT_LE(reads.calls, 3u);
    EXPECT_LT(reads.bytes, 8192u);
  }
}
