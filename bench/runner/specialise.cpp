#include "bench/runner/specialise.h"

#include "bench/runner/geomean.h"
#include "bench/runner/table.h"

#include <algorithm>

namespace meld::bench {

namespace {

double cyclesEach(const std::vector<Dispatch> &launches, size_t from) {
  double sum = 0;
  for (size_t i = from; i < launches.size(); ++i)
    sum += static_cast<double>(launches[i].cycles);
  return launches.size() > from ? sum / static_cast<double>(launches.size() - from) : 0;
}

uint64_t cyclesOf(const std::vector<Dispatch> &launches) {
  uint64_t sum = 0;
  for (const Dispatch &d : launches)
    sum += d.cycles;
  return sum;
}

std::string ratio(double value) { return value > 0 ? decimal(value, 3) : "-"; }

} // namespace

SpecialiseRow specialiseRow(const std::string &program, const std::string &run,
                            const std::vector<Dispatch> &general,
                            const std::vector<Dispatch> &chosen,
                            const std::vector<Dispatch> &specialised,
                            const std::vector<Dispatch> &next,
                            const std::vector<Dispatch> &source) {
  SpecialiseRow row;
  row.program = program;
  row.run = run;
  row.launches = general.size();
  if (general.empty() || chosen.size() != general.size() || specialised.size() != general.size())
    return row;
  const size_t half = general.size() / 2;
  row.general = cyclesEach(general, half);
  row.chosen = cyclesEach(chosen, half);
  row.specialised = cyclesEach(specialised, half);
  row.source = cyclesEach(source, source.size() / 2);
  // The next run is a short one of the same launches.
  const std::vector<Dispatch> same(
      general.begin(),
      general.begin() + static_cast<ptrdiff_t>(std::min(next.size(), general.size())));
  const double before = cyclesEach(same, 0), now = cyclesEach(next, 0);
  row.nextRun = before > 0 ? row.general * now / before : 0;
  row.same = cyclesOf(same);
  row.next = cyclesOf(next);
  double lost = 0, all = 0;
  for (size_t i = 0; i < general.size(); ++i) {
    const auto was = static_cast<double>(general[i].cycles);
    lost += std::max(0.0, static_cast<double>(specialised[i].cycles) - was);
    all += was;
  }
  row.lost = all > 0 ? lost / all : 0;
  row.vgprs = general.back().vgprs;
  row.waves = general.back().occupancy;
  // Now and then a launch controls the choice with the other code.
  const auto usual = std::min_element(
      specialised.end() - static_cast<ptrdiff_t>(std::min<size_t>(specialised.size(), 4)),
      specialised.end(), [](const Dispatch &a, const Dispatch &b) { return a.cycles < b.cycles; });
  row.vgprsSpecialised = usual->vgprs;
  row.wavesSpecialised = usual->occupancy;
  return row;
}

void addUnder(SpecialiseRow &row, const std::vector<Dispatch> &general,
              const std::vector<Dispatch> &next) {
  const bool comparable = general.size() == next.size();
  row.sameUnder.push_back(comparable ? cyclesOf(general) : 0);
  row.nextUnder.push_back(comparable ? cyclesOf(next) : 0);
}

std::string specialiseText(const std::vector<SpecialiseRow> &rows) {
  Table table({"program", "run", "launches", "cycles", "VGPRs", "waves", "on", "specialised",
               "next run", "source", "reached %", "lost %"});
  Geomean helped, source, other;
  MeanBand helpedNext, otherNext;
  double least = 0, reached = 0;
  for (const SpecialiseRow &row : rows) {
    const auto change = [](unsigned a, unsigned b) {
      return std::to_string(a) + (a == b ? "" : " -> " + std::to_string(b));
    };
    const bool known = row.source > 0;
    table.add({row.program, row.run, grouped(row.launches),
               grouped(static_cast<uint64_t>(row.general)), change(row.vgprs, row.vgprsSpecialised),
               change(row.waves, row.wavesSpecialised),
               ratio(row.chosen > 0 ? row.general / row.chosen : 0), ratio(row.gain()),
               row.nextRun > 0 ? withBand(row.general / row.nextRun, row.nextRunBand(), 3) : "-",
               ratio(row.sourceGain()), known ? decimal(100 * row.reached(), 1) : "-",
               decimal(100 * row.lost, 2)});
    if (row.gain() <= 0)
      continue;
    (known ? helpedNext : otherNext).add(row.same, row.next, row.sameUnder, row.nextUnder);
    if (known) {
      reached = helped.count() ? std::min(reached, row.reached()) : row.reached();
      helped.add(row.gain());
      source.add(row.sourceGain());
    } else {
      least = other.count() ? std::min(least, row.gain()) : row.gain();
      other.add(row.gain());
    }
  }
  std::string text =
      "Ratios of modelled cycles, general code over what ran, the second half of the "
      "launches:\n" +
      table.text();
  const auto nextLine = [](const MeanBand &band) {
    const std::string mean = band.text(3);
    return mean.empty() ? "" : "    next run: " + mean + "\n";
  };
  if (helped.count())
    text += "  runs that are helped: geometric mean " + decimal(helped.value(), 3) +
            "; with the facts in the source " + decimal(source.value(), 3) +
            "; least share of that gain reached " + decimal(100 * reached, 1) + " %\n";
  if (other.count())
    text += "  runs that cannot be helped: geometric mean " + decimal(other.value(), 3) +
            ", least " + decimal(least, 3) + "\n" + nextLine(otherNext);
  return text +
         "  published: Proteus, annotated kernels specialised at run time, up to 2.8 on AMD\n";
}

} // namespace meld::bench
