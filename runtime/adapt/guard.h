// Whether a launch is as a specialised version takes for granted: its facts (passes/specialize/
// facts.h) as comparisons with the launch's packet and argument block.
//
//   argument 16 4 0x3; argument 20 1 0x7; workgroup 256 1 1; full-groups
//
//   becomes   work-group = 256 x 1 x 1, grid a multiple of it in each dimension,
//             bytes [16, 24) & 0x000000ff'ffffffff = 0x00000007'00000003
//
// The arguments are looked at through a copy that is made once for each launch (Arguments), so that
// all guards, and who remembers what launches have in common, see the same bytes: the host may write
// the block meanwhile. A guard never looks at what is not in the copy; then it does not hold.
//
// Cost: holds() is one comparison for eight bytes of arguments; no allocation, no lock.
// Would be unsafe: a fact without a comparison. So compile() takes all of them, or none.
//
// Thread rule: none of its own; a guard does not change.
#pragma once

#include "passes/specialize/facts.h"
#include "runtime/adapt/launch_class.h"
#include "runtime/result.h"

#include <array>
#include <cstddef>

namespace meld::adapt {

/// Facts about arguments further behind are neither collected nor compared.
inline constexpr size_t kMostArgumentBytes = 1024;

/// The first bytes of a launch's argument block. Not initialised: it lies on the launching thread's
/// stack for each launch.
class Arguments {
public:
  Arguments() {} // NOLINT: what has not been taken is not looked at
  /// `from`, of which `readable` bytes may be read; fewer than `wanted`: none are taken.
  void take(const void *from, size_t readable, size_t wanted) noexcept;
  /// How many bytes there are.
  size_t size() const { return size_; }
  uint8_t byte(size_t at) const { return bytes_[at]; }
  /// Little-endian, at a multiple of eight; bytes behind the last are 0.
  uint64_t word(size_t at) const noexcept;

private:
  uint8_t bytes_[kMostArgumentBytes + 8];
  size_t size_ = 0;
};

class Guard {
public:
  static constexpr unsigned kMostWords = 32;    ///< of eight bytes, that are compared
  static constexpr unsigned kMostPointers = 16; ///< that must not be null

  /// Holds for no launch.
  Guard() = default;
  /// `argumentBytes`: the kernel's own, by its metadata. Errors: badInput, where there are no facts,
  /// or two that contradict each other, or one about what is no argument of the kernel; unsupported,
  /// where there are too many.
  static Result<Guard> compile(const Facts &facts, size_t argumentBytes);

  bool holds(const LaunchShape &launch, const Arguments &arguments) const noexcept;
  /// So many of a launch's first bytes it looks at.
  size_t argumentBytes() const { return argumentBytes_; }

private:
  Result<void> add(const Fact &fact, size_t argumentBytes);
  Result<void> addNonNull(const Fact &fact, size_t argumentBytes);

  struct Word {
    uint16_t offset = 0;
    uint64_t mask = 0, value = 0;
  };
  std::array<Word, kMostWords> words_{};
  uint8_t wordCount_ = 0;
  bool any_ = false, sized_ = false, full_ = false;
  std::array<uint16_t, 3> workgroup_{};
  std::array<uint32_t, 3> grid_{};                ///< 0: any
  std::array<uint16_t, kMostPointers> nonNull_{}; ///< offsets
  uint8_t nonNullCount_ = 0;
  uint16_t argumentBytes_ = 0;
};

} // namespace meld::adapt
