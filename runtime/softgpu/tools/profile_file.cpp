#include "runtime/softgpu/tools/profile_file.h"

#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace meld::softgpu {

namespace {

using Json = nlohmann::json;

InstProfile instructionOf(const Json &j) {
  InstProfile p;
  p.text = j.at("text");
  p.kind = j.at("kind");
  p.executions = j.at("executions");
  p.converged = j.at("converged");
  p.vector = j.contains("lanes");
  p.lanes = j.at(p.vector ? "lanes" : "active");
  p.taken = j.value("taken", uint64_t(0));
  p.takenLanes = j.value("takenLanes", uint64_t(0));
  p.parted = j.value("parted", uint64_t(0));
  p.execZero = j.value("execZero", uint64_t(0));
  p.oneLane = j.value("oneLane", uint64_t(0));
  p.uniformSources = j.value("uniformSources", uint64_t(0));
  p.hasResult = j.contains("uniformResult");
  p.uniformResult = j.value("uniformResult", uint64_t(0));
  if (const auto lost = j.find("lost"); lost != j.end())
    for (const Json &one : *lost)
      p.lost[one.at(0).get<int64_t>()] += one.at(1).get<uint64_t>();
  if (const auto registers = j.find("registers"); registers != j.end()) {
    p.vectorReads = registers->value("vectorReads", uint16_t(0));
    p.vectorWrites = registers->value("vectorWrites", uint16_t(0));
    p.scalarReads = registers->value("scalarReads", uint16_t(0));
    p.scalarWrites = registers->value("scalarWrites", uint16_t(0));
  }
  return p;
}

Result<KernelProfile> kernelOf(const Json &j) {
  KernelProfile k;
  k.kernel = j.at("kernel");
  if (!j.contains("startLanes"))
    return fail(ErrorCode::badInput, "recorded by a version that did not write which branch parted "
                                     "the lanes; record it again");
  k.replaced = j.value("replaced", false);
  const std::string device = j.at("device");
  const auto target = isa::targetFromName(device);
  if (!target)
    return fail(ErrorCode::badInput, "unknown processor " + device);
  k.device = *target;
  k.deviceIndex = j.value("deviceIndex", -1);
  k.computeUnits = j.value("computeUnits", 0u);
  k.waveSize = j.value("waveSize", 64u);
  k.entry = std::strtoull(j.at("entry").get_ref<const std::string &>().c_str(), nullptr, 16);
  k.dispatches = j.at("dispatches");
  k.waves = j.at("waves");
  k.startLanes = j.at("startLanes");
  for (const Json &i : j.at("instructions"))
    k.instructions[i.at("offset").get<int64_t>()] = instructionOf(i);
  return k;
}

bool sameKernel(const KernelProfile &a, const KernelProfile &b) {
  if (a.kernel != b.kernel || a.device != b.device || a.replaced != b.replaced)
    return false;
  return std::ranges::all_of(a.instructions, [&](const auto &one) {
    const auto other = b.instructions.find(one.first);
    return other == b.instructions.end() || other->second.text == one.second.text;
  });
}

} // namespace

Result<RecordedProfile> parseProfile(std::string_view json) {
  try {
    const Json j = Json::parse(json);
    RecordedProfile profile;
    profile.program = j.value("program", "");
    for (const Json &one : j.at("kernels")) {
      auto kernel = kernelOf(one);
      if (!kernel)
        return tl::unexpected(kernel.error());
      profile.kernels.push_back(std::move(*kernel));
    }
    return profile;
  } catch (const Json::exception &error) {
    return fail(ErrorCode::badInput, std::string("not a profile: ") + error.what());
  }
}

std::vector<KernelProfile> mergedKernels(std::vector<RecordedProfile> profiles) {
  std::vector<KernelProfile> merged;
  for (RecordedProfile &profile : profiles)
    for (KernelProfile &kernel : profile.kernels) {
      const auto known = std::ranges::find_if(
          merged, [&](const KernelProfile &other) { return sameKernel(kernel, other); });
      if (known == merged.end()) {
        merged.push_back(std::move(kernel));
        continue;
      }
      known->dispatches += kernel.dispatches;
      known->waves += kernel.waves;
      known->startLanes += kernel.startLanes;
      for (const auto &[offset, instruction] : kernel.instructions)
        known->instructions[offset].add(instruction);
    }
  return merged;
}

} // namespace meld::softgpu
