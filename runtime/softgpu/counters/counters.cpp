#include "runtime/softgpu/counters/counters.h"

#include "runtime/softgpu/counters/checks.h"
#include "runtime/softgpu/counters/output_file.h"
#include "runtime/softgpu/isa/decoder.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <vector>

namespace meld::softgpu {

using Json = nlohmann::ordered_json;

void WaveCounters::add(const WaveCounters &other) {
  for (unsigned k = 0; k < kCategories; ++k)
    insts[k] += other.insts[k];
  activeLanesValu += other.activeLanesValu;
  cacheLines += other.cacheLines;
  ldsBankConflicts += other.ldsBankConflicts;
  waves += other.waves;
}

uint64_t WaveCounters::total() const {
  uint64_t sum = 0;
  for (uint64_t n : insts)
    sum += n;
  return sum;
}

namespace {

Json countersJson(const WaveCounters &c) {
  auto of = [&](isa::Category k) { return c.insts[unsigned(k)]; };
  const uint64_t valu = of(isa::Category::valu);
  Json j;
  j["SQ_WAVES"] = c.waves;
  j["SQ_INSTS"] = c.total();
  j["SQ_INSTS_VALU"] = valu;
  j["SQ_INSTS_SALU"] = of(isa::Category::salu);
  j["SQ_INSTS_SMEM"] = of(isa::Category::smem);
  j["SQ_INSTS_VMEM_RD"] = of(isa::Category::vmemRead);
  j["SQ_INSTS_VMEM_WR"] = of(isa::Category::vmemWrite);
  j["SQ_INSTS_FLAT"] = of(isa::Category::flat);
  j["SQ_INSTS_LDS"] = of(isa::Category::lds);
  j["SQ_INSTS_BRANCH"] = of(isa::Category::branch);
  j["SQ_THREAD_VALU"] = c.activeLanesValu;
  j["VALUUtilization"] = valu ? 100.0 * double(c.activeLanesValu) / (double(valu) * 64) : 0.0;
  j["SQ_LDS_BANK_CONFLICT"] = c.ldsBankConflicts;
  j["TCP_TOTAL_CACHE_LINES"] = c.cacheLines;
  return j;
}

/// What the checkers found; nothing when none runs.
Json checksJson() {
  const CheckSink &sink = CheckSink::instance();
  Json j;
  const std::vector<Finding> findings = sink.findings();
  for (const std::string &check : sink.enabled()) {
    Json &list = j[check] = Json::array();
    for (const Finding &f : findings)
      if (f.check == check) {
        Json one;
        one["kernel"] = f.kernel;
        one["offset"] = f.offset;
        one["text"] = f.text;
        one["detail"] = f.detail;
        one["count"] = f.count;
        list.push_back(std::move(one));
      }
  }
  return j;
}

} // namespace

struct CounterSink::State {
  std::string fileName;
  mutable std::mutex mutex;
  std::vector<DispatchRecord> records;
  pid_t pid = 0; ///< whose records these are: a forked child starts its own list
};

CounterSink::CounterSink(std::string fileName)
    : state_(std::make_unique<State>()), enabled_(!fileName.empty()) {
  state_->fileName = std::move(fileName);
}

CounterSink::~CounterSink() = default;

CounterSink &CounterSink::instance() {
  // Never destroyed: other threads may still dispatch while the process exits.
  static CounterSink *sink = [] {
    const char *name = std::getenv("MELD_COUNTERS");
    auto *s = new CounterSink(name ? name : "");
    if (s->enabled())
      std::atexit([] { instance().flush(); });
    return s;
  }();
  return *sink;
}

void CounterSink::record(DispatchRecord record) {
  if (!enabled_)
    return;
  std::lock_guard lock(state_->mutex);
  if (state_->pid != getpid()) {
    state_->records.clear();
    state_->pid = getpid();
  }
  state_->records.push_back(std::move(record));
}

std::string CounterSink::toJson() const {
  struct Total {
    uint64_t dispatches = 0, cycles = 0;
    WaveCounters counters;
  };
  std::map<std::string, Total> totals;
  Json dispatches = Json::array();
  std::lock_guard lock(state_->mutex);
  for (const DispatchRecord &r : state_->records) {
    Json d;
    d["kernel"] = r.kernel;
    d["grid"] = r.grid;
    d["workgroup"] = r.workgroup;
    d["waves"] = r.counters.waves;
    d["replaced"] = r.replaced;
    d["vgprs"] = r.vgprs;
    d["sgprs"] = r.sgprs;
    d["lds"] = r.ldsBytes;
    d["scratch"] = r.scratchBytes;
    d["occupancy"] = r.occupancy;
    d["counters"] = countersJson(r.counters);
    d["cycles"] = r.cycles;
    dispatches.push_back(std::move(d));
    Total &t = totals[r.kernel];
    ++t.dispatches;
    t.cycles += r.cycles;
    t.counters.add(r.counters);
  }
  Json out;
  out["device"] = state_->records.empty() ? "" : isa::targetName(state_->records.front().device);
  out["dispatches"] = std::move(dispatches);
  Json &perKernel = out["totals"] = Json::object();
  for (const auto &[kernel, t] : totals) {
    Json j;
    j["dispatches"] = t.dispatches;
    j["waves"] = t.counters.waves;
    j["counters"] = countersJson(t.counters);
    j["cycles"] = t.cycles;
    perKernel[kernel] = std::move(j);
  }
  if (Json checks = checksJson(); !checks.is_null())
    out["checks"] = std::move(checks);
  return out.dump(1, ' ', false, Json::error_handler_t::replace);
}

void CounterSink::flush() noexcept {
  if (!enabled_)
    return;
  try {
    {
      std::lock_guard lock(state_->mutex);
      if (state_->pid != getpid()) // forked, and nothing of its own to say
        return;
    }
    writeWholeFile(state_->fileName, toJson(), "counters");
  } catch (...) {
    std::fputs("meld: cannot write counters: out of memory\n", stderr);
  }
}

} // namespace meld::softgpu
