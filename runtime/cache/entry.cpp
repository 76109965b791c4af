#include "runtime/cache/entry.h"

#include <algorithm>
#include <zstd.h>

namespace meld {
namespace {

constexpr char kMagic[8] = {'M', 'E', 'L', 'D', 'C', 'A', 'C', 'H'};
constexpr int kLevel = 3;

struct RawHeader {
  char magic[8];
  uint32_t version, verdict;
  uint8_t key[32];
  uint64_t created, rawSize, payloadSize;
  uint32_t toolSize, reasonSize, metadataSize, metadataRawSize;
};
static_assert(sizeof(RawHeader) == kEntryHead, "the file format has no padding");

bool hasPayload(Verdict verdict) {
  return verdict == Verdict::replaced || verdict == Verdict::untried;
}

std::string textOf(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

template <class Out> Result<Out> packed(const void *bytes, size_t size) {
  Out out;
  out.resize(ZSTD_compressBound(size));
  const size_t done = ZSTD_compress(out.data(), out.size(), bytes, size, kLevel);
  if (ZSTD_isError(done))
    return fail(ErrorCode::internal, std::string("zstd: ") + ZSTD_getErrorName(done));
  out.resize(done);
  return out;
}

template <class Out> Result<Out> unpacked(ByteView bytes, uint64_t rawSize, const char *what) {
  auto bad = [&] {
    return fail(ErrorCode::badInput, std::string("cache entry ") + what + " does not unpack to " +
                                         std::to_string(rawSize) + " bytes");
  };
  // The stored size is only believed when zstd's own frame header agrees.
  if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != rawSize)
    return bad();
  Out out;
  out.resize(rawSize);
  const size_t done = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(done) || done != rawSize)
    return bad();
  return out;
}

} // namespace

const char *verdictName(Verdict verdict) {
  switch (verdict) {
  case Verdict::replaced:
    return "replaced";
  case Verdict::unchanged:
    return "unchanged";
  case Verdict::untried:
    return "untried";
  case Verdict::measured:
    return "measured";
  }
  return "?";
}

Result<Bytes> writeEntry(const CacheEntry &entry) {
  const std::string tool = entry.tool.substr(0, kMaxText);
  const std::string reason = entry.reason.substr(0, kMaxText);
  if (entry.codeObject.size() > kMaxCodeObject)
    return fail(ErrorCode::badInput, "code object of " + std::to_string(entry.codeObject.size()) +
                                         " bytes is too large for the cache");
  if (entry.metadata.size() > kMaxMetadata)
    return fail(ErrorCode::badInput, "metadata of " + std::to_string(entry.metadata.size()) +
                                         " bytes is too large for the cache");
  RawHeader header{};
  std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
  header.version = kCacheFormat;
  header.verdict = static_cast<uint32_t>(entry.verdict);
  std::copy(entry.key.bytes.begin(), entry.key.bytes.end(), header.key);
  header.created = entry.created;
  header.toolSize = tool.size();
  header.reasonSize = reason.size();

  std::string metadata;
  if (!entry.metadata.empty()) {
    metadata = MELD_TRY(packed<std::string>(entry.metadata.data(), entry.metadata.size()));
    header.metadataSize = metadata.size();
    header.metadataRawSize = entry.metadata.size();
  }
  Bytes payload;
  if (hasPayload(entry.verdict)) {
    payload = MELD_TRY(packed<Bytes>(entry.codeObject.data(), entry.codeObject.size()));
    header.rawSize = entry.codeObject.size();
  }
  header.payloadSize = payload.size();

  Bytes out(sizeof(header));
  std::memcpy(out.data(), &header, sizeof(header));
  for (const std::string *text :
       std::initializer_list<const std::string *>{&tool, &reason, &metadata})
    out.insert(out.end(), text->begin(), text->end());
  out.insert(out.end(), payload.begin(), payload.end());
  auto sum = blake3(out);
  out.insert(out.end(), sum.begin(), sum.end());
  if (out.size() > kMaxEntryFile)
    return fail(ErrorCode::badInput,
                "entry of " + std::to_string(out.size()) + " bytes is too large");
  return out;
}

namespace {

/// The checked parts of a file.
struct Parts {
  RawHeader header;
  uint64_t size; ///< of the entry
  ByteView tool, reason, metadata, payload;
};

/// What an entry with this header has, in bytes. Each part is bounded: no overflow.
uint64_t sizeBy(const RawHeader &header) {
  return sizeof(RawHeader) + kChecksumSize + header.toolSize + header.reasonSize +
         header.metadataSize + header.payloadSize;
}

Result<RawHeader> checkedHeader(ByteView head, uint64_t fileSize, const CacheKey *expected,
                                uint64_t maxCodeObject) {
  auto header = readAt<RawHeader>(head, 0, "cache entry header");
  if (!header)
    return header;
  if (!std::equal(std::begin(kMagic), std::end(kMagic), header->magic))
    return fail(ErrorCode::badInput, "no cache entry magic at offset 0x0");
  if (header->version != kCacheFormat)
    return fail(ErrorCode::unsupported,
                "cache entry version " + std::to_string(header->version) + " at offset 0x8");
  CacheKey key;
  std::copy(std::begin(header->key), std::end(header->key), key.bytes.begin());
  if (expected && key != *expected)
    return fail(ErrorCode::badInput, "cache entry belongs to key " + key.hex());
  const auto verdict = static_cast<Verdict>(header->verdict);
  const bool known = verdict >= Verdict::replaced && verdict <= Verdict::measured;
  if (!known || hasPayload(verdict) != (header->payloadSize != 0) ||
      header->rawSize > std::min(maxCodeObject, kMaxCodeObject) ||
      header->payloadSize > ZSTD_compressBound(header->rawSize))
    return fail(ErrorCode::badInput, "cache entry verdict " + std::to_string(header->verdict) +
                                         " with a payload of " +
                                         std::to_string(header->payloadSize) + " bytes for " +
                                         std::to_string(header->rawSize));
  if (header->metadataRawSize > kMaxMetadata ||
      (header->metadataSize != 0) != (header->metadataRawSize != 0) ||
      header->metadataSize > ZSTD_compressBound(header->metadataRawSize))
    return fail(ErrorCode::badInput, "cache entry metadata of " +
                                         std::to_string(header->metadataSize) + " bytes for " +
                                         std::to_string(header->metadataRawSize));
  if (header->toolSize > kMaxText || header->reasonSize > kMaxText)
    return fail(ErrorCode::badInput, "cache entry with texts of " +
                                         std::to_string(header->toolSize) + " and " +
                                         std::to_string(header->reasonSize) + " bytes");
  const uint64_t says = sizeBy(*header);
  if (says != fileSize && says + kSealSize != fileSize)
    return fail(ErrorCode::badInput, "cache entry says " + std::to_string(says) +
                                         " bytes, the file has " + std::to_string(fileSize));
  return header;
}

Result<Parts> split(ByteView file, const CacheKey *expected) {
  auto header = MELD_TRY(checkedHeader(file, file.size(), expected, kMaxCodeObject));
  Parts parts;
  parts.header = header;
  parts.size = sizeBy(header);
  file = file.first(parts.size);
  auto sum = blake3(file.first(file.size() - kChecksumSize));
  if (!std::equal(sum.begin(), sum.end(), file.end() - kChecksumSize))
    return fail(ErrorCode::badInput, "cache entry checksum at offset " +
                                         hexOffset(file.size() - kChecksumSize) +
                                         " does not match");
  uint64_t at = sizeof(RawHeader);
  for (auto [part, size] : {std::pair{&parts.tool, uint64_t(header.toolSize)},
                            std::pair{&parts.reason, uint64_t(header.reasonSize)},
                            std::pair{&parts.metadata, uint64_t(header.metadataSize)},
                            std::pair{&parts.payload, header.payloadSize}}) {
    *part = file.subspan(at, size);
    at += size;
  }
  return parts;
}

/// Empty where there is none.
Result<std::string> unpackedMetadata(const Parts &parts) {
  if (!parts.header.metadataSize)
    return std::string();
  return unpacked<std::string>(parts.metadata, parts.header.metadataRawSize, "metadata");
}

} // namespace

Result<void> checkEntryHead(ByteView head, uint64_t fileSize, const CacheKey *expected,
                            uint64_t maxCodeObject) {
  MELD_TRY(checkedHeader(head, fileSize, expected, maxCodeObject));
  return {};
}

Result<uint64_t> entrySize(ByteView file) {
  const auto header = MELD_TRY(checkedHeader(file, file.size(), nullptr, kMaxCodeObject));
  return sizeBy(header);
}

Result<CacheEntry> readEntry(ByteView file, const CacheKey *expected) {
  auto parts = MELD_TRY(split(file, expected));
  CacheEntry entry;
  std::copy(std::begin(parts.header.key), std::end(parts.header.key), entry.key.bytes.begin());
  entry.verdict = static_cast<Verdict>(parts.header.verdict);
  entry.created = parts.header.created;
  entry.tool = textOf(parts.tool);
  entry.reason = textOf(parts.reason);
  if (hasPayload(entry.verdict)) {
    entry.codeObject = MELD_TRY(unpacked<Bytes>(parts.payload, parts.header.rawSize, "payload"));
  }
  if (entry.verdict == Verdict::measured) {
    entry.metadata = MELD_TRY(unpackedMetadata(parts));
  }
  return entry;
}

Result<Bytes> withVerdict(Bytes file, Verdict verdict) {
  auto parts = MELD_TRY(split(file, nullptr));
  if (!hasPayload(verdict) || parts.payload.empty())
    return fail(ErrorCode::internal, "a verdict that does not go with the payload");
  file.resize(parts.size);
  parts.header.verdict = static_cast<uint32_t>(verdict);
  std::memcpy(file.data(), &parts.header, sizeof(parts.header));
  auto sum = blake3(ByteView(file).first(file.size() - kChecksumSize));
  std::copy(sum.begin(), sum.end(), file.end() - kChecksumSize);
  return file;
}

Result<CacheEntryHeader> readEntryHeader(ByteView file) {
  auto parts = MELD_TRY(split(file, nullptr));
  CacheEntryHeader header;
  std::copy(std::begin(parts.header.key), std::end(parts.header.key), header.key.bytes.begin());
  header.verdict = static_cast<Verdict>(parts.header.verdict);
  header.created = parts.header.created;
  header.rawSize = parts.header.rawSize;
  header.payloadSize = parts.header.payloadSize;
  header.tool = textOf(parts.tool);
  header.reason = textOf(parts.reason);
  header.metadata = MELD_TRY(unpackedMetadata(parts));
  return header;
}

} // namespace meld
