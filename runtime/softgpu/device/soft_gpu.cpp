// Gpu: one dispatch from packet to result, the current code cache, the helper threads.
#include "runtime/softgpu/device/soft_gpu.h"
#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/launch.h"
#include "runtime/softgpu/execute/pool.h"
#include "runtime/softgpu/execute/worker.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/timing/timing.h"
#include "runtime/softgpu/translate/tier.h"
#include "runtime/softgpu/verify/pairs.h"
#include "runtime/softgpu/verify/verification.h"
#include "runtime/softgpu/watch/capture.h"
#include "runtime/softgpu/watch/check/check.h"
#include "runtime/softgpu/watch/profile_watch.h"
#include "runtime/softgpu/watch/trace_log.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

namespace meld::softgpu {

namespace {

class SoftGpu final : public Gpu {
public:
  SoftGpu(const DeviceConfig &config, AddressMapper *mapper)
      : config_(config), mapper_(mapper), threads_(threadCount(config)), pool_(threads_ - 1),
        timing_(TimingParameters::of(config.target)), trace_(TraceLog::open(config)),
        capture_(CaptureControl::open(config.capture)),
        translate_(translate::Settings::of(config)) {
    timing_.apply(config.timingParameters);
    if (config.checks)
      CheckSink::instance().enable(checkNames(config.checks));
  }

  DispatchResult run(const DispatchRequest &request) override {
    try {
      return runChecked(request);
    } catch (...) {
      DispatchResult r;
      r.code = DispatchCode::cancelled;
      r.message = "the software GPU ran out of host memory";
      return r;
    }
  }

  void invalidateCode() override {
    std::lock_guard lock(mutex_);
    code_.clear(); // dispatches that run keep the old caches
  }

  const DeviceConfig &config() const override { return config_; }

private:
  static unsigned threadCount(const DeviceConfig &c) {
    return std::max(1u, c.hostThreads ? c.hostThreads : std::thread::hardware_concurrency());
  }

  /// The code at an address is decoded for each size of waves on its own.
  std::shared_ptr<CodeCache> code(isa::Target target) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<CodeCache> &cache = code_[target];
    if (!cache)
      cache = std::make_shared<CodeCache>(target, mapper_);
    return cache;
  }

  std::unique_ptr<Worker> takeWorker() {
    std::lock_guard lock(mutex_);
    if (idle_.empty())
      return std::make_unique<Worker>();
    auto w = std::move(idle_.back());
    idle_.pop_back();
    return w;
  }
  void putWorker(std::unique_ptr<Worker> w) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(w));
  }

  DispatchResult runChecked(const DispatchRequest &request);
  DispatchResult runLaunch(const DispatchRequest &request, const Launch &launch,
                           AddressMapper *mapper);
  DispatchResult runBeside(const DispatchRequest &request, AddressMapper *mapper);
  void runGroups(Job &job);
  void record(const Launch &launch, const DispatchResult &result);

  const DeviceConfig config_;
  AddressMapper *const mapper_;
  const unsigned threads_;
  Pool pool_;
  std::mutex mutex_;
  std::map<isa::Target, std::shared_ptr<CodeCache>> code_;
  TimingParameters timing_;
  const std::unique_ptr<TraceLog> trace_;
  const std::unique_ptr<CaptureControl> capture_;
  const translate::Settings translate_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

DispatchResult SoftGpu::runChecked(const DispatchRequest &request) {
  Launch launch;
  DispatchResult result = readLaunch(request, config_, launch);
  if (result.code != DispatchCode::ok)
    return result;
  FaultGuard::installHandlers();
  if (!verify::enabled())
    return runLaunch(request, launch, mapper_);
  return verify::runVerified(
      {request, launch, config_, mapper_},
      [&](const DispatchRequest &r, AddressMapper *m) { return runLaunch(r, launch, m); },
      [&](const DispatchRequest &r, AddressMapper *m) { return runBeside(r, m); });
}

/// The workgroups, on this thread and the pool's.
void SoftGpu::runGroups(Job &job) {
  auto worker = takeWorker();
  const uint64_t others = std::min<uint64_t>(job.launch->totalGroups - 1, threads_ - 1);
  Pool::Offer offer(pool_, unsigned(others), [&job](Worker &w) { w.run(job); });
  worker->run(job);
  putWorker(std::move(worker));
}

/// A run that nobody counts, times, traces or captures.
DispatchResult SoftGpu::runBeside(const DispatchRequest &request, AddressMapper *mapper) {
  Launch launch;
  DispatchResult result = readLaunch(request, config_, launch);
  if (result.code != DispatchCode::ok)
    return result;
  Job job;
  job.launch = &launch;
  job.request = &request;
  job.env.config = &config_;
  job.env.mapper = mapper;
  job.code = code(launch.target);
  job.env.code = job.code.get();
  job.env.entry = job.code->lookup(launch.entry);
  runGroups(job);
  result = std::move(job.result);
  result.counters = job.counters;
  return result;
}

DispatchResult SoftGpu::runLaunch(const DispatchRequest &request, const Launch &launch,
                                  AddressMapper *mapper) {
  const std::shared_ptr<CodeCache> code = this->code(launch.target);

  Job job;
  job.launch = &launch;
  job.request = &request;
  job.env.config = &config_;
  job.env.mapper = mapper && (config_.checked || !mapper->empty()) ? mapper : nullptr;
  job.env.code = code.get();
  job.env.entry = code->lookup(launch.entry);
  std::unique_ptr<Capture> capture;
  if (capture_)
    capture = capture_->begin(request, launch, config_, mapper);
  std::unique_ptr<WatchFactory> trace;
  if (trace_ && trace_->wants(launch)) {
    trace = trace_->watch(launch, launch.target);
    if (trace)
      job.watchers.push_back(trace.get());
  }
  const std::unique_ptr<WatchFactory> checkers = makeCheckers(launch, config_.checks);
  if (checkers)
    job.watchers.push_back(checkers.get());
  std::unique_ptr<DispatchProfile> profile;
  if (ProfileSink::instance().enabled()) {
    profile = std::make_unique<DispatchProfile>(launch);
    job.watchers.push_back(profile.get());
  }
  std::shared_ptr<translate::KernelTier> tier;
  if (job.watchers.empty() && !config_.timing)
    tier = translate::kernelTier(*code, job.env.entry, translate_);
  job.tier = tier;
  job.code = code;
  const translate::DispatchScope translating(tier);
  if (tier && translate_.when == translate::When::always)
    tier->translateNow(code);

  uint64_t cycles = 0;
  if (config_.timing) {
    cycles = runTimed(job, timing_);
  } else {
    runGroups(job);
  }

  DispatchResult result = std::move(job.result);
  result.counters = job.counters;
  result.cycles = cycles;
  result.launchOverhead = config_.timing ? timing_.launchOverhead : 0;
  if (capture)
    capture_->finish(std::move(capture), result);
  record(launch, result);
  if (profile) {
    KernelProfile counted = profile->take(result.counters.waves, config_.target);
    if (config_.deviceCount > 1)
      counted.deviceIndex = int(config_.deviceIndex);
    counted.computeUnits = config_.computeUnits;
    counted.waveSize = launch.waveSize;
    ProfileSink::instance().record(std::move(counted));
  }
  return result;
}

void SoftGpu::record(const Launch &launch, const DispatchResult &result) {
  CounterSink &sink = CounterSink::instance();
  if (!sink.enabled())
    return;
  DispatchRecord r;
  r.kernel = launch.kernel;
  r.device = config_.target;
  r.deviceIndex = config_.deviceIndex;
  r.deviceCount = config_.deviceCount;
  std::copy_n(launch.grid, 3, r.grid);
  std::copy_n(launch.workgroup, 3, r.workgroup);
  r.counters = result.counters;
  r.waveSize = launch.waveSize;
  r.cycles = result.cycles;
  r.vgprs = launch.vgprs + launch.agprs;
  r.sgprs = launch.sgprs;
  r.ldsBytes = launch.ldsBytes;
  r.scratchBytes = launch.scratchPerLane;
  r.occupancy = launch.wavesPerSimd;
  r.computeUnits = config_.computeUnits;
  r.replaced = launch.replaced;
  sink.record(std::move(r));
}

} // namespace

std::unique_ptr<Gpu> makeGpu(const DeviceConfig &config, AddressMapper *mapper) {
  return std::make_unique<SoftGpu>(config, mapper);
}

} // namespace meld::softgpu
