#include "runtime/softgpu/verify/mappers.h"

namespace meld::softgpu::verify {

namespace {

uint64_t through(const AddressMapper *inner, uint64_t address) {
  return inner && !inner->empty() ? inner->toHost(address) : address;
}

/// Where accesses go that may neither reach memory nor have a page: what they do is not looked at.
uint64_t sink(uint64_t host) {
  alignas(kPage) static uint8_t bytes[3 * kPage];
  return reinterpret_cast<uint64_t>(bytes) + host % kPage;
}

} // namespace

uint64_t Journal::toHost(uint64_t address) const { return through(inner_, address); }

uint64_t Journal::access(uint64_t address, uint64_t bytes, bool write) {
  const uint64_t host = through(inner_, address);
  if (!write)
    return host;
  bool taken = true;
  for (uint64_t page = pageOf(host); page < host + bytes; page += kPage) {
    if (before_.holds(page))
      continue;
    const auto result =
        before_.count() < limit_ ? before_.take(page, page) : PageStore::Taken::refused;
    taken &= result == PageStore::Taken::yes;
    if (result == PageStore::Taken::refused)
      complete_.store(false, std::memory_order_relaxed);
  }
  if (taken)
    before_.mark(host, bytes);
  return host;
}

std::vector<MemoryRange> Journal::ranges() const {
  return inner_ ? inner_->ranges() : std::vector<MemoryRange>{};
}

uint64_t Overlay::hostOf(uint64_t address) const { return through(inner_, redirect(address)); }

uint64_t Overlay::toHost(uint64_t address) const {
  const uint64_t host = hostOf(address), page = pageOf(host);
  return own_.holds(page) ? own_.at(host) : before_.holds(page) ? before_.at(host) : host;
}

uint64_t Overlay::access(uint64_t address, uint64_t bytes, bool write) {
  const uint64_t host = hostOf(address);
  const uint64_t first = pageOf(host), last = pageOf(host + bytes - 1);
  if (!write) {
    if (first == last)
      return toHost(address);
    bool copied = false;
    for (uint64_t page = first; page <= last; page += kPage)
      copied |= own_.holds(page) || before_.holds(page);
    if (!copied)
      return host;
  }
  for (uint64_t page = first; page <= last; page += kPage) {
    if (own_.holds(page))
      continue;
    const auto result =
        own_.count() < limit_ ? own_.take(page, sourceOf(page)) : PageStore::Taken::refused;
    if (result == PageStore::Taken::unreadable) // no part of the access may reach memory
      return page == first ? host : page;
    if (result == PageStore::Taken::refused) {
      incomplete_.store(true, std::memory_order_relaxed);
      return sink(host);
    }
  }
  if (write)
    own_.mark(host, bytes);
  return own_.at(host);
}

std::vector<MemoryRange> Overlay::ranges() const {
  return inner_ ? inner_->ranges() : std::vector<MemoryRange>{};
}

} // namespace meld::softgpu::verify
