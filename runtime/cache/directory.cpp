#include "runtime/cache/directory.h"

#include "runtime/host/text.h"
#include "runtime/read.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace meld {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kFileFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

bool isOneOf(uid_t user, const Owners &owners) {
  return user == geteuid() ||
         std::find(owners.others.begin(), owners.others.end(), user) != owners.others.end();
}

Result<Descriptor> checked(Descriptor fd, const std::string &path, const Owners &owners) {
  struct stat info;
  if (fstat(fd.get(), &info))
    return fail(ErrorCode::io, errnoText(path, errno));
  if (owners.accept(info))
    return fd;
  if (!isOneOf(info.st_uid, owners))
    return fail(ErrorCode::badInput, path + " belongs to user " + std::to_string(info.st_uid));
  return fail(ErrorCode::badInput, path + " can be written by others");
}

/// Who besides us may read a folder may read what is in it: a site's cache is everybody's. 0 to 055.
mode_t readersOf(const Descriptor &folder) {
  struct stat info;
  return ::fstat(folder.get(), &info) ? 0 : info.st_mode & 0055;
}

Result<void> makeFolders(const std::string &path) {
  for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    std::string part = path.substr(0, at);
    if (mkdir(part.c_str(), 0700) && errno != EEXIST && errno != EISDIR) {
      int error = errno;
      struct stat info;
      // A read-only or foreign parent that exists already is fine.
      if (stat(part.c_str(), &info))
        return fail(ErrorCode::io, errnoText("creating " + part, error));
    }
    if (at == std::string::npos)
      return {};
  }
}

} // namespace

bool Owners::accept(const struct stat &info) const {
  return anybody || (isOneOf(info.st_uid, *this) && !(info.st_mode & (S_IWGRP | S_IWOTH)));
}

Result<Descriptor> openCacheDirectory(const std::string &path, bool create, const Owners &owners) {
  if (path.empty() || path[0] != '/')
    return fail(ErrorCode::badInput, "cache folder '" + shown(path) + "' is not an absolute path");
  if (path.size() >= PATH_MAX) // before any part of it is made
    return fail(ErrorCode::badInput, "cache folder " + shown(path) + " has too long a name");
  Descriptor fd(::open(path.c_str(), kDirectoryFlags));
  if (!fd && errno == ENOENT) {
    if (!create)
      return fail(ErrorCode::notFound, errnoText(path, ENOENT));
    MELD_TRY(makeFolders(path));
    fd = Descriptor(::open(path.c_str(), kDirectoryFlags));
  }
  if (!fd) {
    if (errno == ELOOP || errno == ENOTDIR)
      return fail(ErrorCode::badInput, path + " is a symbolic link or not a folder");
    return fail(ErrorCode::io, errnoText(path, errno));
  }
  return checked(std::move(fd), path, owners);
}

Result<Descriptor> openSubdirectory(const Descriptor &parent, const std::string &name, bool create,
                                    const Owners &owners) {
  Descriptor fd(::openat(parent.get(), name.c_str(), kDirectoryFlags));
  if (!fd && errno == ENOENT) {
    if (!create)
      return fail(ErrorCode::notFound, errnoText(name, ENOENT));
    if (::mkdirat(parent.get(), name.c_str(), 0700 | readersOf(parent)) && errno != EEXIST)
      return fail(ErrorCode::io, errnoText("creating folder " + name, errno));
    fd = Descriptor(::openat(parent.get(), name.c_str(), kDirectoryFlags));
  }
  if (!fd)
    return fail(ErrorCode::io, errnoText("folder " + name, errno));
  return checked(std::move(fd), name, owners);
}

namespace {

/// What open() gave for `name`, with errno as it left it.
Result<OpenFile> checkedFile(int fd, const std::string &name, uint64_t limit,
                             const Owners &owners) {
  OpenFile file;
  file.descriptor = Descriptor(fd);
  if (!file.descriptor) {
    if (errno == ENOENT || errno == ENOTDIR)
      return fail(ErrorCode::notFound, errnoText(name, errno));
    return fail(errno == ELOOP ? ErrorCode::badInput : ErrorCode::io, errnoText(name, errno));
  }
  struct stat info;
  if (fstat(file.descriptor.get(), &info))
    return fail(ErrorCode::io, errnoText(name, errno));
  if (!S_ISREG(info.st_mode) || !owners.accept(info))
    return fail(ErrorCode::badInput, name + " is not a regular file that only we can write");
  if (info.st_size < 0 || uint64_t(info.st_size) > limit)
    return fail(ErrorCode::badInput, name + " has " + std::to_string(info.st_size) + " bytes");
  file.size = info.st_size;
  file.modified = info.st_mtime;
  return file;
}

} // namespace

Result<OpenFile> openFileAt(const Descriptor &directory, const std::string &name, uint64_t limit,
                            const Owners &owners) {
  auto file = checkedFile(::openat(directory.get(), name.c_str(), kFileFlags), name, limit, owners);
  if (!file)
    return file;
  // Not st_blocks: file systems that compress or write late have fewer. Where holes are not known
  // the answer is the end of the file.
  const off_t hole = ::lseek(file->descriptor.get(), 0, SEEK_HOLE);
  if (hole >= 0 && uint64_t(hole) < file->size)
    return fail(ErrorCode::badInput, name + " has a hole at offset " + hexOffset(hole));
  return file;
}

Result<OpenFile> openFileByPath(const std::string &path, uint64_t limit, const Owners &owners) {
  return checkedFile(::open(path.c_str(), kFileFlags), path, limit, owners);
}

Result<Bytes> readPart(const OpenFile &file, uint64_t offset, uint64_t size) {
  Bytes bytes(size);
  const ssize_t got = readAll(file.descriptor.get(), bytes.data(), size, off_t(offset));
  if (got < 0)
    return fail(ErrorCode::io, errnoText("reading a cache entry", errno));
  if (uint64_t(got) < size)
    return fail(ErrorCode::badInput, "it ends at offset " + hexOffset(offset + uint64_t(got)));
  return bytes;
}

Result<void> writeFileAt(const Descriptor &directory, const std::string &name, ByteView bytes) {
  return writeNewFile(directory, name, {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                      0600 | (readersOf(directory) & 0044));
}

Result<std::vector<std::string>> namesIn(const Descriptor &directory) {
  // A fresh open file: the position of a directory stream is shared by duplicates.
  int fd = ::openat(directory.get(), ".", kDirectoryFlags);
  if (fd < 0)
    return fail(ErrorCode::io, errnoText("listing a cache folder", errno));
  std::unique_ptr<DIR, decltype([](DIR *open) { ::closedir(open); })> stream(::fdopendir(fd));
  if (!stream) {
    int error = errno;
    ::close(fd);
    return fail(ErrorCode::io, errnoText("listing a cache folder", error));
  }
  std::vector<std::string> names;
  while (dirent *entry = ::readdir(stream.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..")
      names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace meld
