// Copies of memory pages, made when they are first needed, each at a fixed distance from the page
// it stands for; and which of their bytes were written.
//
//   memory   ...|page 7|page 8|page 9|...          copy of address a = window + a mod 2^40
//   window   ...|      |copy 8|copy 9|...
//
// Pages that follow each other in memory do so in the window, so that an access which crosses from
// one to the next is one access there, too. Two pages that are 2^40 bytes apart share a place:
// whoever comes second is refused (device memory lies within one window, so this takes host memory
// that happens to lie just so).
//
// Thread rule: take(), mark(), holds(), at() from any number of threads; open(), clear() and
// pages() while there are no others. Costs: 1.2 TiB of address space without memory behind it; 4.5
// KiB and a system call for each page taken.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace meld::softgpu::verify {

inline constexpr uint64_t kPage = 4096;
inline constexpr uint64_t pageOf(uint64_t address) { return address & ~(kPage - 1); }

class PageStore {
public:
  PageStore() = default;
  PageStore(const PageStore &) = delete;
  ~PageStore();

  /// Reserves the address space; false when the process may not have so much.
  bool open();
  /// Forgets every page and what was written.
  void clear();

  enum class Taken : uint8_t { yes, unreadable, refused };
  /// From now on there is a copy of `page` (a multiple of kPage): of what lies at `source` now.
  /// Nothing happens when there was one.
  Taken take(uint64_t page, uint64_t source);
  bool holds(uint64_t page) const {
    const uint32_t state = states_[indexOf(page)].load(std::memory_order_acquire);
    return state == (tagOf(page) | kTaken);
  }
  /// Where the copy of the byte at `address` is, if its page was taken.
  uint64_t at(uint64_t address) const { return window_ + address % kWindow; }

  /// Notes that [address, address + bytes) was written; its pages were taken.
  void mark(uint64_t address, uint64_t bytes);
  /// One bit for each of the 64 bytes from `address`, a multiple of 64.
  uint64_t written(uint64_t address) const {
    return std::atomic_ref(written_[address % kWindow / 64]).load(std::memory_order_relaxed);
  }

  uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  std::vector<uint64_t> pages() const; ///< sorted addresses

private:
  static constexpr uint64_t kWindow = 1ull << 40;
  static constexpr uint32_t kBusy = 1, kTaken = 2;
  static uint64_t indexOf(uint64_t page) { return page % kWindow / kPage; }
  static uint32_t tagOf(uint64_t page) { return uint32_t(page / kWindow) << 2; }

  uint64_t window_ = 0;
  uint64_t *written_ = nullptr;
  std::atomic<uint32_t> *states_ = nullptr;
  std::atomic<uint64_t> count_{0};
  mutable std::mutex mutex_;
  std::vector<uint64_t> pages_;
};

} // namespace meld::softgpu::verify
