#include "tests/fuzz/source/memory_image.h"
#include "tests/fuzz/source/random.h"

#include <cmath>
#include <cstring>

namespace meld::fuzz::source {

MemoryImage::MemoryImage(const Shape &shape) {
  const unsigned threads = shape.threads();
  auto add = [&](const char *name, unsigned perThread, size_t inAll, unsigned realBytes = 0) {
    const size_t bytes = perThread ? size_t{perThread} * threads : inAll;
    buffers_.push_back({name, bytes_, bytes, perThread, realBytes});
    bytes_ += (bytes + 255) & ~size_t{255};
  };
  add("in", 0, 4 * Layout::inputWords);
  add("own", 4 * Layout::ownWords, 0);
  add("col", 4 * Layout::columnWords, 0);
  add("fl", 4 * Layout::floats, 0, 4);
  add("db", 8 * Layout::doubles, 0, 8);
  add("wide", 8 * Layout::wideWords, 0);
  add("bytes", Layout::bytes, 0);
  add("out", 4 * Layout::outWords, 0);
  add("acc", 0, 4 * Layout::accOperations * Layout::accWords);
  add("sync", 0, 4 * Layout::syncWords);
}

template <typename Real> static void fillReals(uint8_t *at, size_t bytes, Random &r) {
  for (size_t i = 0; i < bytes; i += sizeof(Real)) {
    const auto value =
        static_cast<Real>((static_cast<double>(r.below(200000)) - 100000.0) / 8192.0 + 0.0137);
    std::memcpy(at + i, &value, sizeof value);
  }
}

std::vector<uint8_t> MemoryImage::initial(uint64_t seed) const {
  std::vector<uint8_t> image(bytes_);
  Random all(seed ^ 0x6d656c64);
  for (const Buffer &b : buffers_) {
    Random r = all.child();
    uint8_t *at = image.data() + b.offset;
    if (b.realBytes == 4) {
      fillReals<float>(at, b.bytes, r);
    } else if (b.realBytes == 8) {
      fillReals<double>(at, b.bytes, r);
    } else if (!std::strcmp(b.name, "sync")) {
      continue; // zero
    } else {
      for (size_t i = 0; i < b.bytes; i += 4) {
        const uint32_t w = r.next(), v = w & 3 ? (w >> 2) & 0xff : r.next();
        std::memcpy(at + i, &v, 4);
      }
    }
  }
  return image;
}

std::vector<uint8_t> MemoryImage::arguments(uint64_t address) const {
  std::vector<uint8_t> bytes(8 * buffers_.size() + 32);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const uint64_t pointer = address + buffers_[i].offset;
    std::memcpy(&bytes[8 * i], &pointer, 8);
  }
  struct {
    int32_t n;
    uint32_t m;
    struct {
      uint32_t x;
      uint16_t y;
      float z;
      uint64_t w;
    } a;
  } rest = {37, 1000003, {6, 11, 1.5f, 0x123456789abcull}};
  static_assert(sizeof rest == 32);
  std::memcpy(&bytes[8 * buffers_.size()], &rest, sizeof rest);
  return bytes;
}

static bool bothNaN(const uint8_t *a, const uint8_t *b, unsigned realBytes) {
  if (realBytes == 4) {
    float x, y;
    std::memcpy(&x, a, 4), std::memcpy(&y, b, 4);
    return std::isnan(x) && std::isnan(y);
  }
  double x, y;
  std::memcpy(&x, a, 8), std::memcpy(&y, b, 8);
  return std::isnan(x) && std::isnan(y);
}

std::string MemoryImage::firstDifference(const std::vector<uint8_t> &a,
                                         const std::vector<uint8_t> &b) const {
  if (a == b)
    return "";
  for (const Buffer &buffer : buffers_) {
    const unsigned step = buffer.realBytes ? buffer.realBytes : 4;
    for (size_t i = 0; i < buffer.bytes; i += step) {
      const uint8_t *x = &a[buffer.offset + i], *y = &b[buffer.offset + i];
      const size_t size = std::min<size_t>(step, buffer.bytes - i);
      if (std::memcmp(x, y, size) == 0 || (buffer.realBytes && bothNaN(x, y, step)))
        continue;
      uint64_t had = 0, has = 0;
      std::memcpy(&had, x, size), std::memcpy(&has, y, size);
      char text[200];
      if (buffer.perThread)
        std::snprintf(text, sizeof text, "%s: thread %zu, byte %zu: %llx, then %llx", buffer.name,
                      i / buffer.perThread, i % buffer.perThread,
                      static_cast<unsigned long long>(had), static_cast<unsigned long long>(has));
      else
        std::snprintf(text, sizeof text, "%s: word %zu: %llx, then %llx", buffer.name, i / 4,
                      static_cast<unsigned long long>(had), static_cast<unsigned long long>(has));
      return text;
    }
  }
  return "";
}

} // namespace meld::fuzz::source
