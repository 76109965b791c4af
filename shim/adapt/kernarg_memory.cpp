#include "shim/adapt/kernarg_memory.h"

namespace meld::adapt {

namespace {
constexpr uintptr_t kPage = 4096;
} // namespace

void KernargMemory::begin(Ask ask) noexcept {
  ask_ = ask;
  known_ = {};
  next_ = 0;
}

size_t KernargMemory::readable(const void *address) noexcept {
  if (!ask_ || !address)
    return 0;
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto of = [&](const HostRange &range) -> size_t { return range.host ? range.end - at : 0; };
  Known *place = nullptr;
  for (Known &known : known_)
    if (at >= known.range.begin && at < known.range.end) {
      if (++known.looks < kTrust)
        return of(known.range);
      place = &known;
      break;
    }
  if (!place)
    place = &known_[next_++ % kRanges];
  HostRange range;
  if (!ask_(address, range) || at < range.begin || at >= range.end) // its page, then
    range = {at / kPage * kPage, at / kPage * kPage + kPage, false};
  *place = {range, 0};
  return of(range);
}

} // namespace meld::adapt
