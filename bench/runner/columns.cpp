#include "bench/runner/columns.h"

#include "bench/runner/table.h"

namespace meld::bench {

const std::vector<std::string> &columnTitles() {
  static const std::vector<std::string> titles = {
      "benchmark", "run",    "result", "per wave",    "VALU",   "SALU",      "SMEM",
      "LDS",       "VMEM",   "FLAT",   "branches",    "lines",  "VALU %",    "VGPRs",
      "occ.",      "cycles", "instr.", "cycle ratio", "melded", "compile ms"};
  return titles;
}

std::vector<std::string> cellsOf(const Row &row, const Run &run) {
  const Measurement &m = run.measured;
  const bool original = &run == &row.runs.front();
  const auto compared = [&](std::string text) { return original ? std::string() : text; };
  const auto count = [&](const char *name) { return grouped(m.counter(name)); };
  return {original ? row.which.label : std::string(),
          run.configuration,
          !m.pass                  ? "FAIL"
          : original || m.replaced ? "PASS"
                                   : "PASS, original",
          decimal(m.perWave(), 1),
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
          grouped(m.cycles),
          compared(decimal(instructionRatio(row, run), 2)),
          compared(decimal(cycleRatio(row, run), 2)),
          compared(run.compiled.what()),
          compared(decimal(run.compiled.milliseconds, 0))};
}

} // namespace meld::bench
