#include "runtime/softgpu/counters/profile.h"

#include "runtime/softgpu/counters/output_file.h"
#include "runtime/softgpu/counters/process_records.h"
#include "runtime/softgpu/isa/decoder.h"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unistd.h>

namespace meld::softgpu {

using Json = nlohmann::ordered_json;

void InstProfile::add(const InstProfile &other) {
  executions += other.executions;
  converged += other.converged;
  lanes += other.lanes;
  execZero += other.execZero;
  oneLane += other.oneLane;
  uniformSources += other.uniformSources;
  uniformResult += other.uniformResult;
  taken += other.taken;
  takenLanes += other.takenLanes;
  parted += other.parted;
  for (const auto &[cause, lanesLost] : other.lost)
    lost[cause] += lanesLost;
  text = other.text;
  kind = other.kind;
  vector = other.vector;
  hasResult = other.hasResult;
  vectorReads = other.vectorReads;
  vectorWrites = other.vectorWrites;
  scalarReads = other.scalarReads;
  scalarWrites = other.scalarWrites;
}

namespace {

std::string hex(uint64_t x) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%" PRIx64, x);
  return text;
}

Json instructionJson(int64_t offset, const InstProfile &p) {
  Json j;
  j["offset"] = offset;
  j["text"] = p.text;
  j["kind"] = p.kind;
  j["executions"] = p.executions;
  j["converged"] = p.converged;
  j["registers"] = {{"vectorReads", p.vectorReads},
                    {"vectorWrites", p.vectorWrites},
                    {"scalarReads", p.scalarReads},
                    {"scalarWrites", p.scalarWrites}};
  if (p.vector) {
    j["lanes"] = p.lanes;
    j["execZero"] = p.execZero;
    j["oneLane"] = p.oneLane;
    j["uniformSources"] = p.uniformSources;
    if (p.hasResult)
      j["uniformResult"] = p.uniformResult;
    if (!p.lost.empty()) {
      Json &lost = j["lost"] = Json::array();
      for (const auto &[cause, lanes] : p.lost)
        lost.push_back({cause, lanes});
    }
  } else {
    j["active"] = p.lanes;
  }
  if (p.kind == "branch") {
    j["taken"] = p.taken;
    j["takenLanes"] = p.takenLanes;
  }
  if (p.parted)
    j["parted"] = p.parted;
  return j;
}

Json kernelJson(const KernelProfile &k) {
  uint64_t executions = 0, vector = 0, uniform = 0, lanes = 0;
  Json list = Json::array();
  for (const auto &[offset, p] : k.instructions) {
    executions += p.executions;
    if (p.vector) {
      vector += p.executions - p.execZero;
      uniform += p.uniformSources;
      lanes += p.lanes;
    }
    list.push_back(instructionJson(offset, p));
  }
  Json j;
  j["kernel"] = k.kernel;
  j["replaced"] = k.replaced;
  j["device"] = isa::targetName(k.device);
  if (k.computeUnits)
    j["computeUnits"] = k.computeUnits;
  if (k.waveSize != 64)
    j["waveSize"] = k.waveSize;
  if (k.deviceIndex >= 0)
    j["deviceIndex"] = k.deviceIndex;
  j["entry"] = hex(k.entry);
  j["dispatches"] = k.dispatches;
  j["waves"] = k.waves;
  j["startLanes"] = k.startLanes;
  j["executions"] = executions;
  j["vectorExecutions"] = vector;
  j["vectorLanes"] = lanes;
  j["uniformSources"] = uniform;
  j["instructions"] = std::move(list);
  return j;
}

std::string ownProgram() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path));
  return n > 0 ? std::string(path, size_t(n)) : std::string();
}

} // namespace

using Profiles = std::map<std::tuple<std::string, bool, uint64_t, int>, KernelProfile>;

struct ProfileSink::State {
  ProcessRecords<Profiles> kernels;
};

ProfileSink::ProfileSink(std::string fileName) : enabled_(!fileName.empty()) {
  state_.reset(new State{ProcessRecords<Profiles>(std::move(fileName))});
}

ProfileSink::~ProfileSink() = default;

ProfileSink &ProfileSink::instance() { return processSink<ProfileSink>(&Settings::gpuProfile); }

void ProfileSink::record(KernelProfile p) {
  if (!enabled_)
    return;
  state_->kernels.change([&](Profiles &kernels) {
    auto [it, fresh] = kernels.try_emplace(
        std::make_tuple(p.kernel, p.replaced, p.entry, p.deviceIndex), KernelProfile{});
    KernelProfile &sum = it->second;
    if (fresh) {
      sum = std::move(p);
      return;
    }
    sum.dispatches += p.dispatches;
    sum.waves += p.waves;
    sum.startLanes += p.startLanes;
    for (const auto &[offset, inst] : p.instructions)
      sum.instructions[offset].add(inst);
  });
}

void ProfileSink::clear() {
  state_->kernels.change([](Profiles &kernels) { kernels.clear(); });
}

std::string ProfileSink::toJson() const {
  return state_->kernels.read([](const Profiles &profiles) {
    Json out;
    out["program"] = ownProgram();
    Json &kernels = out["kernels"] = Json::array();
    for (const auto &[key, kernel] : profiles)
      kernels.push_back(kernelJson(kernel));
    return out.dump(1, ' ', false, Json::error_handler_t::replace);
  });
}

void ProfileSink::flush() noexcept {
  if (enabled_)
    state_->kernels.flush("the profile", [this](const std::string &file) {
      writeWholeFile(file, toJson(), "the profile");
    });
}

} // namespace meld::softgpu
