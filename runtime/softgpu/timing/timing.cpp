// What: one discrete-event simulation per compute unit.
//
//   for each compute unit in turn:            until every workgroup has ended
//     while its time < the end of the turn:
//       go to the next visit (GFX9: cycle = SIMD number mod 4) at which some wave can issue
//       for its waves, oldest first: issue the next instruction if its unit is free
//
// An instruction is executed when it issues; the model then decides when its wave may issue again
// and when its result counts as arrived (vm and lgkm counters). All completion times are known at
// issue, so s_waitcnt is a plain wait until a known cycle. Terminates: each turn advances time;
// waves that wait for each other get turns as on the device, up to its occupancy. Cost: about
// 50-100 ns per instruction.
#include "runtime/softgpu/timing/timing.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/timing/compute_unit.h"
#include "runtime/softgpu/valu/host_float.h"

#include <algorithm>
#include <sched.h>

namespace meld::softgpu {

using namespace timing;

namespace {

struct Device : Shared {
  using Shared::Shared;
  uint64_t run();
  void deal(uint64_t now, uint64_t end);
  /// A member, so that a memory fault's long jump loses nothing.
  std::vector<std::unique_ptr<ComputeUnit>> units;
};

/// Workgroups for the units that have room, in turns. As long as there are some, no unit is gone.
void Device::deal(uint64_t now, uint64_t end) {
  const size_t count = units.size();
  size_t k = dispatcher.firstUnit();
  for (size_t full = 0; full < count; k = k + 1 < count ? k + 1 : 0) {
    if (!units[k]->hasRoom()) {
      ++full;
      continue;
    }
    const auto next = dispatcher.take(unsigned(k), now, end);
    if (!next || !units[k]->start(*next))
      return;
    dispatcher.dealt(unsigned(k));
    full = 0;
  }
}

uint64_t Device::run() {
  const unsigned count = unitsOf(job);
  for (unsigned k = 0; k < count; ++k)
    units.push_back(std::make_unique<ComputeUnit>(*this, k));
  uint64_t cycles = 0;
  const uint64_t turn = std::max(p.turn, 1u);
  for (uint64_t now = 0; !units.empty() && !job.stop.load(std::memory_order_relaxed); now += turn) {
    const uint64_t end = now + turn;
    slept = false;
    memory.begin(now);
    if (dispatcher.modelled() && dispatcher.left(0)) {
      dispatcher.begin(now);
      deal(now, end);
    }
    for (size_t k = 0; k < units.size();) {
      if (units[k]->advance(end)) {
        ++k;
        continue;
      }
      cycles = std::max(cycles, units[k]->finished());
      units.erase(units.begin() + ptrdiff_t(k));
      if (job.stop.load(std::memory_order_relaxed))
        return cycles;
    }
    if (job.cancelled()) {
      DispatchResult r;
      r.code = DispatchCode::cancelled;
      r.message = "kernel " + job.launch->kernel + " was cancelled";
      job.fail(std::move(r));
    }
    if (slept)
      sched_yield(); // they may wait for the host
  }
  return cycles;
}

} // namespace

uint64_t runTimed(Job &job, const TimingParameters &parameters) noexcept {
  job.workers.fetch_add(1, std::memory_order_relaxed);
  const HostFloat hostFloat;
  FaultGuard guard;
  Shared *const outer = current;
  std::unique_ptr<Device> device;
  volatile uint64_t cycles = 0;
  try {
    device = std::make_unique<Device>(job, parameters, guard);
    device->watch = job.watchers.empty() ? nullptr : makeWatch(job);
    current = device.get();
    if (sigsetjmp(guard.env, FaultGuard::kSaveMask) == 0) {
      cycles = device->run();
    } else {
      Wave &w = *device->running;
      w.fault = memoryFaultOf(w, guard);
      w.status = WaveStatus::faulted;
      job.fail(describeFault(w, *job.launch, job.env.code->target()));
    }
    if (device->watch)
      device->watch->finish();
  } catch (...) {
    DispatchResult r;
    r.code = DispatchCode::cancelled;
    r.message = "out of host memory";
    job.fail(std::move(r));
  }
  current = outer;
  std::lock_guard lock(job.mutex);
  if (device)
    job.counters.add(device->counters);
  return cycles;
}

} // namespace meld::softgpu
