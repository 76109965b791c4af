// Copies of pages: what they hold, how they lie, who may have them.
#include "runtime/softgpu/verify/mappers.h"
#include "runtime/softgpu/verify/page_store.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <sys/mman.h>
#include <thread>

using namespace meld::softgpu;
using namespace meld::softgpu::verify;

namespace {

/// Four pages, then one that is not there.
struct Pages {
  uint8_t *bytes = static_cast<uint8_t *>(
      mmap(nullptr, 5 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  Pages() {
    mprotect(bytes + 4 * kPage, kPage, PROT_NONE);
    for (size_t k = 0; k < 4 * kPage; ++k)
      bytes[k] = uint8_t(k * 7 + k / kPage);
  }
  ~Pages() { munmap(bytes, 5 * kPage); }
  uint64_t at(uint64_t offset) const { return reinterpret_cast<uint64_t>(bytes) + offset; }
};

uint8_t *host(uint64_t address) { return reinterpret_cast<uint8_t *>(address); }

TEST(PageStore, KeepsWhatWasThereWhenItWasTaken) {
  Pages memory;
  PageStore store;
  ASSERT_TRUE(store.open());
  EXPECT_FALSE(store.holds(memory.at(0)));
  EXPECT_EQ(store.take(memory.at(0), memory.at(0)), PageStore::Taken::yes);
  const uint8_t old = memory.bytes[10];
  memory.bytes[10] = old + 1;
  EXPECT_EQ(store.take(memory.at(0), memory.at(0)), PageStore::Taken::yes);
  EXPECT_EQ(*host(store.at(memory.at(10))), old);
  EXPECT_TRUE(store.holds(memory.at(0)));
  EXPECT_FALSE(store.holds(memory.at(kPage)));
  store.clear();
  EXPECT_FALSE(store.holds(memory.at(0)));
  EXPECT_EQ(store.count(), 0u);
}

TEST(PageStore, NeighboursAreNeighbours) {
  Pages memory;
  PageStore store;
  ASSERT_TRUE(store.open());
  store.take(memory.at(kPage), memory.at(kPage));
  store.take(memory.at(0), memory.at(0));
  EXPECT_EQ(0, std::memcmp(host(store.at(memory.at(kPage - 8))), memory.bytes + kPage - 8, 16));
  EXPECT_EQ(store.pages(), (std::vector<uint64_t>{memory.at(0), memory.at(kPage)}));
}

TEST(PageStore, RefusesASecondPageForOnePlace) {
  Pages memory;
  PageStore store;
  ASSERT_TRUE(store.open());
  EXPECT_EQ(store.take(memory.at(0), memory.at(0)), PageStore::Taken::yes);
  EXPECT_EQ(store.take(memory.at(0) ^ 1ull << 41, memory.at(0)), PageStore::Taken::refused);
  EXPECT_FALSE(store.holds(memory.at(0) ^ 1ull << 41));
}

TEST(PageStore, SaysWhereThereIsNoMemory) {
  Pages memory;
  PageStore store;
  ASSERT_TRUE(store.open());
  EXPECT_EQ(store.take(memory.at(4 * kPage), memory.at(4 * kPage)), PageStore::Taken::unreadable);
  EXPECT_FALSE(store.holds(memory.at(4 * kPage)));
}

TEST(PageStore, MarksBytesAcrossLinesAndPages) {
  Pages memory;
  PageStore store;
  ASSERT_TRUE(store.open());
  store.mark(memory.at(kPage - 3), 70);
  EXPECT_EQ(store.written(memory.at(kPage - 64)), 7ull << 61);
  EXPECT_EQ(store.written(memory.at(kPage)), ~0ull);
  EXPECT_EQ(store.written(memory.at(kPage + 64)), 7ull);
}

TEST(PageStore, ThreadsTakeOnePageOnce) {
  Pages memory;
  PageStore store;
  ASSERT_TRUE(store.open());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (uint64_t page = 0; page < 4; ++page)
        EXPECT_EQ(store.take(memory.at(page * kPage), memory.at(page * kPage)),
                  PageStore::Taken::yes);
    });
  for (auto &t : threads)
    t.join();
  EXPECT_EQ(store.count(), 4u);
}

struct Views : testing::Test {
  Pages memory;
  PageStore before, own;
  std::atomic<bool> incomplete{false};
  void SetUp() override { ASSERT_TRUE(before.open() && own.open()); }
};

TEST_F(Views, ARunBesideStartsFromTheMemoryBeforeAndLeavesNoTrace) {
  const uint8_t first = memory.bytes[100], second = memory.bytes[2 * kPage];
  Journal journal(nullptr, before, 100);
  *host(journal.access(memory.at(100), 1, true)) = uint8_t(first + 1);
  EXPECT_EQ(memory.bytes[100], uint8_t(first + 1));
  Overlay overlay(nullptr, before, own, nullptr, 100, incomplete);
  EXPECT_EQ(*host(overlay.access(memory.at(100), 1, false)), first);
  *host(overlay.access(memory.at(100), 1, true)) = 77;
  *host(overlay.access(memory.at(2 * kPage), 1, true)) = 78;
  EXPECT_EQ(*host(overlay.access(memory.at(100), 1, false)), 77);
  EXPECT_EQ(memory.bytes[100], uint8_t(first + 1));
  EXPECT_EQ(memory.bytes[2 * kPage], second);
  EXPECT_FALSE(incomplete);
}

TEST_F(Views, AnAccessAcrossTwoPagesSeesBoth) {
  Journal journal(nullptr, before, 100);
  uint8_t old[8];
  std::memcpy(old, memory.bytes + kPage - 4, 8);
  std::memset(host(journal.access(memory.at(kPage), 4, true)), 0, 4); // the second page only
  Overlay overlay(nullptr, before, own, nullptr, 100, incomplete);
  EXPECT_EQ(0, std::memcmp(host(overlay.access(memory.at(kPage - 4), 8, false)), old, 8));
}

TEST_F(Views, AWriteIntoAHoleTouchesNothing) {
  Overlay overlay(nullptr, before, own, nullptr, 100, incomplete);
  // Its first half has memory; the address that comes back has none, so that it faults as a whole.
  EXPECT_EQ(overlay.access(memory.at(4 * kPage - 4), 8, true), memory.at(4 * kPage));
}

TEST_F(Views, TooManyPagesAreSaid) {
  Journal journal(nullptr, before, 1);
  journal.access(memory.at(0), 4, true);
  EXPECT_TRUE(journal.complete());
  journal.access(memory.at(kPage), 4, true);
  EXPECT_FALSE(journal.complete());
  Overlay overlay(nullptr, before, own, nullptr, 0, incomplete);
  *host(overlay.access(memory.at(0), 1, true)) = 1;
  EXPECT_TRUE(incomplete);
}

TEST_F(Views, TheReplacementUsesTheOriginalsVariables) {
  ObjectPair object;
  object.originalBase = memory.at(0);
  object.originalSize = kPage;
  object.replacementBase = memory.at(2 * kPage);
  object.replacementSize = kPage;
  object.symbols = {{"g", memory.at(16), memory.at(2 * kPage + 512), 8, true},
                    {"table", memory.at(64), memory.at(2 * kPage + 600), 8, false}};
  Overlay overlay(nullptr, before, own, &object, 100, incomplete);
  EXPECT_EQ(overlay.access(memory.at(2 * kPage + 516), 4, false), memory.at(20));
  EXPECT_EQ(overlay.access(memory.at(2 * kPage + 600), 4, false), memory.at(2 * kPage + 600));
  EXPECT_EQ(overlay.access(memory.at(2 * kPage + 520), 4, false), memory.at(2 * kPage + 520));
}

} // namespace
