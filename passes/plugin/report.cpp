#include "passes/plugin/report.h"

#include "passes/analysis/gpu_info.h"
#include "passes/decision_json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <map>

using namespace llvm;

namespace meld::passes {
namespace {

using Json = nlohmann::ordered_json;

/// A kernel unrolled into thousands of branches would drown its own record.
constexpr size_t mostRejections = 250;

/// Of one kernel; rejections beyond the first ones are counted only.
struct KernelReport {
  Json decisions = Json::array();
  size_t melded = 0, rejected = 0;

  void add(const Decision &decision) {
    if (!decision.melded && ++rejected > mostRejections)
      return;
    melded += decision.melded;
    decisions.push_back(toJson(decision));
    if (!decision.sides.empty())
      decisions.back()["sides"] = sidesJson(decision);
  }
  Json json(const std::string &name) && {
    const std::string verdict =
        melded ? "changed in " + std::to_string(melded) + (melded == 1 ? " place" : " places")
               : "as it was";
    return {{"name", name},
            {"melded", melded != 0},
            {"verdict", verdict},
            {"decisions", std::move(decisions)},
            {"rejectionsLeftOut", rejected > mostRejections ? rejected - mostRejections : 0}};
  }
};

std::string targetOf(const Module &module) {
  for (const Function &function : module)
    if (!function.isDeclaration())
      if (StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString(); !cpu.empty())
        return cpu.str();
  return "unknown";
}

} // namespace

std::string staticReport(const Module &module, const DecisionLog &log) {
  std::map<std::string, KernelReport> kernels;
  for (const Function &function : module) {
    const GpuInfo gpu(function);
    if (!function.isDeclaration() && gpu.kind() == GpuKind::amdgpu && gpu.isKernel())
      kernels[function.getName().str()];
  }
  if (kernels.empty())
    return {};
  Json functions = Json::array();
  for (const Decision &decision : log.entries()) {
    if (const auto kernel = kernels.find(decision.kernel); kernel != kernels.end()) {
      kernel->second.add(decision);
    } else if (decision.melded) { // of what kernels mostly have inlined by now
      functions.push_back(toJson(decision));
      functions.back()["function"] = decision.kernel;
    }
  }
  Json list = Json::array();
  for (auto &[name, kernel] : kernels)
    list.push_back(std::move(kernel).json(name));
  const Json whole = {{"static", "MeldPasses 0.1.0, LLVM " + std::to_string(LLVM_VERSION_MAJOR)},
                      {"source", module.getSourceFileName()},
                      {"target", targetOf(module)},
                      {"kernels", std::move(list)},
                      {"functions", std::move(functions)}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Error writeStaticReport(const Module &module, const DecisionLog &log, const std::string &folder) {
  const std::string text = staticReport(module, log);
  if (text.empty())
    return Error::success();
  auto failed = [](const Twine &path, std::error_code error) {
    return createStringError(error, "MELD_PLUGIN_REPORT: %s: %s", path.str().c_str(),
                             error.message().c_str());
  };
  if (auto error = sys::fs::create_directories(folder))
    return failed(folder, error);
  const StringRef source = module.getSourceFileName();
  SmallString<256> path(folder), model;
  const std::string hash = utohexstr(uint32_t(xxHash64(source)), /*LowerCase=*/true);
  sys::path::append(path, sys::path::filename(source) + "-" + targetOf(module) + "-" +
                              std::string(8 - hash.size(), '0') + hash + ".json");
  (path + ".%%%%%%").toVector(model);
  int descriptor = -1;
  SmallString<256> temporary;
  if (auto error = sys::fs::createUniqueFile(model, descriptor, temporary))
    return failed(model, error);
  raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  out << text;
  out.close();
  std::error_code error = out.error();
  out.clear_error();
  if (!error)
    error = sys::fs::rename(temporary, path);
  if (error) {
    sys::fs::remove(temporary);
    return failed(path, error);
  }
  return Error::success();
}

} // namespace meld::passes
