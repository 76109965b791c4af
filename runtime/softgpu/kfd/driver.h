// The driver's state in one process: what an open /dev/kfd stands for.
//
// Memory, events and queue ids belong to the process, as in the kernel. Each device has an executor
// of its own, made when it is given its first work.
//
// It comes into being at the first open and lives until the process ends (leaked: threads may
// outlive main's destructors). After a fork the child starts without one: its next open makes a
// fresh state, as the thunk expects; nothing of the parent's is touched.
//
// Thread rule: thread-safe. Errors: 0 or -errno, as a kernel would answer.
#pragma once

#include "runtime/softgpu/device/gpu.h"
#include "runtime/softgpu/kfd/events.h"
#include "runtime/softgpu/kfd/memory.h"
#include "runtime/softgpu/kfd/queue.h"
#include "runtime/softgpu/kfd/settings.h"
#include "runtime/softgpu/kfd/svm.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace meld::softgpu {

class Driver {
public:
  /// The process's driver, made when missing. nullptr when the host cannot run it (one line on
  /// stderr says why).
  static Driver *open();
  /// The process's driver, or nullptr when nothing opened it.
  static Driver *current();

  /// New descriptors of the devices (close-on-exec), or -1 with errno.
  int kfdDescriptor() const;
  int renderDescriptor() const; ///< the same memory for every device

  /// One ioctl on /dev/kfd. `request` is the whole number: the argument's size is taken from it.
  int ioctl(unsigned long request, void *argument);

private:
  struct Device {
    Device(const DeviceSettings &settings, const Memory &memory, const Svm &svm);
    Gpu *gpu();
    DispatchResult run(const DispatchRequest &request);

    const DeviceSettings settings;
    const uint32_t gpuId;
    DeviceView view;
    std::once_flag once;
    std::unique_ptr<Gpu> executor;
    std::atomic<uint64_t> latest{0}; ///< see QueueClock
  };

  Driver(const std::vector<DeviceSettings> &devices, int kfdFd, int renderFd, uint64_t doorbells);
  static Driver *create();
  std::vector<QueuePort> ports(uint64_t doorbells);
  Device *find(uint32_t gpuId); ///< nullptr when there is none
  /// The devices of an array in the caller's memory, or -errno. Without an array: all.
  int devicesOf(uint64_t array, uint32_t count, std::vector<Device *> &devices);
  int apertures(kfd_ioctl_get_process_apertures_new_args &args);
  int dispatch(unsigned nr, void *argument, unsigned long size);

  const int kfdFd_, renderFd_;
  Memory memory_;
  Events events_;
  Svm svm_;
  std::vector<std::unique_ptr<Device>> devices_; ///< as MELD_GPU lists them
  Queues queues_;
};

} // namespace meld::softgpu
