#include "bench/runner/estimates.h"

#include "bench/runner/each_case.h"
#include "bench/runner/shell.h"
#include "bench/runner/static_counts.h"
#include "bench/runner/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace meld::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A code to look at, and the cache in which its compiler's verdicts are found afterwards.
struct Code {
  std::string name;
  std::map<std::string, std::string> environment;
};

const std::vector<Code> &codes() {
  static const std::vector<Code> all = {{"replaced", {}},
                                        {"melded", {{"MELD_SERVE", "melded"}}},
                                        {"scalarized", {{"MELD_SERVE", "scalarized"}}}};
  return all;
}

json outputAsJson(const Paths &paths, const fs::path &cache,
                  const std::vector<std::string> &arguments) {
  std::vector<std::string> argv = {paths.meld.string(), "cache"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  argv.insert(argv.end(), {"--format", "json"});
  std::string output;
  runProcess(argv, {{"MELD_CACHE_DIR", cache.string()}}, output);
  return json::parse(output, nullptr, /*allow_exceptions=*/false);
}

/// What a compiler said of a kernel whose code changed.
struct Said {
  double gain = 0;                   ///< percent, by which it was judged
  std::vector<double> before, after; ///< cycles with 1, 2, 4 and 8 waves for each SIMD

  /// In percent, for a launch with so many.
  double gainAt(double waves) const {
    const auto nearest = static_cast<size_t>(std::lround(std::log2(std::clamp(waves, 1.0, 8.0))));
    return nearest < before.size() && nearest < after.size() && before[nearest] > 0
               ? 100 * (1 - after[nearest] / before[nearest])
               : gain;
  }
};

/// Cycles of a code with 1, 2, 4 and 8 waves for each SIMD.
std::vector<double> cyclesByWaves(const json &kernel, const char *code) {
  const json of = kernel.value(code, json::object());
  return {of.value("cyclesAt1", 0.0), of.value("cyclesAt2", 0.0), of.value("cyclesAt4", 0.0),
          of.value("cyclesAt8", 0.0)};
}

/// By kernel, from the metadata that each entry of a cache carries. A version's entry has one
/// kernel.
std::map<std::string, Said> estimatesIn(const Paths &paths, const fs::path &cache) {
  std::map<std::string, Said> all;
  const json list = outputAsJson(paths, cache, {"list"});
  if (!list.is_array())
    return all;
  for (const json &entry : list) {
    const json shown = outputAsJson(paths, cache, {"show", entry.value("key", "")});
    if (!shown.is_object() || !shown.contains("metadata") || !shown["metadata"].is_object())
      continue;
    const json &metadata = shown["metadata"];
    const bool version = metadata.contains("recipe");
    for (const json &kernel : metadata.value("kernels", json::array()))
      if (version || kernel.value("melded", false))
        all[kernel.value("name", "")] = {kernel.value("gainPercent", 0.0),
                                         cyclesByWaves(kernel, "before"),
                                         cyclesByWaves(kernel, "after")};
  }
  return all;
}

struct KernelCycles {
  uint64_t cycles = 0;
  double weighted = 0; ///< cycles times waves per SIMD
  bool replaced = false;
};

std::map<std::string, KernelCycles> byKernel(const Measurement &m) {
  std::map<std::string, KernelCycles> kernels;
  for (const Dispatch &d : m.dispatches) {
    KernelCycles &k = kernels[d.kernel];
    k.cycles += d.cycles;
    k.weighted += static_cast<double>(d.cycles) * d.wavesPerSimd();
    k.replaced |= d.replaced;
  }
  return kernels;
}

/// A profile of the same run; empty when it failed.
std::string profileFile(const Paths &paths, const Case &which, const Problem &problem,
                        const std::vector<std::string> &arguments) {
  const fs::path file = paths.scratch / "estimate-cache" / (which.program + ".meldprof");
  fs::create_directories(file.parent_path());
  fs::remove(file);
  std::vector<std::string> argv = {
      paths.meld.string(), "profile", "--device", "software",
      "--output",          file,      "--",       paths.programs / which.program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::string output;
  const int status = runProcess(argv, problem.environment(), output);
  if (status != 0)
    std::fprintf(stderr, "\n%s: no profile: %s\n", which.label.c_str(), output.c_str());
  return status == 0 ? file.string() : std::string();
}

/// False when a run failed.
bool addRows(const Paths &paths, const Case &which, const std::string &size, bool profiled,
             std::vector<EstimateRow> &rows) {
  const Problem problem = problemOf(which, size);
  std::vector<std::string> arguments = which.arguments;
  arguments.insert(arguments.end(), {"--size", problem.size});
  bool ok = true;
  const auto run = [&](Configuration configuration) {
    configuration.environment.merge(problem.environment());
    Measurement m = measure(paths, which.program, arguments, configuration, true);
    if (!m.pass) {
      ok = false;
      std::fprintf(stderr, "\n%s, %s, %s: exit code %d\n%s\n", which.label.c_str(), size.c_str(),
                   configuration.name.c_str(), m.exitCode, m.output.c_str());
    }
    return m;
  };
  const auto before = byKernel(run({"original", true, {}}));
  const std::string profile =
      profiled ? profileFile(paths, which, problem, arguments) : std::string();
  ok &= !profiled || !profile.empty();
  for (const Code &code : codes()) {
    Configuration configuration{code.name, false, code.environment};
    const fs::path cache = paths.scratch / "estimate-cache" / (which.program + "." + code.name);
    configuration.environment["MELD_CACHE_DIR"] = cache.string();
    configuration.environment["MELD_COMPILE_BUDGET_MS"] = "0";
    configuration.environment["MELD_PROFILE"] = profile;
    const auto after = byKernel(run(configuration));
    const auto estimates = estimatesIn(paths, cache);
    for (const auto &[kernel, was] : before) {
      const auto estimate = estimates.find(kernel);
      const auto is = after.find(kernel);
      if (estimate == estimates.end() || is == after.end() || !is->second.replaced || !was.cycles)
        continue;
      const double waves = was.weighted / static_cast<double>(was.cycles);
      EstimateRow row{which.label,
                      size,
                      shortKernelName(kernel),
                      code.name,
                      waves,
                      was.cycles,
                      is->second.cycles,
                      estimate->second.gain,
                      estimate->second.gainAt(waves)};
      // A version that came out as the replacement did says nothing new.
      const bool known = std::any_of(rows.begin(), rows.end(), [&](const EstimateRow &other) {
        return other.benchmark == row.benchmark && other.size == row.size &&
               other.kernel == row.kernel && other.after == row.after &&
               other.estimated == row.estimated;
      });
      if (!known)
        rows.push_back(std::move(row));
    }
  }
  return ok;
}

} // namespace

int runEstimates(const Paths &paths, const EstimateOptions &options) {
  std::vector<EstimateRow> rows;
  bool ok = true;
  fs::remove_all(paths.scratch / "estimate-cache"); // of another compiler, perhaps
  const auto run = [&](const Case &which) {
    for (const char *size : {"full", "large", "small"}) {
      if (options.size == "both" ? size == std::string("large") : options.size != size)
        continue;
      tellProgress(which.label + ", " + size);
      ok = addRows(paths, which, size, options.profile, rows) && ok;
    }
  };
  if (!forEachCase(options.only, options.all, run))
    return 1;
  if (options.json)
    std::printf("%s\n", toJson(rows).dump(1).c_str());
  else
    std::printf("%s", estimatesText(rows).c_str());
  return ok ? 0 : 1;
}

} // namespace meld::bench
