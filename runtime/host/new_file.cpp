#include "runtime/host/new_file.h"

#include "runtime/host/output.h"
#include "runtime/host/text.h"
#include "runtime/write.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meld {
namespace {

std::string uniqueName() {
  static std::atomic<uint32_t> counter{0};
  uint64_t random = 0;
  if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
    random = counter.load();
  return std::string(kTemporaryPrefix) + std::to_string(getpid()) + "." +
         std::to_string(counter++) + "." + std::to_string(random);
}

} // namespace

Result<void> writeNewFile(const Descriptor &folder, const std::string &name, std::string_view text,
                          mode_t mode) {
  std::string temporary;
  Descriptor fd;
  for (unsigned attempt = 0; attempt < 16 && !fd; ++attempt) {
    temporary = uniqueName();
    fd = Descriptor(::openat(folder.get(), temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!fd && errno != EEXIST)
      return fail(ErrorCode::io, errnoText("creating a file for " + name, errno));
  }
  if (!fd)
    return fail(ErrorCode::io, "no free temporary name for " + name);
  int error = writeAll(fd.get(), text);
  if (const int closing = fd.close(); !error)
    error = closing;
  if (!error && ::renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()))
    error = errno;
  if (error) {
    ::unlinkat(folder.get(), temporary.c_str(), 0);
    return fail(ErrorCode::io, errnoText("writing " + name, error));
  }
  return {};
}

Result<void> writeWholePath(const std::string &path, std::string_view text, mode_t mode) {
  struct stat info;
  if (!::stat(path.c_str(), &info) && !S_ISREG(info.st_mode)) {
    auto output = MELD_TRY(openOutput(path, false));
    if (const int error = writeWithoutBlocking(output.get(), text))
      return fail(ErrorCode::io, errnoText("writing " + path, error));
    return {};
  }
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || name.empty())
    return fail(ErrorCode::io, errnoText(path, directory ? EISDIR : errno));
  return writeNewFile(directory, name, text, mode);
}

} // namespace meld
