#include "runtime/softgpu/verify/compare.h"

#include "runtime/softgpu/execute/safe_read.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace meld::softgpu::verify {

namespace {

template <class T> T read(const uint8_t *p) {
  T x;
  std::memcpy(&x, p, sizeof(T));
  return x;
}

/// One page: what the original left, what the other run left, and who wrote which bytes.
struct PageView {
  const uint8_t *original, *other;
  uint64_t page;
  const PageStore &before, &own;

  uint64_t written(unsigned line) const {
    const uint64_t at = page + 64 * line;
    return (before.holds(page) ? before.written(at) : 0) | (own.holds(page) ? own.written(at) : 0);
  }
};

/// Bytes of the 8 at `offset` that were written and differ, a bit each.
uint8_t differing(const PageView &v, unsigned offset, uint8_t written, const ObjectPair *object) {
  const auto a = read<uint64_t>(v.original + offset), b = read<uint64_t>(v.other + offset);
  if (a == b || (object && object->sameMeaning(a, b)))
    return 0;
  uint8_t bits = 0;
  for (unsigned k = 0; k < 8; ++k)
    bits |= uint8_t((a >> (8 * k) & 0xff) != (b >> (8 * k) & 0xff)) << k;
  return bits & written;
}

void note(Comparison &result, const PageView &v, unsigned offset, uint8_t bytes) {
  result.bytesDifferent += unsigned(std::popcount(bytes));
  for (unsigned half = 0; half < 2; ++half)
    if ((bytes >> (4 * half) & 15) && result.first.size() < kWordsKept) {
      const unsigned at = offset + 4 * half;
      result.first.push_back(
          {v.page + at, read<uint32_t>(v.original + at), read<uint32_t>(v.other + at)});
    }
}

void comparePage(const PageView &v, const ObjectPair *object, Comparison &result) {
  for (unsigned line = 0; line < kPage / 64; ++line) {
    const uint64_t written = v.written(line);
    if (!written)
      continue;
    result.bytesWritten += unsigned(std::popcount(written));
    for (unsigned k = 0; k < 8; ++k)
      if (const auto mask = uint8_t(written >> (8 * k)))
        if (const uint8_t bytes = differing(v, 64 * line + 8 * k, mask, object))
          note(result, v, 64 * line + 8 * k, bytes);
  }
}

} // namespace

Comparison compare(const PageStore &before, const PageStore &other, const ObjectPair *object) {
  const std::vector<uint64_t> a = before.pages(), b = other.pages();
  std::vector<uint64_t> pages;
  std::ranges::set_union(a, b, std::back_inserter(pages));
  Comparison result;
  std::vector<uint8_t> now(kPage);
  for (uint64_t page : pages) {
    if (safeRead(page, now.data(), kPage) != kPage)
      continue; // the application has taken it back meanwhile
    const uint64_t copy = other.holds(page) ? other.at(page) : before.at(page);
    comparePage({now.data(), reinterpret_cast<const uint8_t *>(copy), page, before, other}, object,
                result);
  }
  return result;
}

} // namespace meld::softgpu::verify
