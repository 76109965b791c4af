#include "runtime/cache/signing.h"
#include "tests/runtime/cache/transfer.h"

#include <fstream>

using namespace meld;
using namespace meld::test;

namespace {

/// A store that goes after so many calls.
class Mortal : public FakeStore {
public:
  Mortal(FakeServer &server, int calls) : FakeStore(server), server_(server), calls_(calls) {}
  Result<void> put(std::string_view key, ByteView bytes) override {
    server_.dead = --calls_ < 0;
    return FakeStore::put(key, bytes);
  }

private:
  FakeServer &server_;
  int calls_;
};

} // namespace

TEST_F(Transfer, WhatWasBrokenOffGoesOn) {
  DiskCache from = folder("from"), to = folder("to");
  fill(from, 0, 1200);
  {
    Mortal store(server_, 700);
    const auto pushed = pushEntries(from, store, {});
    ASSERT_TRUE(pushed && pushed->broken);
    EXPECT_GE(pushed->moved, 690u);
    EXPECT_LT(pushed->moved, 700u) << "lists are put, too";
  }
  server_.dead = false;
  {
    FakeStore store(server_);
    const auto pulled = pullEntries(store, to, {});
    EXPECT_EQ(pulled->moved, 500u) << "as far as the list has it";
  }
  FakeStore store(server_);
  const auto pushed = pushEntries(from, store, {});
  ASSERT_TRUE(pushed && !pushed->broken);
  EXPECT_GE(pushed->there, 690u);
  EXPECT_EQ(pushed->moved + pushed->there, 1200u);
  const auto pulled = pullEntries(store, to, {});
  EXPECT_EQ(pulled->there, 500u);
  EXPECT_EQ(pulled->moved, 700u);
  EXPECT_TRUE(sameEntries(from, to));
}

TEST_F(Transfer, ADeadStoreIsAnError) {
  DiskCache from = folder("from");
  fill(from, 0, 3);
  server_.dead = true;
  FakeStore store(server_);
  EXPECT_FALSE(pushEntries(from, store, {}));
  EXPECT_FALSE(pullEntries(store, from, {}));
}

TEST_F(Transfer, TheListsOfSeveralAreJoined) {
  DiskCache one = folder("one"), two = folder("two"), to = folder("to");
  fill(one, 0, 5);
  fill(two, 3, 9);
  FakeStore store(server_);
  EXPECT_EQ(pushEntries(one, store, {})->moved, 5u);
  EXPECT_EQ(pushEntries(two, store, {})->moved, 4u);
  EXPECT_EQ(pullEntries(store, to, {})->moved, 9u);
}

TEST_F(Transfer, WrongEntriesAreLeftOutAndTheOthersGo) {
  DiskCache from = folder("from"), to = folder("to");
  fill(from, 0, 10);
  CacheEntry measured;
  measured.key = KeyBuilder().add("what", "measured").finish();
  measured.verdict = Verdict::measured;
  measured.metadata = "{}";
  from.store(measured);
  const std::string name = entryNumber(4).key.hex();
  std::ofstream(scratch_.file("from") + "/v2/" + name[0] + "/" + name[1] + "/" + name,
                std::ios::app)
      << "more";
  FakeStore store(server_);
  const auto pushed = pushEntries(from, store, {});
  EXPECT_EQ(pushed->moved, 9u);
  EXPECT_EQ(pushed->other, 1u);
  ASSERT_EQ(pushed->problems.size(), 1u);
  EXPECT_EQ(pushed->problems[0].rfind(name, 0), 0u) << pushed->problems[0];
  {
    std::lock_guard guard(server_.lock);
    Bytes &five = server_.entries[entryNumber(5).key.hex()];
    server_.entries[entryNumber(6).key.hex()] = five; // another key's
    five[five.size() / 2] ^= 1;
    server_.entries.erase(entryNumber(7).key.hex());
    Bytes &list = server_.entries[std::string(kManifest)];
    for (const char c : std::string("\n../../../etc/passwd\nnonsense"))
      list.push_back(static_cast<uint8_t>(c));
  }
  const auto pulled = pullEntries(store, to, {});
  ASSERT_TRUE(pulled && !pulled->broken);
  EXPECT_EQ(pulled->moved, 6u);
  EXPECT_EQ(pulled->problems.size(), 3u);
}

TEST_F(Transfer, WithTrustedKeysOnlySignedEntriesGo) {
  if (!hasSignatures())
    GTEST_SKIP() << "built without libsodium";
  const SigningKey ours = *SigningKey::make();
  const TrustedKeys trusted = *TrustedKeys::parse(ours.publicText("us"));
  DiskCache from = folder("from"), to = folder("to"), all = folder("all");
  fill(from, 0, 4);
  from.storeFile(entryNumber(1).key, *ours.sign(*writeEntry(entryNumber(1))));
  TransferWish wish;
  wish.trusted = &trusted;
  FakeStore store(server_);
  EXPECT_EQ(pushEntries(from, store, wish)->moved, 1u);
  EXPECT_EQ(pushEntries(from, store, {})->moved, 3u);
  EXPECT_EQ(pullEntries(store, to, wish)->moved, 1u);
  EXPECT_TRUE(to.load(entryNumber(1).key));
  EXPECT_TRUE(trusted.check(*to.file(entryNumber(1).key.hex()), entryNumber(1).key))
      << "the signature went along";
  EXPECT_EQ(pullEntries(store, all, {})->moved, 4u);
}

TEST_F(Transfer, ADryRunMovesNothing) {
  DiskCache from = folder("from"), to = folder("to");
  fill(from, 0, 4);
  FakeStore store(server_);
  TransferWish wish;
  wish.dryRun = true;
  EXPECT_EQ(pushEntries(from, store, wish)->moved, 4u);
  EXPECT_EQ(server_.size(), 0u);
  pushEntries(from, store, {});
  EXPECT_EQ(pullEntries(store, to, wish)->moved, 4u);
  EXPECT_EQ(to.list()->size(), 0u);
}
