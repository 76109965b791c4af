#include "bench/runner/pairs.h"

#include "bench/runner/rank.h"
#include "bench/runner/result.h"
#include "bench/runner/table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

namespace meld::bench {

namespace {

// What a part of the device has its share of; the rest of the model goes by compute unit.
struct Whole {
  const char *device;
  unsigned computeUnits, l2Bytes;
};
constexpr Whole wholes[] = {{"gfx90a", 104, 8 << 20},
                            {"gfx900", 64, 4 << 20},
                            {"gfx906", 60, 4 << 20},
                            {"gfx908", 120, 8 << 20}};

bool holds(std::string text, std::string part) {
  for (std::string *s : {&text, &part})
    std::transform(s->begin(), s->end(), s->begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
  return text.find(part) != std::string::npos;
}

const char *nameOf(PairKind kind) { return kind == PairKind::kernel ? "kernel" : "probe"; }

std::string titleOf(const std::string &source) {
  for (const PairSource &known : pairSources())
    if (known.id == source)
      return known.title;
  return source;
}

std::string unitsOf(const PublishedPair &pair) {
  return pair.device + (pair.computeUnits ? "/" + std::to_string(pair.computeUnits) : "");
}

std::string signedDecimal(double value) { return (value < 0 ? "" : "+") + decimal(value, 2); }

const std::vector<std::string> &pairTitles() {
  static const std::vector<std::string> all = {"pair",   "model", "published", "error",
                                               "result", "kind",  "on",        "source"};
  return all;
}

std::vector<std::string> cellsOf(const PairRow &row) {
  const bool known = row.model() > 0;
  return {row.pair.name,
          known ? decimal(row.model(), 2) : "-",
          decimal(row.pair.published, 2),
          known ? signedDecimal(row.error()) : "-",
          row.pass() ? "PASS" : "FAIL",
          nameOf(row.pair.kind),
          unitsOf(row.pair),
          titleOf(row.pair.source) + ", " + row.pair.where};
}

std::vector<std::pair<std::string, PairSummary>> pairSummaries(const std::vector<PairRow> &rows) {
  return {{"all", summaryOf(rows)},
          {"kernel", summaryOf(rows, PairKind::kernel)},
          {"probe", summaryOf(rows, PairKind::probe)}};
}

std::vector<std::string> cellsOf(const std::string &name, const PairSummary &s) {
  return {name,
          std::to_string(s.count),
          decimal(s.rank, 2),
          decimal(s.meanError, 2),
          signedDecimal(s.bias),
          std::to_string(s.rightSide) + " of " + std::to_string(s.sided)};
}

const std::vector<std::string> summaryTitles = {"pairs",      "count", "rank correlation",
                                                "mean error", "bias",  "side of 1 right"};

constexpr const char *meaning =
    "Ratios are time before / time after: above 1, the change helps. error: ln(model / published); "
    "mean error: the mean of its absolute values, bias: the mean; 0.10 is about 10 %. rank "
    "correlation: Spearman's. side of 1 right: of the pairs published at least 5 % from 1. probe: "
    "a "
    "kernel that shows one mechanism and does nothing else. on: the modelled device, and how many "
    "of "
    "its compute units. Sources in full: docs/timing-model.md.";

std::string line(const std::vector<std::string> &cells) {
  std::string out = "|";
  for (const std::string &cell : cells)
    out += " " + cell + " |";
  return out + "\n";
}

std::string rule(size_t columns) {
  std::string out = "|";
  for (size_t i = 0; i < columns; ++i)
    out += "---|";
  return out + "\n";
}

} // namespace

const std::vector<PairSource> &pairSources() {
  static const std::vector<PairSource> all = {
#define MELD_PAIR_SOURCE(id, title, citation) {#id, title, citation},
#include "bench/pairs/pairs.def"
  };
  return all;
}

const std::vector<PublishedPair> &publishedPairs() {
  static const std::vector<PublishedPair> all = {
// Twice, so that what the table writes once for several rows is expanded before it is taken apart.
#define MELD_PAIR(...) MELD_PAIR_ROW(__VA_ARGS__)
#define MELD_PAIR_ROW(name, what, program, before, after, sizes, device, units, kind, published,   \
                      printed, source, where, hardware, scaled, quick)                             \
  {name,           what,      #program, before,  after, sizes,    #device, units,                  \
   PairKind::kind, published, printed,  #source, where, hardware, scaled,  quick},
#include "bench/pairs/pairs.def"
#undef MELD_PAIR_ROW
  };
  return all;
}

std::vector<PublishedPair> pairsCalled(const std::string &only, const std::string &device) {
  std::vector<PublishedPair> called;
  for (const PublishedPair &pair : publishedPairs())
    if ((device.empty() || pair.device == device) &&
        (holds(pair.name, only) || holds(pair.program, only) || holds(pair.source, only)))
      called.push_back(pair);
  return called;
}

std::map<std::string, std::string> environmentOf(const PublishedPair &pair) {
  std::map<std::string, std::string> environment = {{"MELD_GPU", pair.device}};
  if (pair.computeUnits)
    for (const Whole &whole : wholes)
      if (pair.device == whole.device) {
        environment["MELD_GPU_CUS"] = std::to_string(pair.computeUnits);
        environment["MELD_GPU_TIMING_PARAMS"] =
            "l2Bytes=" +
            std::to_string(uint64_t{whole.l2Bytes} * pair.computeUnits / whole.computeUnits);
      }
  return environment;
}

double PairRow::model() const {
  return pass() ? ratio(double(before.cycles), double(after.cycles)) : 0;
}

double PairRow::error() const { return model() > 0 ? std::log(model() / pair.published) : 0; }

PairSummary summaryOf(const std::vector<PairRow> &rows, std::optional<PairKind> kind) {
  PairSummary summary;
  std::vector<double> model, published;
  for (const PairRow &row : rows) {
    if ((kind && row.pair.kind != *kind) || row.model() <= 0)
      continue;
    model.push_back(row.model());
    published.push_back(row.pair.published);
    summary.meanError += std::abs(row.error());
    summary.bias += row.error();
    if (std::abs(row.pair.published - 1) >= 0.05) {
      ++summary.sided;
      summary.rightSide += (row.pair.published > 1) == (row.model() > 1);
    }
  }
  summary.count = unsigned(model.size());
  if (summary.count) {
    summary.meanError /= summary.count;
    summary.bias /= summary.count;
  }
  summary.rank = rankCorrelation(model, published);
  return summary;
}

nlohmann::json toJson(const std::vector<PairRow> &rows) {
  nlohmann::json out = {{"pairs", nlohmann::json::array()}};
  for (const PairRow &row : rows) {
    const PublishedPair &p = row.pair;
    out["pairs"].push_back({{"name", p.name},
                            {"what", p.what},
                            {"program", p.program},
                            {"before", p.before},
                            {"after", p.after},
                            {"sizes", p.sizes},
                            {"device", p.device},
                            {"computeUnits", p.computeUnits},
                            {"kind", nameOf(p.kind)},
                            {"hardware", p.hardware},
                            {"source", p.source},
                            {"where", p.where},
                            {"printed", p.printed},
                            {"scaled", p.scaled},
                            {"published", p.published},
                            {"pass", row.pass()},
                            {"cyclesBefore", row.before.cycles},
                            {"cyclesAfter", row.after.cycles},
                            {"instructionsBefore", row.before.counter("SQ_INSTS")},
                            {"instructionsAfter", row.after.counter("SQ_INSTS")},
                            {"occupancyBefore", row.before.occupancy},
                            {"occupancyAfter", row.after.occupancy},
                            {"model", row.model()},
                            {"error", row.error()}});
  }
  for (const auto &[name, s] : pairSummaries(rows))
    out["summary"][name] = {{"count", s.count},         {"rankCorrelation", s.rank},
                            {"meanError", s.meanError}, {"bias", s.bias},
                            {"sided", s.sided},         {"rightSide", s.rightSide}};
  for (const PairSource &source : pairSources())
    out["sources"][source.id] = source.citation;
  return out;
}

std::string pairsText(const std::vector<PairRow> &rows) {
  Table table(pairTitles()), summary(summaryTitles);
  for (const PairRow &row : rows)
    table.add(cellsOf(row));
  for (const auto &[name, s] : pairSummaries(rows))
    if (s.count)
      summary.add(cellsOf(name, s));
  return table.text() + "\n" + summary.text() + "\n" + wrapped(meaning, 110) + "\n";
}

std::string pairsMarkdown(const std::vector<PairRow> &rows) {
  const std::vector<std::string> header = {"pair",    "model",    "published",    "error", "kind",
                                           "printed", "hardware", "made smaller", "source"};
  std::string out = line(header) + rule(header.size());
  for (const PairRow &row : rows) {
    const bool known = row.model() > 0;
    out += line({row.pair.name + ": " + row.pair.what, known ? decimal(row.model(), 2) : "-",
                 decimal(row.pair.published, 2), known ? signedDecimal(row.error()) : "-",
                 nameOf(row.pair.kind), row.pair.printed, row.pair.hardware, row.pair.scaled,
                 titleOf(row.pair.source) + ", " + row.pair.where});
  }
  out += "\n" + line(summaryTitles) + rule(summaryTitles.size());
  for (const auto &[name, s] : pairSummaries(rows))
    out += line(cellsOf(name, s));
  return out;
}

} // namespace meld::bench
