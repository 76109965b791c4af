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

std::vector<std::string> row(const std::string &waves, const std::string &block, const char *who,
                             const Measurement &m, const std::string &cycleRatio,
                             const std::string &ratio) {
  return {waves,
          block,
          who,
          m.pass ? "PASS" : "FAIL",
          grouped(m.cycles),
          cycleRatio,
          grouped(m.counter("SQ_INSTS")),
          decimal(m.perWave(), 1),
          ratio,
          grouped(m.counter("SQ_INSTS_BRANCH")),
          grouped(m.counter("SQ_INSTS_LDS")),
          decimal(m.valuUtilization, 1)};
}

} // namespace

int runDemo(const Paths &paths) {
  const std::string cache = (paths.scratch / "demo-cache").string();
  std::filesystem::remove_all(cache);
  const Configuration plain{"plain", true, {}};
  // The first run is to show it, however busy the machine is.
  const Configuration melded{
      "libmeld", false, {{"MELD_CACHE_DIR", cache}, {"MELD_COMPILE_BUDGET_MS", "0"}}};

  std::printf(
      "Bitonic sort in LDS on the software GPU (gfx90a), the same executable twice: 262,144 "
      "values, which fill\nthe device, then 16,384.\n\n");
  Table table({"waves/SIMD", "threads", "run", "result", "cycles", "cycle ratio", "instructions",
               "per wave", "instr. ratio", "branches", "LDS", "VALU %"});
  bool ok = true;
  for (const char *size : {"large", "small"})
    for (const char *block : {"32", "64", "128", "256"}) {
      progress((std::string("bitonic, ") + size + ", " + block + " threads a block ...").c_str());
      const std::vector<std::string> arguments = {"--size", size, "--block", block};
      const Measurement before = measure(paths, "bitonic", arguments, plain, true);
      const Measurement after = measure(paths, "bitonic", arguments, melded, true);
      for (const Measurement *m : {&before, &after})
        if (!m->pass) {
          std::fprintf(stderr, "\nbitonic --size %s --block %s: exit code %d\n%s\n", size, block,
                       m->exitCode, m->output.c_str());
          ok = false;
        }
      if (after.pass && !after.replaced) {
        std::fprintf(stderr, "\nbitonic --block %s ran, but libmeld replaced nothing\n%s\n", block,
                     after.output.c_str());
        ok = false;
      }
      auto ratio = [](double a, double b) { return b > 0 ? decimal(a / b, 2) : std::string("-"); };
      table.add(row(decimal(before.wavesPerSimd(), 2), block, "plain", before, "", ""));
      table.add(row("", "", "libmeld", after,
                    ratio(static_cast<double>(before.cycles), static_cast<double>(after.cycles)),
                    ratio(before.perWave(), after.perWave())));
    }
  progress("");
  std::fputs(table.text().c_str(), stdout);
  std::printf("\nratio = plain / libmeld, per wave for instructions. Cycles are modelled "
              "(docs/timing-model.md); counts are exact.\n");
  return ok ? 0 : 1;
}

} // namespace meld::bench
