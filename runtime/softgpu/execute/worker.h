// Runs the workgroups of one dispatch on one host thread.
//
// What: a worker takes workgroups in id order from the dispatch (Job) and runs each until its waves
// end. A wave runs to a barrier, its end, an s_sleep or the end of its quantum (taken backward
// branches). A workgroup none of whose waves ended in a round stays resident, and after a few such
// rounds the worker takes further workgroups and gives every resident one turns:
//
//   group 0   ####|      ####|      ####            | = all its waves yielded
//   group 1        ####|      ###end
//
// Why it makes progress: workgroups start in id order, so one that waits for a smaller id
// (look-back scan, lock) waits for something that has started and gets turns. One that waits for a
// larger id (grid barrier) waits for something that starts as long as the device itself could hold
// all of them: the limit is its occupancy. Waves that wait for the host (s_sleep in a loop) make
// the worker yield to the operating system.
//
// Costs: about 5 ns per instruction plus the instruction itself; a wave switch below 0.1 us.
// Thread rule: run() is called by the thread that owns the worker; Job is shared by the workers of
// a dispatch.
#pragma once

#include "runtime/softgpu/counters/counters.h"
#include "runtime/softgpu/execute/fault_guard.h"
#include "runtime/softgpu/execute/launch.h"
#include "runtime/softgpu/execute/workgroup.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace meld::softgpu {

class Watch;
class WatchFactory;
namespace translate {
class ExecutedKernel;
}

/// A dispatch that is being executed.
struct Job {
  const Launch *launch = nullptr;
  const DispatchRequest *request = nullptr;
  WorkgroupEnv env;
  std::vector<WatchFactory *> watchers; ///< who wants to see every instruction; usually nobody
  std::shared_ptr<CodeCache> code;      ///< what env.code points to
  std::shared_ptr<translate::ExecutedKernel> tier; ///< null: interpret only

  std::atomic<uint64_t> nextGroup{0};
  std::atomic<uint32_t> workers{0}; ///< that joined
  std::atomic<bool> stop{false};    ///< failed or cancelled

  std::mutex mutex; ///< protects the rest
  WaveCounters counters;
  DispatchResult result;

  bool cancelled() const {
    return (request->cancel && request->cancel->load(std::memory_order_relaxed)) ||
           (request->giveUp && request->giveUp->load(std::memory_order_relaxed));
  }
  /// Keeps the first failure and stops all workers.
  void fail(DispatchResult r);
};

/// The watchers of one worker of `job`; nullptr when nobody watches.
std::unique_ptr<Watch> makeWatch(const Job &job);

/// The message and code for a wave that stopped with Wave::fault.
DispatchResult describeFault(const Wave &w, const Launch &launch, isa::Target target);

/// What a wave's access that the host refused was: the guard's address, or, where the host does not
/// say it (non-canonical addresses), the lane's own.
Fault memoryFaultOf(const Wave &w, const FaultGuard &guard);

class Worker {
public:
  Worker();
  ~Worker();
  /// Runs workgroups of `job` until there are none left or the job stops. Never throws.
  void run(Job &job) noexcept;

private:
  void loop(Job &job);
  void runGroup(Workgroup &g);
  bool overLimit() const;
  bool launchNext();
  bool grow();
  size_t residentLimit() const;
  void retire(size_t k);

  Job *job_ = nullptr;
  FaultGuard *guard_ = nullptr;
  Wave *running_ = nullptr;
  std::unique_ptr<Watch> watch_; ///< set: this dispatch is watched
  WaveCounters counters_;
  uint64_t reported_ = 0; ///< instructions the tier knows of
  std::chrono::steady_clock::time_point started_;
  std::vector<std::unique_ptr<Workgroup>> resident_, spare_;
  bool slept_ =
      false; ///< every wave that ran since the flag was set stopped at s_sleep or a barrier
  bool noMemory_ = false;

  friend struct WorkerInterrupt;
};

/// Runs a wave until its status changes, counting. The hot loop.
void runWave(Wave &w, WaveCounters &c);

/// The end of runWave(), also where a fault of the host's or an exception has left it: counts what
/// chains took for scalar arithmetic (chain.h) as what it is.
void countPassed(Wave &w, WaveCounters &c);

/// Executes the one instruction Wave::next and counts it; false: the wave stopped.
bool stepWave(Wave &w, WaveCounters &c);

} // namespace meld::softgpu
