#include "bench/runner/published.h"

#include "bench/runner/chart.h"
#include "bench/runner/rank.h"
#include "bench/runner/table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace meld::bench {

namespace {

/// Speedups of control-flow melding and of branch fusion, by label.
const std::map<std::string, std::pair<double, double>> &speedups() {
  static const std::map<std::string, std::pair<double, double>> known = {
      {"BIT 32", {1.105, .979}},   {"BIT 64", {1.460, .970}},   {"BIT 128", {1.296, .981}},
      {"BIT 256", {1.238, 1.}},    {"PCM 32", {1.374, 1.262}},  {"PCM 64", {1.309, 1.182}},
      {"PCM 128", {1.242, 1.228}}, {"PCM 256", {1.121, 1.025}}, {"MS 32", {1.181, 1.179}},
      {"MS 64", {1.180, 1.182}},   {"MS 128", {1.174, 1.173}},  {"MS 256", {1.163, 1.163}},
      {"LUD 16", {1.157, 1.154}},  {"LUD 32", {1.081, 1.081}},  {"LUD 64", {1.099, 1.074}},
      {"LUD 128", {.993, 1.009}},  {"NQU 64", {1.190, 1.}},     {"NQU 96", {1.186, 1.}},
      {"NQU 128", {1.187, 1.}},    {"NQU 256", {1.182, 1.}},    {"SRAD 16", {.972, 1.223}},
      {"SRAD 32", {.927, .986}},   {"DCT 4", {1.001, 1.}},      {"DCT 8", {1., 1.001}},
      {"DCT 16", {1.010, 1.022}}};
  return known;
}

/// Of synthetic kernels: the mean over their block sizes.
const std::map<std::string, double> &syntheticSpeedups() {
  static const std::map<std::string, double> known = {
      {"SB1", 1.27}, {"SB1-R", 1.16}, {"SB2", 1.28}, {"SB2-R", 1.19},
      {"SB3", 1.39}, {"SB3-R", 1.33}, {"SB4", 1.87}, {"SB4-R", 1.55}};
  return known;
}

/// Of a program at the block size where melding gained most: percent of active lanes before and
/// after, LDS and vector memory instructions after / before (0: not given).
struct Profile {
  double before, after, lds, vmem;
};
const std::map<std::string, Profile> &profiles() {
  static const std::map<std::string, Profile> known = {
      {"BIT", {61, 57, .73, 0}},    {"PCM", {19, 36, .66, 0}}, {"MS", {34, 38, 0, 1.13}},
      {"LUD", {12, 22, 1.39, .54}}, {"NQU", {31, 46, 0, 0}},   {"SRAD", {93, 98, .92, 0}},
      {"DCT", {64, 100, 0, 0}}};
  return known;
}

/// Instructions per warp of 32 threads.
const std::map<std::string, double> &reductions() {
  static const std::map<std::string, double> known = {{"reduction neighbored", 444.9},
                                                      {"reduction neighbored-less", 150.5},
                                                      {"reduction interleaved", 0}};
  return known;
}

std::string orDash(double value, int decimals) {
  return value > 0 ? decimal(value, decimals) : "-";
}

/// The ratio of a run that may be missing.
std::string ratioOf(const Row &row, const char *configuration) {
  const Run *run = row.find(configuration);
  return run ? orDash(cycleRatio(row, *run), 2) : "-";
}

PublishedTable speedupTable(const std::vector<Row> &rows) {
  PublishedTable table{
      "Speedups",
      "Theirs: Saumya, Sundararajah, Kulkarni, \"DARM: Control-Flow Melding for SIMT Thread "
      "Divergence Reduction\" (CGO 2022), times on a Vega 64; ours: modelled cycles.",
      {{"benchmark", "libmeld", "melding: ours", "theirs", "fusion: ours", "theirs"}}};
  for (const Row &row : rows)
    if (const auto known = speedups().find(row.which.label);
        known != speedups().end() && row.which.set == Set::melding)
      table.cells.push_back({row.which.label, ratioOf(row, "libmeld"), ratioOf(row, "cfm"),
                             decimal(known->second.first, 2), ratioOf(row, "branch-fusion"),
                             decimal(known->second.second, 2)});
  const auto mean = [](const std::vector<Row> &some, Set set, const char *configuration) {
    return orDash(meansOf(some, set, configuration).all, 2);
  };
  if (table.cells.size() > speedups().size()) // a part of them has no published mean
    table.cells.push_back({"mean of 25", mean(rows, Set::melding, "libmeld"),
                           mean(rows, Set::melding, "cfm"), "1.15",
                           mean(rows, Set::melding, "branch-fusion"), "1.07"});
  for (const auto &[family, theirs] : syntheticSpeedups()) {
    std::vector<Row> sizes;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(sizes),
                 [&name = family](const Row &row) {
                   return row.which.set == Set::synthetic && row.which.family() == name;
                 });
    if (!sizes.empty())
      table.cells.push_back({family + ", " + std::to_string(sizes.size()) + " block sizes",
                             mean(sizes, Set::synthetic, "libmeld"),
                             mean(sizes, Set::synthetic, "cfm"), decimal(theirs, 2),
                             mean(sizes, Set::synthetic, "branch-fusion"), "-"});
  }
  return table;
}

/// How near ours come to theirs: a report of the model's worth, which nothing is fitted to.
PublishedTable agreementTable(const std::vector<Row> &rows) {
  PublishedTable table{
      "Agreement with the published speedups",
      "Per size of the problems and configuration: Pearson's and Spearman's correlation of ours "
      "with "
      "theirs over the benchmarks that were run, without DCT in brackets, mean of ours - theirs "
      "and of "
      "its magnitude. melding is compared with control-flow melding, fusion with branch fusion, "
      "libmeld "
      "with the former. Nothing in the timing model is fitted to these figures.",
      {{"size", "run", "benchmarks", "correlation", "rank correlation", "bias", "mean error"}}};
  const std::pair<const char *, bool> kinds[] = {
      {"cfm", false}, {"libmeld", false}, {"branch-fusion", true}};
  for (const char *size : {"small", "large", "full"})
    for (const auto &[configuration, fusion] : kinds) {
      std::vector<double> ours, theirs, oursButDct, theirsButDct;
      for (const Row &row : rows) {
        const auto known = speedups().find(row.which.label);
        const Run *run = row.find(configuration);
        if (known == speedups().end() || row.which.set != Set::melding || row.size != size ||
            !run || cycleRatio(row, *run) <= 0)
          continue;
        const double their = fusion ? known->second.second : known->second.first;
        ours.push_back(cycleRatio(row, *run));
        theirs.push_back(their);
        if (row.which.family() != "DCT") {
          oursButDct.push_back(ours.back());
          theirsButDct.push_back(their);
        }
      }
      if (ours.size() < 2)
        continue;
      double bias = 0, error = 0;
      for (size_t i = 0; i < ours.size(); ++i) {
        bias += (ours[i] - theirs[i]) / double(ours.size());
        error += std::abs(ours[i] - theirs[i]) / double(ours.size());
      }
      const auto both = [](double all, double without) {
        return decimal(all, 2) + " (" + decimal(without, 2) + ")";
      };
      table.cells.push_back(
          {size, configuration, std::to_string(ours.size()),
           both(correlation(ours, theirs), correlation(oursButDct, theirsButDct)),
           both(rankCorrelation(ours, theirs), rankCorrelation(oursButDct, theirsButDct)),
           decimal(bias, 3), decimal(error, 3)});
    }
  return table;
}

/// One line per program, at the block size where libmeld gains most, as in the paper.
PublishedTable profileTable(const std::vector<Row> &rows) {
  PublishedTable table{
      "Active lanes and memory instructions",
      "The same paper, figures 9 and 10: percent of active lanes of vector instructions, original "
      "to "
      "melded; memory instructions, melded / original (below 1: fewer); each program at the block "
      "size where it gained most. -: not published, or no such instructions.",
      {{"benchmark", "lanes %: ours", "theirs", "LDS: ours", "theirs", "VMEM: ours", "theirs",
        "FLAT: ours"}}};
  std::vector<const Row *> best;
  for (const Row &row : rows) {
    const Run *run = row.find("libmeld");
    if (!run || (row.which.set != Set::melding && row.which.set != Set::synthetic))
      continue;
    const auto same = std::find_if(best.begin(), best.end(), [&](const Row *other) {
      return other->which.family() == row.which.family();
    });
    if (same == best.end())
      best.push_back(&row);
    else if (cycleRatio(row, *run) > cycleRatio(**same, *(*same)->find("libmeld")))
      *same = &row;
  }
  for (const Row *row : best) {
    const Measurement &before = row->plain().measured, &after = row->find("libmeld")->measured;
    const auto left = [&](std::initializer_list<const char *> counters) {
      uint64_t was = 0, is = 0;
      for (const char *counter : counters) {
        was += before.counter(counter);
        is += after.counter(counter);
      }
      return was ? decimal(static_cast<double>(is) / static_cast<double>(was), 2) : "-";
    };
    const auto change = [](double from, double to) {
      return decimal(from, 0) + " to " + decimal(to, 0);
    };
    const auto known = profiles().find(row->which.family());
    const Profile theirs = known == profiles().end() ? Profile{} : known->second;
    table.cells.push_back({row->which.label, change(before.valuUtilization, after.valuUtilization),
                           theirs.before > 0 ? change(theirs.before, theirs.after) : "-",
                           left({"SQ_INSTS_LDS"}), orDash(theirs.lds, 2),
                           left({"SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR"}), orDash(theirs.vmem, 2),
                           left({"SQ_INSTS_FLAT"})});
  }
  return table;
}

PublishedTable reductionTable(const std::vector<Row> &rows) {
  PublishedTable table{
      "Reductions",
      "Theirs: \"CUDA Freshman\" 3.4, inst_per_warp (warps of 32; ours are the processor's waves). "
      "Its "
      "gld_throughput is told in words: neighboured-less about twice neighboured, interleaved the "
      "least. Ours: cache lines touched per cycle, in bytes of GFX9's lines (64). The originals' "
      "numbers.",
      {{"benchmark", "instr. per wave: ours", "theirs", "memory, bytes / cycle: ours"}}};
  for (const Row &row : rows)
    if (const auto known = reductions().find(row.which.label);
        known != reductions().end() && row.which.set == Set::reductions) {
      const Measurement &m = row.plain().measured;
      table.cells.push_back(
          {row.which.label, decimal(m.perWave(), 1), orDash(known->second, 1),
           orDash(ratio(64.0 * static_cast<double>(m.counter("TCP_TOTAL_CACHE_LINES")),
                        static_cast<double>(m.cycles)),
                  0)});
    }
  return table;
}

} // namespace

std::vector<PublishedTable> publishedTables(const std::vector<Row> &rows) {
  std::vector<PublishedTable> tables = {speedupTable(rows), profileTable(rows),
                                        reductionTable(rows), agreementTable(rows)};
  tables.erase(std::remove_if(tables.begin(), tables.end(),
                              [](const PublishedTable &t) { return t.cells.size() < 2; }),
               tables.end());
  return tables;
}

std::string publishedText(const std::vector<Row> &rows) {
  std::string out;
  for (const PublishedTable &published : publishedTables(rows)) {
    Table table(published.cells.front());
    for (size_t i = 1; i < published.cells.size(); ++i)
      table.add(published.cells[i]);
    out += published.title + ", beside the papers\n\n" + table.text() +
           wrapped(published.note, 110) + "\n\n";
  }
  return out;
}

std::string publishedSection(const std::vector<Row> &rows) {
  std::string out;
  for (const PublishedTable &published : publishedTables(rows))
    out += "<h4>" + escaped(published.title) + "</h4><p>" + escaped(published.note) + "</p>" +
           htmlTable(published.cells, "published");
  return out.empty() ? out : "<h3>Beside the papers</h3>\n" + out;
}

} // namespace meld::bench
