#include "runtime/cache/surroundings.h"

#include <cerrno>
#include <sys/vfs.h>

namespace meld {
namespace {

struct KnownFileSystem {
  uint64_t magic;
  FileSystemClass kind;
  const char *name;
};

// Numbers: statfs(2), linux/magic.h, and the sources of those that are not part of Linux.
constexpr KnownFileSystem kKnown[] = {
    {0x01021994, FileSystemClass::memory, "tmpfs"},
    {0x858458f6, FileSystemClass::memory, "ramfs"},
    {0x6969, FileSystemClass::network, "NFS"},
    {0x0bd00bd0, FileSystemClass::network, "Lustre"},
    {0x47504653, FileSystemClass::network, "GPFS"},
    {0x19830326, FileSystemClass::network, "BeeGFS"},
    {0xff534d42, FileSystemClass::network, "CIFS"},
    {0xfe534d42, FileSystemClass::network, "SMB2"},
    {0x517b, FileSystemClass::network, "SMB"},
    {0x65735546, FileSystemClass::network, "FUSE"}, // sshfs, dfuse, CVMFS; a local one loses little
    {0x00c36400, FileSystemClass::network, "Ceph"},
    {0x5346414f, FileSystemClass::network, "OpenAFS"},
    {0x6b414653, FileSystemClass::network, "AFS"},
    {0x73757245, FileSystemClass::network, "Coda"},
    {0x01021997, FileSystemClass::network, "9P"},
    {0xaad7aaea, FileSystemClass::network, "PanFS"},
    {0x20030528, FileSystemClass::network, "OrangeFS"},
    {0x7461636f, FileSystemClass::network, "OCFS2"},
    {0x01161970, FileSystemClass::network, "GFS2"},
};

const KnownFileSystem *find(uint64_t magic) noexcept {
  for (const KnownFileSystem &one : kKnown)
    if (one.magic == magic)
      return &one;
  return nullptr;
}

} // namespace

std::string batchSystem(const Variable &variable) {
  struct Sign {
    const char *variable, *name;
  };
  // PMI and PMIx are what launchers give each process where no batch system has a variable of its own.
  constexpr Sign kSigns[] = {{"SLURM_JOB_ID", "SLURM"}, {"SLURM_JOBID", "SLURM"},
                             {"PBS_JOBID", "PBS"},      {"LSB_JOBID", "LSF"},
                             {"FLUX_JOB_ID", "Flux"},   {"PMI_RANK", "PMI"},
                             {"PMI_SIZE", "PMI"},       {"PMI_FD", "PMI"},
                             {"PMIX_RANK", "PMI"},      {"PMIX_NAMESPACE", "PMI"}};
  for (const Sign &sign : kSigns)
    if (const char *value = variable(sign.variable); value && *value)
      return sign.name;
  return {};
}

FileSystemClass classOfFileSystem(uint64_t magic) noexcept {
  const KnownFileSystem *known = find(magic);
  return known ? known->kind : FileSystemClass::local;
}

const char *nameOfFileSystem(uint64_t magic) noexcept {
  const KnownFileSystem *known = find(magic);
  return known ? known->name : "";
}

FileSystem fileSystemOf(const std::string &folder) {
  std::string path = folder;
  struct statfs info {};
  while (::statfs(path.c_str(), &info)) {
    const size_t slash = path.rfind('/');
    if ((errno != ENOENT && errno != ENOTDIR) || slash == std::string::npos || path == "/")
      return {};
    path.resize(slash ? slash : 1);
  }
  // Some of the numbers have 32 bits with the highest set, and f_type is signed.
  const auto magic = static_cast<uint32_t>(info.f_type);
  return {classOfFileSystem(magic), nameOfFileSystem(magic),
          uint64_t(info.f_bavail) * uint64_t(info.f_bsize)};
}

} // namespace meld
