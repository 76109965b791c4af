#include "bench/runner/sizes.h"

#include "bench/runner/each_case.h"
#include "bench/runner/table.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace meld::bench {

namespace {

const char *const sizeNames[] = {"small", "large"};

/// One program: original and melded, small and large.
struct SizesRow {
  Case which;
  Measurement original[2], melded[2];

  /// Empty for nothing wrong.
  std::string problem() const {
    for (int i = 0; i < 2; ++i) {
      if (!original[i].pass)
        return std::string(sizeNames[i]) + " fails";
      if (!melded[i].pass)
        return std::string(sizeNames[i]) + " fails under libmeld";
    }
    // A program that ignores its size would pass both times.
    return original[1].counter("SQ_INSTS") >= 2 * original[0].counter("SQ_INSTS")
               ? ""
               : "large is no larger";
  }
};

void tell(const SizesRow &row, const char *size, const char *code, const Measurement &m) {
  if (!m.pass)
    std::fprintf(stderr, "\n%s, %s size, %s: exit code %d\n%s\n", row.which.label.c_str(), size,
                 code, m.exitCode, m.output.c_str());
}

} // namespace

int runSizes(const Paths &paths, const SizesOptions &options) {
  const Configuration plain{"original", true, {}};
  const Configuration libmeld{"libmeld",
                              false,
                              {{"MELD_CACHE_DIR", (paths.scratch / "bench-cache").string()},
                               {"MELD_COMPILE_BUDGET_MS", "0"}}};
  Table table({"benchmark", "result", "waves: small", "large", "instructions: small", "large",
               "melded: small", "large"});
  nlohmann::json all = nlohmann::json::array();
  bool ok = true;
  const auto run = [&](const Case &which) {
    SizesRow row{which, {}, {}};
    for (int i = 0; i < 2; ++i) {
      std::vector<std::string> arguments = which.arguments;
      arguments.insert(arguments.end(), {"--size", sizeNames[i]});
      row.original[i] = measure(paths, which.program, arguments, plain, false);
      row.melded[i] = measure(paths, which.program, arguments, libmeld, false);
      tell(row, sizeNames[i], "original", row.original[i]);
      tell(row, sizeNames[i], "libmeld", row.melded[i]);
    }
    const std::string problem = row.problem();
    ok = ok && problem.empty();
    const auto count = [&](const Measurement &m, const char *name) {
      return grouped(m.counter(name));
    };
    table.add({which.label, problem.empty() ? "PASS" : "FAIL: " + problem,
               count(row.original[0], "SQ_WAVES"), count(row.original[1], "SQ_WAVES"),
               count(row.original[0], "SQ_INSTS"), count(row.original[1], "SQ_INSTS"),
               count(row.melded[0], "SQ_INSTS"), count(row.melded[1], "SQ_INSTS")});
    for (int i = 0; i < 2; ++i)
      all.push_back({{"benchmark", which.label},
                     {"size", sizeNames[i]},
                     {"pass", row.original[i].pass && row.melded[i].pass},
                     {"waves", row.original[i].counter("SQ_WAVES")},
                     {"original", row.original[i].counter("SQ_INSTS")},
                     {"melded", row.melded[i].counter("SQ_INSTS")}});
  };
  if (!forEachCase(options.only, /*every=*/false, run))
    return 1;
  if (options.json)
    std::printf("%s\n", all.dump(1).c_str());
  else
    std::printf("%s\nPASS: both sizes against the host reference, with the program's own code and "
                "under libmeld.\n%zu benchmarks, %zu runs.\n",
                table.text().c_str(), all.size() / 2, all.size() * 2);
  return ok ? 0 : 1;
}

} // namespace meld::bench
