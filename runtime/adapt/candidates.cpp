#include "runtime/adapt/candidates.h"

#include <algorithm>
#include <cstring>

namespace meld::adapt {

namespace {

/// Of facts in their order. Two sets with one digest: one of them is not asked for.
class Digest {
public:
  void add(const Fact &fact) {
    for (const uint64_t part :
         {uint64_t{fact.offset} << 16 | uint64_t{fact.width} << 8 | static_cast<uint8_t>(fact.kind),
          fact.value}) {
      value_ = (value_ ^ part) * 0x9e3779b97f4a7c15ull;
      value_ ^= value_ >> 29;
    }
    any_ = true;
  }
  /// 0 of nothing.
  uint64_t value() const { return any_ ? value_ | 1 : 0; }

private:
  uint64_t value_ = 0xcbf29ce484222325ull;
  bool any_ = false;
};

} // namespace

Candidates::Candidates(std::vector<Range> ranges, unsigned after, const std::vector<Facts> &asked)
    : ranges_(std::move(ranges)), same_(std::clamp(after, 1u, kMostSame)), lookAt_(same_) {
  std::erase_if(ranges_, [](const Range &r) {
    return r.size == 0 || size_t{r.offset} + r.size > kMostArgumentBytes ||
           (r.pointer && (r.size != 8 || r.offset % 8 != 0));
  });
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range &a, const Range &b) { return a.offset < b.offset; });
  size_t end = 0;
  for (const Range &range : ranges_)
    end = std::max(end, size_t{range.offset} + range.size);
  last_.resize(end);
  before_.resize(end);
  nullBefore_.resize(end / 8);
  for (const Facts &facts : asked) {
    if (askedCount_ == asked_.size())
      break;
    Digest digest;
    for (const Fact &fact : facts)
      digest.add(fact);
    asked_[askedCount_++] = digest.value();
  }
}

bool Candidates::isSame(size_t from, size_t count) const {
  for (size_t i = from; i < from + count; ++i)
    if (!isSame(before_[i]))
      return false;
  return true;
}

uint64_t Candidates::value(size_t from, size_t count) const {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value |= uint64_t{last_[from + i]} << 8 * i;
  return value;
}

/// Scalars are facts as a whole, longer ones by halves. In a structure there may be holes with
/// anything in them: its words, and where not all of a word is the same, parts of it.
template <class Take> void Candidates::forEachSame(const Range &range, Take take) const {
  const size_t end = size_t{range.offset} + range.size;
  const bool scalar = range.size <= 8;
  if (range.pointer && (!isSame(range.offset, 8) || !isNull(range)))
    return;
  for (size_t at = range.offset; at < end;) {
    size_t width = 4;
    while (width > 1 && (at % width || at + width > end || (!scalar && !isSame(at, width))))
      width /= 2;
    if (isSame(at, width))
      take(
          Fact::argument(static_cast<uint16_t>(at), static_cast<uint8_t>(width), value(at, width)));
    at += width;
  }
}

/// In a structure nobody knows which members are pointers: those are taken for some that look like
/// an address of today's hosts. The compiler makes nothing of what is none.
template <class Take> void Candidates::forEachPointer(const Range &range, Take take) const {
  for (size_t at = (size_t{range.offset} + 7) / 8 * 8; at + 8 <= size_t{range.offset} + range.size;
       at += 8)
    if (isSame(nullBefore_[at / 8]) &&
        (range.pointer || (value(at, 8) >> 32 && !(value(at, 8) >> 48))))
      take(Fact::nonNull(static_cast<uint16_t>(at)));
}

/// In the order of facts.
template <class Take> void Candidates::forEachSame(Take take) const {
  for (const Range &range : ranges_)
    forEachSame(range, take);
  if (isSame(workgroupBefore_))
    take(Fact::workgroup(workgroup_[0], workgroup_[1], workgroup_[2]));
  if (isSame(notFull_))
    take(Fact::fullGroups());
  for (uint16_t d = 0; d < 3; ++d)
    if (isSame(gridBefore_[d]) && grid_[d])
      take(Fact::grid(d, grid_[d]));
  for (const Range &range : ranges_)
    forEachPointer(range, take);
}

void Candidates::compare(const LaunchShape &launch, const Arguments &arguments) noexcept {
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
    if (before && std::memcmp(now, was, count) == 0)
      continue;
    for (size_t i = 0; i < count; ++i)
      if (!before || now[i] != was[i]) {
        before_[at + i] = before;
        last_[at + i] = now[i];
      }
  }
  bool full = true, sized = true;
  for (unsigned d = 0; d < 3; ++d) {
    sized &= launch.workgroup[d] == workgroup_[d];
    full &= launch.workgroup[d] != 0 && launch.grid[d] % launch.workgroup[d] == 0;
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

/// Is there something that is the same, and that has not been asked for? Remembers it.
bool Candidates::isNew() noexcept {
  Digest digest;
  forEachSame([&](const Fact &fact) { digest.add(fact); });
  const auto end = asked_.begin() + askedCount_;
  if (!digest.value() || askedCount_ == asked_.size() ||
      std::find(asked_.begin(), end, digest.value()) != end)
    return false;
  asked_[askedCount_++] = digest.value();
  return true;
}

bool Candidates::add(const LaunchShape &launch, const Arguments &arguments) noexcept {
  if (hopeless_)
    return false;
  if (++since_ >= kPatience)
    hopeless_ = true;
  if (arguments.size() < argumentBytes())
    return false;
  // The question before is answered by now.
  if (asking_) {
    asking_ = false;
    lookAt_ = same_ = std::min(2 * same_, kMostSame);
  }
  compare(launch, arguments);
  if (launches_ < kLaunchesBefore || since_ < lookAt_)
    return false;
  lookAt_ = since_ + same_; // looking takes longer than comparing
  if (!isNew())
    return false;
  since_ = 0;
  asking_ = true;
  hopeless_ = ++askedHere_ >= kMostAsked;
  return true;
}

Facts Candidates::facts() const {
  Facts facts;
  forEachSame([&](const Fact &fact) { facts.push_back(fact); });
  return facts;
}

} // namespace meld::adapt
