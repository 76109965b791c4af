#include "runtime/cache/layers.h"
#include "runtime/cache/signing.h"
#include "tests/runtime/cache/scratch.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>

using namespace meld;
using meld::test::Scratch;

namespace {

constexpr uid_t kUser = 1000, kOther = 1234;

/// A machine that tests describe.
class Layers : public testing::Test {
protected:
  Layers() {
    variables_["HOME"] = "/home/a";
    folder("/dev/shm", 0);
    systems_["/dev/shm"] = {FileSystemClass::memory, "tmpfs", uint64_t(8) << 30};
    wanted_.maxSize = uint64_t(2) << 30;
  }
  void inAJob() { variables_["SLURM_JOB_ID"] = "17"; }
  void homeOn(const char *name) {
    systems_["/home"] = {FileSystemClass::network, name, uint64_t(1) << 40};
  }
  void folder(const std::string &path, uid_t owner, bool othersWrite = false) {
    found_[path] = {owner, true, othersWrite};
  }
  CachePlan plan() {
    Surroundings around;
    around.user = kUser;
    around.variable = [this](const char *name) -> const char * {
      const auto known = variables_.find(name);
      return known == variables_.end() ? nullptr : known->second.c_str();
    };
    around.look = [this](const std::string &path) -> std::optional<Surroundings::Found> {
      const auto known = found_.find(path);
      if (known == found_.end())
        return std::nullopt;
      return known->second;
    };
    around.exists = [this](const std::string &path) {
      return found_.count(path) || unseen_.count(path);
    };
    around.fileSystem = [this](const std::string &path) {
      ++asked_;
      for (const auto &[above, system] : systems_)
        if (path.rfind(above, 0) == 0)
          return system;
      return FileSystem{FileSystemClass::local, "", uint64_t(1) << 40};
    };
    return planLayers(wanted_, around);
  }
  /// "node /dev/shm/libmeld-1000 written; user /home/a/.cache/libmeld".
  static std::string textOf(const CachePlan &plan) {
    std::string text;
    for (const PlannedLayer &layer : plan.layers)
      text += (text.empty() ? "" : "; ") + std::string(layerName(layer.kind)) + " " + layer.folder +
              (layer.written ? " written" : "") + (layer.network ? " network" : "") +
              (layer.mustBeSigned ? " signed" : "");
    return text;
  }
  std::string publicKeys() {
    const auto key = SigningKey::make();
    EXPECT_TRUE(key) << key.error().message;
    const std::string file = scratch_.file("keys");
    std::ofstream(file) << key->publicText("the site");
    chmod(file.c_str(), 0644);
    return file;
  }

  Scratch scratch_;
  LayersWanted wanted_;
  std::map<std::string, std::string> variables_;
  std::map<std::string, Surroundings::Found> found_;
  std::set<std::string> unseen_; ///< are there, and cannot be looked at
  std::map<std::string, FileSystem> systems_;
  int asked_ = 0;
};

} // namespace

TEST_F(Layers, WithoutAJobThereIsTheUsersFolderAlone) {
  const CachePlan p = plan();
  EXPECT_EQ(textOf(p), "user /home/a/.cache/libmeld written");
  EXPECT_EQ(p.layers[0].maxSize, uint64_t(2) << 30);
  EXPECT_TRUE(p.layers[0].cleaned);
  EXPECT_EQ(p.remote, "");
  EXPECT_TRUE(p.warnings.empty());
}

TEST_F(Layers, AWorkstationsHomeOnAFileServerIsWrittenWithoutLocks) {
  homeOn("NFS");
  const CachePlan p = plan();
  EXPECT_EQ(textOf(p), "user /home/a/.cache/libmeld written network");
  EXPECT_TRUE(p.layers[0].cleaned);
}

TEST_F(Layers, AJobHasTheNodesMemoryFirst) {
  inAJob();
  EXPECT_EQ(textOf(plan()),
            "node /dev/shm/libmeld-1000 written; user /home/a/.cache/libmeld written");
}

TEST_F(Layers, AJobDoesNotWriteIntoAHomeOnAFileServer) {
  inAJob();
  for (const char *name : {"NFS", "Lustre", "GPFS", "BeeGFS", "CIFS", "FUSE"}) {
    homeOn(name);
    const CachePlan p = plan();
    EXPECT_EQ(textOf(p), "node /dev/shm/libmeld-1000 written; user /home/a/.cache/libmeld network");
    EXPECT_NE(p.layers[1].why.find(name), std::string::npos) << p.layers[1].why;
    EXPECT_FALSE(p.layers[1].cleaned);
    EXPECT_TRUE(p.warnings.empty());
  }
}

TEST_F(Layers, WhoNamesAFolderHasItWritten) {
  inAJob();
  homeOn("Lustre");
  wanted_.cacheDir = "/home/scratch/cache";
  EXPECT_EQ(textOf(plan()),
            "node /dev/shm/libmeld-1000 written; user /home/scratch/cache written network");
  wanted_.cacheDir = "";
  wanted_.layers = "user";
  EXPECT_EQ(textOf(plan()), "user /home/a/.cache/libmeld written network");
}

TEST_F(Layers, TheNodesMemoryIsSmall) {
  inAJob();
  EXPECT_EQ(plan().layers[0].maxSize, uint64_t(256) << 20);
  wanted_.maxSize = 1 << 20;
  EXPECT_EQ(plan().layers[0].maxSize, uint64_t(1) << 20);
  wanted_.maxSize = 0; // no limit
  EXPECT_EQ(plan().layers[0].maxSize, uint64_t(256) << 20);
}

TEST_F(Layers, NobodyElsesFolderIsTheNodes) {
  inAJob();
  homeOn("NFS");
  const std::string own = "/dev/shm/libmeld-1000";
  folder(own, kUser);
  EXPECT_EQ(plan().layers[0].folder, own);
  for (const auto &[owner, othersWrite] :
       {std::pair<uid_t, bool>{kOther, false}, {0, false}, {kUser, true}}) {
    folder(own, owner, othersWrite);
    const CachePlan p = plan();
    EXPECT_EQ(textOf(p), "user /home/a/.cache/libmeld network") << owner;
    ASSERT_EQ(p.warnings.size(), 1u);
    EXPECT_NE(p.warnings[0].find("nothing is kept"), std::string::npos) << p.warnings[0];
  }
  found_[own] = {kUser, false, false}; // a file
  EXPECT_EQ(plan().layers[0].kind, LayerKind::user);
}

TEST_F(Layers, WhereTheMemoryIsFullTheFolderOfTheJobIsTaken) {
  inAJob();
  systems_["/dev/shm"].freeBytes = 1 << 20;
  variables_["TMPDIR"] = "/local/job17";
  folder("/local/job17", kUser);
  EXPECT_EQ(plan().layers[0].folder, "/local/job17/libmeld-1000");
  systems_["/local"] = {FileSystemClass::network, "Lustre", uint64_t(1) << 40};
  EXPECT_EQ(plan().layers[0].kind, LayerKind::user) << "no node's folder on a file server";
  systems_.erase("/local");
  variables_["TMPDIR"] = "local";
  EXPECT_EQ(plan().layers[0].kind, LayerKind::user);
}

TEST_F(Layers, ANodeFolderCanBeNamed) {
  wanted_.node = "/nvme/meld";
  EXPECT_EQ(textOf(plan()), "node /nvme/meld written; user /home/a/.cache/libmeld written");
  wanted_.node = "nvme";
  const CachePlan p = plan();
  EXPECT_EQ(textOf(p), "user /home/a/.cache/libmeld written");
  EXPECT_EQ(p.warnings.size(), 1u);
}

TEST_F(Layers, LayersAreReadInOneOrderHoweverTheyAreListed) {
  folder("/site", 0);
  wanted_.site = "/site";
  wanted_.remote = "redis://host";
  wanted_.layers = "remote,site,user,node";
  const CachePlan p = plan();
  EXPECT_EQ(textOf(p), "node /dev/shm/libmeld-1000 written; user /home/a/.cache/libmeld written; "
                       "site /site");
  EXPECT_EQ(p.remote, "redis://host");
  EXPECT_TRUE(p.remoteWritten);
  wanted_.layers = "site";
  EXPECT_EQ(textOf(plan()), "site /site");
  EXPECT_EQ(plan().remote, "");
  wanted_.layers = "none";
  EXPECT_EQ(textOf(plan()), "");
  EXPECT_TRUE(plan().warnings.empty());
}

TEST_F(Layers, ReadonlyWritesNothingAnywhere) {
  inAJob();
  wanted_.readonly = true;
  wanted_.remote = "redis://host";
  const CachePlan p = plan();
  for (const PlannedLayer &layer : p.layers)
    EXPECT_FALSE(layer.written) << layer.folder;
  EXPECT_FALSE(p.remoteWritten);
  EXPECT_TRUE(p.warnings.empty());
}

TEST_F(Layers, ASiteBelongsToRootToUsOrToTheLibrarysOwner) {
  wanted_.site = "/site";
  wanted_.library = "/opt/meld/lib/libmeld.so";
  found_[wanted_.library] = {42, false, false};
  for (const uid_t owner : {uid_t(0), kUser, uid_t(42)}) {
    folder("/site", owner);
    EXPECT_EQ(plan().layers.size(), 2u) << owner;
  }
  folder("/site", kOther);
  EXPECT_EQ(plan().layers.size(), 1u);
  EXPECT_NE(plan().warnings.at(0).find("1234"), std::string::npos) << plan().warnings.at(0);
  folder("/site", 0, /*othersWrite=*/true);
  EXPECT_EQ(plan().layers.size(), 1u);
  EXPECT_EQ(plan().warnings.size(), 1u);
  found_.erase("/site");
  EXPECT_EQ(plan().warnings.size(), 1u) << "it is named and not there";
}

TEST_F(Layers, ASiteBesideTheLibraryNeedsNoSetting) {
  wanted_.shared = "/opt/meld/share/libmeld";
  EXPECT_EQ(plan().layers.size(), 1u);
  EXPECT_TRUE(plan().warnings.empty());
  folder("/opt/meld/share/libmeld/cache", 0);
  EXPECT_EQ(textOf(plan()),
            "user /home/a/.cache/libmeld written; site /opt/meld/share/libmeld/cache");
}

TEST_F(Layers, WithTrustedKeysSiteAndRemoteNeedSignaturesAndNobodySendsWithout) {
  if (!hasSignatures())
    GTEST_SKIP() << "built without libsodium";
  inAJob();
  folder("/site", kOther, /*othersWrite=*/true);
  wanted_.site = "/site";
  wanted_.remote = "redis://host";
  wanted_.trust = publicKeys();
  const CachePlan p = plan();
  EXPECT_TRUE(p.warnings.empty()) << p.warnings[0];
  EXPECT_EQ(textOf(p), "node /dev/shm/libmeld-1000 written; user /home/a/.cache/libmeld written; "
                       "site /site signed");
  ASSERT_TRUE(p.trusted);
  EXPECT_EQ(p.trusted->size(), 1u);
  EXPECT_EQ(p.remote, "redis://host");
  EXPECT_FALSE(p.remoteWritten);
}

TEST_F(Layers, KeysThatCannotBeReadMeanNeitherSiteNorRemote) {
  folder("/site", 0);
  wanted_.site = "/site";
  wanted_.remote = "redis://host";
  wanted_.trust = scratch_.file("missing");
  CachePlan p = plan();
  EXPECT_EQ(textOf(p), "user /home/a/.cache/libmeld written");
  EXPECT_EQ(p.remote, "");
  ASSERT_EQ(p.warnings.size(), 1u);
  if (!hasSignatures())
    return;
  EXPECT_NE(p.warnings[0].find("missing"), std::string::npos) << p.warnings[0];
  wanted_.trust = publicKeys();
  chmod(wanted_.trust.c_str(), 0666);
  p = plan();
  EXPECT_EQ(textOf(p), "user /home/a/.cache/libmeld written") << "others can change the keys";
  EXPECT_EQ(p.remote, "");
}

TEST_F(Layers, KeysBesideTheLibraryCountWhereNoneAreNamed) {
  if (!hasSignatures())
    GTEST_SKIP() << "built without libsodium";
  const std::string shared = scratch_.path();
  publicKeys();
  std::filesystem::rename(scratch_.file("keys"), shared + "/trusted-keys");
  found_[shared + "/trusted-keys"] = {0, false, false};
  folder(shared + "/cache", 0);
  wanted_.shared = shared;
  EXPECT_EQ(textOf(plan()),
            "user /home/a/.cache/libmeld written; site " + shared + "/cache signed");
}

// A link to a file server that is away is no permission to use what nobody has signed.
TEST_F(Layers, KeysBesideTheLibraryThatCannotBeSeenMeanNeitherSiteNorRemote) {
  const std::string shared = scratch_.path();
  unseen_.insert(shared + "/trusted-keys");
  folder(shared + "/cache", 0);
  wanted_.shared = shared;
  wanted_.remote = "redis://host";
  const CachePlan p = plan();
  EXPECT_EQ(textOf(p), "user /home/a/.cache/libmeld written");
  EXPECT_EQ(p.remote, "");
  EXPECT_EQ(p.warnings.size(), 1u);
}

TEST_F(Layers, ALinkToNowhereIsNoNodeFolder) {
  inAJob();
  unseen_.insert("/dev/shm/libmeld-1000");
  variables_["TMPDIR"] = "/tmp/job";
  folder("/tmp/job", kUser);
  EXPECT_EQ(textOf(plan()),
            "node /tmp/job/libmeld-1000 written; user /home/a/.cache/libmeld written");
}

TEST(TrulyThere, IsALinkToNowhereAndNotWhatIsMissing) {
  Scratch scratch;
  const Surroundings real = Surroundings::real();
  const std::string link = scratch.file("link");
  EXPECT_FALSE(real.exists(link));
  std::filesystem::create_symlink("/nonexistent", link);
  EXPECT_TRUE(real.exists(link));
  EXPECT_FALSE(real.look(link));
}
