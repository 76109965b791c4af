#include "runtime/codeobject/bundle.h"

#include <algorithm>
#include <memory>
#include <zlib.h>
#include <zstd.h>

namespace meld {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr uint64_t kMaxEntries = 4096;
constexpr uint64_t kMaxIdLength = 4096;
constexpr unsigned kZlib = 0, kZstd = 1;

bool startsWith(ByteView bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

} // namespace

// kind-arch-vendor-os-environment-target; older bundlers left the environment and its dash out.
std::string BundleEntry::processor() const {
  constexpr std::string_view os = "amdhsa-";
  size_t at = id.find(os);
  if (at == std::string::npos || !isDevice())
    return {};
  std::string_view rest = std::string_view(id).substr(at + os.size());
  for (std::string_view environment : {"unknown-", "-"})
    if (rest.starts_with(environment)) {
      rest.remove_prefix(environment.size());
      break;
    }
  return std::string(rest);
}

bool BundleEntry::isSpirv() const { return id.find("-spirv") != std::string::npos && isDevice(); }

bool looksLikeBundle(ByteView bytes) { return startsWith(bytes, kMagic); }
bool looksLikeCompressedBundle(ByteView bytes) { return startsWith(bytes, kCompressedMagic); }

Result<Bundle> readBundle(ByteView bytes) {
  if (!looksLikeBundle(bytes))
    return fail(ErrorCode::badInput, "no offload bundle magic at offset 0x0");
  uint64_t at = kMagic.size();
  auto count = MELD_TRY(readAt<uint64_t>(bytes, at, "bundle entry count"));
  if (count > kMaxEntries)
    return fail(ErrorCode::badInput,
                "bundle claims " + std::to_string(count) + " entries at offset " + hexOffset(at));
  at += 8;
  Bundle bundle;
  for (uint64_t i = 0; i < count; ++i) {
    std::string what = "bundle entry " + std::to_string(i);
    struct Raw {
      uint64_t offset, size, idLength;
    };
    auto raw = MELD_TRY(readAt<Raw>(bytes, at, what));
    if (raw.idLength > kMaxIdLength)
      return fail(ErrorCode::badInput, what + " at offset " + hexOffset(at) + " has an id of " +
                                           std::to_string(raw.idLength) + " bytes");
    at += sizeof(Raw);
    auto id = MELD_TRY(slice(bytes, at, raw.idLength, "id of " + what));
    at += raw.idLength;
    BundleEntry entry;
    entry.id.assign(id.begin(), id.end());
    while (!entry.id.empty() && entry.id.back() == '\0') // some bundlers count a terminator
      entry.id.pop_back();
    entry.offset = raw.offset;
    entry.bytes =
        MELD_TRY(slice(bytes, raw.offset, raw.size, "object " + entry.id + " of the bundle"));
    bundle.size = std::max(bundle.size, raw.offset + raw.size);
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
    if (width == 4)
      return MELD_TRY(readAt<uint32_t>(bytes, offset, what));
    return readAt<uint64_t>(bytes, offset, what);
  };
  // Version 1 has no total size; version 2 has 32-bit sizes, version 3 64-bit ones.
  if (*version < 1 || *version > 3)
    return fail(ErrorCode::unsupported,
                "compressed bundle version " + std::to_string(*version) + " at offset 0x4");
  unsigned width = *version == 3 ? 8 : 4;
  uint64_t at = 8;
  if (*version >= 2) {
    header.totalSize = MELD_TRY(number(at, width, "compressed bundle size"));
    at += width;
  }
  header.uncompressedSize = MELD_TRY(number(at, width, "uncompressed bundle size"));
  header.headerSize = at + width + 8; // the hash comes last
  return header;
}

Result<Bytes> unpackCompressedBundle(ByteView bytes) {
  auto header = MELD_TRY(readCompressedHeader(bytes));
  const uint64_t end = header.totalSize ? header.totalSize : bytes.size();
  if (header.headerSize > end)
    return fail(ErrorCode::badInput, "compressed bundle at offset 0x0 claims " +
                                         std::to_string(end) + " bytes, less than its header");
  auto data =
      MELD_TRY(slice(bytes, header.headerSize, end - header.headerSize, "compressed bundle data"));
  const uint64_t size = header.uncompressedSize;
  if (size > kMaxUnpacked || size / kMaxUnpackRatio > data.size())
    return fail(ErrorCode::badInput, "compressed bundle claims to hold " + std::to_string(size) +
                                         " bytes in " + std::to_string(data.size()));
  Bytes out(size);
  uint64_t made = 0;
  if (header.method == kZstd) {
    // Streaming: the window is bounded by zstd, the output by what was claimed; trailing bytes, the
    // padding of version 1, are not looked at.
    std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx *)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    if (!context)
      return fail(ErrorCode::internal, "no memory for zstd");
    ZSTD_inBuffer in{data.data(), data.size(), 0};
    ZSTD_outBuffer buffer{out.data(), out.size(), 0};
    size_t status = 1;
    while (status && in.pos < in.size) {
      const size_t inBefore = in.pos, outBefore = buffer.pos;
      status = ZSTD_decompressStream(context.get(), &buffer, &in);
      if (ZSTD_isError(status))
        return fail(ErrorCode::badInput,
                    std::string("compressed bundle data: ") + ZSTD_getErrorName(status));
      if (in.pos == inBefore && buffer.pos == outBefore)
        break; // the output is full and the frame is not at its end
    }
    if (status)
      return fail(ErrorCode::badInput, "compressed bundle data ends early or holds more than " +
                                           std::to_string(size) + " bytes");
    made = buffer.pos;
  } else if (header.method == kZlib) {
    uLongf length = out.size();
    int status = uncompress(out.data(), &length, data.data(), data.size());
    if (status != Z_OK)
      return fail(ErrorCode::badInput,
                  std::string("compressed bundle data: zlib: ") + zError(status));
    made = length;
  } else {
    return fail(ErrorCode::unsupported,
                "compressed bundle method " + std::to_string(header.method) + " at offset 0x6");
  }
  if (made != size)
    return fail(ErrorCode::badInput, "compressed bundle holds " + std::to_string(made) +
                                         " bytes, not the " + std::to_string(size) + " it claims");
  return out;
}

} // namespace meld
