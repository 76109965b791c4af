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
  if (!quick) {
    all.push_back(scalarization());
    all.push_back({"melding", false, {{"MELD_PASSES", "no-scalarize"}}});
  }
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

std::string meansTable(const std::vector<Row> &rows) {
  const auto cells = meansCells(rows);
  Table table(cells.front());
  for (size_t i = 1; i < cells.size(); ++i)
    table.add(cells[i]);
  return table.text();
}

/// Where the page goes; empty for nowhere.
std::filesystem::path pageOf(const Paths &paths, const SuiteOptions &options) {
  if (!options.page.empty())
    return std::filesystem::absolute(options.page);
  if (options.quick || !options.only.empty())
    return {};
  return paths.scratch.parent_path() /
         (options.size == "small" ? "results.html" : "results-" + options.size + ".html");
}

} // namespace

int runSuite(const Paths &paths, const SuiteOptions &options) {
  const auto runs = configurations(options.quick);
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
  for (Case &c : cases) {
    if (options.size != "small") // small is what a program does unasked
      c.arguments.insert(c.arguments.end(), {"--size", options.size});
    if (isatty(2))
      std::fprintf(stderr, "\r\033[K%zu/%zu %s ...", rows.size() + 1, cases.size(),
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

  if (const auto file = pageOf(paths, options); !file.empty()) {
    std::ofstream page(file);
    page << resultsPage(rows, options.size);
    page.close();
    if (!page) {
      std::fprintf(stderr, "meld-bench: cannot write %s\n", file.c_str());
      return 1;
    }
    std::fprintf(stderr, "page: %s\n", file.c_str());
  }
  if (options.json) {
    auto json = toJson(rows);
    json["size"] = options.size;
    std::printf("%s\n", json.dump(1).c_str());
    return ok ? 0 : 1;
  }
  size_t count = 0, failed = 0;
  for (const Row &row : rows)
    for (const Run &run : row.runs) {
      ++count;
      failed += !run.measured.pass;
    }
  std::printf("%s\nGeometric means of the cycle ratio\n\n%s\n%s%s\n\n%zu benchmarks, %zu runs, %zu "
              "failed; %s sizes.\n",
              wideTable(rows).c_str(), meansTable(rows).c_str(), publishedText(rows).c_str(),
              wrapped(legend(), 110).c_str(), rows.size(), count, failed, options.size.c_str());
  return ok ? 0 : 1;
}

} // namespace meld::bench
