#include "runtime/softgpu/kfd/queue.h"

#include "runtime/softgpu/kfd/activity.h"
#include "runtime/softgpu/kfd/aql.h"
#include "runtime/softgpu/kfd/sdma.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <sys/prctl.h>

namespace meld::softgpu {

namespace {
bool isSdma(uint32_t type) {
  return type == KFD_IOC_QUEUE_TYPE_SDMA || type == KFD_IOC_QUEUE_TYPE_SDMA_XGMI ||
         type == 4; // 4: by engine
}
/// A thread on which the application's signal handlers do not run; faults stay ours.
template <class F> std::thread quietThread(F f) {
  sigset_t all, old;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread;
  try {
    thread = std::thread(std::move(f));
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

} // namespace

Queue::Queue(const kfd_ioctl_create_queue_args &args, uint64_t doorbell, const Services &services)
    : args_(args), doorbell_(doorbell), services_(services) {
  suspended_ = args.queue_percentage == 0;
  std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t *>(doorbell_)).store(0);
  thread_ = quietThread([this] { work(); });
}

Queue::~Queue() {
  cancel_ = true;
  stop_ = true;
  Activity::instance().announce();
  if (thread_.joinable())
    thread_.join();
}

bool Queue::missesWork() const {
  if (!dormant_.load(std::memory_order_seq_cst))
    return false;
  auto index = [](uint64_t address) {
    return std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t *>(address))
        .load(std::memory_order_acquire);
  };
  return index(args_.write_pointer_address) > index(args_.read_pointer_address);
}

void Queue::work() {
  char name[16];
  std::snprintf(name, sizeof name, "meld-%s-%u", isSdma(args_.queue_type) ? "sdma" : "aql",
                args_.queue_id % 1000);
  pthread_setname_np(pthread_self(), name);
  ::prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0); // sleeps of 20 us must not become 70

  auto loop = [this](auto &processor) {
    Backoff backoff;
    while (!stop_.load(std::memory_order_acquire)) {
      const uint32_t seen = Activity::instance().current();
      const Step step =
          suspended_.load(std::memory_order_acquire) ? Step::halted : processor.step();
      if (step == Step::progress) {
        backoff.reset();
      } else if (step == Step::blocked || !backoff.dormant()) {
        backoff.pause(step == Step::blocked, seen);
      } else if (step == Step::halted) {
        Activity::instance().wait(seen, 100'000'000);
      } else {
        dormant_.store(true, std::memory_order_seq_cst); // from here on missesWork() sees new work
        Activity::instance().wait(seen, 1'000'000'000);
        dormant_.store(false, std::memory_order_seq_cst);
      }
    }
  };
  if (isSdma(args_.queue_type)) {
    SdmaProcessor processor({args_.ring_base_address, args_.ring_size, args_.read_pointer_address,
                             args_.write_pointer_address, args_.queue_id},
                            services_);
    loop(processor);
  } else {
    AqlProcessor processor({args_.ring_base_address, args_.ring_size, args_.read_pointer_address,
                            args_.write_pointer_address, args_.queue_id},
                           services_, &cancel_);
    loop(processor);
  }
}

int Queues::create(kfd_ioctl_create_queue_args &args) {
  const bool aql = args.queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
  if (!aql && !isSdma(args.queue_type))
    return -EINVAL; // plain PM4 queues: nothing asks for them
  if (!args.ring_base_address || args.ring_size < 64 || (args.ring_size & (args.ring_size - 1)) ||
      !args.read_pointer_address || !args.write_pointer_address)
    return -EINVAL;
  const auto port = std::find_if(ports_.begin(), ports_.end(),
                                 [&](const QueuePort &p) { return p.gpuId == args.gpu_id; });
  if (port == ports_.end())
    return -EINVAL;
  std::lock_guard lock(mutex_);
  if (queues_.size() >= kLimit - 1)
    return -ENOMEM;
  while (queues_.count(nextId_) || nextId_ == 0 || nextId_ >= kLimit)
    nextId_ = nextId_ + 1 >= kLimit ? 1 : nextId_ + 1;
  args.queue_id = nextId_++;
  args.doorbell_offset = port->doorbellOffset + args.queue_id * 8ull;
  try {
    queues_[args.queue_id] =
        std::make_unique<Queue>(args, port->doorbells + args.queue_id * 8ull, port->services);
    if (!watched_) {
      quietThread([this] { watch(); }).detach();
      watched_ = true;
    }
    someQueue_.notify_one();
  } catch (...) { // no thread to be had
    queues_.erase(args.queue_id);
    return -ENOMEM;
  }
  return 0;
}

void Queues::watch() {
  pthread_setname_np(pthread_self(), "meld-watch");
  ::prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
  uint64_t lastWork = gpuClock();
  std::unique_lock lock(mutex_);
  for (;;) {
    someQueue_.wait(lock, [this] { return !queues_.empty(); });
    bool work = false, awake = false;
    for (const auto &[id, queue] : queues_) {
      work |= queue->missesWork();
      awake |= !queue->dormant();
    }
    lock.unlock();
    if (work)
      Activity::instance().announce();
    const uint64_t now = gpuClock();
    if (work || awake)
      lastWork = now;
    // A wake-up costs some 20 us on a virtual machine: after two quiet seconds look less often.
    std::this_thread::sleep_for(
        std::chrono::microseconds(now - lastWork < 2'000'000'000 ? 500 : 2500));
    lock.lock();
  }
}

int Queues::destroy(uint32_t id) {
  std::unique_ptr<Queue> queue;
  {
    std::lock_guard lock(mutex_);
    const auto it = queues_.find(id);
    if (it == queues_.end())
      return -EINVAL;
    queue = std::move(it->second);
    queues_.erase(it);
  }
  return 0; // joins without the lock: a running kernel may need other queues to go on
}

int Queues::update(const kfd_ioctl_update_queue_args &args) {
  std::lock_guard lock(mutex_);
  const auto it = queues_.find(args.queue_id);
  if (it == queues_.end())
    return -EINVAL;
  it->second->suspend(args.queue_percentage == 0);
  return 0;
}

bool Queues::exists(uint32_t id) {
  std::lock_guard lock(mutex_);
  return queues_.count(id);
}

} // namespace meld::softgpu
