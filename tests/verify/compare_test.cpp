// What counts as a difference.
#include "runtime/softgpu/verify/compare.h"
#include "runtime/softgpu/verify/mappers.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace meld::softgpu;
using namespace meld::softgpu::verify;

namespace {

struct Compare : testing::Test {
  alignas(4096) inline static uint8_t memory[2 * kPage];
  PageStore before, own;
  std::atomic<bool> incomplete{false};
  ObjectPair object;

  void SetUp() override {
    ASSERT_TRUE(before.open() && own.open());
    std::memset(memory, 3, sizeof(memory));
    object.originalBase = 0x10000;
    object.replacementBase = 0x20000;
    object.originalSize = object.replacementSize = 0x1000;
    object.symbols = {{"g", 0x10100, 0x20200, 16, true}, {"f", 0x10400, 0x20400, 64, false}};
  }
  static uint64_t at(uint64_t offset) { return reinterpret_cast<uint64_t>(memory) + offset; }
  template <class T> void original(uint64_t offset, T value) {
    Journal journal(nullptr, before, 100);
    std::memcpy(reinterpret_cast<void *>(journal.access(at(offset), sizeof(T), true)), &value,
                sizeof(T));
  }
  template <class T> void other(uint64_t offset, T value) {
    Overlay overlay(nullptr, before, own, nullptr, 100, incomplete);
    std::memcpy(reinterpret_cast<void *>(overlay.access(at(offset), sizeof(T), true)), &value,
                sizeof(T));
  }
};

TEST_F(Compare, TheSameWritesAreEqual) {
  original<uint32_t>(8, 5);
  other<uint32_t>(8, 5);
  EXPECT_TRUE(compare(before, own, &object).equal());
  EXPECT_EQ(compare(before, own, &object).bytesWritten, 4u);
}

TEST_F(Compare, AnotherValueIsNamed) {
  original<uint32_t>(64, 5);
  other<uint32_t>(64, 0x105);
  const Comparison c = compare(before, own, &object);
  EXPECT_EQ(c.bytesDifferent, 1u);
  ASSERT_EQ(c.first.size(), 1u);
  EXPECT_EQ(c.first[0].address, at(64));
  EXPECT_EQ(c.first[0].original, 5u);
  EXPECT_EQ(c.first[0].other, 0x105u);
}

TEST_F(Compare, AWriteThatOnlyTheOriginalMadeIsMissed) {
  original<uint32_t>(kPage + 4, 9);
  EXPECT_EQ(compare(before, own, &object).bytesDifferent, 4u);
}

TEST_F(Compare, AWriteThatOnlyTheOtherMadeIsSeen) {
  other<uint16_t>(2, 9);
  EXPECT_EQ(compare(before, own, &object).bytesDifferent, 2u);
}

TEST_F(Compare, WritingWhatWasThereIsNoDifference) {
  other<uint8_t>(5, 3);
  EXPECT_TRUE(compare(before, own, &object).equal());
}

TEST_F(Compare, WhatOthersWroteIntoThePageIsNotCompared) {
  original<uint32_t>(8, 5);
  other<uint32_t>(8, 5);
  memory[100] = 99; // the host, say
  memory[13] = 98;  // next to it
  EXPECT_TRUE(compare(before, own, &object).equal());
}

TEST_F(Compare, AddressesOfOneVariableMeanTheSame) {
  original<uint64_t>(16, 0x10108);
  other<uint64_t>(16, 0x20208);
  original<uint64_t>(24, 0x10400);
  other<uint64_t>(24, 0x20400);
  EXPECT_TRUE(compare(before, own, &object).equal());
  EXPECT_FALSE(compare(before, own, nullptr).equal());
}

TEST_F(Compare, AddressesOfTwoThingsDoNot) {
  original<uint64_t>(16, 0x10100);
  other<uint64_t>(16, 0x20208);
  EXPECT_FALSE(compare(before, own, &object).equal());
}

TEST_F(Compare, NamelessConstantsMayLieElsewhere) {
  original<uint64_t>(16, 0x10800);
  other<uint64_t>(16, 0x20900);
  EXPECT_TRUE(compare(before, own, &object).equal());
  original<uint64_t>(24, 0x10104); // a variable against a nameless constant
  other<uint64_t>(24, 0x20900);
  EXPECT_FALSE(compare(before, own, &object).equal());
}

TEST_F(Compare, AllBytesAreCountedAndAFewWordsKept) {
  for (unsigned k = 0; k < 100; ++k) {
    original<uint32_t>(4 * k, 1);
    other<uint32_t>(4 * k, 2);
  }
  const Comparison c = compare(before, own, &object);
  EXPECT_EQ(c.bytesDifferent, 100u);
  EXPECT_EQ(c.first.size(), kWordsKept);
}

} // namespace
