#include "bench/runner/columns.h"

#include "bench/runner/table.h"

namespace meld::bench {

const std::vector<std::string> &columnTitles() {
  static const std::vector<std::string> titles = {
      "benchmark",    "waves/SIMD", "run",    "result", "cycles", "cycle ratio", "per wave",
      "instr. ratio", "VALU",       "SALU",   "SMEM",   "LDS",    "VMEM",        "FLAT",
      "branches",     "lines",      "VALU %", "VGPRs",  "occ.",   "melded",      "compile ms"};
  return titles;
}

const char *legend() {
  return "waves/SIMD: launched waves per SIMD of the modelled device, where half of the cycles "
         "pass. "
         "libmeld: as it is unless told otherwise; melding: without scalarization. per wave: "
         "instructions of all kinds. VALU to branches: instructions issued, by class (VMEM "
         "without LDS and FLAT). lines: cache lines touched. VALU %: lanes that were active in "
         "vector ALU instructions. VGPRs: the most of any kernel; occ.: waves per SIMD, the "
         "least. cycles: modelled. Ratios are original / run, above 1 is better. melded: "
         "decisions that changed code in any kernel of the program, by pass. compile ms: all of "
         "it, without the cache. 'PASS, original': libmeld kept the original code. Best block "
         "size: where the original is fastest.";
}

std::vector<std::string> cellsOf(const Row &row, const Run &run) {
  const Measurement &m = run.measured;
  const bool original = &run == &row.runs.front();
  const auto compared = [&](std::string text) { return original ? std::string() : text; };
  const auto count = [&](const char *name) { return grouped(m.counter(name)); };
  return {original ? row.which.label : std::string(),
          original ? decimal(row.wavesPerSimd(), 2) : std::string(),
          run.configuration,
          !m.pass                  ? "FAIL"
          : original || m.replaced ? "PASS"
                                   : "PASS, original",
          grouped(m.cycles),
          compared(decimal(cycleRatio(row, run), 2)),
          decimal(m.perWave(), 1),
          compared(decimal(instructionRatio(row, run), 2)),
          count("SQ_INSTS_VALU"),
          count("SQ_INSTS_SALU"),
          count("SQ_INSTS_SMEM"),
          count("SQ_INSTS_LDS"),
          grouped(m.counter("SQ_INSTS_VMEM_RD") + m.counter("SQ_INSTS_VMEM_WR")),
          count("SQ_INSTS_FLAT"),
          count("SQ_INSTS_BRANCH"),
          count("TCP_TOTAL_CACHE_LINES"),
          decimal(m.valuUtilization, 1),
          std::to_string(m.vgprs),
          std::to_string(m.occupancy),
          compared(run.compiled.what()),
          compared(decimal(run.compiled.milliseconds, 0))};
}

std::vector<std::vector<std::string>> meansCells(const std::vector<Row> &rows) {
  std::vector<std::vector<std::string>> cells = {
      {"set", "run", "benchmarks", "all block sizes", "best block size", "least", "where"}};
  for (const NamedMeans &means : allMeans(rows))
    cells.push_back({nameOf(means.set), means.configuration, std::to_string(means.count),
                     decimal(means.all, 3), decimal(means.best, 3), decimal(means.least, 3),
                     means.leastLabel});
  return cells;
}

} // namespace meld::bench
