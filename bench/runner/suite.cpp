#include "bench/runner/suite.h"

#include "bench/runner/columns.h"
#include "bench/runner/page.h"
#include "bench/runner/published.h"
#include "bench/runner/table.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace meld::bench {

namespace {

std::vector<Configuration> configurations(bool quick) {
  std::vector<Configuration> all = {{"original", true, {}}};
  if (!quick)
    for (const char *pass : {"tail-merge", "branch-fusion", "cfm"})
      all.push_back({pass, false, {{"MELD_PASSES", pass}}});
  if (!quick)
    all.push_back(scalarization());
  all.push_back({"libmeld", false, {}});
  return all;
}

/// Everything about the code that ran: one line per case and configuration.
std::string wideTable(const std::vector<Row> &rows) {
  Table table(columnTitles());
  for (const Row &row : rows)
    for (const Run &run : row.runs)
      table.add(cellsOf(row, run));
  return table.text();
}

std::string meansTable(const std::vector<Row> &rows, const std::vector<Configuration> &runs) {
  Table table({"set", "run", "cases", "geomean", "best sizes", "least", "where"});
  for (Set set : allSets())
    for (const Configuration &configuration : runs) {
      if (configuration.plain)
        continue;
      const Means means = meansOf(rows, set, configuration.name);
      if (means.count)
        table.add({nameOf(set), configuration.name, std::to_string(means.count),
                   decimal(means.all, 3), decimal(means.best, 3), decimal(means.least, 3),
                   means.leastLabel});
    }
  return table.text();
}

} // namespace

int runSuite(const Paths &paths, const SuiteOptions &options) {
  const auto runs = configurations(options.quick);
  std::vector<Row> rows;
  std::map<std::pair<std::string, std::string>, Compilation> compiled; // program, configuration
  bool ok = true;
  const auto cases = allCases();
  const auto wanted = [&](const Case &c) {
    const auto ofSet = [&](Set set) { return nameOf(set) == options.only && c.isIn(set); };
    return (!options.quick || c.quick) && (c.label.find(options.only) != std::string::npos ||
                                           std::any_of(allSets().begin(), allSets().end(), ofSet));
  };
  const auto total = std::count_if(cases.begin(), cases.end(), wanted);
  for (const Case &c : cases) {
    if (!wanted(c))
      continue;
    if (isatty(2))
      std::fprintf(stderr, "\r\033[K%zu/%zu %s ...", rows.size() + 1, static_cast<size_t>(total),
                   c.label.c_str());
    Row row{c, {}};
    for (Configuration configuration : runs) {
      if (!configuration.plain) {
        auto [known, fresh] = compiled.try_emplace({c.program, configuration.name});
        if (fresh)
          known->second = compileAlone(paths, c.program, configuration);
        configuration.environment["MELD_CACHE_DIR"] = (paths.scratch / "bench-cache").string();
        configuration.environment.emplace("MELD_COMPILE_BUDGET_MS", "0");
      }
      Run run{configuration.name, measure(paths, c.program, c.arguments, configuration, true), {}};
      if (!configuration.plain)
        run.compiled = compiled[{c.program, configuration.name}];
      if (!run.measured.pass) {
        ok = false;
        std::fprintf(stderr, "\n%s, %s: exit code %d\n%s\n", c.label.c_str(),
                     configuration.name.c_str(), run.measured.exitCode,
                     run.measured.output.c_str());
      }
      row.runs.push_back(std::move(run));
    }
    rows.push_back(std::move(row));
  }
  if (isatty(2))
    std::fputs("\r\033[K", stderr);
  if (rows.empty()) {
    std::fprintf(stderr, "meld-bench: no benchmark is called '%s'\n", options.only.c_str());
    return 1;
  }

  if (!options.page.empty()) {
    std::ofstream page(options.page);
    page << resultsPage(rows);
    page.close();
    if (!page) {
      std::fprintf(stderr, "meld-bench: cannot write %s\n", options.page.c_str());
      return 1;
    }
  }
  if (options.json) {
    std::printf("%s\n", toJson(rows).dump(1).c_str());
    return ok ? 0 : 1;
  }
  std::printf("%s\n%s\n%s\nRatios are original / run: above 1 is better. Cycles are modelled. "
              "'original' behind PASS: libmeld\nkept the original code object.\n",
              wideTable(rows).c_str(), meansTable(rows, runs).c_str(),
              publishedTable(rows).c_str());
  return ok ? 0 : 1;
}

} // namespace meld::bench
