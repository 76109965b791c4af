#include "bench/runner/suite.h"

#include "bench/runner/columns.h"
#include "bench/runner/design.h"
#include "bench/runner/each_case.h"
#include "bench/runner/page.h"
#include "bench/runner/parallel.h"
#include "bench/runner/published.h"
#include "bench/runner/table.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace meld::bench {

namespace {

/// Each pass alone is shown with the small problems: seven runs of those that fill the device take a
/// quarter of an hour.
std::vector<Configuration> configurations(bool quick, const std::string &size) {
  std::vector<Configuration> all = {{"original", true, {}}};
  const bool alone = !quick && size != "full";
  if (alone)
    for (const char *pass : {"tail-merge", "branch-fusion", "cfm"})
      all.push_back({pass, false, {{"MELD_PASSES", pass}}});
  if (alone)
    all.push_back(scalarization());
  if (!quick)
    all.push_back({"melding", false, {{"MELD_PASSES", "no-scalarize"}}});
  all.push_back({"libmeld", false, {}});
  return all;
}

/// `under`: parameters of a run of the design; null: those of the model.
Measurement runOnce(const Paths &paths, const Case &c, const std::string &size,
                    Configuration configuration, const DesignRun *under) {
  if (!configuration.plain) {
    configuration.environment["MELD_CACHE_DIR"] = (paths.scratch / "bench-cache").string();
    configuration.environment.emplace("MELD_COMPILE_BUDGET_MS", "0");
  }
  const Problem problem = problemOf(c, size);
  configuration.environment.merge(problem.environment());
  if (under)
    addParameters(configuration.environment, *under);
  std::vector<std::string> arguments = c.arguments;
  arguments.insert(arguments.end(), {"--size", problem.size});
  return measure(paths, c.program, arguments, configuration, true);
}

/// Everything about the code that ran: one line per case and configuration.
std::string wideTable(const std::vector<Row> &rows) {
  const bool bands = haveBands(rows);
  Table table(columnTitles(bands));
  for (const Row &row : rows)
    for (const Run &run : row.runs)
      table.add(cellsOf(row, run, bands));
  return table.text();
}

std::string meansTable(const std::vector<Row> &rows) {
  const auto cells = meansCells(rows);
  Table table(cells.front());
  for (size_t i = 1; i < cells.size(); ++i)
    table.add(cells[i]);
  return table.text();
}

std::string textOf(const Group &group) {
  return group.title + "\n\n" + wideTable(group.rows) + "\nGeometric means of the cycle ratio\n\n" +
         meansTable(group.rows) + "\n" + publishedText(group.rows);
}

bool replacesAny(const Measurement &m) {
  return std::any_of(m.dispatches.begin(), m.dispatches.end(),
                     [](const Dispatch &d) { return d.replaced; });
}

std::vector<std::string> sizesOf(const SuiteOptions &options) {
  if (!options.size.empty())
    return {options.size};
  if (options.quick)
    return {"small"};
  return {"full", "small"};
}

/// Where the page goes; empty for nowhere.
std::filesystem::path pageOf(const Paths &paths, const SuiteOptions &options) {
  if (!options.page.empty())
    return std::filesystem::absolute(options.page);
  if (options.quick || !options.only.empty())
    return {};
  return paths.scratch.parent_path() /
         (options.size.empty() ? "results.html" : "results-" + options.size + ".html");
}

} // namespace

int runSuite(const Paths &paths, const SuiteOptions &options) {
  std::vector<Row> rows;
  std::map<std::pair<std::string, std::string>, Compilation> compiled; // program, configuration
  bool ok = true;
  std::vector<Case> cases = casesCalled(options.only);
  if (options.quick)
    cases.erase(std::remove_if(cases.begin(), cases.end(), [](const Case &c) { return !c.quick; }),
                cases.end());
  if (cases.empty()) {
    std::fprintf(stderr, "meld-bench: %s\n", unknownName(options.only).c_str());
    return 1;
  }
  const auto sizes = sizesOf(options);
  const auto tellFailure = [&](const Case &c, const std::string &size, const std::string &what,
                               const Measurement &m) {
    ok = false;
    std::fprintf(stderr, "\n%s, %s size, %s: exit code %d\n%s\n", c.label.c_str(), size.c_str(),
                 what.c_str(), m.exitCode, m.output.c_str());
  };
  const auto measured = [&](const Case &c, const std::string &size, Configuration configuration) {
    if (!configuration.plain) {
      auto [known, fresh] = compiled.try_emplace({c.program, configuration.name});
      if (fresh)
        known->second = compileAlone(paths, c.program, configuration);
    }
    Run run{configuration.name, runOnce(paths, c, size, configuration, nullptr), {}};
    if (!configuration.plain)
      run.compiled = compiled[{c.program, configuration.name}];
    if (!run.measured.pass)
      tellFailure(c, size, configuration.name, run.measured);
    return run;
  };
  // What the compiler makes is in the cache by now, so these do not depend on each other. A
  // configuration that has replaced nothing runs the original's code, under any parameters.
  const auto measureUnder = [&](Row &row, const std::vector<Configuration> &all) {
    const auto &design = designRuns();
    std::vector<size_t> codes; // places in row.runs
    for (size_t i = 0; i < all.size(); ++i)
      if (i == 0 || replacesAny(row.runs[i].measured))
        codes.push_back(i);
    std::vector<Measurement> under(codes.size() * design.size());
    inParallel(under.size(), options.jobs, [&](size_t i) {
      under[i] = runOnce(paths, row.which, row.size, all[codes[i / design.size()]],
                         &design[i % design.size()]);
      under[i].dispatches.clear(); // nobody looks at them
    });
    for (size_t i = 0; i < under.size(); ++i) {
      const std::string what = all[codes[i / design.size()]].name + ", run " +
                               std::to_string(i % design.size() + 1) + " of the design";
      if (!under[i].pass)
        tellFailure(row.which, row.size, what, under[i]);
      row.runs[codes[i / design.size()]].under.push_back(under[i].pass ? under[i].cycles : 0);
    }
    for (size_t i = 1; i < all.size(); ++i)
      if (row.runs[i].under.empty())
        row.runs[i].under = row.runs[0].under;
  };
  for (const std::string &size : sizes)
    for (const Case &c : cases) {
      tellProgress(std::to_string(rows.size() + 1) + "/" +
                   std::to_string(sizes.size() * cases.size()) + " " + c.label + ", " + size);
      Row row{c, {}, size};
      const auto all = configurations(options.quick, size);
      for (const Configuration &configuration : all)
        row.runs.push_back(measured(c, size, configuration));
      if (options.bands)
        measureUnder(row, all);
      rows.push_back(std::move(row));
    }
  tellProgress("");

  if (const auto file = pageOf(paths, options); !file.empty()) {
    std::ofstream page(file);
    page << resultsPage(rows);
    page.close();
    if (!page) {
      std::fprintf(stderr, "meld-bench: cannot write %s\n", file.c_str());
      return 1;
    }
    std::fprintf(stderr, "page: %s\n", file.c_str());
  }
  if (options.json) {
    std::printf("%s\n", toJson(rows).dump(1).c_str());
    return ok ? 0 : 1;
  }
  size_t count = 0, failed = 0;
  for (const Row &row : rows)
    for (const Run &run : row.runs) {
      count += 1 + run.under.size();
      failed += !run.measured.pass;
      failed += static_cast<size_t>(std::count(run.under.begin(), run.under.end(), 0u));
    }
  for (const Group &group : groupsOf(rows))
    std::printf("%s\n", textOf(group).c_str());
  std::printf("%s\n\n%zu benchmarks, %zu runs, %zu failed.\n",
              wrapped(legend(options.bands), 110).c_str(), cases.size(), count, failed);
  return ok ? 0 : 1;
}

} // namespace meld::bench
