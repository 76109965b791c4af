#include "runtime/cache/surroundings.h"
#include "tests/runtime/cache/scratch.h"

#include <gtest/gtest.h>
#include <linux/magic.h>
#include <map>

using namespace meld;

namespace {

std::string batchWith(const std::map<std::string, std::string> &variables) {
  return batchSystem([&](const char *name) -> const char * {
    const auto known = variables.find(name);
    return known == variables.end() ? nullptr : known->second.c_str();
  });
}

} // namespace

TEST(BatchSystem, IsSeenByItsVariables) {
  EXPECT_EQ(batchWith({}), "");
  EXPECT_EQ(batchWith({{"SLURM_JOB_ID", "17"}}), "SLURM");
  EXPECT_EQ(batchWith({{"PBS_JOBID", "17.server"}}), "PBS");
  EXPECT_EQ(batchWith({{"LSB_JOBID", "17"}}), "LSF");
  EXPECT_EQ(batchWith({{"FLUX_JOB_ID", "f17"}}), "Flux");
  EXPECT_EQ(batchWith({{"PMI_RANK", "0"}}), "PMI");
  EXPECT_EQ(batchWith({{"PMIX_RANK", "0"}}), "PMI");
}

TEST(BatchSystem, WhatIsThereWithoutAJobIsNone) {
  // Clients of batch systems set these in login shells.
  EXPECT_EQ(
      batchWith({{"SLURM_CONF", "/etc/slurm.conf"}, {"PBS_SERVER", "s"}, {"LSF_BINDIR", "/b"}}),
      "");
  EXPECT_EQ(batchWith({{"SLURM_JOB_ID", ""}}), "");
}

TEST(FileSystems, AreToldByTheirNumbers) {
  // Of Linux's own header, where it has them.
  EXPECT_EQ(classOfFileSystem(NFS_SUPER_MAGIC), FileSystemClass::network);
  EXPECT_EQ(classOfFileSystem(SMB_SUPER_MAGIC), FileSystemClass::network);
  EXPECT_EQ(classOfFileSystem(CIFS_SUPER_MAGIC), FileSystemClass::network);
  EXPECT_EQ(classOfFileSystem(SMB2_SUPER_MAGIC), FileSystemClass::network);
  EXPECT_EQ(classOfFileSystem(FUSE_SUPER_MAGIC), FileSystemClass::network);
  EXPECT_EQ(classOfFileSystem(CEPH_SUPER_MAGIC), FileSystemClass::network);
  EXPECT_EQ(classOfFileSystem(V9FS_MAGIC), FileSystemClass::network);
  EXPECT_EQ(classOfFileSystem(AFS_SUPER_MAGIC), FileSystemClass::network);
  EXPECT_EQ(classOfFileSystem(CODA_SUPER_MAGIC), FileSystemClass::network);
  EXPECT_EQ(classOfFileSystem(OCFS2_SUPER_MAGIC), FileSystemClass::network);
  // statfs(2): lustre and gpfs have theirs from their own sources.
  EXPECT_STREQ(nameOfFileSystem(0x0bd00bd0), "Lustre");
  EXPECT_STREQ(nameOfFileSystem(0x47504653), "GPFS");
  EXPECT_STREQ(nameOfFileSystem(0x19830326), "BeeGFS");
  EXPECT_EQ(classOfFileSystem(TMPFS_MAGIC), FileSystemClass::memory);
  for (const uint64_t local :
       {uint64_t(EXT4_SUPER_MAGIC), uint64_t(XFS_SUPER_MAGIC), uint64_t(BTRFS_SUPER_MAGIC),
        uint64_t(OVERLAYFS_SUPER_MAGIC), uint64_t(12345)}) {
    EXPECT_EQ(classOfFileSystem(local), FileSystemClass::local) << std::hex << local;
    EXPECT_STREQ(nameOfFileSystem(local), "");
  }
}

TEST(FileSystems, OfAFolderThatIsNotThereItIsThatOfTheOneAbove) {
  const FileSystem memory = fileSystemOf("/dev/shm");
  EXPECT_EQ(memory.kind, FileSystemClass::memory);
  EXPECT_EQ(memory.name, "tmpfs");
  EXPECT_EQ(fileSystemOf("/dev/shm/not/there/at-all").kind, FileSystemClass::memory);
  EXPECT_EQ(fileSystemOf("/proc/self/nothing").kind, FileSystemClass::local);
  EXPECT_EQ(fileSystemOf("").kind, FileSystemClass::local);
  EXPECT_EQ(fileSystemOf("relative").kind, FileSystemClass::local);
  EXPECT_GT(fileSystemOf("/").freeBytes + 1, 0u);
}
