#include "bench/runner/columns.h"

#include "bench/runner/table.h"

namespace meld::bench {

namespace {

constexpr size_t claimColumn = 6; // behind the cycle ratio

} // namespace

std::vector<std::string> columnTitles(bool bands) {
  std::vector<std::string> titles = {
      "benchmark",    "waves/SIMD", "run",    "result", "cycles", "cycle ratio", "per wave",
      "instr. ratio", "VALU",       "SALU",   "SMEM",   "LDS",    "VMEM",        "FLAT",
      "branches",     "lines",      "VALU %", "VGPRs",  "occ.",   "melded",      "compile ms"};
  if (bands)
    titles.insert(titles.begin() + claimColumn, "claim");
  return titles;
}

std::string legend(bool bands) {
  const std::string text =
      "waves/SIMD: launched waves per SIMD of the modelled device, where half of the cycles "
      "pass. "
      "libmeld: as it is unless told otherwise; melding: without scalarization. per wave: "
      "instructions of all kinds. VALU to branches: instructions issued, by class (VMEM "
      "without LDS and FLAT). lines: cache lines touched. VALU %: lanes that were active in "
      "vector ALU instructions. VGPRs: the most of any kernel; occ.: waves per SIMD, the "
      "least. cycles: modelled. Ratios are original / run, above 1 is better. melded: "
      "decisions that changed code in any kernel of the program, by pass. compile ms: all of "
      "it, without the cache. 'PASS, original': libmeld kept the original code. Best block "
      "size: where the original is fastest.";
  return bands
             ? text + " In brackets: least and most over the ranges of the model's parameters "
                      "(docs/benchmarks.md). claim: gain where all of that is above 1, loss where "
                      "all is below, open where 1 lies in it, same where nothing else does."
             : text;
}

std::vector<std::string> cellsOf(const Row &row, const Run &run, bool bands) {
  const Measurement &m = run.measured;
  const bool original = &run == &row.runs.front();
  const auto compared = [&](std::string text) { return original ? std::string() : text; };
  const auto count = [&](const char *name) { return grouped(m.counter(name)); };
  const Band band = original ? Band() : cycleBand(row, run);
  std::vector<std::string> cells = {
      original ? row.which.label : std::string(),
      original ? decimal(row.wavesPerSimd(), 2) : std::string(),
      run.configuration,
      !m.pass                  ? "FAIL"
      : original || m.replaced ? "PASS"
                               : "PASS, original",
      grouped(m.cycles),
      compared(withBand(cycleRatio(row, run), band, 2)),
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
  if (bands)
    cells.insert(cells.begin() + claimColumn, claimOf(band));
  return cells;
}

std::vector<std::vector<std::string>> meansCells(const std::vector<Row> &rows) {
  const bool bands = haveBands(rows);
  std::vector<std::vector<std::string>> cells = {
      {"set", "run", "benchmarks", "all block sizes", "best block size", "least", "where"}};
  if (bands)
    cells.front().insert(cells.front().end(), {"gain", "loss", "same", "open"});
  for (const NamedMeans &means : allMeans(rows)) {
    cells.push_back({nameOf(means.set), means.configuration, std::to_string(means.count),
                     withBand(means.all, means.allBand, 3), withBand(means.best, means.bestBand, 3),
                     withBand(means.least, means.leastBand, 3), means.leastLabel});
    if (bands)
      for (unsigned claims : {means.gains, means.losses, means.same, means.open})
        cells.back().push_back(std::to_string(claims));
  }
  return cells;
}

} // namespace meld::bench
