// How much of an argument block may be read, with allocations of the test's own making.
#include "shim/adapt/kernarg_memory.h"

#include <gtest/gtest.h>
#include <vector>

namespace meld::adapt {
namespace {

std::vector<HostRange> gRanges;
unsigned gAsked;

bool ask(const void *address, HostRange &range) {
  ++gAsked;
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (const HostRange &one : gRanges)
    if (at >= one.begin && at < one.end) {
      range = one;
      return true;
    }
  return false;
}

const void *at(uintptr_t address) { return reinterpret_cast<const void *>(address); }

struct Kernargs : testing::Test {
  void SetUp() override {
    gRanges = {{0x10000, 0x20000, true}, {0x20000, 0x30000, false}};
    gAsked = 0;
    memory.begin(ask);
  }
  KernargMemory memory;
};

TEST_F(Kernargs, UpToTheEndOfTheAllocation) {
  EXPECT_EQ(memory.readable(at(0x10000)), 0x10000u);
  EXPECT_EQ(memory.readable(at(0x1ff00)), 0x100u);
  EXPECT_EQ(memory.readable(at(0x1ffff)), 1u);
  EXPECT_EQ(gAsked, 1u);
}

TEST_F(Kernargs, NothingOfTheDevicesMemoryAndOfWhatIsNotKnown) {
  EXPECT_EQ(memory.readable(at(0x20000)), 0u);
  EXPECT_EQ(memory.readable(at(0x2fff8)), 0u);
  EXPECT_EQ(memory.readable(at(0x40008)), 0u);
  EXPECT_EQ(memory.readable(at(0x40010)), 0u); // the same page
  EXPECT_EQ(memory.readable(nullptr), 0u);
  EXPECT_EQ(gAsked, 2u);
}

TEST_F(Kernargs, WithoutAnybodyToAskNothing) {
  memory.begin(nullptr);
  EXPECT_EQ(memory.readable(at(0x10000)), 0u);
  EXPECT_EQ(gAsked, 0u);
}

TEST_F(Kernargs, AskedAgainNowAndThenAsTheAddressMayBeAnothers) {
  EXPECT_GT(memory.readable(at(0x10000)), 0u);
  gRanges = {{0x10000, 0x20000, false}};
  unsigned looks = 0;
  while (memory.readable(at(0x10000)) != 0 && looks < 2 * KernargMemory::kTrust)
    ++looks;
  EXPECT_LE(looks, KernargMemory::kTrust);
}

TEST_F(Kernargs, AnotherQueueKnowsNothingOfIt) {
  EXPECT_GT(memory.readable(at(0x10000)), 0u);
  gRanges = {{0x10000, 0x20000, false}};
  memory.begin(ask);
  EXPECT_EQ(memory.readable(at(0x10000)), 0u);
}

TEST_F(Kernargs, ManyAllocationsInTurns) {
  gRanges.clear();
  for (uintptr_t i = 1; i <= 3 * KernargMemory::kRanges; ++i)
    gRanges.push_back({i * 0x1000, i * 0x1000 + 0x80 * i, i % 2 == 1});
  for (unsigned round = 0; round < 3; ++round)
    for (const HostRange &one : gRanges)
      EXPECT_EQ(memory.readable(at(one.begin + 0x10)), one.host ? one.end - one.begin - 0x10 : 0u);
}

TEST_F(Kernargs, WhatIsNotAnsweredIsNotBelieved) {
  memory.begin([](const void *, HostRange &range) {
    range = {0x10000, 0x20000, true};
    return false;
  });
  EXPECT_EQ(memory.readable(at(0x10000)), 0u);
}

// What answers about another address than it was asked about is not believed.
TEST_F(Kernargs, AnAnswerThatIsNoneIsNone) {
  memory.begin([](const void *, HostRange &range) {
    range = {0x50000, 0x60000, true};
    return true;
  });
  EXPECT_EQ(memory.readable(at(0x10000)), 0u);
}

} // namespace
} // namespace meld::adapt
