#include "runtime/cache/layered.h"
#include "runtime/cache/signing.h"
#include "tests/runtime/cache/scratch.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace meld;
using meld::test::Scratch;
namespace fs = std::filesystem;

namespace {

CacheEntry entryNumber(uint64_t number, const std::string &reason = "") {
  CacheEntry entry;
  entry.key = KeyBuilder().add("number", number).finish();
  entry.verdict = Verdict::untried;
  entry.created = 1;
  entry.tool = "test";
  entry.reason = reason;
  entry.codeObject.assign(200, static_cast<uint8_t>(number));
  return entry;
}

class Layered : public testing::Test {
protected:
  PlannedLayer layer(LayerKind kind, bool written, bool network = false) const {
    PlannedLayer one;
    one.kind = kind;
    one.folder = scratch_.file(layerName(kind));
    one.written = written;
    one.network = network;
    return one;
  }
  LayeredCache open(std::vector<PlannedLayer> layers) {
    CachePlan plan;
    plan.layers = std::move(layers);
    plan.trusted = trusted_;
    return LayeredCache(plan, [this](const std::string &text) { warnings_.push_back(text); });
  }
  DiskCache disk(LayerKind kind) {
    return DiskCache({scratch_.file(layerName(kind)), 0, false, {}});
  }
  bool has(LayerKind kind, const CacheEntry &entry) {
    return disk(kind).load(entry.key).has_value();
  }
  std::string fileOf(LayerKind kind, const CacheEntry &entry) const {
    const std::string name = entry.key.hex();
    return scratch_.file(layerName(kind)) + "/v2/" + name[0] + "/" + name[1] + "/" + name;
  }

  Scratch scratch_;
  std::vector<std::string> warnings_;
  std::shared_ptr<const TrustedKeys> trusted_;
};

constexpr auto kNode = LayerKind::node, kUser = LayerKind::user, kSite = LayerKind::site;

} // namespace

TEST_F(Layered, AreReadOneBehindTheOther) {
  for (const LayerKind kind : {kSite, kUser, kNode}) {
    ASSERT_TRUE(disk(kind).store(entryNumber(1, layerName(kind))));
    EXPECT_EQ(open({layer(kNode, true), layer(kUser, true), layer(kSite, false)})
                  .load(entryNumber(1).key)
                  ->reason,
              layerName(kind));
  }
}

TEST_F(Layered, WhatIsStoredIsInEveryLayerThatIsWritten) {
  LayeredCache cache = open({layer(kNode, true), layer(kUser, false), layer(kSite, false)});
  EXPECT_TRUE(cache.store(entryNumber(1)));
  EXPECT_TRUE(has(kNode, entryNumber(1)));
  EXPECT_FALSE(fs::exists(scratch_.file("user"))) << "not even a folder";
  EXPECT_FALSE(fs::exists(scratch_.file("site")));
  EXPECT_TRUE(open({layer(kNode, true), layer(kUser, true)}).store(entryNumber(2)));
  EXPECT_TRUE(has(kNode, entryNumber(2)) && has(kUser, entryNumber(2)));
  EXPECT_FALSE(open({layer(kUser, false)}).store(entryNumber(3)));
}

TEST_F(Layered, TheNodesFolderIsForItsUserAlone) {
  open({layer(kNode, true)}).store(entryNumber(1));
  struct stat info;
  ASSERT_EQ(stat(scratch_.file("node").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  // Somebody has put one with that name there before.
  fs::permissions(scratch_.file("node"), fs::perms(0777));
  LayeredCache cache = open({layer(kNode, true), layer(kUser, true)});
  EXPECT_FALSE(cache.load(entryNumber(1).key));
  EXPECT_TRUE(cache.store(entryNumber(2)));
  EXPECT_TRUE(has(kUser, entryNumber(2)));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("node cache off"), std::string::npos) << warnings_[0];
}

TEST_F(Layered, WhatAFileServerHadTheNodeHasFromThenOn) {
  disk(kUser).store(entryNumber(1));
  disk(kSite).store(entryNumber(2));
  disk(kSite).store(entryNumber(3));
  LayeredCache cache =
      open({layer(kNode, true), layer(kUser, false, true), layer(kSite, false, true)});
  EXPECT_TRUE(cache.load(entryNumber(1).key));
  EXPECT_TRUE(cache.load(entryNumber(2).key));
  EXPECT_TRUE(has(kNode, entryNumber(1)) && has(kNode, entryNumber(2)));
  fs::remove_all(scratch_.file("user"));
  fs::remove_all(scratch_.file("site"));
  EXPECT_EQ(cache.load(entryNumber(1).key)->codeObject, entryNumber(1).codeObject);
  EXPECT_FALSE(cache.load(entryNumber(3).key));
}

TEST_F(Layered, FromADiskOfThisMachineNothingIsCopied) {
  disk(kUser).store(entryNumber(1));
  EXPECT_TRUE(open({layer(kNode, true), layer(kUser, true)}).load(entryNumber(1).key));
  EXPECT_FALSE(has(kNode, entryNumber(1)));
}

TEST_F(Layered, ASiteIsNeitherTouchedNorCleaned) {
  disk(kSite).store(entryNumber(1));
  disk(kSite).store(entryNumber(2));
  const std::string one = fileOf(kSite, entryNumber(1)), two = fileOf(kSite, entryNumber(2));
  const timespec old[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, one.c_str(), old, 0), 0);
  std::ofstream(two, std::ios::app) << "more";
  LayeredCache cache = open({layer(kUser, true), layer(kSite, false)});
  EXPECT_TRUE(cache.load(entryNumber(1).key));
  EXPECT_FALSE(cache.load(entryNumber(2).key));
  EXPECT_TRUE(fs::exists(two)) << "damaged entries are the site's own to remove";
  struct stat info;
  ASSERT_EQ(stat(one.c_str(), &info), 0);
  EXPECT_EQ(info.st_mtime, 1000);
}

TEST_F(Layered, WhatROCrSaysOfASitesEntryIsKeptByTheUser) {
  disk(kSite).store(entryNumber(1));
  LayeredCache cache = open({layer(kUser, true), layer(kSite, false)});
  EXPECT_EQ(cache.load(entryNumber(1).key)->verdict, Verdict::untried);
  cache.markTried(entryNumber(1).key);
  EXPECT_EQ(cache.load(entryNumber(1).key)->verdict, Verdict::replaced);
  EXPECT_EQ(disk(kSite).load(entryNumber(1).key)->verdict, Verdict::untried);
  CacheEntry refused = entryNumber(1, "refused");
  refused.verdict = Verdict::unchanged;
  refused.codeObject.clear();
  cache.store(refused);
  EXPECT_EQ(cache.load(entryNumber(1).key)->reason, "refused");
  cache.markTried(entryNumber(7).key); // of nothing
}

TEST_F(Layered, OnAFileServerThereAreNoLocks) {
  LayeredCache network = open({layer(kUser, true, true)});
  EXPECT_FALSE(network.lock(entryNumber(1).key, std::chrono::milliseconds(0)).held());
  EXPECT_TRUE(network.store(entryNumber(1)));
  EXPECT_TRUE(network.load(entryNumber(1).key));
  EXPECT_FALSE(fs::exists(scratch_.file("user") + "/v2/locks"));
  EXPECT_TRUE(open({layer(kNode, true), layer(kUser, true, true)})
                  .lock(entryNumber(1).key, std::chrono::milliseconds(0))
                  .held());
  EXPECT_FALSE(
      open({layer(kSite, false)}).lock(entryNumber(1).key, std::chrono::milliseconds(0)).held());
}

TEST_F(Layered, OnAFileServerWrongFilesAreNotUsedEither) {
  disk(kUser).store(entryNumber(1));
  disk(kUser).store(entryNumber(2));
  const std::string one = fileOf(kUser, entryNumber(1)), two = fileOf(kUser, entryNumber(2));
  LayeredCache cache = open({layer(kUser, true, true)});
  EXPECT_TRUE(cache.load(entryNumber(1).key));
  fs::permissions(one, fs::perms(0666));
  EXPECT_FALSE(cache.load(entryNumber(1).key)) << "others can write it";
  fs::remove(one);
  fs::create_symlink(two, one);
  EXPECT_FALSE(cache.load(entryNumber(1).key)) << "a link";
  fs::remove(one);
  fs::copy_file(two, one);
  EXPECT_FALSE(cache.load(entryNumber(1).key)) << "another key's entry";
  EXPECT_TRUE(cache.usable());
  EXPECT_TRUE(cache.load(entryNumber(2).key));
}

TEST_F(Layered, FilesOfStrangersAreNotUsed) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root to give files away";
  disk(kSite).store(entryNumber(1));
  const std::string file = fileOf(kSite, entryNumber(1));
  ASSERT_EQ(chown(file.c_str(), 1234, -1), 0);
  for (const bool network : {false, true}) {
    EXPECT_FALSE(open({layer(kSite, false, network)}).load(entryNumber(1).key));
    CachePlan plan;
    plan.layers = {layer(kSite, false, network)};
    plan.siteOwners = {1234};
    EXPECT_TRUE(LayeredCache(plan, {}).load(entryNumber(1).key));
  }
}

TEST_F(Layered, WhereSignaturesAreNeededNothingElseLoads) {
  if (!hasSignatures())
    GTEST_SKIP() << "built without libsodium";
  const SigningKey ours = *SigningKey::make(), theirs = *SigningKey::make();
  trusted_ = std::make_shared<TrustedKeys>(*TrustedKeys::parse(ours.publicText("site")));
  DiskCache site = disk(kSite);
  site.store(entryNumber(1));
  site.storeFile(entryNumber(2).key, *ours.sign(*writeEntry(entryNumber(2))));
  site.storeFile(entryNumber(3).key, *theirs.sign(*writeEntry(entryNumber(3))));
  site.storeFile(entryNumber(4).key, *ours.sign(*writeEntry(entryNumber(2)))); // swapped
  disk(kUser).store(entryNumber(5));
  for (const bool network : {false, true}) {
    PlannedLayer signedOnly = layer(kSite, false, network);
    signedOnly.mustBeSigned = true;
    warnings_.clear();
    LayeredCache cache = open({layer(kUser, true), signedOnly});
    EXPECT_TRUE(cache.load(entryNumber(2).key));
    EXPECT_FALSE(cache.load(entryNumber(1).key));
    EXPECT_FALSE(cache.load(entryNumber(3).key));
    EXPECT_FALSE(cache.load(entryNumber(4).key));
    EXPECT_TRUE(cache.load(entryNumber(5).key)) << "one's own folder needs none";
    ASSERT_EQ(warnings_.size(), 2u);
    EXPECT_NE(warnings_[0].find("not signed"), std::string::npos) << warnings_[0];
    EXPECT_NE(warnings_[1].find("belongs to key"), std::string::npos) << warnings_[1];
    EXPECT_TRUE(cache.header(entryNumber(2).key.hex()));
    EXPECT_FALSE(cache.header(entryNumber(1).key.hex()));
  }
  EXPECT_TRUE(fs::exists(fileOf(kSite, entryNumber(1)))) << "nothing is removed";
}

TEST_F(Layered, AListHasEachKeyOnce) {
  disk(kNode).store(entryNumber(1));
  disk(kUser).store(entryNumber(1));
  disk(kSite).store(entryNumber(2));
  LayeredCache cache = open({layer(kNode, true), layer(kUser, true), layer(kSite, false)});
  EXPECT_EQ(cache.list()->size(), 2u);
  EXPECT_EQ(open({}).list()->size(), 0u);
}

TEST_F(Layered, ALayerThatFailsIsOffAndTheOthersGoOn) {
  if (geteuid() == 0)
    fs::create_directory(scratch_.file("node")),
        fs::permissions(scratch_.file("node"), fs::perms(0777));
  else
    std::ofstream(scratch_.file("node")) << "a file";
  LayeredCache cache = open({layer(kNode, true), layer(kUser, true)});
  EXPECT_TRUE(cache.store(entryNumber(1)));
  EXPECT_TRUE(cache.usable());
  EXPECT_TRUE(cache.load(entryNumber(1).key));
  EXPECT_EQ(warnings_.size(), 1u);
}
