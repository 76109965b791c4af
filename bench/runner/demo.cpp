#include "bench/runner/demo.h"

#include "bench/runner/table.h"

#include <cstdio>
#include <unistd.h>

namespace meld::bench {

namespace {

void progress(const char *what) {
  if (isatty(2))
    std::fprintf(stderr, "\r\033[K%s", what);
}

std::vector<std::string> row(const std::string &block, const char *who, const Measurement &m,
                             const std::string &ratio, const std::string &cycleRatio) {
  return {block,
          who,
          m.pass ? "PASS" : "FAIL",
          grouped(m.counter("SQ_INSTS")),
          decimal(m.perWave(), 1),
          grouped(m.counter("SQ_INSTS_BRANCH")),
          grouped(m.counter("SQ_INSTS_LDS")),
          decimal(m.valuUtilization, 1),
          grouped(m.cycles),
          ratio,
          cycleRatio};
}

} // namespace

int runDemo(const Paths &paths) {
  const std::string cache = (paths.scratch / "demo-cache").string();
  std::filesystem::remove_all(cache);
  const Configuration plain{"plain", true, {}};
  const Configuration melded{"libmeld", false, {{"MELD_CACHE_DIR", cache}}};

  std::printf(
      "Bitonic sort in LDS on the software GPU (gfx90a), 16,384 values, the same executable "
      "twice.\n\n");
  Table table({"threads", "run", "result", "instructions", "per wave", "branches", "LDS", "VALU %",
               "cycles", "instr. ratio", "cycle ratio"});
  bool ok = true;
  for (const char *block : {"32", "64", "128", "256"}) {
    progress((std::string("bitonic, ") + block + " threads a block ...").c_str());
    const std::vector<std::string> arguments = {"--block", block};
    const Measurement before = measure(paths, "bitonic", arguments, plain, true);
    const Measurement after = measure(paths, "bitonic", arguments, melded, true);
    for (const Measurement *m : {&before, &after})
      if (!m->pass) {
        std::fprintf(stderr, "\nbitonic --block %s: exit code %d\n%s\n", block, m->exitCode,
                     m->output.c_str());
        ok = false;
      }
    if (after.pass && !after.replaced) {
      std::fprintf(stderr, "\nbitonic --block %s ran, but libmeld replaced nothing\n%s\n", block,
                   after.output.c_str());
      ok = false;
    }
    auto ratio = [](double a, double b) { return b > 0 ? decimal(a / b, 2) : std::string("-"); };
    table.add(row(block, "plain", before, "", ""));
    table.add(row("", "libmeld", after, ratio(before.perWave(), after.perWave()),
                  ratio(static_cast<double>(before.cycles), static_cast<double>(after.cycles))));
  }
  progress("");
  std::fputs(table.text().c_str(), stdout);
  std::printf("\nratio = plain / libmeld, per wave for instructions. Cycles are modelled "
              "(docs/timing-model.md); counts are exact.\n");
  return ok ? 0 : 1;
}

} // namespace meld::bench
