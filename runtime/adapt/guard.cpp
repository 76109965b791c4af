#include "runtime/adapt/guard.h"

#include <algorithm>
#include <cstring>

namespace meld::adapt {

void Arguments::take(const void *from, size_t readable, size_t wanted) noexcept {
  size_ = 0;
  if (!from || wanted == 0 || wanted > readable || wanted > kMostArgumentBytes)
    return;
  std::memcpy(bytes_, from, wanted);
  std::memset(bytes_ + wanted, 0, 8);
  size_ = wanted;
}

uint64_t Arguments::word(size_t at) const noexcept {
  uint64_t word;
  std::memcpy(&word, bytes_ + at, sizeof word);
  return word;
}

Result<void> Guard::add(const Fact &fact, size_t argumentBytes) {
  const size_t end = size_t{fact.offset} + fact.width;
  if (end > std::min(argumentBytes, kMostArgumentBytes))
    return fail(ErrorCode::badInput, "a fact about bytes " + std::to_string(fact.offset) + " to " +
                                         std::to_string(end) + ", of " +
                                         std::to_string(argumentBytes) + " of arguments");
  const bool width = fact.width == 1 || fact.width == 2 || fact.width == 4 || fact.width == 8;
  if (!width || fact.offset % fact.width)
    return fail(ErrorCode::badInput, "a fact about bytes that are no word");
  const auto offset = static_cast<uint16_t>(fact.offset / 8 * 8);
  const unsigned shift = 8 * (fact.offset % 8u);
  const uint64_t mask = (fact.width == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * fact.width) - 1)
                        << shift;
  const uint64_t value = fact.value << shift;
  const auto end8 = words_.begin() + wordCount_;
  const auto word =
      std::find_if(words_.begin(), end8, [&](const Word &w) { return w.offset == offset; });
  if (word == words_.end())
    return fail(ErrorCode::unsupported, "more facts than are compared at a launch");
  if (word == end8)
    *word = {offset, 0, 0}, ++wordCount_;
  if ((word->value ^ value) & word->mask & mask)
    return fail(ErrorCode::badInput, "two facts contradict each other");
  word->mask |= mask;
  word->value |= value & mask;
  argumentBytes_ = static_cast<uint16_t>(std::max<size_t>(argumentBytes_, end));
  return {};
}

Result<void> Guard::addNonNull(const Fact &fact, size_t argumentBytes) {
  const size_t end = size_t{fact.offset} + 8;
  if (fact.offset % 8 || end > std::min(argumentBytes, kMostArgumentBytes))
    return fail(ErrorCode::badInput, "a fact about a pointer at byte " +
                                         std::to_string(fact.offset) + ", of " +
                                         std::to_string(argumentBytes) + " of arguments");
  if (nonNullCount_ == kMostPointers)
    return fail(ErrorCode::unsupported, "more facts than are compared at a launch");
  nonNull_[nonNullCount_++] = fact.offset;
  argumentBytes_ = static_cast<uint16_t>(std::max<size_t>(argumentBytes_, end));
  return {};
}

Result<Guard> Guard::compile(const Facts &facts, size_t argumentBytes) {
  if (facts.empty())
    return fail(ErrorCode::badInput, "a specialised version without facts");
  Guard guard;
  for (const Fact &fact : facts)
    switch (fact.kind) {
    case Fact::Kind::argument:
      if (auto added = guard.add(fact, argumentBytes); !added)
        return tl::unexpected(added.error());
      break;
    case Fact::Kind::workgroup: {
      const std::array<uint16_t, 3> size = {static_cast<uint16_t>(fact.value),
                                            static_cast<uint16_t>(fact.value >> 16),
                                            static_cast<uint16_t>(fact.value >> 32)};
      if (guard.sized_ && guard.workgroup_ != size)
        return fail(ErrorCode::badInput, "two facts contradict each other");
      guard.workgroup_ = size;
      guard.sized_ = true;
      break;
    }
    case Fact::Kind::fullGroups:
      guard.full_ = true;
      break;
    case Fact::Kind::grid: {
      const auto items = static_cast<uint32_t>(fact.value);
      if (fact.offset > 2 || items == 0 || items != fact.value)
        return fail(ErrorCode::badInput, "a fact about a grid that there is not");
      uint32_t &known = guard.grid_[fact.offset];
      if (known && known != items)
        return fail(ErrorCode::badInput, "two facts contradict each other");
      known = items;
      break;
    }
    case Fact::Kind::nonNull:
      if (auto added = guard.addNonNull(fact, argumentBytes); !added)
        return tl::unexpected(added.error());
      break;
    }
  guard.any_ = true;
  return guard;
}

bool Guard::holds(const LaunchShape &launch, const Arguments &arguments) const noexcept {
  if (!any_ || arguments.size() < argumentBytes_)
    return false;
  for (int d = 0; d < 3; ++d) {
    if (sized_ && launch.workgroup[d] != workgroup_[d])
      return false;
    if (full_ && !isFull(launch, d))
      return false;
    if (grid_[d] && launch.grid[d] != grid_[d])
      return false;
  }
  for (unsigned i = 0; i < wordCount_; ++i)
    if ((arguments.word(words_[i].offset) ^ words_[i].value) & words_[i].mask)
      return false;
  for (unsigned i = 0; i < nonNullCount_; ++i)
    if (arguments.word(nonNull_[i]) == 0)
      return false;
  return true;
}

} // namespace meld::adapt
