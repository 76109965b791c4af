#include "runtime/softgpu/execute/worker.h"

#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/safe_read.h"
#include "runtime/softgpu/execute/translated.h"
#include "runtime/softgpu/execute/watch.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/mem/mem.h"
#include "runtime/softgpu/valu/host_float.h"

#include <algorithm>
#include <cstdio>
#include <sched.h>
#include <unistd.h>

namespace meld::softgpu {

namespace {

/// Taken backward branches per turn: some ten thousand instructions, well below a millisecond.
constexpr int32_t kQuantum = 1024;
/// Rounds without a finished workgroup before more workgroups become resident.
constexpr unsigned kPatience = 2;

} // namespace

void Job::fail(DispatchResult r) {
  std::lock_guard lock(mutex);
  if (result.code == DispatchCode::ok)
    result = std::move(r);
  stop.store(true, std::memory_order_relaxed);
}

Fault memoryFaultOf(const Wave &w, const FaultGuard &guard) {
  const ExecInst *i = w.next;
  Fault f{FaultKind::memory, pcOf(i),          guard.address, faultingLane(i, w, guard.address),
          guard.write,       "no memory there"};
  if (!f.address && f.lane >= 0) {
    f.address = laneAddress(i, w, unsigned(f.lane));
    f.write = f.write || (f.address && writesMemory(i));
  }
  return f;
}

std::unique_ptr<Watch> makeWatch(const Job &job) {
  auto watch = std::make_unique<Watch>();
  for (WatchFactory *factory : job.watchers)
    if (auto w = factory->make())
      watch->add(std::move(w));
  return watch->empty() ? nullptr : std::move(watch);
}

Worker::Worker() = default;
Worker::~Worker() = default;

DispatchResult describeFault(const Wave &w, const Launch &launch, isa::Target target) {
  static constexpr struct {
    FaultKind kind;
    DispatchCode code;
    const char *text;
  } kinds[] = {
      {FaultKind::illegalInstruction, DispatchCode::illegalInstruction, "illegal instruction"},
      {FaultKind::memory, DispatchCode::memoryFault, "memory access fault"},
      {FaultKind::aperture, DispatchCode::apertureViolation, "aperture violation"},
      {FaultKind::trap, DispatchCode::trap, "trap"},
      {FaultKind::codeObject, DispatchCode::badCodeObject, "bad code object"},
      {FaultKind::cancelled, DispatchCode::cancelled, "cancelled"},
  };
  DispatchResult r;
  const char *text = "fault";
  r.code = DispatchCode::illegalInstruction;
  for (const auto &k : kinds)
    if (k.kind == w.fault.kind) {
      r.code = k.code;
      text = k.text;
    }
  r.address = w.fault.address;
  r.write = w.fault.write;

  const uint64_t pc = pcOf(w.next);
  char where[160];
  std::string code;
  if (w.next->category == kCoreEntry)
    code = "(behind the last instruction)";
  else if (w.next->inst->size)
    code = isa::disassemble(*w.next->inst, target, pc - launch.entry);
  while (!code.empty() && (code.front() == '\t' || code.front() == ' '))
    code.erase(code.begin());
  for (char &c : code)
    if (c == '\t' || c == '\n')
      c = ' ';
  if (code.empty()) {
    uint32_t word = 0;
    const bool readable = safeRead(pc, &word, 4) == 4; // before it is an argument
    std::snprintf(where, sizeof(where), readable ? ".long 0x%08x" : "(unreadable)", word);
    code = where;
  }
  std::snprintf(
      where, sizeof(where), " at %s0x%llx (pc 0x%llx): ", pc >= launch.entry ? "+" : "-",
      static_cast<unsigned long long>(pc >= launch.entry ? pc - launch.entry : launch.entry - pc),
      static_cast<unsigned long long>(pc));
  r.message = std::string(text) + " in kernel " + launch.kernel + where + code;
  if (w.fault.what && *w.fault.what)
    r.message += std::string(": ") + w.fault.what;
  if (w.fault.kind == FaultKind::memory || w.fault.kind == FaultKind::aperture) {
    std::snprintf(where, sizeof(where), ", %s address 0x%llx",
                  w.fault.write ? "write to" : "read from",
                  static_cast<unsigned long long>(w.fault.address));
    r.message += where;
  }
  if (w.group) {
    std::snprintf(where, sizeof(where), ", workgroup (%u,%u,%u) wave %u", w.group->id[0],
                  w.group->id[1], w.group->id[2], w.waveInGroup);
    r.message += where;
  }
  if (w.fault.lane >= 0)
    r.message += " lane " + std::to_string(w.fault.lane);
  return r;
}

/// s_sendmsg(MSG_INTERRUPT) leaves the simulated world: a fault in the driver is the process's own.
struct WorkerInterrupt {
  static thread_local Worker *worker;
  static void send(Workgroup &g, uint32_t eventId) {
    Worker *self = worker;
    if (!g.request->interrupt)
      return;
    self->guard_->disarm();
    g.request->interrupt(eventId);
    self->guard_->arm();
  }
};
thread_local Worker *WorkerInterrupt::worker = nullptr;

void Worker::run(Job &job) noexcept {
  job.workers.fetch_add(1, std::memory_order_relaxed);
  job_ = &job;
  counters_ = WaveCounters{};
  running_ = nullptr;
  reported_ = 0;
  started_ = {};
  if (job.request->maxTime.count())
    started_ = std::chrono::steady_clock::now();
  Worker *outer = WorkerInterrupt::worker;
  WorkerInterrupt::worker = this;
  {
    const HostFloat hostFloat;
    FaultGuard guard;
    guard_ = &guard;
    try {
      watch_ = job.watchers.empty() ? nullptr : makeWatch(job);
      if (sigsetjmp(guard.env, FaultGuard::kSaveMask) == 0) {
        loop(job);
      } else {
        Wave &w = *running_;
        countPassed(w, counters_);
        w.fault = memoryFaultOf(w, guard);
        w.status = WaveStatus::faulted;
        job.fail(describeFault(w, *job.launch, job.env.code->target()));
      }
      if (watch_)
        watch_->finish();
    } catch (...) { // out of memory while building a message or a list, or while decoding code
      if (running_)
        countPassed(*running_, counters_);
      DispatchResult r;
      r.code = DispatchCode::cancelled;
      r.message = "out of host memory";
      job.fail(std::move(r));
    }
    guard_ = nullptr;
    watch_.reset();
  }
  WorkerInterrupt::worker = outer;
  for (auto &g : resident_)
    spare_.push_back(std::move(g));
  resident_.clear();
  job_ = nullptr;
  std::lock_guard lock(job.mutex);
  job.counters.add(counters_);
}

void Worker::loop(Job &job) {
  unsigned stuck = 0, idle = 0;
  noMemory_ = false;
  while (!job.stop.load(std::memory_order_relaxed)) {
    if (resident_.empty()) {
      if (!launchNext())
        return;
      stuck = idle = 0;
    }
    bool finished = false;
    slept_ = true;
    for (size_t k = 0; k < resident_.size();) {
      runGroup(*resident_[k]);
      if (job.tier) {
        const uint64_t total = counters_.total();
        job.tier->executed(total - reported_, job.code);
        reported_ = total;
      }
      if (job.stop.load(std::memory_order_relaxed))
        return;
      if (resident_[k]->done()) {
        retire(k);
        finished = true;
      } else {
        ++k;
      }
    }
    if (job.cancelled() || overLimit()) {
      DispatchResult r;
      r.code = DispatchCode::cancelled;
      r.message = "kernel " + job.launch->kernel +
                  (job.cancelled() ? " was cancelled" : " has spent its instructions or its time");
      job.fail(std::move(r));
      return;
    }
    if (finished) {
      stuck = idle = 0;
      continue;
    }
    if ((slept_ || ++stuck >= kPatience) && grow()) {
      idle = 0;
      continue;
    }
    if (!slept_) {
      idle = 0;
    } else if (++idle < 64) { // everybody sleeps: whoever they wait for needs the processor
      sched_yield();
    } else {
      usleep(idle < 1024 ? 20 : 200);
    }
  }
}

bool Worker::overLimit() const {
  const DispatchRequest &r = *job_->request;
  return (r.maxInstructions && counters_.total() > r.maxInstructions) ||
         (r.maxTime.count() && std::chrono::steady_clock::now() - started_ > r.maxTime);
}

size_t Worker::residentLimit() const {
  const Launch &l = *job_->launch;
  const uint64_t device = uint64_t(l.groupsPerUnit) * placesOf(l, job_->env.config->computeUnits);
  const uint64_t all = std::min(device, l.totalGroups);
  const uint64_t workers = std::max(1u, job_->workers.load(std::memory_order_relaxed));
  return size_t((all + workers - 1) / workers);
}

bool Worker::grow() {
  const size_t limit = residentLimit();
  size_t want = std::min(limit, resident_.size() * 2), before = resident_.size();
  while (resident_.size() < want && launchNext()) {
  }
  return resident_.size() > before;
}

bool Worker::launchNext() {
  Job &job = *job_;
  if (noMemory_ || job.nextGroup.load(std::memory_order_relaxed) >= job.launch->totalGroups)
    return false;
  std::unique_ptr<Workgroup> g;
  if (spare_.empty()) {
    g = std::make_unique<Workgroup>();
  } else {
    g = std::move(spare_.back());
    spare_.pop_back();
  }
  uint64_t id = job.nextGroup.fetch_add(1, std::memory_order_relaxed);
  if (id >= job.launch->totalGroups) {
    spare_.push_back(std::move(g));
    return false;
  }
  if (job.request->reversed)
    id = job.launch->totalGroups - 1 - id;
  if (!startWorkgroup(*g, id, *job.launch, job.env, *job.request)) {
    DispatchResult r;
    r.code = DispatchCode::scratchTooLarge;
    r.message =
        "kernel " + job.launch->kernel + ": no host memory for a workgroup's registers and scratch";
    job.fail(std::move(r));
    noMemory_ = true;
    return false;
  }
  g->interrupt = &WorkerInterrupt::send;
  if (watch_)
    watch_->groupStarted(*g);
  counters_.waves += g->numWaves;
  resident_.push_back(std::move(g));
  return true;
}

void Worker::retire(size_t k) {
  spare_.push_back(std::move(resident_[k]));
  resident_.erase(resident_.begin() + ptrdiff_t(k));
}

void Worker::runGroup(Workgroup &g) {
  // One quantum for the whole turn, so that loops around barriers end it, too.
  for (uint32_t k = 0; k < g.numWaves; ++k)
    g.waves[k].quantum = kQuantum;
  const bool reversed = job_->request->reversed;
  do {
    for (uint32_t k = 0; k < g.numWaves; ++k) {
      Wave &w = g.waves[reversed ? g.numWaves - 1 - k : k];
      if (w.status != WaveStatus::ready && w.status != WaveStatus::yielded)
        continue;
      w.status = WaveStatus::ready;
      running_ = &w;
      guard_->arm();
      if (watch_) [[unlikely]]
        runWatched(w, counters_, *watch_);
      else if (job_->tier)
        runWaveTranslated(w, counters_);
      else
        runWave(w, counters_);
      guard_->disarm();
      switch (w.status) {
      case WaveStatus::ended:
        endWave(g, w);
        slept_ = false;
        break;
      case WaveStatus::barrier:
        waitAtBarrier(g, w);
        break;
      case WaveStatus::yielded:
        if (w.quantum <= 0)
          slept_ = false;
        break;
      case WaveStatus::ready:
      case WaveStatus::faulted:
        job_->fail(describeFault(w, *job_->launch, job_->env.code->target()));
        return;
      }
    }
    if (!releaseBarrier(g))
      return;
    if (watch_)
      watch_->barrierOpened(g);
    slept_ = false;
  } while (!job_->stop.load(std::memory_order_relaxed));
}

} // namespace meld::softgpu
