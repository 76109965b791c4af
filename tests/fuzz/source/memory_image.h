// The memory a generated kernel gets, and what it leaves there.
#pragma once

#include "tests/fuzz/code_object_runner.h"
#include "tests/fuzz/source/generator.h"

namespace meld::fuzz::source {

/// Where each buffer lies in one allocation.
class MemoryImage {
public:
  explicit MemoryImage(const Shape &shape);
  size_t bytes() const { return bytes_; }
  /// The inputs, made from `seed`: small and arbitrary words, floats near one, zeroes where threads
  /// meet.
  std::vector<uint8_t> initial(uint64_t seed) const;
  /// The kernarg segment for an image at `address`.
  std::vector<uint8_t> arguments(uint64_t address) const;
  /// "" or the first word that differs. NaNs of one floating-point word are one value.
  std::string firstDifference(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b) const;

private:
  struct Buffer {
    const char *name;
    size_t offset, bytes;
    unsigned perThread; ///< bytes, 0: of all together
    unsigned realBytes; ///< 4: floats, 8: doubles, 0: neither
  };
  std::vector<Buffer> buffers_; ///< in the order of the kernel's parameters
  size_t bytes_ = 0;
};

} // namespace meld::fuzz::source
