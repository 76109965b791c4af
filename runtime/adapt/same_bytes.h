// What was the same in the last launches of some: bytes of arguments by value, which pointers are
// null and which are not, the work-group, the grid, that all groups are full.
//
// Cost: add() is one comparison for eight bytes of arguments, and some more for those that have
// changed; no allocation. Memory: 5.5 bytes for each byte of arguments.
//
// Thread rule: none of its own.
#pragma once

#include "runtime/adapt/guard.h"

#include <vector>

namespace meld::adapt {

/// One explicit argument.
struct ArgumentRange {
  uint16_t offset = 0, size = 0; ///< bytes
  bool pointer = false;
  bool operator==(const ArgumentRange &) const = default;
};

class SameBytes {
public:
  /// Allocates. `bytes`: of arguments, that are looked at.
  void resize(size_t bytes);
  /// The next launch is the first.
  void forget() noexcept { launches_ = 0; }
  /// As many bytes are there.
  void add(const LaunchShape &launch, const Arguments &arguments) noexcept;
  uint32_t launches() const { return launches_; }
  size_t bytes() const { return last_.size(); }

  /// Each fact that was so in the last `same` launches, in the order of facts; of the arguments in
  /// `ranges`, which are sorted.
  template <class Take>
  void forEach(const std::vector<ArgumentRange> &ranges, unsigned same, Take take) const;

private:
  template <class Take> void forEach(const ArgumentRange &range, unsigned same, Take take) const;
  template <class Take>
  void forEachPointer(const ArgumentRange &range, unsigned same, Take take) const;
  bool isNull(const ArgumentRange &pointer) const { return value(pointer.offset, 8) == 0; }
  bool isSame(uint32_t since, unsigned same) const { return launches_ - since >= same; }
  bool isSame(size_t from, size_t count, unsigned same) const;
  uint64_t value(size_t from, size_t count) const;

  std::vector<uint8_t> last_;        ///< argument bytes of the last launch
  std::vector<uint32_t> before_;     ///< number of the last launch in which each byte was another
  std::vector<uint32_t> nullBefore_; ///< of each eight bytes: the last launch in which they were 0
  std::array<uint16_t, 3> workgroup_{};
  std::array<uint32_t, 3> grid_{}, gridBefore_{};
  uint32_t launches_ = 0, workgroupBefore_ = 0, notFull_ = 0;
};

/// Scalars are facts as a whole, longer ones by halves. In a structure there may be holes with
/// anything in them: its words, and where not all of a word is the same, parts of it.
template <class Take>
void SameBytes::forEach(const ArgumentRange &range, unsigned same, Take take) const {
  const size_t end = size_t{range.offset} + range.size;
  const bool scalar = range.size <= 8;
  if (range.pointer && (!isSame(range.offset, 8, same) || !isNull(range)))
    return;
  for (size_t at = range.offset; at < end;) {
    size_t width = 4;
    while (width > 1 && (at % width || at + width > end || (!scalar && !isSame(at, width, same))))
      width /= 2;
    if (isSame(at, width, same))
      take(
          Fact::argument(static_cast<uint16_t>(at), static_cast<uint8_t>(width), value(at, width)));
    at += width;
  }
}

/// In a structure nobody knows which members are pointers: those are taken for some that look like
/// an address of today's hosts. The compiler makes nothing of what is none.
template <class Take>
void SameBytes::forEachPointer(const ArgumentRange &range, unsigned same, Take take) const {
  for (size_t at = (size_t{range.offset} + 7) / 8 * 8; at + 8 <= size_t{range.offset} + range.size;
       at += 8)
    if (isSame(nullBefore_[at / 8], same) &&
        (range.pointer || (value(at, 8) >> 32 && !(value(at, 8) >> 48))))
      take(Fact::nonNull(static_cast<uint16_t>(at)));
}

template <class Take>
void SameBytes::forEach(const std::vector<ArgumentRange> &ranges, unsigned same, Take take) const {
  for (const ArgumentRange &range : ranges)
    forEach(range, same, take);
  if (isSame(workgroupBefore_, same))
    take(Fact::workgroup(workgroup_[0], workgroup_[1], workgroup_[2]));
  if (isSame(notFull_, same))
    take(Fact::fullGroups());
  for (uint16_t d = 0; d < 3; ++d)
    if (isSame(gridBefore_[d], same) && grid_[d])
      take(Fact::grid(d, grid_[d]));
  for (const ArgumentRange &range : ranges)
    forEachPointer(range, same, take);
}

} // namespace meld::adapt
