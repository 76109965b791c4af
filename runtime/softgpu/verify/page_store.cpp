#include "runtime/softgpu/verify/page_store.h"

#include "runtime/softgpu/execute/safe_read.h"

#include <algorithm>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>

namespace meld::softgpu::verify {

namespace {

/// More pages than this go back to the system between dispatches.
constexpr uint64_t kKept = 16384;

void *reserve(uint64_t bytes) {
  void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    return nullptr;
  madvise(at, bytes, MADV_DONTFORK);
  madvise(at, bytes, MADV_DONTDUMP);
  madvise(at, bytes, MADV_NOHUGEPAGE); // a page here and there must not become 2 MiB each
  return at;
}

} // namespace

PageStore::~PageStore() {
  if (window_)
    munmap(reinterpret_cast<void *>(window_), kWindow);
  if (written_)
    munmap(written_, kWindow / 8);
  if (states_)
    munmap(static_cast<void *>(states_), kWindow / kPage * sizeof(*states_));
}

bool PageStore::open() {
  if (!window_)
    window_ = reinterpret_cast<uint64_t>(reserve(kWindow));
  if (!written_)
    written_ = static_cast<uint64_t *>(reserve(kWindow / 8));
  if (!states_) // zeroed memory is a state of "not taken"
    states_ = static_cast<std::atomic<uint32_t> *>(reserve(kWindow / kPage * sizeof(*states_)));
  return window_ && written_ && states_;
}

void PageStore::clear() {
  const bool giveBack = pages_.size() > kKept;
  for (uint64_t page : pages_) {
    states_[indexOf(page)].store(0, std::memory_order_relaxed);
    uint64_t *bits = written_ + page % kWindow / 64;
    std::memset(bits, 0, kPage / 8);
    if (giveBack)
      madvise(reinterpret_cast<void *>(at(page)), kPage, MADV_DONTNEED);
  }
  pages_.clear();
  count_.store(0, std::memory_order_relaxed);
}

PageStore::Taken PageStore::take(uint64_t page, uint64_t source) {
  std::atomic<uint32_t> &state = states_[indexOf(page)];
  const uint32_t tag = tagOf(page);
  for (;;) {
    uint32_t now = state.load(std::memory_order_acquire);
    if (now & kTaken)
      return now == (tag | kTaken) ? Taken::yes : Taken::refused;
    if (now & kBusy) {
      sched_yield(); // another thread copies this page
      continue;
    }
    if (!state.compare_exchange_weak(now, tag | kBusy, std::memory_order_acquire))
      continue;
    bool noted = false;
    if (safeRead(source, reinterpret_cast<void *>(at(page)), kPage) == kPage) {
      try {
        std::lock_guard lock(mutex_);
        pages_.push_back(page);
        noted = true;
      } catch (...) { // no memory for the list: nobody would clear the page
      }
      if (noted)
        count_.fetch_add(1, std::memory_order_relaxed);
      state.store(noted ? tag | kTaken : 0, std::memory_order_release);
      return noted ? Taken::yes : Taken::refused;
    }
    state.store(0, std::memory_order_release);
    return Taken::unreadable;
  }
}

void PageStore::mark(uint64_t address, uint64_t bytes) {
  while (bytes) {
    const uint64_t first = address % 64, n = std::min<uint64_t>(bytes, 64 - first);
    const uint64_t bits = (n == 64 ? ~0ull : (1ull << n) - 1) << first;
    std::atomic_ref word(written_[address % kWindow / 64]);
    // Most bytes are written more than once; the plain look keeps threads from fighting for a line.
    if ((word.load(std::memory_order_relaxed) & bits) != bits)
      word.fetch_or(bits, std::memory_order_relaxed);
    address += n;
    bytes -= n;
  }
}

std::vector<uint64_t> PageStore::pages() const {
  std::vector<uint64_t> sorted = pages_;
  std::ranges::sort(sorted);
  return sorted;
}

} // namespace meld::softgpu::verify
