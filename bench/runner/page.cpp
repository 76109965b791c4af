#include "bench/runner/page.h"

#include "bench/runner/chart.h"
#include "bench/runner/columns.h"
#include "bench/runner/published.h"
#include "bench/runner/table.h"

#include <algorithm>

namespace meld::bench {

namespace {

constexpr const char *ownStyle = R"(
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr));gap:16px;margin-top:12px}
figure{margin:0;min-width:0;background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:14px}
figcaption{font-size:13px;color:var(--quiet)}svg{width:100%;height:auto;display:block}
svg text{font:11px system-ui,sans-serif;fill:var(--ink)}svg .tick{fill:var(--quiet)}svg .value{fill:var(--quiet)}
.grid{stroke:var(--rule)}.one{stroke:var(--ink)}.way{stroke:var(--before);stroke-width:2}
.better{fill:var(--better)}.worse{fill:var(--worse)}.undecided{fill:var(--before);opacity:.55}
.whisker{stroke:var(--ink);stroke-width:1.2}
.before{fill:var(--card);stroke:var(--before);stroke-width:2}.after{fill:var(--better)}
th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}
@media(max-width:600px){figure{padding:8px}svg text{font-size:13px}}
)";

const char *described(Set set) {
  switch (set) {
  case Set::synthetic:
    return "Branch patterns of growing difficulty; -R variants compute different things on "
           "their two sides. Block sizes 32 to 256.";
  case Set::melding:
    return "The 25 configurations of the control-flow melding paper's programs.";
  case Set::fusion:
    return "The branch-fusion report's programs: n-queens, bfs, suffix matching, LUD.";
  case Set::convergence:
    return "FIR and the behaviours of Rodinia and Parboil, after the convergence-and-scalarization "
           "paper.";
  case Set::slices:
    return "Uniform and divergent slices, intra prediction, a detection cascade.";
  case Set::reductions:
    return "Block reductions: neighboured, neighboured with fewer divergent waves, interleaved.";
  case Set::everyday:
    return "Divergent programs of daily life.";
  case Set::nests:
    return "Loops whose trip count differs from lane to lane (skewed) or does not (balanced): "
           "graphs, "
           "trees, decoders, quadrature. What gains there are versions of the measured choice "
           "(./dev bench choice), not the replacement at load.";
  }
  return "";
}

using html::tile;

std::string count(size_t n, const std::string &what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// How full the programs of a set make the device.
std::string fullness(const std::vector<Row> &rows, Set set) {
  double least = 0, most = 0;
  bool any = false;
  for (const Row &row : rows)
    if (row.which.isIn(set) && row.find("libmeld")) {
      const double waves = row.wavesPerSimd();
      least = any ? std::min(least, waves) : waves;
      most = std::max(most, waves);
      any = true;
    }
  const std::string from = decimal(least, 1), to = decimal(most, 1);
  return (from == to ? to : from + " to " + to) + " waves on a SIMD";
}

/// " (1.10 to 1.30 over the parameters' ranges)"; empty without a band.
std::string rangeText(const Band &band) {
  return band.known() ? " (" + decimal(band.low, 2) + " to " + decimal(band.high, 2) +
                            " over the parameters' ranges)"
                      : "";
}

std::string hintOf(const Row &row, const Run &run) {
  return row.which.label + ": " + grouped(row.plain().measured.cycles) + " to " +
         grouped(run.measured.cycles) + " modelled cycles" + rangeText(cycleBand(row, run)) + ", " +
         decimal(row.plain().measured.perWave(), 1) + " to " + decimal(run.measured.perWave(), 1) +
         " instructions per wave" + (run.measured.replaced ? "" : "; the original code was kept");
}

std::string tableOf(const std::vector<const Row *> &rows) {
  const bool bands =
      std::any_of(rows.begin(), rows.end(), [](const Row *row) { return haveBands({*row}); });
  std::vector<std::vector<std::string>> cells = {columnTitles(bands)};
  for (const Row *row : rows)
    for (const Run &run : row->runs)
      cells.push_back(cellsOf(*row, run, bands));
  return "<details><summary>All numbers</summary><p>" + escaped(legend(bands)) + "</p>" +
         htmlTable(cells, "numbers") + "</details>\n";
}

std::string section(Set set, const std::vector<Row> &rows) {
  std::vector<const Row *> mine;
  std::vector<Bar> cycles, instructions, memory;
  std::vector<Step> utilisation;
  for (const Row &row : rows) {
    const Run *run = row.find("libmeld");
    if (!row.which.isIn(set) || !run)
      continue;
    mine.push_back(&row);
    const std::string hint = hintOf(row, *run);
    cycles.push_back({row.which.label, cycleRatio(row, *run), hint, cycleBand(row, *run)});
    instructions.push_back({row.which.label, instructionRatio(row, *run), hint});
    utilisation.push_back({row.which.label, row.plain().measured.valuUtilization,
                           run->measured.valuUtilization, hint});
    const auto accesses = [](const Measurement &m) {
      return static_cast<double>(m.counter("SQ_INSTS_LDS") + m.counter("SQ_INSTS_VMEM_RD") +
                                 m.counter("SQ_INSTS_VMEM_WR") + m.counter("SQ_INSTS_FLAT"));
    };
    memory.push_back(
        {row.which.label, ratio(accesses(row.plain().measured), accesses(run->measured)), hint});
  }
  if (mine.empty())
    return "";
  std::string title = nameOf(set);
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return "<h3>" + title + "</h3><p>" + escaped(described(set)) + "</p><div class=\"pair\">\n" +
         ratioBars(std::string("Modelled cycles, original / libmeld") +
                       (haveBands(rows) ? "; whiskers: over the parameters' ranges" : ""),
                   cycles) +
         ratioBars("Instructions per wave, original / libmeld", instructions) +
         steps("Active lanes of vector instructions (ring: original, dot: libmeld)", utilisation,
               100, " %") +
         ratioBars("Memory instructions (LDS, vector and flat), original / libmeld", memory) +
         "</div>\n" + tableOf(mine);
}

std::string partOf(const Group &group) {
  std::string out = "<h2>" + escaped(group.title) + "</h2>\n<div class=\"tiles\">\n";
  out += tile(std::to_string(group.rows.size()), "configurations");
  for (Set set : allSets())
    if (const Means means = meansOf(group.rows, set, "libmeld"); means.count)
      out += tile(decimal(means.all, 2) + "x",
                  std::string(nameOf(set)) +
                      ": modelled cycles, original / libmeld, geometric mean of " +
                      count(means.count, "configuration") + rangeText(means.allBand) + "; least " +
                      decimal(means.least, 2) + rangeText(means.leastBand) +
                      (means.allBand.known() ? "; " + count(means.gains, "gain") + ", " +
                                                   count(means.losses, "loss") + ", " +
                                                   std::to_string(means.open) + " open"
                                             : "") +
                      "; " + fullness(group.rows, set));
  out += "</div>\n";
  for (Set set : allSets())
    out += section(set, group.rows);
  out += "<h3>Geometric means</h3><p>Of the cycle ratio, original / run, over all block sizes of a "
         "set, and over each program at the block size where its original is fastest.</p>" +
         htmlTable(meansCells(group.rows), "means");
  return out + publishedSection(group.rows);
}

} // namespace

std::string resultsPage(const std::vector<Row> &rows) {
  size_t runs = 0, failed = 0;
  for (const Row &row : rows)
    for (const Run &run : row.runs) {
      runs += 1 + run.under.size();
      failed += !run.measured.pass;
      failed += static_cast<size_t>(std::count(run.under.begin(), run.under.end(), 0u));
    }
  std::string out =
      html::head("libmeld: measured", ownStyle) +
      "<h1>libmeld: measured</h1>\n"
      "<p>Every program runs unchanged on the software GPU, first with its own code, then under "
      "libmeld, on the same inputs in one run. Counts are exact; cycles are modelled and good "
      "for comparison. Right of 1 is better. Rest the pointer on a line for its numbers.</p>\n"
      "<div class=\"tiles\">\n" +
      tile(std::to_string(runs), "runs") + tile(std::to_string(failed), "failed") + "</div>\n";
  for (const Group &group : groupsOf(rows))
    out += partOf(group);
  return out + html::foot;
}

} // namespace meld::bench
