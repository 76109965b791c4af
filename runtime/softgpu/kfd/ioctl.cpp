// The ioctls of /dev/kfd (linux/kfd_ioctl.h, a stable kernel ABI).
//
// Dispatch is on _IOC_NR: argument sizes differ between versions of the interface. As in the
// kernel, the argument is copied in (missing bytes are zero) and out by the size the caller
// encoded.
#include "runtime/softgpu/kfd/driver.h"
#include "runtime/softgpu/kfd/sysfs.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace meld::softgpu {

namespace {

enum Nr : unsigned {
  getVersion = 0x01,
  createQueue = 0x02,
  destroyQueue = 0x03,
  setMemoryPolicy = 0x04,
  getClockCounters = 0x05,
  updateQueue = 0x07,
  createEvent = 0x08,
  destroyEvent = 0x09,
  setEvent = 0x0a,
  resetEvent = 0x0b,
  waitEvents = 0x0c,
  setScratchBackingVa = 0x11,
  getTileConfig = 0x12,
  setTrapHandler = 0x13,
  getApertures = 0x14,
  acquireVm = 0x15,
  allocMemory = 0x16,
  freeMemory = 0x17,
  mapMemory = 0x18,
  unmapMemory = 0x19,
  setCuMask = 0x1a,
  allocQueueGws = 0x1e,
  svm = 0x20,
  setXnackMode = 0x21,
  availableMemory = 0x23,
};

// Known to the interface, asked for by some ROCr versions, and fine to refuse: IPC, dmabuf, SMI
// events, CRIU, runtime enable, debug trap.
constexpr unsigned kRefused[] = {0x06, 0x0d, 0x0e, 0x0f, 0x10, 0x1b, 0x1c, 0x1d, 0x1f,
                                 0x22, 0x24, 0x25, 0x26, 0x80, 0x81, 0x82, 0x83, 0x84};

uint64_t nanoseconds(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

struct SetXnackArgs {
  int32_t enabled;
};
struct AvailableMemoryArgs {
  uint64_t available;
  uint32_t gpuId, pad;
};

} // namespace

int Driver::ioctl(unsigned long request, void *argument) {
  const unsigned size = _IOC_SIZE(request);
  if (_IOC_TYPE(request) != 'K')
    return -ENOTTY;
  if (!argument)
    return -EFAULT;
  const unsigned nr = _IOC_NR(request);
  if (nr == svm) // variable length: the attributes follow the fixed part in place
    return dispatch(nr, argument, size);
  alignas(16) unsigned char local[512] = {};
  if (size > sizeof local)
    return -EINVAL;
  std::memcpy(local, argument, size);
  const int result = dispatch(nr, local, size);
  // WAIT_EVENTS reports its result with an error too.
  if (result == 0 || nr == waitEvents)
    std::memcpy(argument, local, size);
  return result;
}

int Driver::devicesOf(uint64_t array, uint32_t count, std::vector<Device *> &devices) {
  if (!array) {
    for (const auto &device : devices_)
      devices.push_back(device.get());
    return 0;
  }
  const auto *ids = reinterpret_cast<const uint32_t *>(array);
  for (uint32_t i = 0; i < count; ++i) {
    Device *device = find(ids[i]);
    if (!device)
      return -EINVAL;
    devices.push_back(device);
  }
  return 0;
}

int Driver::apertures(kfd_ioctl_get_process_apertures_new_args &a) {
  const auto all = static_cast<uint32_t>(devices_.size());
  if (a.num_of_nodes == 0) { // the caller asks how many there are
    a.num_of_nodes = all;
    return 0;
  }
  if (!a.kfd_process_device_apertures_ptr)
    return -EFAULT;
  a.num_of_nodes = std::min(a.num_of_nodes, all);
  auto *out = reinterpret_cast<char *>(a.kfd_process_device_apertures_ptr);
  for (uint32_t i = 0; i < a.num_of_nodes; ++i) {
    const DeviceConfig config = devices_[i]->settings.toConfig();
    kfd_process_device_apertures p = {};
    p.gpu_id = devices_[i]->gpuId;
    p.lds_base = config.ldsBase;
    p.lds_limit = config.ldsBase + 0xffffffffull;
    p.scratch_base = config.scratchBase;
    p.scratch_limit = config.scratchBase + 0xffffffffull;
    p.gpuvm_base = config.windowBase;
    p.gpuvm_limit = memory_.windowLimit();
    std::memcpy(out + i * sizeof p, &p, sizeof p);
  }
  return 0;
}

int Driver::dispatch(unsigned nr, void *argument, unsigned long size) {
  // Mapping and unmapping: up to the first device that refuses.
  auto onEach = [this](auto &a, int (Memory::*change)(uint64_t, unsigned)) {
    std::vector<Device *> devices;
    int result = devicesOf(a.device_ids_array_ptr, a.n_devices, devices);
    for (size_t i = 0; result == 0 && i < devices.size(); ++i)
      result = (memory_.*change)(a.handle, devices[i]->settings.index);
    if (result == 0)
      a.n_success = a.n_devices;
    return result;
  };
  // For requests that change nothing here: 0 is no device.
  auto known = [this](uint32_t gpuId) { return gpuId == 0 || find(gpuId) ? 0 : -EINVAL; };
  switch (nr) {
  case getVersion: {
    auto &a = *static_cast<kfd_ioctl_get_version_args *>(argument);
    a.major_version = 1;
    a.minor_version = 14; // from 1.15 on ROCr wants dmabuf export
    return 0;
  }
  case createQueue:
    return queues_.create(*static_cast<kfd_ioctl_create_queue_args *>(argument));
  case destroyQueue:
    return queues_.destroy(static_cast<kfd_ioctl_destroy_queue_args *>(argument)->queue_id);
  case updateQueue:
    return queues_.update(*static_cast<kfd_ioctl_update_queue_args *>(argument));
  case setMemoryPolicy:
    return known(static_cast<kfd_ioctl_set_memory_policy_args *>(argument)->gpu_id);
  case acquireVm:
    return known(static_cast<kfd_ioctl_acquire_vm_args *>(argument)->gpu_id);
  case setScratchBackingVa:
    return known(static_cast<kfd_ioctl_set_scratch_backing_va_args *>(argument)->gpu_id);
  case setTrapHandler:
    return known(static_cast<kfd_ioctl_set_trap_handler_args *>(argument)->gpu_id);
  case setCuMask:
    return 0;
  case getTileConfig: {
    auto &a = *static_cast<kfd_ioctl_get_tile_config_args *>(argument);
    if (const int result = known(a.gpu_id))
      return result;
    a.num_tile_configs = a.num_macro_tile_configs = 0;
    a.gb_addr_config = a.num_banks = a.num_ranks = 0;
    return 0;
  }
  case getClockCounters: {
    auto &a = *static_cast<kfd_ioctl_get_clock_counters_args *>(argument);
    const Device *device = find(a.gpu_id);
    const bool modelled = device && device->settings.timing;
    a.cpu_clock_counter = nanoseconds(CLOCK_MONOTONIC_RAW);
    a.system_clock_counter = systemClock();
    // Modelled stamps lie in the host's time as they are: ROCr then finds that one clock runs
    // exactly as fast as the other, and no rounding changes a difference.
    a.gpu_clock_counter = modelled ? a.system_clock_counter : gpuClock();
    a.system_clock_freq = 1'000'000'000;
    return 0;
  }
  case createEvent:
    return events_.create(*static_cast<kfd_ioctl_create_event_args *>(argument));
  case destroyEvent:
    return events_.destroy(static_cast<kfd_ioctl_destroy_event_args *>(argument)->event_id);
  case setEvent:
    return events_.set(static_cast<kfd_ioctl_set_event_args *>(argument)->event_id);
  case resetEvent:
    return events_.reset(static_cast<kfd_ioctl_reset_event_args *>(argument)->event_id);
  case waitEvents: {
    auto &a = *static_cast<kfd_ioctl_wait_events_args *>(argument);
    if (a.num_events && !a.events_ptr)
      return -EFAULT;
    return events_.wait(a, reinterpret_cast<kfd_event_data *>(a.events_ptr));
  }
  case getApertures:
    return apertures(*static_cast<kfd_ioctl_get_process_apertures_new_args *>(argument));
  case allocMemory: {
    auto &a = *static_cast<kfd_ioctl_alloc_memory_of_gpu_args *>(argument);
    const Device *device = find(a.gpu_id);
    if (!device)
      return -EINVAL;
    Memory::Allocation allocation;
    allocation.device = device->settings.index;
    allocation.va = a.va_addr;
    allocation.size = a.size;
    allocation.host = a.mmap_offset;
    allocation.flags = a.flags;
    const int result = memory_.allocate(allocation);
    a.handle = allocation.handle;
    a.mmap_offset = allocation.offset;
    return result;
  }
  case freeMemory:
    return memory_.release(static_cast<kfd_ioctl_free_memory_of_gpu_args *>(argument)->handle);
  case mapMemory:
    return onEach(*static_cast<kfd_ioctl_map_memory_to_gpu_args *>(argument), &Memory::mapToGpu);
  case unmapMemory:
    return onEach(*static_cast<kfd_ioctl_unmap_memory_from_gpu_args *>(argument),
                  &Memory::unmapFromGpu);
  case allocQueueGws: {
    auto &a = *static_cast<kfd_ioctl_alloc_queue_gws_args *>(argument);
    if (!queues_.exists(a.queue_id))
      return -EINVAL;
    a.first_gws = 0;
    return 0;
  }
  case svm: {
    auto &a = *static_cast<kfd_ioctl_svm_args *>(argument);
    if (size < sizeof a || size - sizeof a < a.nattr * sizeof(kfd_ioctl_svm_attribute))
      return -EINVAL;
    return svm_.run(
        a, reinterpret_cast<kfd_ioctl_svm_attribute *>(static_cast<char *>(argument) + sizeof a));
  }
  case setXnackMode: {
    auto &a = *static_cast<SetXnackArgs *>(argument);
    if (a.enabled > 0)
      return -EPERM;
    a.enabled = 0;
    return 0;
  }
  case availableMemory: {
    auto &a = *static_cast<AvailableMemoryArgs *>(argument);
    const Device *device = find(a.gpuId);
    if (!device)
      return -EINVAL;
    a.available = memory_.available(device->settings.index);
    return 0;
  }
  default:
    break;
  }
  if (std::find(std::begin(kRefused), std::end(kRefused), nr) == std::end(kRefused)) {
    static std::atomic<uint64_t> said[4];
    const uint64_t bit = 1ull << (nr % 64);
    if (!(said[nr / 64 % 4].fetch_or(bit) & bit))
      say("unknown /dev/kfd request number " + std::to_string(nr) + " (" + std::to_string(size) +
          " bytes): refused");
  }
  return -EINVAL;
}

} // namespace meld::softgpu
