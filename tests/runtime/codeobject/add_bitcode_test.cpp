#include "runtime/codeobject/add_bitcode.h"
#include "runtime/codeobject/codeobject.h"
#include "tests/runtime/codeobject/builder.h"

#include <gtest/gtest.h>

using namespace meld;
using namespace meld::test;

namespace {
const Bytes kBitcode = {'B', 'C', 0xc0, 0xde, 5, 6, 7};

Bytes plain() {
  BuildObject object;
  object.bitcode.clear();
  object.variables = {{"counter", {7, 0, 0, 0}, false, 4}};
  return build(object);
}
} // namespace

TEST(AddBitcode, TheObjectIsLoadedAsItWas) {
  const Bytes before = plain();
  ASSERT_FALSE(hasBitcode(before));
  const auto after = withBitcode(before, kBitcode);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_TRUE(hasBitcode(*after));
  const auto one = CodeObject::parse(before), other = CodeObject::parse(*after);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_TRUE(isLoadedAlike(*one, *after));
  EXPECT_EQ(Bytes(other->bitcode().begin(), other->bitcode().end()), kBitcode);
  EXPECT_EQ(one->elf.segments().size(), other->elf.segments().size());
  EXPECT_EQ(one->elf.sections().size() + 1, other->elf.sections().size());
  EXPECT_EQ(one->isa.targetId(), other->isa.targetId());
  // What the loader reads lies where it lay: all but the header's two fields about sections.
  EXPECT_TRUE(std::equal(before.begin() + sizeof(Elf64_Ehdr), before.end(),
                         after->begin() + sizeof(Elf64_Ehdr)));
  EXPECT_EQ(withBitcode(before, kBitcode).value(), *after) << "the same each time";
}

TEST(AddBitcode, WhatCannotBeAddedToIsAnError) {
  EXPECT_FALSE(withBitcode(build({}), kBitcode)) << "has a section of that name";
  EXPECT_FALSE(withBitcode({}, kBitcode));
  const Bytes good = plain();
  for (size_t size = 0; size < good.size(); size += 7)
    EXPECT_FALSE(withBitcode(ByteView(good).first(size), kBitcode)) << size;
  Bytes none = good; // no section headers
  std::memset(none.data() + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
  std::memset(none.data() + offsetof(Elf64_Ehdr, e_shnum), 0, 2);
  std::memset(none.data() + offsetof(Elf64_Ehdr, e_shstrndx), 0, 2);
  EXPECT_FALSE(withBitcode(none, kBitcode));
}
