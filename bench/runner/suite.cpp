#include "bench/runner/suite.h"

#include "bench/runner/table.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace meld::bench {

namespace {

struct Case {
  const char *program;
  std::vector<std::string> arguments;
  std::string label;
  bool synthetic = false;
};

/// Programs and sizes; what each is stands at the top of its source.
std::vector<Case> cases() {
  std::vector<Case> all;
  auto blocks = [&](const char *program, std::initializer_list<const char *> sizes) {
    for (const char *size : sizes)
      all.push_back({program, {"--block", size}, std::string(program) + " " + size});
  };
  for (const char *pattern : {"SB1", "SB1-R", "SB2", "SB2-R", "SB3", "SB3-R", "SB4", "SB4-R"})
    for (const char *size : {"32", "64", "128", "256"})
      all.push_back({"synthetic",
                     {"--pattern", pattern, "--block", size},
                     std::string(pattern) + " " + size,
                     true});
  blocks("bitonic", {"32", "64", "128", "256"});
  blocks("pcm", {"32", "64", "128", "256"});
  blocks("merge_sort", {"32", "64", "128", "256"});
  blocks("lud", {"16", "32", "64", "128"});
  blocks("nqueens", {"64", "96", "128", "256"});
  blocks("srad", {"16", "32"});
  blocks("dct", {"4", "8", "16"});
  blocks("lds_reduction", {"64", "128", "256"});
  blocks("divergent_saxpy", {"256"});
  blocks("diamond", {"256"});
  return all;
}

double ratio(double before, double after) { return after > 0 ? before / after : 0; }

struct Mean {
  double logs = 0;
  unsigned count = 0;
  void add(double r) {
    if (r > 0) {
      logs += std::log(r);
      ++count;
    }
  }
  double value() const { return count ? std::exp(logs / count) : 0; }
};

} // namespace

int runSuite(const Paths &paths, const SuiteOptions &options) {
  const std::string cache = (paths.scratch / "bench-cache").string();
  std::vector<Configuration> configurations = {{"plain", true, {}}};
  if (options.allConfigurations)
    for (const char *pass : {"tail-merge", "branch-fusion", "cfm"})
      configurations.push_back({pass, false, {{"MELD_CACHE_DIR", cache}, {"MELD_PASSES", pass}}});
  configurations.push_back({"libmeld", false, {{"MELD_CACHE_DIR", cache}}});

  Table table({"benchmark", "run", "result", "per wave", "VALU", "LDS", "branches", "VALU %",
               "cycles", "instr. ratio", "cycle ratio"});
  nlohmann::json rows = nlohmann::json::array();
  Mean synthetic, real;
  bool ok = true;
  for (const Case &c : cases()) {
    if (c.label.find(options.only) == std::string::npos)
      continue;
    if (isatty(2))
      std::fprintf(stderr, "\r\033[K%s ...", c.label.c_str());
    Measurement base;
    for (const Configuration &configuration : configurations) {
      const Measurement m = measure(paths, c.program, c.arguments, configuration, true);
      if (configuration.plain)
        base = m;
      if (!m.pass) {
        ok = false;
        std::fprintf(stderr, "\n%s, %s: exit code %d\n%s\n", c.label.c_str(),
                     configuration.name.c_str(), m.exitCode, m.output.c_str());
      }
      const double instructions = ratio(base.perWave(), m.perWave());
      const double cycles = ratio(static_cast<double>(base.cycles), static_cast<double>(m.cycles));
      if (configuration.name == "libmeld")
        (c.synthetic ? synthetic : real).add(cycles);
      table.add({configuration.plain ? c.label : "", configuration.name,
                 m.pass ? (configuration.plain || m.replaced ? "PASS" : "PASS, original") : "FAIL",
                 decimal(m.perWave(), 1), grouped(m.counter("SQ_INSTS_VALU")),
                 grouped(m.counter("SQ_INSTS_LDS")), grouped(m.counter("SQ_INSTS_BRANCH")),
                 decimal(m.valuUtilization, 1), grouped(m.cycles),
                 configuration.plain ? "" : decimal(instructions, 2),
                 configuration.plain ? "" : decimal(cycles, 2)});
      rows.push_back({{"benchmark", c.label},
                      {"configuration", configuration.name},
                      {"pass", m.pass},
                      {"replaced", m.replaced},
                      {"counters", m.counters},
                      {"valuUtilization", m.valuUtilization},
                      {"cycles", m.cycles}});
    }
  }
  if (isatty(2))
    std::fputs("\r\033[K", stderr);
  if (options.json) {
    std::printf("%s\n", rows.dump(1).c_str());
    return ok ? 0 : 1;
  }
  std::fputs(table.text().c_str(), stdout);
  std::printf("\nGeometric mean of modelled cycles, plain / libmeld: synthetic %.2f (%u), others "
              "%.2f (%u).\n"
              "'original': libmeld kept the original code object.\n",
              synthetic.value(), synthetic.count, real.value(), real.count);
  return ok ? 0 : 1;
}

} // namespace meld::bench
