#include "bench/runner/measure.h"

#include "bench/runner/shell.h"
#include "runtime/adapt/launch_class.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace meld::bench {

namespace fs = std::filesystem;
using nlohmann::json;

Paths Paths::fromExecutable() {
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  return {bin / "meld", bin / "hip", bin.parent_path() / "bench-scratch"};
}

bool isRuntimeKernel(const std::string &name) {
  return name.rfind("__amd_rocclr_", 0) == 0 || name.rfind("kernel@", 0) == 0;
}

double Dispatch::wavesPerSimd() const {
  constexpr unsigned simds = 4; // of a compute unit of every device that is modelled
  return computeUnits
             ? static_cast<double>(counter("SQ_WAVES")) / static_cast<double>(simds * computeUnits)
             : 0;
}

double Measurement::wavesPerSimd() const {
  std::vector<std::pair<double, uint64_t>> launches; // waves per SIMD, what it took
  uint64_t all = 0;
  for (const Dispatch &d : dispatches) {
    const uint64_t took = cycles ? d.cycles : d.counter("SQ_INSTS");
    launches.push_back({d.wavesPerSimd(), took});
    all += took;
  }
  std::sort(launches.rbegin(), launches.rend());
  uint64_t passed = 0;
  for (const auto &[waves, took] : launches)
    if (2 * (passed += took) >= all)
      return waves;
  return 0;
}

Configuration scalarization() { return {"scalarize", false, {{"MELD_PASSES", "scalarize"}}}; }

std::string Compilation::what() const {
  std::string text;
  for (const auto &[pass, count] : byPass)
    text += (text.empty() ? "" : ", ") + pass + " " + std::to_string(count);
  if (text.empty() && kernels) // merged by what a pass left to LLVM, say
    return std::to_string(kernels) + (kernels == 1 ? " kernel" : " kernels") + ", none logged";
  return text.empty() ? "-" : text;
}

Compilation compilationOf(const std::string &report) {
  Compilation result;
  const json data = json::parse(report, nullptr, /*allow_exceptions=*/false);
  if (data.is_discarded() || !data.contains("metadata"))
    return result;
  const json &metadata = data["metadata"];
  if (metadata.contains("timings"))
    result.milliseconds = metadata["timings"].value("totalMs", 0.0);
  const auto add = [&](const json &decisions) {
    for (const json &decision : decisions) {
      if (!decision.value("melded", false))
        continue;
      ++result.melded;
      std::string pass = decision.value("pass", "?");
      if (pass.rfind("meld-", 0) == 0)
        pass.erase(0, 5);
      ++result.byPass[pass];
    }
  };
  for (const json &kernel : metadata.value("kernels", json::array()))
    if (kernel.value("melded", false)) {
      ++result.kernels;
      add(kernel.value("decisions", json::array()));
    }
  if (result.kernels) // and in functions that were inlined into kernels later
    add(metadata.value("functions", json::array()));
  return result;
}

Compilation compileAlone(const Paths &paths, const std::string &program,
                         const Configuration &configuration) {
  fs::create_directories(paths.scratch);
  const fs::path object = paths.scratch / (program + "." + std::to_string(getpid()) + ".co");
  std::string output;
  runProcess({paths.meld.string(), "compile", (paths.programs / program).string(), "-o",
              object.string(), "--format", "json"},
             configuration.environment, output);
  fs::remove(object);
  return compilationOf(output);
}

static uint32_t launchClassOf(const nlohmann::json &dispatch) {
  const auto grid = dispatch.find("grid"), workgroup = dispatch.find("workgroup");
  if (grid == dispatch.end() || workgroup == dispatch.end() || grid->size() != 3 ||
      workgroup->size() != 3)
    return 0;
  adapt::LaunchShape shape;
  for (size_t i = 0; i < 3; ++i) {
    shape.workgroup[i] = (*workgroup)[i].get<uint16_t>();
    shape.grid[i] = (*grid)[i].get<uint32_t>();
  }
  shape.dynamicLds = dispatch.value("lds", 0u);
  return adapt::launchClass(shape);
}

Measurement measure(const Paths &paths, const std::string &program,
                    const std::vector<std::string> &arguments, const Configuration &configuration,
                    bool timing) {
  fs::create_directories(paths.scratch);
  static std::atomic<unsigned> runs{0};
  const fs::path counterFile = paths.scratch / (program + "." + std::to_string(getpid()) + "." +
                                                std::to_string(runs++) + ".json");
  fs::remove(counterFile);

  std::vector<std::string> argv = {paths.meld.string(), "run",        "--device",
                                   "software",          "--counters", counterFile.string()};
  if (configuration.plain)
    argv.push_back("--plain");
  if (timing)
    argv.push_back("--timing");
  argv.push_back("--");
  argv.push_back((paths.programs / program).string());
  argv.insert(argv.end(), arguments.begin(), arguments.end());

  Measurement m;
  // What is measured is what a decision at load comes to, unless the configuration says otherwise.
  auto environment = configuration.environment;
  environment.emplace("MELD_ADAPT", "static");
  m.exitCode = runProcess(argv, environment, m.output);
  m.pass = m.exitCode == 0;

  std::ifstream in(counterFile);
  const json data = json::parse(in, nullptr, /*allow_exceptions=*/false);
  fs::remove(counterFile);
  if (data.is_discarded() || !data.contains("dispatches")) {
    m.pass = false;
    m.output += "\nno counters were written to " + counterFile.string();
    return m;
  }
  m.replaced = true;
  double activeLanes = 0;
  bool any = false;
  for (const json &d : data["dispatches"]) {
    if (isRuntimeKernel(d.value("kernel", "")))
      continue;
    any = true;
    m.replaced = m.replaced && d.value("replaced", false);
    m.cycles += d.value("cycles", uint64_t{0});
    m.vgprs = std::max(m.vgprs, d.value("vgprs", 0u));
    const unsigned occupancy = d.value("occupancy", 0u);
    m.occupancy = m.occupancy ? std::min(m.occupancy, occupancy) : occupancy;
    Dispatch one{
        d.value("kernel", ""), d.value("cycles", uint64_t{0}), d.value("vgprs", 0u), occupancy, {}};
    for (const json &size : d.value("workgroup", json::array()))
      one.workgroup += (one.workgroup.empty() ? "" : "x") + std::to_string(size.get<unsigned>());
    one.launchClass = launchClassOf(d);
    one.computeUnits = d.value("computeUnits", 0u);
    one.replaced = d.value("replaced", false);
    const json &counters = d["counters"];
    for (const auto &[name, value] : counters.items())
      if (value.is_number_unsigned()) {
        one.counters[name] = value.get<uint64_t>();
        m.counters[name] += value.get<uint64_t>();
      }
    m.dispatches.push_back(std::move(one));
    activeLanes += counters.value("VALUUtilization", 0.0) / 100 *
                   static_cast<double>(counters.value("SQ_INSTS_VALU", uint64_t{0}));
  }
  m.replaced = m.replaced && any;
  if (const uint64_t valu = m.counter("SQ_INSTS_VALU"))
    m.valuUtilization = 100 * activeLanes / static_cast<double>(valu);
  return m;
}

} // namespace meld::bench
