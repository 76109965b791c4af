#include "bench/runner/choice.h"

#include "bench/runner/each_case.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace meld::bench {

namespace {

namespace fs = std::filesystem;

/// How often a program is repeated so that the kernel that it launches the least often is launched
/// so often.
unsigned repetitions(const std::vector<Dispatch> &ofTwo, unsigned launches) {
  std::map<std::string, unsigned> counts;
  for (const Dispatch &d : ofTwo)
    ++counts[d.kernel];
  unsigned least = 2 * launches;
  for (const auto &[kernel, count] : counts)
    least = std::min(least, count);
  return std::max(2u, (2 * launches + least - 1) / std::max(least, 1u));
}

/// False when a run failed.
bool addRows(const Paths &paths, const Case &which, const ChoiceOptions &options,
             std::vector<ChoiceRow> &rows) {
  const Problem problem = problemOf(which, options.size);
  const fs::path cache = paths.scratch / "choice-cache" / which.program;
  fs::remove_all(cache);
  const auto run = [&](Configuration configuration, unsigned times) {
    configuration.environment.merge(problem.environment());
    std::vector<std::string> arguments = which.arguments;
    arguments.insert(arguments.end(), {"--size", problem.size, "--repeat", std::to_string(times)});
    Measurement m = measure(paths, which.program, arguments, configuration, true);
    if (!m.pass)
      std::fprintf(stderr, "\n%s, %s: exit code %d\n%s\n", which.label.c_str(),
                   configuration.name.c_str(), m.exitCode, m.output.c_str());
    return m;
  };
  const std::map<std::string, std::string> decided = {{"MELD_CACHE_DIR", cache.string()},
                                                      {"MELD_COMPILE_BUDGET_MS", "0"},
                                                      {"MELD_ADAPT", "static"}};
  auto chosen = decided;
  chosen["MELD_ADAPT"] = "on";
  if (!options.noise.empty())
    chosen["MELD_GPU_NOISE"] = options.noise;
  const Measurement original = run({"original", true, {}}, 2);
  const Measurement replaced = run({"static", false, decided}, 2);
  const Measurement choice =
      run({"on", false, chosen}, repetitions(original.dispatches, options.launches));
  const Measurement next = run({"next run", false, chosen}, 2);
  const auto more = choiceRows(which.label, original.dispatches, replaced.dispatches,
                               choice.dispatches, next.dispatches);
  rows.insert(rows.end(), more.begin(), more.end());
  return original.pass && replaced.pass && choice.pass && next.pass;
}

nlohmann::json toJson(const std::vector<ChoiceRow> &rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const ChoiceRow &row : rows)
    list.push_back({{"benchmark", row.program},
                    {"kernel", row.kernel},
                    {"wavesPerSimd", row.wavesPerSimd},
                    {"launches", row.launches},
                    {"static", row.staticRatio},
                    {"after", row.after},
                    {"launchClasses", row.classes},
                    {"leastClass", row.leastClass},
                    {"lost", row.lost},
                    {"nextRun", row.nextRun},
                    {"version", row.version}});
  return list;
}

} // namespace

int runChoice(const Paths &paths, const ChoiceOptions &options) {
  std::vector<ChoiceRow> rows;
  bool ok = true;
  if (!forEachCase(options.only, options.all,
                   [&](const Case &which) { ok = addRows(paths, which, options, rows) && ok; }))
    return 1;
  if (options.json)
    std::printf("%s\n", toJson(rows).dump(1).c_str());
  else
    std::printf("%s", choiceText(rows).c_str());
  return ok ? 0 : 1;
}

} // namespace meld::bench
