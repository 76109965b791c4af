#include "bench/runner/each_case.h"
#include "bench/runner/specialise.h"
#include "bench/runner/under_design.h"

#include <atomic>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace meld::bench {

namespace {

namespace fs = std::filesystem;

constexpr unsigned nextTimes = 4; ///< repetitions in the next run

std::vector<Dispatch> ownDispatches(const Measurement &m) {
  std::vector<Dispatch> own;
  for (const Dispatch &d : m.dispatches)
    if (!isRuntimeKernel(d.kernel))
      own.push_back(d);
  return own;
}

/// One program with one pattern of its arguments, in all configurations. False when a run failed.
bool addRow(const Paths &paths, const SpecialiseOptions &options, const std::string &program,
            const std::string &pattern, std::vector<SpecialiseRow> &rows) {
  std::atomic<bool> ok = true;
  const auto run = [&](Configuration configuration, const std::string &arguments, unsigned times,
                       const DesignRun *under = nullptr) {
    if (under)
      addParameters(configuration.environment, *under);
    const Measurement m =
        measure(paths, program,
                {"--pattern", arguments, "--size", options.size, "--repeat", std::to_string(times)},
                configuration, true);
    if (!m.pass) {
      std::fprintf(stderr, "\n%s %s, %s: exit code %d\n%s\n", program.c_str(), arguments.c_str(),
                   configuration.name.c_str(), m.exitCode, m.output.c_str());
      ok = false;
    }
    return ownDispatches(m);
  };
  const auto adapt = [&](const std::string &specialise) {
    const fs::path cache = paths.scratch / "specialise-cache" / (program + pattern + specialise);
    fs::remove_all(cache);
    return Configuration{"specialise=" + specialise,
                         false,
                         {{"MELD_CACHE_DIR", cache.string()},
                          {"MELD_COMPILE_BUDGET_MS", "0"},
                          {"MELD_ADAPT", "on"},
                          {"MELD_SPECIALIZE", specialise}}};
  };
  const Configuration plain{"original", true, {}};
  const size_t each = std::max<size_t>(1, run(plain, pattern, 1).size());
  const auto times = static_cast<unsigned>((options.launches + each - 1) / each);
  const auto general = run(plain, pattern, times);
  const auto chosen = run(adapt("off"), pattern, times);
  const Configuration on = adapt("on");
  const auto specialised = run(on, pattern, times);
  const auto next = run(on, pattern, nextTimes);
  const auto source = pattern == "helped" ? run(plain, "source", 2) : std::vector<Dispatch>();
  rows.push_back(specialiseRow(program, pattern, general, chosen, specialised, next, source));
  if (options.bands)
    for (const BeforeAfter &under :
         underDesign(on, options.jobs, [&](const Configuration &c, const DesignRun &parameters) {
           return run(c, pattern, nextTimes, &parameters);
         }))
      addUnder(rows.back(), under.before, under.after);
  return ok;
}

nlohmann::json toJson(const std::vector<SpecialiseRow> &rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const SpecialiseRow &row : rows)
    list.push_back({{"program", row.program},
                    {"run", row.run},
                    {"launches", row.launches},
                    {"general", row.general},
                    {"on", row.chosen},
                    {"specialised", row.specialised},
                    {"nextRun", row.nextRun},
                    {"source", row.source},
                    {"reached", row.reached()},
                    {"lost", row.lost},
                    {"vgprs", {row.vgprs, row.vgprsSpecialised}},
                    {"waves", {row.waves, row.wavesSpecialised}},
                    {"cycles", {row.same, row.next}},
                    {"cyclesUnderDesign", {row.sameUnder, row.nextUnder}}});
  return list;
}

} // namespace

const std::vector<std::string> &specialisedPrograms() {
  static const std::vector<std::string> programs = {
      "block_spmv",    "cross_sections", "field_solver",  "functor",
      "hash_join",     "image_filter",   "lennard_jones", "option_pricing",
      "particle_push", "small_matrices", "transport"};
  return programs;
}

int runSpecialise(const Paths &paths, const SpecialiseOptions &options) {
  std::vector<SpecialiseRow> rows;
  bool ok = true;
  for (const std::string &program : specialisedPrograms())
    if (program.find(options.only) != std::string::npos)
      for (const char *pattern : {"helped", "other"}) {
        tellProgress(program + " " + pattern);
        ok = addRow(paths, options, program, pattern, rows) && ok;
      }
  tellProgress("");
  if (rows.empty()) {
    std::fprintf(stderr, "meld-bench: no program called '%s'\n", options.only.c_str());
    return 1;
  }
  if (options.json)
    std::printf("%s\n", toJson(rows).dump(1).c_str());
  else
    std::printf("%s", specialiseText(rows).c_str());
  return ok ? 0 : 1;
}

} // namespace meld::bench
