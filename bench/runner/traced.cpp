#include "bench/runner/traced.h"

#include "bench/runner/measure.h"
#include "runtime/softgpu/tools/line_table.h"
#include "runtime/softgpu/tools/object_file.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace meld::bench {

using nlohmann::json;

namespace {

json read(const std::filesystem::path &path) {
  std::ifstream in(path);
  return json::parse(in, nullptr, /*allow_exceptions=*/false);
}

/// The line table of the object that holds a kernel, and where the kernel starts in it.
std::optional<std::pair<softgpu::LineTable, uint64_t>>
linesOf(const softgpu::ObjectFile &file, const std::string &kernel, const std::string &device) {
  for (const softgpu::KernelPlace &place : file.find(kernel, device))
    if (auto table = softgpu::LineTable::read(place.object->elf))
      return std::pair(std::move(*table), place.entry);
  return std::nullopt;
}

TracedInstruction instructionOf(const json &i) {
  TracedInstruction t;
  t.text = i.value("text", "");
  t.kind = i.value("kind", "");
  t.executions = i.value("executions", uint64_t{0});
  t.converged = i.value("converged", uint64_t{0});
  t.vector = i.contains("lanes");
  t.lanes = i.value("lanes", uint64_t{0});
  t.oneLane = i.value("oneLane", uint64_t{0});
  t.execZero = i.value("execZero", uint64_t{0});
  t.uniformSources = i.value("uniformSources", uint64_t{0});
  t.uniformResult = i.value("uniformResult", uint64_t{0});
  const json registers = i.value("registers", json::object());
  t.vectorReads = registers.value("vectorReads", 0u);
  t.vectorWrites = registers.value("vectorWrites", 0u);
  t.scalarReads = registers.value("scalarReads", 0u);
  t.scalarWrites = registers.value("scalarWrites", 0u);
  return t;
}

} // namespace

std::vector<TracedKernel> tracedKernels(const std::filesystem::path &profile,
                                        const std::filesystem::path &program) {
  const json data = read(profile);
  std::vector<TracedKernel> kernels;
  if (data.is_discarded())
    return kernels;
  const auto file = softgpu::ObjectFile::open(program.string());
  for (const json &k : data.value("kernels", json::array())) {
    TracedKernel kernel{k.value("kernel", ""), {}};
    if (isRuntimeKernel(kernel.name))
      continue;
    const auto lines = file ? linesOf(*file, kernel.name, k.value("device", "")) : std::nullopt;
    for (const json &i : k.value("instructions", json::array())) {
      TracedInstruction t = instructionOf(i);
      if (lines)
        if (const auto *source = lines->first.at(
                lines->second + static_cast<uint64_t>(i.value("offset", int64_t{0}))))
          t.line = source->line;
      kernel.code.push_back(std::move(t));
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::map<uint32_t, Claim> claimsOf(const std::filesystem::path &file) {
  std::map<uint32_t, Claim> claims;
  const json data = read(file);
  if (data.is_discarded())
    return claims;
  for (const json &function : data)
    for (const json &c : function.value("claims", json::array())) {
      const std::string opcode = c.value("opcode", "");
      Claim &claim = claims[c.value("line", 0u)];
      claim = {c.value("ours", false), c.value("oursOperands", false), c.value("llvm", false),
               c.value("convergent", false)};
      claim.blockOnly = c.value("blockOnly", false);
      claim.cause = causeNamed(c.value("cause", ""));
      claim.extension = opcode == "zext" || opcode == "sext";
      claim.floating = c.value("floating", false);
      for (const json &shape : c.value("shapes", json::array()))
        claim.shapes.insert(shape.get<std::string>());
    }
  return claims;
}

} // namespace meld::bench
