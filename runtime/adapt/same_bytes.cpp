#include "runtime/adapt/same_bytes.h"

#include <algorithm>
#include <cstring>

namespace meld::adapt {

namespace {

using Bytes8 = int8_t __attribute__((vector_size(8)));
using Words8 = uint32_t __attribute__((vector_size(32)));

/// `numbers` of those of eight bytes that differ becomes `number`.
void noteChanges(uint32_t *numbers, const uint8_t *was, const uint8_t *now, uint32_t number) {
  Bytes8 a, b;
  Words8 old;
  std::memcpy(&a, was, sizeof a);
  std::memcpy(&b, now, sizeof b);
  std::memcpy(&old, numbers, sizeof old);
  const Words8 changed = __builtin_convertvector(a != b, Words8);
  old = (old & ~changed) | (number & changed);
  std::memcpy(numbers, &old, sizeof old);
}

} // namespace

void SameBytes::resize(size_t bytes) {
  last_.resize(bytes);
  before_.resize(bytes);
  nullBefore_.resize(bytes / 8);
}

bool SameBytes::isSame(size_t from, size_t count, unsigned same) const {
  for (size_t i = from; i < from + count; ++i)
    if (!isSame(before_[i], same))
      return false;
  return true;
}

uint64_t SameBytes::value(size_t from, size_t count) const {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value |= uint64_t{last_[from + i]} << 8 * i;
  return value;
}

void SameBytes::add(const LaunchShape &launch, const Arguments &arguments) noexcept {
  const uint32_t before = launches_++; // number of the launch before; the first one differs from it
  const size_t bytes = last_.size();
  for (size_t at = 0; at < bytes; at += 8) {
    const size_t count = std::min<size_t>(8, bytes - at);
    uint8_t now[8] = {}, was[8] = {};
    const uint64_t word = arguments.word(at);
    std::memcpy(now, &word, sizeof now);
    std::memcpy(was, last_.data() + at, count);
    if (word == 0 && at / 8 < nullBefore_.size())
      nullBefore_[at / 8] = launches_;
    else if (!before && at / 8 < nullBefore_.size())
      nullBefore_[at / 8] = before;
    if (before && std::memcmp(now, was, count) == 0)
      continue;
    if (before && count == sizeof now) {
      noteChanges(before_.data() + at, was, now, before);
      std::memcpy(last_.data() + at, now, sizeof now);
      continue;
    }
    for (size_t i = 0; i < count; ++i)
      if (!before || now[i] != was[i]) {
        before_[at + i] = before;
        last_[at + i] = now[i];
      }
  }
  bool full = true, sized = true;
  for (int d = 0; d < 3; ++d) {
    sized &= launch.workgroup[d] == workgroup_[d];
    full &= isFull(launch, d);
    workgroup_[d] = launch.workgroup[d];
    if (!before || launch.grid[d] != grid_[d])
      gridBefore_[d] = before;
    grid_[d] = launch.grid[d];
  }
  if (!before || !sized)
    workgroupBefore_ = before;
  if (!full)
    notFull_ = launches_;
  else if (!before)
    notFull_ = before;
}

} // namespace meld::adapt
