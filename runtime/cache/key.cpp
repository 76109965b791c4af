#include "runtime/cache/key.h"

#include <llvm-c/blake3.h>

namespace meld {
namespace {

void updateLength(llvm_blake3_hasher &hasher, uint64_t value) {
  uint8_t bytes[8];
  for (unsigned i = 0; i < 8; ++i)
    bytes[i] = static_cast<uint8_t>(value >> (8 * i));
  llvm_blake3_hasher_update(&hasher, bytes, sizeof(bytes));
}

int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return -1;
}

} // namespace

struct KeyBuilder::Hasher {
  llvm_blake3_hasher state;
};

KeyBuilder::KeyBuilder() : hasher_(std::make_unique<Hasher>()) {
  llvm_blake3_hasher_init(&hasher_->state);
}
KeyBuilder::~KeyBuilder() = default;
KeyBuilder::KeyBuilder(KeyBuilder &&) noexcept = default;
KeyBuilder &KeyBuilder::operator=(KeyBuilder &&) noexcept = default;

KeyBuilder &KeyBuilder::add(std::string_view name, ByteView value) {
  updateLength(hasher_->state, name.size());
  llvm_blake3_hasher_update(&hasher_->state, name.data(), name.size());
  updateLength(hasher_->state, value.size());
  llvm_blake3_hasher_update(&hasher_->state, value.data(), value.size());
  return *this;
}

KeyBuilder &KeyBuilder::add(std::string_view name, std::string_view value) {
  return add(name, ByteView(reinterpret_cast<const uint8_t *>(value.data()), value.size()));
}

KeyBuilder &KeyBuilder::add(std::string_view name, uint64_t value) {
  return add(name, std::string_view(std::to_string(value)));
}

CacheKey KeyBuilder::finish() const {
  CacheKey key;
  llvm_blake3_hasher_finalize(&hasher_->state, key.bytes.data(), key.bytes.size());
  return key;
}

std::array<uint8_t, 32> blake3(ByteView bytes) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, bytes.data(), bytes.size());
  std::array<uint8_t, 32> out;
  llvm_blake3_hasher_finalize(&hasher, out.data(), out.size());
  return out;
}

std::string CacheKey::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Result<CacheKey> CacheKey::fromHex(std::string_view text) {
  CacheKey key;
  if (text.size() != 64)
    return fail(ErrorCode::badInput, "a cache key has 64 hexadecimal digits");
  for (size_t i = 0; i < 32; ++i) {
    int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0)
      return fail(ErrorCode::badInput, "'" + std::string(text) + "' is not hexadecimal");
    key.bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return key;
}

} // namespace meld
