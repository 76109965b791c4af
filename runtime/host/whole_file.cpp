#include "runtime/host/whole_file.h"

#include "runtime/host/descriptor.h"
#include "runtime/host/text.h"
#include "runtime/read.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

namespace meld {

Result<std::vector<uint8_t>> readWholeFile(const std::string &path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat info;
  if (!file || ::fstat(file.get(), &info))
    return fail(ErrorCode::io, errnoText(path, errno));
  if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
    return fail(ErrorCode::badInput, path + " is neither a regular file nor a pipe");
  constexpr size_t kPart = 65536; // what a pipe holds
  std::vector<uint8_t> bytes;
  // One byte more than a file has: then its end is seen at the first read.
  for (size_t part = S_ISREG(info.st_mode) ? size_t(info.st_size) + 1 : kPart;;
       part = std::max(kPart, bytes.size())) {
    const size_t have = bytes.size();
    bytes.resize(have + part);
    const ssize_t got = readAll(file.get(), bytes.data() + have, part);
    if (got < 0)
      return fail(ErrorCode::io, errnoText("reading " + path, errno));
    bytes.resize(have + size_t(got));
    if (size_t(got) < part)
      return bytes;
  }
}

} // namespace meld
