#include "runtime/softgpu/counters/profile.h"

#include "runtime/softgpu/counters/output_file.h"
#include "runtime/softgpu/isa/decoder.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unistd.h>

namespace meld::softgpu {

using Json = nlohmann::ordered_json;

void InstProfile::add(const InstProfile &other) {
  executions += other.executions;
  lanes += other.lanes;
  execZero += other.execZero;
  uniformSources += other.uniformSources;
  uniformResult += other.uniformResult;
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
  j["registers"] = {{"vectorReads", p.vectorReads},
                    {"vectorWrites", p.vectorWrites},
                    {"scalarReads", p.scalarReads},
                    {"scalarWrites", p.scalarWrites}};
  if (p.vector) {
    j["lanes"] = p.lanes;
    j["execZero"] = p.execZero;
    j["uniformSources"] = p.uniformSources;
    if (p.hasResult)
      j["uniformResult"] = p.uniformResult;
  }
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
  j["entry"] = hex(k.entry);
  j["dispatches"] = k.dispatches;
  j["waves"] = k.waves;
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

struct ProfileSink::State {
  std::string fileName;
  mutable std::mutex mutex;
  std::map<std::tuple<std::string, bool, uint64_t>, KernelProfile> kernels;
  pid_t pid = 0; ///< whose profiles these are: a forked child starts its own
};

ProfileSink::ProfileSink(std::string fileName)
    : state_(std::make_unique<State>()), enabled_(!fileName.empty()) {
  state_->fileName = std::move(fileName);
}

ProfileSink::~ProfileSink() = default;

ProfileSink &ProfileSink::instance() {
  // Never destroyed: other threads may still dispatch while the process exits.
  static ProfileSink *sink = [] {
    const char *name = std::getenv("MELD_GPU_PROFILE");
    auto *s = new ProfileSink(name ? name : "");
    if (s->enabled())
      std::atexit([] { instance().flush(); });
    return s;
  }();
  return *sink;
}

void ProfileSink::record(KernelProfile p) {
  if (!enabled_)
    return;
  std::lock_guard lock(state_->mutex);
  if (state_->pid != getpid()) {
    state_->kernels.clear();
    state_->pid = getpid();
  }
  auto [it, fresh] =
      state_->kernels.try_emplace(std::make_tuple(p.kernel, p.replaced, p.entry), KernelProfile{});
  KernelProfile &sum = it->second;
  if (fresh) {
    sum = std::move(p);
    return;
  }
  sum.dispatches += p.dispatches;
  sum.waves += p.waves;
  for (const auto &[offset, inst] : p.instructions)
    sum.instructions[offset].add(inst);
}

void ProfileSink::clear() {
  std::lock_guard lock(state_->mutex);
  state_->kernels.clear();
}

std::string ProfileSink::toJson() const {
  std::lock_guard lock(state_->mutex);
  Json out;
  out["program"] = ownProgram();
  Json &kernels = out["kernels"] = Json::array();
  for (const auto &[key, kernel] : state_->kernels)
    kernels.push_back(kernelJson(kernel));
  return out.dump(1, ' ', false, Json::error_handler_t::replace);
}

void ProfileSink::flush() noexcept {
  if (!enabled_)
    return;
  try {
    {
      std::lock_guard lock(state_->mutex);
      if (state_->pid != getpid()) // forked, and nothing of its own to say
        return;
    }
    writeWholeFile(state_->fileName, toJson(), "the profile");
  } catch (...) {
    std::fputs("meld: cannot write the profile: out of memory\n", stderr);
  }
}

} // namespace meld::softgpu
