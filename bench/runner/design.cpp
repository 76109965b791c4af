#include "bench/runner/design.h"

#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/timing/parameters.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace meld::bench {

namespace {

enum Group { issue, control, lds, cache, memory, bandwidth, dispatch };

struct Member {
  std::string_view parameter;
  Group group;
  bool moreIsFaster;
};

constexpr bool fast = true, slow = false; // with more of it

// What is known exactly needs no line, and may have one.
constexpr Member members[] = {
    {"valu", issue, slow},
    {"valuHalf", issue, slow},
    {"valuQuarter", issue, slow},
    {"transcendental", issue, slow},
    {"mulHi32", issue, slow},
    {"f64", issue, slow},
    {"mfma", issue, slow},
    {"salu", control, slow},
    {"branchNotTaken", control, slow},
    {"branchTaken", control, slow},
    {"scalarAfterVector", control, slow},
    {"saveExec", control, slow},
    {"branchAfterCondition", control, slow},
    {"internal", control, slow},
    {"sleepUnit", control, slow},
    {"fetchLatency", control, slow},
    {"fetchMiss", control, slow},
    {"fetchBytes", control, fast},
    {"icacheBytes", control, fast},
    {"icacheWays", control, fast},
    {"fetchUnits", control, slow},
    {"ldsMin", lds, slow},
    {"ldsBytesPerLaneCycle", lds, fast},
    {"ldsWriteExtra", lds, slow},
    {"ldsConflict", lds, slow},
    {"ldsLatency", lds, slow},
    {"vmemMin", cache, slow},
    {"vmemPerLine", cache, slow},
    {"l1Bytes", cache, fast},
    {"l1Ways", cache, fast},
    {"l1Latency", cache, slow},
    {"l2Bytes", cache, fast},
    {"l2Ways", cache, fast},
    {"l2Latency", cache, slow},
    {"scalarL2Latency", cache, slow},
    {"scalarBytes", cache, fast},
    {"scalarWays", cache, fast},
    {"scalarLatency", cache, slow},
    {"hbmLatency", memory, slow},
    {"endWaits", memory, slow},
    {"tlbEntries", memory, fast}, // but for 0: none are modelled
    {"tlb2Entries", memory, fast},
    {"tlbMiss", memory, slow},
    {"tlbWalk", memory, slow},
    {"tlbPage", memory, fast},
    {"l2BytesPerCycle", bandwidth, fast},
    {"hbmMilliBytesPerCycle", bandwidth, fast},
    {"hbmPercent", bandwidth, fast},
    {"l2MilliBytesPerCycle", bandwidth, fast},
    {"l2StoreMilliBytesPerCycle", bandwidth, fast},
    {"sharedMemory", bandwidth, slow},
    {"writeBack", bandwidth, slow},
    {"dispatchWave", dispatch, slow},
    {"dispatchGroup", dispatch, slow},
    {"dispatchVgpr", dispatch, slow},
    {"dispatchUnits", dispatch, fast},
    {"shaderEngines", dispatch, fast},
    {"turn", dispatch, slow},
    {"launchOverhead", dispatch, slow},
};

const Member *memberOf(std::string_view parameter) {
  const auto found = std::find_if(std::begin(members), std::end(members),
                                  [&](const Member &m) { return m.parameter == parameter; });
  return found == std::end(members) ? nullptr : found;
}

} // namespace

int groupOf(std::string_view parameter) {
  const Member *member = memberOf(parameter);
  return member ? member->group : -1;
}

bool moreIsFaster(std::string_view parameter) {
  const Member *member = memberOf(parameter);
  return member && member->moreIsFaster;
}

const std::vector<DesignRun> &designRuns() {
  static const std::vector<DesignRun> runs = [] {
    std::vector<DesignRun> all;
    DesignRun row = {true, true, true, false, true, false, false};
    for (size_t i = 0; i < row.size(); ++i) {
      all.push_back(row);
      std::rotate(row.rbegin(), row.rbegin() + 1, row.rend());
    }
    all.push_back({});
    return all;
  }();
  return runs;
}

softgpu::isa::Target modelledTarget() {
  const char *named = std::getenv("MELD_GPU");
  const std::string_view first = std::string_view(named ? named : "");
  return softgpu::isa::targetFromName(first.substr(0, first.find(',')))
      .value_or(softgpu::isa::Target::gfx90a);
}

std::string parametersOf(const DesignRun &run, softgpu::isa::Target target) {
  std::string text;
  for (const softgpu::TimingRange &range : softgpu::timingRanges(target)) {
    const int group = groupOf(range.name);
    if (range.low == range.high || group < 0)
      continue;
    const bool slower = run[static_cast<size_t>(group)];
    const uint32_t value = slower == moreIsFaster(range.name) ? range.low : range.high;
    text = joinedParameters(text, std::string(range.name) + "=" + std::to_string(value));
  }
  return text;
}

void addParameters(std::map<std::string, std::string> &environment, const DesignRun &run) {
  environment["MELD_GPU_TIMING_VARIED"] = parametersOf(run, modelledTarget());
}

std::string joinedParameters(const std::string &first, const std::string &second) {
  return first + (first.empty() || second.empty() ? "" : ",") + second;
}

} // namespace meld::bench
