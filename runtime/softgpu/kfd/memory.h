// Device memory: what ALLOC / FREE / MAP_MEMORY_TO_GPU do.
//
// A GPU address is a host address. The thunk reserves an address range, passes it to ALLOC, and
// maps the render node's descriptor there at the offset we return; the render node is one sparse
// memfd. Two things differ:
//   - VRAM without host access (and scratch) is mapped PROT_NONE by the thunk; map() replaces that
//   mapping with a
//     readable one, because our "GPU" is this process.
//   - USERPTR memory whose device address is not its host address (hipHostRegister and pinned
//   copies on ROCr 5)
//     goes into a table of ranges; toHost() looks there. An empty table is the fast path.
//
// Thread rule: thread-safe. toHost() and empty() take no lock (they run once per lane of memory
// instructions).
#pragma once

#include "runtime/result.h"
#include "runtime/softgpu/cu/gpu.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace meld::softgpu {

/// Device-to-host address ranges under a sequence lock: writers are rare, readers are lanes.
class RemapTable {
public:
  static constexpr size_t kCapacity = 4096;
  bool add(uint64_t device, uint64_t size, uint64_t host); ///< false when full
  void remove(uint64_t device);
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  /// The host address; `contiguous`, if given, gets the bytes that follow under the same
  /// translation.
  uint64_t toHost(uint64_t address, uint64_t *contiguous = nullptr) const;

private:
  struct Entry {
    std::atomic<uint64_t> device{0}, size{0}, host{0};
  };
  std::mutex writer_;
  std::atomic<uint64_t> sequence_{0};
  std::atomic<size_t> count_{0};
  std::array<Entry, kCapacity> entries_; ///< sorted by device address
};

class Memory final : public AddressMapper {
public:
  struct Allocation {
    uint64_t handle = 0, va = 0, size = 0, offset = 0, host = 0;
    uint32_t flags = 0; ///< KFD_IOC_ALLOC_MEM_FLAGS_*
  };

  /// `renderFd` and `kfdFd` are memfds that stay open; the former gets its (sparse) size here.
  Memory(const DeviceConfig &config, int renderFd);

  /// KFD ALLOC: returns 0 or -errno; fills handle and offset of `request`.
  int allocate(Allocation &request);
  int release(uint64_t handle);
  int mapToGpu(uint64_t handle);
  uint64_t available() const;

  // AddressMapper
  bool empty() const override { return remap_.empty(); }
  uint64_t toHost(uint64_t deviceAddress) const override { return remap_.toHost(deviceAddress); }
  bool mapped(uint64_t address, uint64_t size) const override;
  std::vector<MemoryRange> ranges() const override;

  uint64_t toHost(uint64_t deviceAddress, uint64_t &contiguous) const {
    return remap_.toHost(deviceAddress, &contiguous);
  }

private:
  bool takeOffset(uint64_t size, uint64_t &offset);
  void giveOffset(uint64_t offset, uint64_t size);

  DeviceConfig config_;
  int renderFd_;
  mutable std::shared_mutex mutex_;
  uint64_t nextHandle_ = 1;
  uint64_t vramUsed_ = 0;
  std::map<uint64_t, Allocation> byHandle_;
  std::multimap<uint64_t, std::pair<uint64_t, uint64_t>> byAddress_; ///< va -> size, handle
  std::map<uint64_t, uint64_t> freeExtents_;                         ///< offset -> size
  RemapTable remap_;
};

} // namespace meld::softgpu
