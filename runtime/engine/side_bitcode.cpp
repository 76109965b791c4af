#include "runtime/engine/side_bitcode.h"

#include "runtime/cache/key.h"
#include "runtime/codeobject/add_bitcode.h"
#include "runtime/codeobject/codeobject.h"
#include "runtime/host/descriptor.h"
#include "runtime/log/log.h"
#include "runtime/read.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

namespace meld {
namespace {

constexpr uint64_t kMostBitcode = uint64_t(256) << 20;
constexpr uint8_t kMagic[4] = {'B', 'C', 0xc0, 0xde};

/// Nothing where there is no such file.
Result<std::optional<Bytes>> readBitcode(const std::string &file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor) {
    if (errno == ENOENT || errno == ENOTDIR)
      return std::nullopt;
    return fail(ErrorCode::io, std::strerror(errno));
  }
  struct stat info;
  if (::fstat(descriptor.get(), &info))
    return fail(ErrorCode::io, std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return fail(ErrorCode::badInput, "no regular file");
  if (uint64_t(info.st_size) > kMostBitcode)
    return fail(ErrorCode::badInput, std::to_string(info.st_size) + " bytes are too many");
  Bytes bytes(size_t(info.st_size));
  const ssize_t got = readAll(descriptor.get(), bytes.data(), bytes.size());
  if (got < 0)
    return fail(ErrorCode::io, std::strerror(errno));
  if (size_t(got) < bytes.size())
    return fail(ErrorCode::badInput, "ends early, at offset " + hexOffset(uint64_t(got)));
  if (bytes.size() < sizeof(kMagic) || std::memcmp(bytes.data(), kMagic, sizeof(kMagic)))
    return fail(ErrorCode::badInput, "no LLVM bitcode at offset 0x0");
  return bytes;
}

} // namespace

std::string sideBitcodeHash(ByteView codeObject) { return CacheKey{blake3(codeObject)}.hex(); }

std::vector<std::string> sideBitcodeFolders(const std::string &path) {
  std::vector<std::string> folders;
  for (size_t from = 0; from < path.size();) {
    const size_t colon = std::min(path.find(':', from), path.size());
    if (colon > from)
      folders.push_back(path.substr(from, colon - from));
    from = colon + 1;
  }
  return folders;
}

Result<std::optional<SideBitcode>> findSideBitcode(ByteView codeObject, const std::string &path) {
  if (path.empty() || hasBitcode(codeObject) || !CodeObject::parse(codeObject))
    return std::nullopt;
  const std::string name = sideBitcodeHash(codeObject) + ".bc";
  for (const std::string &folder : sideBitcodeFolders(path)) {
    const std::string file = folder + "/" + name;
    auto bitcode = readBitcode(file);
    if (bitcode && !*bitcode)
      continue;
    auto made = bitcode ? withBitcode(codeObject, **bitcode)
                        : Result<Bytes>(tl::unexpected(bitcode.error()));
    if (!made)
      return fail(made.error().code, file + ": " + made.error().message);
    return SideBitcode{std::move(*made), file};
  }
  return std::nullopt;
}

std::optional<Bytes> withSideBitcode(ByteView codeObject, const std::string &path) {
  auto found = findSideBitcode(codeObject, path);
  if (!found) {
    const std::string &why = found.error().message;
    log::warnOnce("MELD_BITCODE_PATH: " + why, "MELD_BITCODE_PATH: " + why,
                  "; the code object is used as one without bitcode");
    return std::nullopt;
  }
  if (!*found)
    return std::nullopt;
  log::info("bitcode from " + (*found)->file);
  return std::move((*found)->object);
}

} // namespace meld
