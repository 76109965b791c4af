#include "tests/runtime/cache/transfer.h"

using namespace meld;
using namespace meld::test;

TEST_F(Transfer, TenThousandEntriesThereAndBack) {
  constexpr uint64_t entries = 10000;
  DiskCache from = folder("from"), to = folder("to");
  fill(from, 0, entries);
  FakeStore store(server_);
  size_t shown = 0;
  TransferWish wish;
  wish.progress = [&](size_t done, size_t all) {
    EXPECT_EQ(done, shown++);
    EXPECT_EQ(all, entries);
  };
  const auto pushed = pushEntries(from, store, wish);
  ASSERT_TRUE(pushed && !pushed->broken);
  EXPECT_EQ(pushed->moved, entries);
  EXPECT_EQ(shown, entries);
  EXPECT_EQ(server_.size(), entries + 1) << "and the list";
  const auto pulled = pullEntries(store, to, {});
  ASSERT_TRUE(pulled && !pulled->broken);
  EXPECT_EQ(pulled->moved, entries);
  EXPECT_EQ(pulled->bytes, pushed->bytes);
  EXPECT_TRUE(sameEntries(from, to));
  // Again: nothing is to be done.
  EXPECT_EQ(pushEntries(from, store, {})->there, entries);
  EXPECT_EQ(pullEntries(store, to, {})->there, entries);
}
