// The cache key: a 256-bit BLAKE3 over named, length-prefixed fields.
//
//   hashed := field*
//   field  := nameLength:u64 name valueLength:u64 value      (little-endian)
//
// The length prefixes make the encoding injective: no two different lists of fields hash the same
// bytes. Source: the BLAKE3 paper; "length-prefixed" after ccache's Hash::hash_delimiter.
#pragma once

#include "runtime/codeobject/bytes.h"

#include <array>
#include <memory>

namespace meld {

struct CacheKey {
  std::array<uint8_t, 32> bytes{};
  std::string hex() const;
  static Result<CacheKey> fromHex(std::string_view text);
  auto operator<=>(const CacheKey &) const = default;
};

class KeyBuilder {
public:
  KeyBuilder();
  ~KeyBuilder();
  KeyBuilder(KeyBuilder &&) noexcept;
  KeyBuilder &operator=(KeyBuilder &&) noexcept;

  KeyBuilder &add(std::string_view name, ByteView value);
  KeyBuilder &add(std::string_view name, std::string_view value);
  KeyBuilder &add(std::string_view name, uint64_t value);
  CacheKey finish() const;

private:
  struct Hasher;
  std::unique_ptr<Hasher> hasher_;
};

/// Plain BLAKE3-256 of some bytes.
std::array<uint8_t, 32> blake3(ByteView bytes);

} // namespace meld
