// The driver's state in one process: what an open /dev/kfd stands for.
//
// It comes into being at the first open and lives until the process ends (leaked: threads may
// outlive main's destructors). After a fork the child starts without one: its next open makes a
// fresh state, as the thunk expects; nothing of the parent's is touched.
//
// Thread rule: thread-safe. Errors: 0 or -errno, as a kernel would answer.
#pragma once

#include "runtime/softgpu/cu/gpu.h"
#include "runtime/softgpu/kfd/events.h"
#include "runtime/softgpu/kfd/memory.h"
#include "runtime/softgpu/kfd/queue.h"
#include "runtime/softgpu/kfd/settings.h"
#include "runtime/softgpu/kfd/svm.h"

#include <memory>
#include <mutex>

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
  int renderDescriptor() const;

  /// One ioctl on /dev/kfd. `request` is the whole number: the argument's size is taken from it.
  int ioctl(unsigned long request, void *argument);

  const DeviceSettings &settings() const { return settings_; }

private:
  Driver(const DeviceSettings &settings, int kfdFd, int renderFd, uint64_t doorbells);
  static Driver *create();
  Gpu *gpu();
  DispatchResult runKernel(const DispatchRequest &request);
  int dispatch(unsigned nr, void *argument, unsigned long size);

  DeviceSettings settings_;
  int kfdFd_, renderFd_;
  Memory memory_;
  Events events_;
  Svm svm_;
  std::once_flag gpuOnce_;
  std::unique_ptr<Gpu> gpu_;
  Queues queues_;
};

} // namespace meld::softgpu
