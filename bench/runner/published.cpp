#include "bench/runner/published.h"

#include "bench/runner/chart.h"
#include "bench/runner/table.h"

#include <map>

namespace meld::bench {

namespace {

constexpr const char *footnote =
    "Theirs: Saumya, Sundararajah, Kulkarni, \"DARM: Control-Flow Melding for SIMT Thread "
    "Divergence "
    "Reduction\" (CGO 2022), Vega 64, times; utilisation and memory instructions for each "
    "program's "
    "best block size only. Reductions: instructions per warp, \"CUDA Freshman\" 3.4.";

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

/// Of a program, at its best block size: percent of active lanes before and after, LDS
/// instructions after / before (0: not given).
struct Profile {
  double before, after, lds;
};
const std::map<std::string, Profile> &profiles() {
  static const std::map<std::string, Profile> known = {
      {"BIT", {61, 57, .73}},  {"PCM", {19, 36, .66}}, {"MS", {34, 38, 0}},
      {"LUD", {12, 22, 1.39}}, {"NQU", {31, 46, 0}},   {"SRAD", {93, 98, .92}},
      {"DCT", {64, 100, 0}}};
  return known;
}

const std::map<std::string, double> &reductions() {
  static const std::map<std::string, double> known = {{"reduction neighbored", 444.9},
                                                      {"reduction neighbored-less", 150.5}};
  return known;
}

std::string orDash(double value, int decimals) {
  return value > 0 ? decimal(value, decimals) : "-";
}

} // namespace

std::vector<std::vector<std::string>> publishedCells(const std::vector<Row> &rows) {
  std::vector<std::vector<std::string>> cells = {
      {"benchmark", "melding: ours", "theirs", "fusion: ours", "theirs", "active lanes %: ours",
       "theirs", "LDS after / before: ours", "theirs", "instr. per wave: ours", "theirs"}};
  for (const Row &row : rows) {
    const Run *run = row.find("libmeld");
    const auto speedup = speedups().find(row.which.label);
    const auto reduction = reductions().find(row.which.label);
    if (!run || (row.which.set != Set::melding && row.which.set != Set::reductions) ||
        (speedup == speedups().end() && reduction == reductions().end()))
      continue;
    const Measurement &before = row.plain().measured, &after = run->measured;
    if (reduction != reductions().end()) {
      cells.push_back({row.which.label, orDash(cycleRatio(row, *run), 2), "-", "-", "-",
                       decimal(before.valuUtilization, 0), "-", "-", "-",
                       decimal(before.perWave(), 1), decimal(reduction->second, 1)});
      continue;
    }
    const Run *fusion = row.find("branch-fusion");
    const auto profile = profiles().find(row.which.label.substr(0, row.which.label.find(' ')));
    const bool known = profile != profiles().end();
    cells.push_back(
        {row.which.label, orDash(cycleRatio(row, *run), 2), decimal(speedup->second.first, 2),
         fusion ? orDash(cycleRatio(row, *fusion), 2) : "-", decimal(speedup->second.second, 2),
         decimal(before.valuUtilization, 0) + " to " + decimal(after.valuUtilization, 0),
         known ? decimal(profile->second.before, 0) + " to " + decimal(profile->second.after, 0)
               : "-",
         orDash(ratio(static_cast<double>(after.counter("SQ_INSTS_LDS")),
                      static_cast<double>(before.counter("SQ_INSTS_LDS"))),
                2),
         known ? orDash(profile->second.lds, 2) : "-",
         decimal(before.perWave(), 1) + " to " + decimal(after.perWave(), 1), "-"});
  }
  if (cells.size() == 1)
    cells.clear();
  return cells;
}

std::string publishedTable(const std::vector<Row> &rows) {
  const auto cells = publishedCells(rows);
  if (cells.empty())
    return "";
  Table table(cells.front());
  for (size_t i = 1; i < cells.size(); ++i)
    table.add(cells[i]);
  return "Beside the papers\n\n" + table.text() + footnote + "\n";
}

std::string publishedSection(const std::vector<Row> &rows) {
  const auto cells = publishedCells(rows);
  if (cells.empty())
    return "";
  std::string out = "<h2>Beside the papers</h2><p>" + escaped(footnote) +
                    "</p><div class=\"scroll\"><table class=\"published\">\n";
  for (const auto &line : cells) {
    const std::string tag = &line == &cells.front() ? "th" : "td";
    out += "<tr>";
    for (const std::string &cell : line)
      out += "<" + tag + ">" + escaped(cell) + "</" + tag + ">";
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

} // namespace meld::bench
