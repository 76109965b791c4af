#include "bench/runner/choice.h"

#include "bench/runner/each_case.h"
#include "bench/runner/under_design.h"

#include <algorithm>
#include <atomic>
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

/// Where one case keeps what it found out: "MS 32" in MS-32.
fs::path cacheOf(const Paths &paths, const std::string &label) {
  std::string name = label;
  std::replace(name.begin(), name.end(), ' ', '-');
  return paths.scratch / "choice-cache" / name;
}

/// Runs one case in its configurations; keeps whether all passed.
class Runs {
public:
  Runs(const Paths &paths, const Case &which, const ChoiceOptions &options)
      : paths_(paths), which_(which), options_(options), problem_(problemOf(which, options.size)) {}

  /// `under`: parameters of a run of the design; null: the model's own. Any thread.
  Measurement operator()(Configuration configuration, unsigned times,
                         const DesignRun *under = nullptr) {
    configuration.environment.merge(problem_.environment());
    if (under)
      addParameters(configuration.environment, *under);
    std::vector<std::string> arguments = which_.arguments;
    arguments.insert(arguments.end(), {"--size", problem_.size, "--repeat", std::to_string(times)});
    Measurement m = measure(paths_, which_.program, arguments, configuration, true);
    if (!m.pass) {
      std::fprintf(stderr, "\n%s, %s: exit code %d\n%s\n", which_.label.c_str(),
                   configuration.name.c_str(), m.exitCode, m.output.c_str());
      passed_ = false;
    }
    return m;
  }

  Configuration decided(const std::string &mode, const fs::path &cache) const {
    Configuration c{mode,
                    false,
                    {{"MELD_CACHE_DIR", cache.string()},
                     {"MELD_COMPILE_BUDGET_MS", "0"},
                     {"MELD_ADAPT", mode}}};
    if (mode == "on" && !options_.noise.empty())
      c.environment["MELD_GPU_NOISE"] = options_.noise;
    return c;
  }

  bool passed() const { return passed_; }

private:
  const Paths &paths_;
  const Case &which_;
  const ChoiceOptions &options_;
  const Problem problem_;
  std::atomic<bool> passed_ = true;
};

/// False when a run failed.
bool addRows(const Paths &paths, const Case &which, const ChoiceOptions &options,
             std::vector<ChoiceRow> &rows) {
  const fs::path cache = cacheOf(paths, which.label);
  if (!options.keep)
    fs::remove_all(cache);
  Runs run(paths, which, options);
  const Measurement original = run({"original", true, {}}, 2);
  const Measurement replaced = run(run.decided("static", cache), 2);
  const Configuration on = run.decided("on", cache);
  const Measurement choice = run(on, repetitions(original.dispatches, options.launches));
  const Measurement next = run(on, 2);
  auto more = choiceRows(which.label, original.dispatches, replaced.dispatches, choice.dispatches,
                         next.dispatches);
  if (options.bands)
    for (const BeforeAfter &under :
         underDesign(on, options.jobs, [&](const Configuration &c, const DesignRun &parameters) {
           return run(c, 2, &parameters).dispatches;
         }))
      addUnder(more, under.before, under.after);
  rows.insert(rows.end(), more.begin(), more.end());
  return run.passed();
}

nlohmann::json toJson(const std::vector<ChoiceRow> &rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const ChoiceRow &row : rows) {
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
    if (const Band band = row.nextRunBand(); band.known()) {
      list.back()["nextRunBand"] = {band.low, band.high};
      list.back()["cycles"] = {row.original, row.next};
      list.back()["cyclesUnderDesign"] = {row.originalUnder, row.nextUnder};
    }
  }
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
