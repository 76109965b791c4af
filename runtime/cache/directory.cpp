#include "runtime/cache/directory.h"

#include "runtime/write.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meld {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Result<Descriptor> checked(Descriptor fd, const std::string &path) {
  struct stat info;
  if (fstat(fd.get(), &info))
    return fail(ErrorCode::io, errnoText(path, errno));
  if (info.st_uid != geteuid())
    return fail(ErrorCode::badInput, path + " belongs to user " + std::to_string(info.st_uid));
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return fail(ErrorCode::badInput, path + " can be written by others");
  return fd;
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

std::string uniqueName() {
  static std::atomic<uint32_t> counter{0};
  uint64_t random = 0;
  if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
    random = counter.load();
  return std::string(kTemporaryPrefix) + std::to_string(getpid()) + "." +
         std::to_string(counter++) + "." + hexOffset(random).substr(2);
}

} // namespace

std::string errnoText(const std::string &what, int error) {
  return what + ": " + std::string(strerrordesc_np(error) ? strerrordesc_np(error) : "?");
}

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  if (this != &other) {
    if (fd_ >= 0)
      ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0)
    ::close(fd_);
}

Result<Descriptor> openCacheDirectory(const std::string &path, bool create) {
  if (path.empty() || path[0] != '/')
    return fail(ErrorCode::badInput, "cache folder '" + path + "' is not an absolute path");
  Descriptor fd(::open(path.c_str(), kDirectoryFlags));
  if (!fd && errno == ENOENT) {
    if (!create)
      return fail(ErrorCode::notFound, errnoText(path, ENOENT));
    if (auto ok = makeFolders(path); !ok)
      return tl::unexpected(ok.error());
    fd = Descriptor(::open(path.c_str(), kDirectoryFlags));
  }
  if (!fd) {
    if (errno == ELOOP || errno == ENOTDIR)
      return fail(ErrorCode::badInput, path + " is a symbolic link or not a folder");
    return fail(ErrorCode::io, errnoText(path, errno));
  }
  return checked(std::move(fd), path);
}

Result<Descriptor> openSubdirectory(const Descriptor &parent, const std::string &name,
                                    bool create) {
  Descriptor fd(::openat(parent.get(), name.c_str(), kDirectoryFlags));
  if (!fd && errno == ENOENT) {
    if (!create)
      return fail(ErrorCode::notFound, errnoText(name, ENOENT));
    if (::mkdirat(parent.get(), name.c_str(), 0700) && errno != EEXIST)
      return fail(ErrorCode::io, errnoText("creating folder " + name, errno));
    fd = Descriptor(::openat(parent.get(), name.c_str(), kDirectoryFlags));
  }
  if (!fd)
    return fail(ErrorCode::io, errnoText("folder " + name, errno));
  return checked(std::move(fd), name);
}

Result<Bytes> readFileAt(const Descriptor &directory, const std::string &name, uint64_t limit) {
  Descriptor fd(
      ::openat(directory.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    if (errno == ENOENT)
      return fail(ErrorCode::notFound, errnoText(name, errno));
    return fail(errno == ELOOP ? ErrorCode::badInput : ErrorCode::io, errnoText(name, errno));
  }
  struct stat info;
  if (fstat(fd.get(), &info))
    return fail(ErrorCode::io, errnoText(name, errno));
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)))
    return fail(ErrorCode::badInput, name + " is not a regular file that only we can write");
  if (info.st_size < 0 || uint64_t(info.st_size) > limit)
    return fail(ErrorCode::badInput, name + " has " + std::to_string(info.st_size) + " bytes");
  Bytes bytes(info.st_size);
  size_t at = 0;
  while (at < bytes.size()) {
    ssize_t got = ::read(fd.get(), bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail(ErrorCode::io, errnoText("reading " + name, errno));
    if (got == 0)
      return fail(ErrorCode::badInput, name + " ends at offset " + hexOffset(at));
    at += got;
  }
  return bytes;
}

Result<void> writeFileAt(const Descriptor &directory, const std::string &name, ByteView bytes) {
  std::string temporary;
  Descriptor fd;
  for (unsigned attempt = 0; attempt < 16 && !fd; ++attempt) {
    temporary = uniqueName();
    fd = Descriptor(::openat(directory.get(), temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd && errno != EEXIST)
      return fail(ErrorCode::io, errnoText("creating a file in the cache", errno));
  }
  if (!fd)
    return fail(ErrorCode::io, "no free temporary name in the cache");
  int error = writeAll(fd.get(), {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  // close() is where some file systems report a full quota.
  if (::close(fd.release()) && !error)
    error = errno;
  if (!error && ::renameat(directory.get(), temporary.c_str(), directory.get(), name.c_str()))
    error = errno;
  if (error) {
    ::unlinkat(directory.get(), temporary.c_str(), 0);
    return fail(ErrorCode::io, errnoText("writing " + name, error));
  }
  return {};
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
