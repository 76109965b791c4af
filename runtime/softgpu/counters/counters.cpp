#include "runtime/softgpu/counters/counters.h"

#include "runtime/host/stderr.h"
#include "runtime/host/text.h"
#include "runtime/softgpu/counters/checks.h"
#include "runtime/softgpu/counters/output_file.h"
#include "runtime/softgpu/counters/process_records.h"
#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
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

/// `valuLanes`: of all vector instructions, had every lane of their waves been active.
Json countersJson(const WaveCounters &c, uint64_t valuLanes) {
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
  j["VALUUtilization"] = valuLanes ? 100.0 * double(c.activeLanesValu) / double(valuLanes) : 0.0;
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
        if (!f.device.empty())
          one["device"] = f.device;
        one["offset"] = f.offset;
        one["text"] = f.text;
        one["detail"] = f.detail;
        one["count"] = f.count;
        list.push_back(std::move(one));
      }
  }
  return j;
}

uint64_t valuLanesOf(const DispatchRecord &r) {
  return r.counters.insts[unsigned(isa::Category::valu)] * r.waveSize;
}

struct Total {
  uint64_t dispatches = 0, cycles = 0, valuLanes = 0;
  WaveCounters counters;
  void add(const Total &other) {
    dispatches += other.dispatches;
    cycles += other.cycles;
    valuLanes += other.valuLanes;
    counters.add(other.counters);
  }
};

using Totals = std::map<std::string, Total>; ///< by kernel

Totals totalsOf(const std::vector<DispatchRecord> &records) {
  Totals totals;
  for (const DispatchRecord &r : records)
    totals[r.kernel].add({1, r.cycles, valuLanesOf(r), r.counters});
  return totals;
}

/// What ran on one of several devices.
struct DevicePart {
  isa::Target device;
  Totals totals;
};

bool several(const std::vector<DispatchRecord> &records) {
  return !records.empty() && records.front().deviceCount > 1;
}

/// By index; only devices that ran something.
std::map<unsigned, DevicePart> partsOf(const std::vector<DispatchRecord> &records) {
  std::map<unsigned, DevicePart> parts;
  for (const DispatchRecord &r : records) {
    DevicePart &part = parts[r.deviceIndex];
    part.device = r.device;
    part.totals[r.kernel].add({1, r.cycles, valuLanesOf(r), r.counters});
  }
  return parts;
}

Json totalsJson(const Totals &totals) {
  Json perKernel = Json::object();
  for (const auto &[kernel, t] : totals) {
    Json j;
    j["dispatches"] = t.dispatches;
    j["waves"] = t.counters.waves;
    j["counters"] = countersJson(t.counters, t.valuLanes);
    j["cycles"] = t.cycles;
    perKernel[kernel] = std::move(j);
  }
  return perKernel;
}

/// A C++ name without its arguments' types where it is long, cut to the width.
std::string shortName(const std::string &kernel, size_t width) {
  std::string name = demangled(kernel);
  if (name.size() > width)
    name = name.substr(0, width - 3) + "...";
  return name;
}

/// 5 characters or a few more: 123, 45.6k, 7.89M.
std::string shortNumber(uint64_t n) {
  static constexpr const char *units[] = {"", "k", "M", "G", "T", "P", "E"};
  unsigned unit = 0;
  double x = double(n);
  for (; x >= 1000 && unit < 6; ++unit)
    x /= 1000;
  char text[24];
  std::snprintf(text, sizeof(text),
                unit == 0 ? "%.0f%s"
                : x < 10  ? "%.2f%s"
                : x < 100 ? "%.1f%s"
                          : "%.0f%s",
                x, units[unit]);
  return text;
}

void printRow(std::string &out, const std::string &name, const Total &t, bool cycles) {
  auto of = [&](isa::Category k) { return t.counters.insts[unsigned(k)]; };
  const uint64_t valu = of(isa::Category::valu);
  char line[256];
  std::snprintf(line, sizeof(line), "%-36s", name.c_str());
  out += line;
  for (uint64_t n :
       {t.dispatches, t.counters.waves, t.counters.total(), valu, of(isa::Category::salu),
        of(isa::Category::smem),
        of(isa::Category::vmemRead) + of(isa::Category::vmemWrite) + of(isa::Category::flat),
        of(isa::Category::lds), of(isa::Category::branch)}) {
    std::snprintf(line, sizeof(line), " %7s", shortNumber(n).c_str());
    out += line;
  }
  std::snprintf(
      line, sizeof(line), " %6.1f %7s %7s",
      t.valuLanes ? 100.0 * double(t.counters.activeLanesValu) / double(t.valuLanes) : 0.0,
      shortNumber(t.counters.ldsBankConflicts).c_str(), shortNumber(t.counters.cacheLines).c_str());
  out += line;
  if (cycles) {
    std::snprintf(line, sizeof(line), " %8s", shortNumber(t.cycles).c_str());
    out += line;
  }
  out += "\n";
}

std::string jsonOf(const std::vector<DispatchRecord> &records) {
  Json dispatches = Json::array();
  for (const DispatchRecord &r : records) {
    Json d;
    d["kernel"] = r.kernel;
    if (r.deviceCount > 1) {
      d["device"] = isa::targetName(r.device);
      d["deviceIndex"] = r.deviceIndex;
    }
    d["grid"] = r.grid;
    d["workgroup"] = r.workgroup;
    d["waves"] = r.counters.waves;
    if (r.waveSize != 64)
      d["waveSize"] = r.waveSize;
    d["replaced"] = r.replaced;
    d["vgprs"] = r.vgprs;
    d["sgprs"] = r.sgprs;
    d["lds"] = r.ldsBytes;
    d["scratch"] = r.scratchBytes;
    d["occupancy"] = r.occupancy;
    d["computeUnits"] = r.computeUnits;
    d["counters"] = countersJson(r.counters, valuLanesOf(r));
    d["cycles"] = r.cycles;
    dispatches.push_back(std::move(d));
  }
  Json out;
  if (several(records)) {
    std::string names;
    Json devices = Json::array();
    for (const auto &[index, part] : partsOf(records)) {
      names += (names.empty() ? "" : ",") + std::string(isa::targetName(part.device));
      Json d;
      d["index"] = index;
      d["device"] = isa::targetName(part.device);
      d["totals"] = totalsJson(part.totals);
      devices.push_back(std::move(d));
    }
    out["device"] = names;
    out["devices"] = std::move(devices);
  } else {
    out["device"] = records.empty() ? "" : isa::targetName(records.front().device);
  }
  out["dispatches"] = std::move(dispatches);
  out["totals"] = totalsJson(totalsOf(records));
  if (Json checks = checksJson(); !checks.is_null())
    out["checks"] = std::move(checks);
  return out.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string tableOf(const std::string &title, const Totals &totals) {
  std::vector<std::pair<std::string, Total>> rows(totals.begin(), totals.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
    return a.second.counters.total() > b.second.counters.total();
  });
  Total all;
  for (const auto &[name, t] : rows)
    all.add(t);
  char line[256];
  std::snprintf(line, sizeof(line), "%-36s %7s %7s %7s %7s %7s %7s %7s %7s %7s %6s %7s %7s%s\n",
                title.c_str(), "calls", "waves", "insts", "VALU", "SALU", "SMEM", "VMEM", "LDS",
                "branch", "lanes%", "confl.", "lines", all.cycles ? "   cycles" : "");
  std::string out = line;
  for (const auto &[name, t] : rows)
    printRow(out, shortName(name, 36), t, all.cycles != 0);
  if (rows.size() > 1)
    printRow(out, "all", all, all.cycles != 0);
  return out;
}

std::string tablesOf(const std::vector<DispatchRecord> &records) {
  if (!several(records))
    return records.empty()
               ? std::string()
               : tableOf("kernels on " + std::string(isa::targetName(records.front().device)),
                         totalsOf(records));
  std::string out;
  for (const auto &[index, part] : partsOf(records))
    out += tableOf("kernels on device " + std::to_string(index) + ", " +
                       std::string(isa::targetName(part.device)),
                   part.totals);
  return out;
}

} // namespace

struct CounterSink::State {
  ProcessRecords<std::vector<DispatchRecord>> records;
};

CounterSink::CounterSink(std::string fileName) : enabled_(!fileName.empty()) {
  state_.reset(new State{ProcessRecords<std::vector<DispatchRecord>>(std::move(fileName))});
}

CounterSink::~CounterSink() = default;

CounterSink &CounterSink::instance() { return processSink<CounterSink>(&Settings::counters); }

void CounterSink::record(DispatchRecord record) {
  if (enabled_)
    state_->records.change([&](auto &records) { records.push_back(std::move(record)); });
}

std::string CounterSink::toJson() const { return state_->records.read(jsonOf); }

std::string CounterSink::toTable() const { return state_->records.read(tablesOf); }

void CounterSink::flush() noexcept {
  if (!enabled_)
    return;
  state_->records.flush("counters", [this](const std::string &file) {
    if (file == "-")
      writeToStderr(toTable());
    else
      writeWholeFile(file, toJson(), "counters");
  });
}

} // namespace meld::softgpu
