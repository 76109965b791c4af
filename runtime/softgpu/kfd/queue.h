// One hardware queue: a ring, its doorbell, and the thread that works on it.
//
// The doorbell and the ring's indices are memory that user space writes directly, so the thread
// polls: it spins for some microseconds after work, then sleeps with growing, bounded delays
// (activity.h). After 0.1 s without work it leaves the looking to one watcher thread for all
// queues, so that an idle process costs next to nothing.
//
// Thread rule: create / suspend / destroy from ioctls (any thread); destroy() returns when the
// thread is gone.
#pragma once

#include "runtime/softgpu/kfd/services.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <linux/kfd_ioctl.h>

namespace meld::softgpu {

class Queue {
public:
  /// `doorbell`: host address of this queue's 8-byte doorbell.
  Queue(const kfd_ioctl_create_queue_args &args, uint64_t doorbell, const Services &services);
  ~Queue();
  Queue(const Queue &) = delete;

  void suspend(bool on) { suspended_.store(on, std::memory_order_release); }
  /// True when the thread sleeps until something is announced, and there is something to do.
  bool missesWork() const;
  bool dormant() const { return dormant_.load(std::memory_order_relaxed); }

private:
  void work();
  kfd_ioctl_create_queue_args args_;
  uint64_t doorbell_;
  Services services_;
  std::atomic<bool> stop_{false}, cancel_{false}, suspended_{false}, dormant_{false};
  std::thread thread_;
};

/// Where the queues of one device are put.
struct QueuePort {
  uint32_t gpuId = 0;
  uint64_t doorbells = 0;      ///< host address of the device's doorbell page
  uint64_t doorbellOffset = 0; ///< of that page in /dev/kfd
  Services services;
};

/// The queues of all devices: an id names one in the whole process.
class Queues {
public:
  static constexpr uint32_t kLimit = 1024; ///< doorbells in the 8 KiB page
  explicit Queues(std::vector<QueuePort> ports) : ports_(std::move(ports)) {}

  int create(kfd_ioctl_create_queue_args &args);
  int destroy(uint32_t id);
  int update(const kfd_ioctl_update_queue_args &args);
  bool exists(uint32_t id);

private:
  void watch();
  const std::vector<QueuePort> ports_;
  std::mutex mutex_;
  std::map<uint32_t, std::unique_ptr<Queue>> queues_;
  uint32_t nextId_ = 1;
  bool watched_ = false;
  std::condition_variable someQueue_; ///< the watcher sleeps while there is none
};

/// Offset of the first device's doorbell page in /dev/kfd, and the distance from one to the next.
/// The low 32 bits must be 0: the thunk keeps the offset within the page in them.
inline constexpr uint64_t kDoorbellOffset = 0x1'0000'0000;
inline constexpr uint64_t kDoorbellBytes = 8192;

} // namespace meld::softgpu
