#include "runtime/codeobject/bundle.h"

#include <algorithm>

namespace meld {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr uint64_t kMaxEntries = 4096;
constexpr uint64_t kMaxIdLength = 4096;

bool startsWith(ByteView bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

} // namespace

std::string BundleEntry::processor() const {
  size_t at = id.find("amdhsa-");
  if (at == std::string::npos || !isDevice())
    return {};
  at += std::string_view("amdhsa-").size();
  while (at < id.size() && id[at] == '-')
    ++at;
  return id.substr(at);
}

bool looksLikeBundle(ByteView bytes) { return startsWith(bytes, kMagic); }
bool looksLikeCompressedBundle(ByteView bytes) { return startsWith(bytes, kCompressedMagic); }

Result<Bundle> readBundle(ByteView bytes) {
  if (!looksLikeBundle(bytes))
    return fail(ErrorCode::badInput, "no offload bundle magic at offset 0x0");
  uint64_t at = kMagic.size();
  auto count = readAt<uint64_t>(bytes, at, "bundle entry count");
  if (!count)
    return tl::unexpected(count.error());
  if (*count > kMaxEntries)
    return fail(ErrorCode::badInput,
                "bundle claims " + std::to_string(*count) + " entries at offset " + hexOffset(at));
  at += 8;
  Bundle bundle;
  for (uint64_t i = 0; i < *count; ++i) {
    std::string what = "bundle entry " + std::to_string(i);
    struct Raw {
      uint64_t offset, size, idLength;
    };
    auto raw = readAt<Raw>(bytes, at, what);
    if (!raw)
      return tl::unexpected(raw.error());
    if (raw->idLength > kMaxIdLength)
      return fail(ErrorCode::badInput, what + " at offset " + hexOffset(at) + " has an id of " +
                                           std::to_string(raw->idLength) + " bytes");
    at += sizeof(Raw);
    auto id = slice(bytes, at, raw->idLength, "id of " + what);
    if (!id)
      return tl::unexpected(id.error());
    at += raw->idLength;
    BundleEntry entry;
    entry.id.assign(id->begin(), id->end());
    entry.offset = raw->offset;
    auto object = slice(bytes, raw->offset, raw->size, "object " + entry.id + " of the bundle");
    if (!object)
      return tl::unexpected(object.error());
    entry.bytes = *object;
    bundle.size = std::max(bundle.size, raw->offset + raw->size);
    bundle.entries.push_back(std::move(entry));
  }
  bundle.size = std::max(bundle.size, at);
  return bundle;
}

Result<CompressedBundleHeader> readCompressedHeader(ByteView bytes) {
  if (!looksLikeCompressedBundle(bytes))
    return fail(ErrorCode::badInput, "no compressed bundle magic at offset 0x0");
  auto version = readAt<uint16_t>(bytes, 4, "compressed bundle version");
  auto method = readAt<uint16_t>(bytes, 6, "compressed bundle method");
  if (!version || !method)
    return tl::unexpected(!version ? version.error() : method.error());
  CompressedBundleHeader header;
  header.version = *version;
  header.method = *method;
  auto number = [&](uint64_t offset, unsigned width, const char *what) -> Result<uint64_t> {
    if (width == 4) {
      auto value = readAt<uint32_t>(bytes, offset, what);
      if (!value)
        return tl::unexpected(value.error());
      return *value;
    }
    return readAt<uint64_t>(bytes, offset, what);
  };
  // Version 1 has no total size; version 2 has 32-bit sizes, version 3 64-bit ones.
  if (*version < 1 || *version > 3)
    return fail(ErrorCode::unsupported,
                "compressed bundle version " + std::to_string(*version) + " at offset 0x4");
  unsigned width = *version == 3 ? 8 : 4;
  uint64_t at = 8;
  if (*version >= 2) {
    auto total = number(at, width, "compressed bundle size");
    if (!total)
      return tl::unexpected(total.error());
    header.totalSize = *total;
    at += width;
  }
  auto size = number(at, width, "uncompressed bundle size");
  if (!size)
    return tl::unexpected(size.error());
  header.uncompressedSize = *size;
  return header;
}

} // namespace meld
