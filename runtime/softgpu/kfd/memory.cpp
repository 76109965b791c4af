#include "runtime/softgpu/kfd/memory.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace meld::softgpu {

namespace {
constexpr uint64_t kOffsetSpace = Memory::kFileBytes;
constexpr uint64_t kPage = 4096;
/// All of user space: what the kernel's driver says for GFX9.
constexpr uint64_t kUserLimit = (1ull << 47) - 1;

/// The thunk reserves the window of device addresses in one piece, which keeps them low and the
/// same in every run. Where much of it is taken (a program with AddressSanitizer has its shadow
/// there) it would try for half a minute and give up; told that all of user space will do, it
/// reserves nothing and maps each buffer anywhere. Decided once: children of a fork inherit the
/// thunk's reservation.
uint64_t windowLimitHere(const DeviceConfig &config) {
  static const bool taken = [&] {
    const uint64_t size = (config.windowLimit + 1) / 2;
    void *const upperHalf = reinterpret_cast<void *>(size);
    void *at = ::mmap(upperHalf, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                      0); // elsewhere, unless it is free
    if (at != MAP_FAILED)
      ::munmap(at, size);
    return at != upperHalf;
  }();
  return taken ? kUserLimit : config.windowLimit;
}
} // namespace

// --- RemapTable
// -------------------------------------------------------------------------------------------

bool RemapTable::add(uint64_t device, uint64_t size, uint64_t host) {
  std::lock_guard lock(writer_);
  const size_t n = count_.load(std::memory_order_relaxed);
  if (n == kCapacity)
    return false;
  sequence_.fetch_add(1, std::memory_order_acq_rel); // odd: readers retry
  std::atomic_thread_fence(std::memory_order_release);
  size_t at = n;
  for (; at > 0 && entries_[at - 1].device.load(std::memory_order_relaxed) > device; --at) {
    const Entry &from = entries_[at - 1];
    entries_[at].device.store(from.device.load(std::memory_order_relaxed),
                              std::memory_order_relaxed);
    entries_[at].size.store(from.size.load(std::memory_order_relaxed), std::memory_order_relaxed);
    entries_[at].host.store(from.host.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  entries_[at].device.store(device, std::memory_order_relaxed);
  entries_[at].size.store(size, std::memory_order_relaxed);
  entries_[at].host.store(host, std::memory_order_relaxed);
  count_.store(n + 1, std::memory_order_relaxed);
  sequence_.fetch_add(1, std::memory_order_release);
  return true;
}

void RemapTable::remove(uint64_t device) {
  std::lock_guard lock(writer_);
  const size_t n = count_.load(std::memory_order_relaxed);
  size_t at = 0;
  while (at < n && entries_[at].device.load(std::memory_order_relaxed) != device)
    ++at;
  if (at == n)
    return;
  sequence_.fetch_add(1, std::memory_order_acq_rel);
  std::atomic_thread_fence(std::memory_order_release);
  for (; at + 1 < n; ++at) {
    const Entry &from = entries_[at + 1];
    entries_[at].device.store(from.device.load(std::memory_order_relaxed),
                              std::memory_order_relaxed);
    entries_[at].size.store(from.size.load(std::memory_order_relaxed), std::memory_order_relaxed);
    entries_[at].host.store(from.host.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  count_.store(n - 1, std::memory_order_relaxed);
  sequence_.fetch_add(1, std::memory_order_release);
}

uint64_t RemapTable::toHost(uint64_t address, uint64_t *contiguous) const {
  for (;;) {
    const uint64_t before = sequence_.load(std::memory_order_acquire);
    size_t low = 0, high = count_.load(std::memory_order_relaxed);
    while (low < high) { // the first entry that starts after the address
      const size_t middle = (low + high) / 2;
      if (entries_[middle].device.load(std::memory_order_relaxed) <= address)
        low = middle + 1;
      else
        high = middle;
    }
    uint64_t host = address, rest = ~0ull;
    if (low < kCapacity && low < count_.load(std::memory_order_relaxed))
      rest = entries_[low].device.load(std::memory_order_relaxed) - address;
    if (low > 0) {
      const Entry &entry = entries_[low - 1];
      const uint64_t into = address - entry.device.load(std::memory_order_relaxed);
      const uint64_t size = entry.size.load(std::memory_order_relaxed);
      if (into < size) {
        host = entry.host.load(std::memory_order_relaxed) + into;
        rest = size - into;
      }
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (!(before & 1) && sequence_.load(std::memory_order_relaxed) == before) {
      if (contiguous)
        *contiguous = rest;
      return host;
    }
  }
}

// --- Memory
// -----------------------------------------------------------------------------------------------

Memory::Memory(const std::vector<DeviceConfig> &devices, int renderFd)
    : windowBase_(devices.front().windowBase), windowLimit_(windowLimitHere(devices.front())),
      renderFd_(renderFd) {
  for (const DeviceConfig &device : devices)
    vramFree_.push_back(device.vramBytes);
  freeExtents_[0] = kOffsetSpace;
}

bool Memory::takeOffset(uint64_t size, uint64_t &offset) {
  for (auto it = freeExtents_.begin(); it != freeExtents_.end(); ++it) {
    if (it->second < size)
      continue;
    offset = it->first;
    const uint64_t rest = it->second - size;
    freeExtents_.erase(it);
    if (rest)
      freeExtents_[offset + size] = rest;
    return true;
  }
  return false;
}

void Memory::giveOffset(uint64_t offset, uint64_t size) {
  auto next = freeExtents_.lower_bound(offset);
  if (next != freeExtents_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      size += previous->second;
      freeExtents_.erase(previous);
    }
  }
  if (next != freeExtents_.end() && offset + size == next->first) {
    size += next->second;
    freeExtents_.erase(next);
  }
  freeExtents_[offset] = size;
}

int Memory::allocate(Allocation &a) {
  if (a.size == 0 || a.size > kOffsetSpace)
    return -EINVAL;
  std::unique_lock lock(mutex_);
  const uint64_t rounded = (a.size + kPage - 1) & ~(kPage - 1);
  if (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) {
    a.offset = 0; // the thunk maps the offset that CREATE_QUEUE told it
  } else if (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) {
    a.offset = 0x10000;
  } else if (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
    if (a.va != a.host && !remap_.add(a.va, rounded, a.host))
      return -ENOMEM;
    a.offset = a.host;
  } else {
    const bool vram = a.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
    if (vram && rounded > vramFree_[a.device])
      return -ENOMEM;
    if (!takeOffset(rounded, a.offset))
      return -ENOMEM;
    if (vram)
      vramFree_[a.device] -= rounded;
  }
  a.handle = nextHandle_++;
  const auto it = byHandle_.emplace(a.handle, a).first;
  byAddress_.emplace(a.va, Extent{rounded, &it->second});
  return 0;
}

int Memory::release(uint64_t handle) {
  std::unique_lock lock(mutex_);
  const auto it = byHandle_.find(handle);
  if (it == byHandle_.end())
    return -EINVAL;
  const Allocation a = it->second;
  const uint64_t rounded = (a.size + kPage - 1) & ~(kPage - 1);
  for (auto [first, last] = byAddress_.equal_range(a.va); first != last; ++first)
    if (first->second.allocation == &it->second) {
      byAddress_.erase(first);
      break;
    }
  byHandle_.erase(it);
  if (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
    if (a.va != a.host)
      remap_.remove(a.va);
  } else if (a.flags & (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT)) {
    ::fallocate(renderFd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(a.offset),
                static_cast<off_t>(rounded));
    giveOffset(a.offset, rounded);
    if (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM)
      vramFree_[a.device] += rounded;
  }
  return 0;
}

int Memory::mapToGpu(uint64_t handle, unsigned device) {
  std::unique_lock lock(mutex_);
  const auto it = byHandle_.find(handle);
  if (it == byHandle_.end())
    return -EINVAL;
  Allocation &a = it->second;
  const uint32_t others = a.mappedTo & ~(1u << device);
  a.mappedTo |= 1u << device;
  if (others) // readable already
    return 0;
  if (!(a.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) || (a.flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC))
    return 0;
  void *at = reinterpret_cast<void *>(a.va);
  if (::mmap(at, a.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, renderFd_,
             static_cast<off_t>(a.offset)) == MAP_FAILED)
    return -errno;
  ::madvise(at, a.size, MADV_DONTFORK);
  return 0;
}

int Memory::unmapFromGpu(uint64_t handle, unsigned device) {
  std::unique_lock lock(mutex_);
  const auto it = byHandle_.find(handle);
  if (it == byHandle_.end())
    return -EINVAL;
  it->second.mappedTo &= ~(1u << device);
  return 0;
}

uint64_t Memory::available(unsigned device) const {
  std::shared_lock lock(mutex_);
  return vramFree_[device];
}

std::vector<MemoryRange> Memory::ranges() const {
  std::shared_lock lock(mutex_);
  std::vector<MemoryRange> list;
  for (const auto &[handle, a] : byHandle_) {
    if (a.flags & (KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP))
      continue;
    const bool user = a.flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
    list.push_back({a.va, a.size, user ? a.host : a.va});
  }
  return list;
}

bool Memory::allocated(uint64_t address, uint64_t size, unsigned device) const {
  const uint64_t end = address + size;
  if (end < address)
    return false;
  std::shared_lock lock(mutex_);
  for (uint64_t at = address; at < end;) {
    auto it = byAddress_.upper_bound(at);
    if (it == byAddress_.begin())
      return false;
    --it;
    const auto &[length, allocation] = it->second;
    if (at - it->first >= length ||
        (allocation->device != device && !(allocation->mappedTo >> device & 1)))
      return false;
    at = it->first + length;
  }
  return true;
}

bool Memory::mapped(uint64_t address, uint64_t size, unsigned device) const {
  const uint64_t end = address + size;
  if (end < address)
    return false;
  if (allocated(address, size, device))
    return true;
  // Inside the window, unless it is all of user space, everything is reserved (PROT_NONE) by the
  // thunk, so mincore would say yes to anything.
  if (windowLimit_ != kUserLimit && address >= windowBase_ && address <= windowLimit_)
    return false;
  // Plain memory of the process.
  const uint64_t first = address & ~(kPage - 1), last = (end + kPage - 1) & ~(kPage - 1);
  unsigned char state[256];
  for (uint64_t page = first; page < last; page += sizeof state * kPage) {
    const uint64_t bytes = std::min<uint64_t>(last - page, sizeof state * kPage);
    if (::mincore(reinterpret_cast<void *>(page), bytes, state) != 0)
      return false;
  }
  return true;
}

} // namespace meld::softgpu
