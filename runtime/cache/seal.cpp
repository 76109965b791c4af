#include "runtime/cache/seal.h"

#include <algorithm>

namespace meld {
namespace {

constexpr char kMagic[8] = {'M', 'E', 'L', 'D', 'S', 'E', 'A', 'L'};
constexpr uint32_t kVersion = 1;
constexpr std::string_view kDomain = "libmeld entry 1\n"; // no other text of ours begins so

struct RawSeal {
  char magic[8];
  uint32_t version, zero;
  uint8_t keyId[8];
  uint8_t signature[kSignatureSize];
};
static_assert(sizeof(RawSeal) == kSealSize, "the file format has no padding");

} // namespace

std::string hexOf(const KeyId &id) {
  CacheKey key;
  std::copy(id.begin(), id.end(), key.bytes.begin());
  return key.hex().substr(0, 2 * id.size());
}

Result<std::optional<Seal>> sealOf(ByteView file) {
  const uint64_t entry = MELD_TRY(entrySize(file));
  if (entry == file.size())
    return std::nullopt;
  const auto raw = MELD_TRY(readAt<RawSeal>(file, entry, "seal of a cache entry"));
  if (!std::equal(std::begin(kMagic), std::end(kMagic), raw.magic))
    return fail(ErrorCode::badInput, "no seal's magic at offset " + hexOffset(entry));
  if (raw.version != kVersion || raw.zero)
    return fail(ErrorCode::unsupported, "seal of version " + std::to_string(raw.version) +
                                            " at offset " + hexOffset(entry + 8));
  Seal seal;
  std::copy(std::begin(raw.keyId), std::end(raw.keyId), seal.keyId.begin());
  std::copy(std::begin(raw.signature), std::end(raw.signature), seal.signature.begin());
  return seal;
}

ByteView withoutSeal(ByteView file) {
  const auto size = entrySize(file);
  return size ? file.first(*size) : file;
}

Bytes withSeal(ByteView file, const Seal &seal) {
  RawSeal raw{};
  std::copy(std::begin(kMagic), std::end(kMagic), raw.magic);
  raw.version = kVersion;
  std::copy(seal.keyId.begin(), seal.keyId.end(), raw.keyId);
  std::copy(seal.signature.begin(), seal.signature.end(), raw.signature);
  const ByteView entry = withoutSeal(file);
  Bytes out(entry.begin(), entry.end());
  const auto *bytes = reinterpret_cast<const uint8_t *>(&raw);
  out.insert(out.end(), bytes, bytes + sizeof(raw));
  return out;
}

Bytes signedText(ByteView file, const CacheKey &key) {
  const ByteView entry = withoutSeal(file);
  Bytes text(kDomain.begin(), kDomain.end());
  text.insert(text.end(), key.bytes.begin(), key.bytes.end());
  const size_t checksum = std::min(kChecksumSize, entry.size());
  text.insert(text.end(), entry.end() - static_cast<ptrdiff_t>(checksum), entry.end());
  return text;
}

} // namespace meld
