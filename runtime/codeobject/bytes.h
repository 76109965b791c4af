// A view of untrusted bytes with checked reads. Offsets are file offsets, values little-endian.
#pragma once

#include "runtime/result.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace meld {

using Bytes = std::vector<uint8_t>;
using ByteView = std::span<const uint8_t>;

inline std::string hexOffset(uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do
    text.insert(text.begin(), kDigits[value & 15]);
  while (value >>= 4);
  return "0x" + text;
}

/// [offset, offset + size) lies inside a file of `total` bytes; no overflow.
inline bool inRange(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

/// What an error is about: text, or a function that makes it where composing it costs something.
template <class What> std::string nameOf(const What &what) {
  if constexpr (std::is_invocable_v<What>)
    return what();
  else
    return std::string(std::string_view(what));
}

/// The slice, or an error that names the thing, its offset and the size of the file.
template <class What>
Result<ByteView> slice(ByteView bytes, uint64_t offset, uint64_t size, const What &what) {
  if (!inRange(offset, size, bytes.size()))
    return fail(ErrorCode::badInput, nameOf(what) + " at offset " + hexOffset(offset) + " with " +
                                         std::to_string(size) + " bytes reaches past the end (" +
                                         std::to_string(bytes.size()) + " bytes)");
  return bytes.subspan(offset, size);
}

/// A trivially copyable value at any alignment.
template <class T, class What> Result<T> readAt(ByteView bytes, uint64_t offset, const What &what) {
  static_assert(std::is_trivially_copyable_v<T>);
  auto part = slice(bytes, offset, sizeof(T), what);
  if (!part)
    return tl::unexpected(part.error());
  T value;
  std::memcpy(&value, part->data(), sizeof(T));
  return value;
}

/// The zero-terminated string at `offset`; an error when the terminator is missing.
template <class What>
Result<std::string_view> stringAt(ByteView bytes, uint64_t offset, const What &what) {
  if (offset >= bytes.size())
    return fail(ErrorCode::badInput, nameOf(what) + ": string offset " + hexOffset(offset) +
                                         " is past the end of the table (" +
                                         std::to_string(bytes.size()) + " bytes)");
  const auto *begin = reinterpret_cast<const char *>(bytes.data()) + offset;
  size_t length = strnlen(begin, bytes.size() - offset);
  if (length == bytes.size() - offset)
    return fail(ErrorCode::badInput,
                nameOf(what) + ": string at offset " + hexOffset(offset) + " has no end");
  return std::string_view(begin, length);
}

} // namespace meld
