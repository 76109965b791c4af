#include "runtime/adapt/candidates.h"

#include <algorithm>

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

std::vector<ArgumentRange> usable(std::vector<ArgumentRange> ranges) {
  std::erase_if(ranges, [](const ArgumentRange &r) {
    return r.size == 0 || size_t{r.offset} + r.size > kMostArgumentBytes ||
           (r.pointer && (r.size != 8 || r.offset % 8 != 0));
  });
  std::sort(ranges.begin(), ranges.end(),
            [](const ArgumentRange &a, const ArgumentRange &b) { return a.offset < b.offset; });
  return ranges;
}

} // namespace

Candidates::Candidates(std::vector<Range> ranges, unsigned after, const std::vector<Facts> &asked)
    : ranges_(usable(std::move(ranges))), turns_(ranges_), same_(std::clamp(after, 1u, kMostSame)),
      lookAt_(same_) {
  size_t end = 0;
  for (const Range &range : ranges_)
    end = std::max(end, size_t{range.offset} + range.size);
  all_.resize(end);
  for (Purpose &purpose : purposes_)
    purpose.launches.resize(end);
  for (const Facts &facts : asked) {
    if (askedCount_ == asked_.size())
      break;
    Digest digest;
    for (const Fact &fact : facts)
      digest.add(fact);
    asked_[askedCount_++] = digest.value();
  }
}

/// The launches for that purpose; those of the one that was there the longest ago are forgotten for it.
Candidates::Purpose &Candidates::purposeOf(uint64_t key) noexcept {
  Purpose *oldest = purposes_.data();
  for (Purpose &purpose : purposes_) {
    if (purpose.key == key) {
      oldest = &purpose;
      break;
    }
    if (purpose.lastUsed < oldest->lastUsed)
      oldest = &purpose;
  }
  if (oldest->key != key) {
    oldest->key = key;
    oldest->lookAt = 0;
    oldest->launches.forget();
  }
  oldest->lastUsed = all_.launches();
  return *oldest;
}

/// Is there something that is the same, and that has not been asked for? Remembers it.
bool Candidates::asksFor(const SameBytes &launches) noexcept {
  Digest digest;
  launches.forEach(ranges_, same_, [&](const Fact &fact) { digest.add(fact); });
  const auto end = asked_.begin() + askedCount_;
  if (!digest.value() || askedCount_ == asked_.size() ||
      std::find(asked_.begin(), end, digest.value()) != end)
    return false;
  asked_[askedCount_++] = digest.value();
  since_ = 0;
  asking_ = &launches;
  hopeless_ = ++askedHere_ >= kMostAsked;
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
    asking_ = nullptr;
    lookAt_ = same_ = std::min(2 * same_, kMostSame);
  }
  all_.add(launch, arguments);
  const uint64_t key = turns_.add(launch, arguments);
  Purpose *purpose = key ? &purposeOf(key) : nullptr;
  if (purpose)
    purpose->launches.add(launch, arguments);
  if (all_.launches() < kLaunchesBefore)
    return false;
  // Looking takes longer than comparing.
  if (purpose && purpose->launches.launches() >= std::max(purpose->lookAt, same_)) {
    purpose->lookAt = purpose->launches.launches() + same_;
    if (asksFor(purpose->launches))
      return true;
  }
  // A version for what all purposes have in common would be in the way of better ones.
  if (since_ < lookAt_ || (purpose && all_.launches() < kTurnsFirst))
    return false;
  lookAt_ = since_ + same_;
  return asksFor(all_);
}

unsigned Candidates::purposes() const {
  const auto inTurns = std::count_if(purposes_.begin(), purposes_.end(), [&](const Purpose &one) {
    return one.key && all_.launches() - one.lastUsed < kLaunchesBefore;
  });
  return std::max(static_cast<unsigned>(inTurns), 1u);
}

Facts Candidates::facts() const {
  Facts facts;
  (asking_ ? asking_ : &all_)->forEach(ranges_, same_, [&](const Fact &fact) {
    facts.push_back(fact);
  });
  return facts;
}

} // namespace meld::adapt
