// Device memory: what ALLOC / FREE / MAP_MEMORY_TO_GPU do.
//
// A GPU address is a host address, and the same one on all devices. The thunk reserves an address
// range, passes it to ALLOC, and maps the render node's descriptor there at the offset we return;
// all render nodes are one sparse memfd. What differs from plain memory:
//   - VRAM without host access (and scratch) is mapped PROT_NONE by the thunk; mapToGpu() replaces
//     that mapping with a readable one, because our "GPU" is this process.
//   - USERPTR memory whose device address is not its host address (hipHostRegister and pinned
//     copies on ROCr 5) goes into a table of ranges; toHost() looks there. An empty table is the
//     fast path.
//   - Every allocation belongs to the device whose gpu_id ALLOC was given. Other devices may touch
//     it once it is mapped to them. Being ordinary memory of the process it does not fault before
//     that; allocated() tells, which is what checked mode asks.
//   - Memory of the process that nobody allocated for a device or registered (heap, stack, globals)
//     is out of a GPU's reach without XNACK. A kernel may touch what allocated() or
//     Svm::accessible() says; the copy engines take any memory there is (mapped()), since the
//     runtimes hand them what they have pinned themselves.
//
// Thread rule: thread-safe. toHost() and empty() take no lock (they run once per lane of memory
// instructions).
#pragma once

#include "runtime/result.h"
#include "runtime/softgpu/execute/dispatch.h"
#include "runtime/softgpu/kfd/svm.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

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

class Memory {
public:
  struct Allocation {
    uint64_t handle = 0, va = 0, size = 0, offset = 0, host = 0;
    uint32_t flags = 0;    ///< KFD_IOC_ALLOC_MEM_FLAGS_*
    unsigned device = 0;   ///< index of the owner
    uint32_t mappedTo = 0; ///< bit per device
  };

  /// Size of the (sparse) file behind the render nodes. Far larger than the device: VRAM is limited
  /// by bytes in use, so that holes in the offset space never make an allocation fail (page tables
  /// hide fragmentation on a real card).
  static constexpr uint64_t kFileBytes = 1ull << 42;

  /// `renderFd` is a memfd of kFileBytes that stays open. One configuration per device.
  Memory(const std::vector<DeviceConfig> &devices, int renderFd);

  /// KFD ALLOC: returns 0 or -errno; fills handle and offset of `request`.
  int allocate(Allocation &request);
  int release(uint64_t handle);
  int mapToGpu(uint64_t handle, unsigned device = 0);
  int unmapFromGpu(uint64_t handle, unsigned device = 0);
  uint64_t available(unsigned device = 0) const;

  /// True when all of [address, address+size) was allocated and `device` may touch it.
  bool allocated(uint64_t address, uint64_t size, unsigned device = 0) const;
  /// The same, or plain memory of the process outside the window of device addresses.
  bool mapped(uint64_t address, uint64_t size, unsigned device = 0) const;
  /// Where buffers of the thunk may lie: the configuration's limit, or, where that range is taken,
  /// the end of user space.
  uint64_t windowLimit() const { return windowLimit_; }
  std::vector<MemoryRange> ranges() const;
  bool empty() const { return remap_.empty(); }
  uint64_t toHost(uint64_t deviceAddress) const { return remap_.toHost(deviceAddress); }
  uint64_t toHost(uint64_t deviceAddress, uint64_t &contiguous) const {
    return remap_.toHost(deviceAddress, &contiguous);
  }

private:
  struct Extent {
    uint64_t size = 0;
    const Allocation *allocation = nullptr; ///< in byHandle_
  };
  bool takeOffset(uint64_t size, uint64_t &offset);
  void giveOffset(uint64_t offset, uint64_t size);

  const uint64_t windowBase_, windowLimit_;
  const int renderFd_;
  mutable std::shared_mutex mutex_;
  uint64_t nextHandle_ = 1;
  std::vector<uint64_t> vramFree_; ///< bytes, by device
  std::map<uint64_t, Allocation> byHandle_;
  std::multimap<uint64_t, Extent> byAddress_;
  std::map<uint64_t, uint64_t> freeExtents_; ///< offset -> size
  RemapTable remap_;
};

/// The memory as the kernels of one device see it.
class DeviceView final : public AddressMapper {
public:
  DeviceView(const Memory &memory, const Svm &svm, unsigned device, uint32_t gpuId)
      : memory_(memory), svm_(svm), device_(device), gpuId_(gpuId) {}
  bool empty() const override { return memory_.empty(); }
  uint64_t toHost(uint64_t deviceAddress) const override { return memory_.toHost(deviceAddress); }
  bool mapped(uint64_t address, uint64_t size) const override {
    return memory_.allocated(address, size, device_) || svm_.accessible(address, size, gpuId_);
  }
  std::vector<MemoryRange> ranges() const override { return memory_.ranges(); }

private:
  const Memory &memory_;
  const Svm &svm_;
  const unsigned device_;
  const uint32_t gpuId_;
};

} // namespace meld::softgpu
