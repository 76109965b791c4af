#include "bench/runner/choice.h"

#include "bench/runner/geomean.h"
#include "bench/runner/result.h"
#include "bench/runner/static_counts.h"
#include "bench/runner/table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace meld::bench {

namespace {

using Launches = std::vector<const Dispatch *>;

std::map<std::string, Launches> byKernel(const std::vector<Dispatch> &dispatches) {
  std::map<std::string, Launches> kernels;
  for (const Dispatch &d : dispatches)
    kernels[d.kernel].push_back(&d);
  return kernels;
}

/// The launches of the last repetition stand for all but the first: caches are warm.
struct Steady {
  Launches launches; ///< of two repetitions
  uint64_t cycles(size_t launch) const {
    const size_t each = launches.size() / 2;
    return launches[launch < each ? launch : each + launch % each]->cycles;
  }
  uint32_t launchClass(size_t launch) const {
    return launches[launch % (launches.size() / 2)]->launchClass;
  }
};

double sumOver(const Launches &launches, size_t from, size_t to) {
  double sum = 0;
  for (size_t i = from; i < to; ++i)
    sum += static_cast<double>(launches[i]->cycles);
  return sum;
}

/// Original over what ran, for the launches from `from` on, of one class or of all.
double ratioFrom(const Steady &original, const Launches &ran, size_t from,
                 std::optional<uint32_t> launchClass = std::nullopt) {
  double before = 0, after = 0;
  for (size_t i = from; i < ran.size(); ++i) {
    if (launchClass && original.launchClass(i) != *launchClass)
      continue;
    before += static_cast<double>(original.cycles(i));
    after += static_cast<double>(ran[i]->cycles);
  }
  return after > 0 ? before / after : 0;
}

double lostShare(const Steady &original, const Launches &ran) {
  double lost = 0, all = 0;
  for (size_t i = 0; i < ran.size(); ++i) {
    const auto was = static_cast<double>(original.cycles(i));
    lost += std::max(0.0, static_cast<double>(ran[i]->cycles) - was);
    all += was;
  }
  return all > 0 ? lost / all : 0;
}

struct Summary {
  Geomean mean;
  double least = 0, lost = 0;
  std::string leastOf, lostBy;
};

/// Of the launches from the second repetition on, of two.
uint64_t warmCycles(const Launches &launches) {
  return static_cast<uint64_t>(sumOver(launches, launches.size() / 2, launches.size()));
}

/// Of what `ratio` takes from each row.
template <class Ratio> Summary summaryOf(const std::vector<ChoiceRow> &rows, Ratio ratio) {
  Summary s;
  for (const ChoiceRow &row : rows) {
    const double value = ratio(row);
    if (value <= 0)
      continue;
    if (!s.mean.count() || value < s.least) {
      s.least = value;
      s.leastOf = row.program + " " + row.kernel;
    }
    s.mean.add(value);
    if (row.lost > s.lost) {
      s.lost = row.lost;
      s.lostBy = row.program + " " + row.kernel;
    }
  }
  return s;
}

std::string line(const char *title, const Summary &s) {
  if (!s.mean.count())
    return "";
  return std::string("  ") + title + ": geometric mean " + decimal(s.mean.value(), 3) + ", least " +
         decimal(s.least, 3) + " (" + s.leastOf + ")\n";
}

std::string groupText(const std::string &title, const std::vector<ChoiceRow> &rows) {
  if (rows.empty())
    return "";
  Table table({"benchmark", "kernel", "waves/SIMD", "launches", "static", "after", "class",
               "lost %", "next run", "runs"});
  for (const ChoiceRow &row : rows)
    table.add({row.program, row.kernel, decimal(row.wavesPerSimd, 2), grouped(row.launches),
               decimal(row.staticRatio, 3), decimal(row.after, 3),
               row.classes > 1 ? decimal(row.leastClass, 3) : "-", decimal(100 * row.lost, 2),
               withBand(row.nextRun, row.nextRunBand(), 3),
               row.version ? "a version" : "the original"});
  const Summary after = summaryOf(rows, [](const ChoiceRow &r) { return r.after; });
  std::string text = title + "\n" + table.text();
  text += line("static replacement", summaryOf(rows, [](auto &r) { return r.staticRatio; }));
  text += line("measured choice, after its trials", after);
  text += line("the launch class where that is least",
               summaryOf(rows, [](auto &r) { return r.leastClass; }));
  text += line("next run", summaryOf(rows, [](auto &r) { return r.nextRun; }));
  MeanBand band;
  for (const ChoiceRow &row : rows)
    band.add(row.original, row.next, row.originalUnder, row.nextUnder);
  if (const std::string mean = band.text(3); !mean.empty())
    text += "  next run, with its band: " + mean + "\n";
  text += "  most lost on trials: " + decimal(100 * after.lost, 2) + " %" +
          (after.lostBy.empty() ? "" : " (" + after.lostBy + ")") + "\n";
  return text + "\n";
}

} // namespace

std::vector<ChoiceRow> choiceRows(const std::string &program, const std::vector<Dispatch> &original,
                                  const std::vector<Dispatch> &replaced,
                                  const std::vector<Dispatch> &chosen,
                                  const std::vector<Dispatch> &next) {
  const auto originals = byKernel(original), replacements = byKernel(replaced),
             choices = byKernel(chosen), nexts = byKernel(next);
  std::vector<ChoiceRow> rows;
  for (const auto &[kernel, launches] : originals) {
    const auto find = [&name = kernel](const auto &in) {
      const auto it = in.find(name);
      return it == in.end() ? Launches() : it->second;
    };
    const Launches statics = find(replacements), ran = find(choices), again = find(nexts);
    const size_t each = launches.size() / 2;
    if (launches.size() % 2 || !each || statics.size() != launches.size() ||
        again.size() != launches.size() || ran.empty() || ran.size() % each)
      continue;
    const Steady before{launches};
    ChoiceRow row;
    row.program = program;
    row.kernel = shortKernelName(kernel);
    row.launches = ran.size();
    double weighted = 0;
    for (const Dispatch *d : launches)
      weighted += static_cast<double>(d->cycles) * d->wavesPerSimd();
    const double cycles = sumOver(launches, 0, launches.size());
    row.wavesPerSimd = cycles > 0 ? weighted / cycles : 0;
    row.staticRatio = ratioFrom(before, statics, each);
    const size_t later = ran.size() / each / 2 * each;
    row.after = ratioFrom(before, ran, later);
    std::set<uint32_t> classes;
    for (const Dispatch *d : launches)
      classes.insert(d->launchClass);
    row.classes = static_cast<unsigned>(classes.size());
    row.leastClass = row.after;
    for (const uint32_t one : classes)
      row.leastClass = std::min(row.leastClass, ratioFrom(before, ran, later, one));
    row.lost = lostShare(before, ran);
    row.nextRun = ratioFrom(before, again, each);
    row.original = warmCycles(launches);
    row.next = warmCycles(again);
    // Now and then a launch controls the choice with the other code.
    const auto half = ran.begin() + static_cast<ptrdiff_t>(ran.size() / 2);
    row.version =
        2 * std::count_if(half, ran.end(), [](auto *d) { return d->replaced; }) > ran.end() - half;
    rows.push_back(row);
  }
  return rows;
}

void addUnder(std::vector<ChoiceRow> &rows, const std::vector<Dispatch> &original,
              const std::vector<Dispatch> &next) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> cycles;
  const auto originals = byKernel(original), nexts = byKernel(next);
  for (const auto &[kernel, launches] : originals) {
    const auto again = nexts.find(kernel);
    if (launches.size() % 2 == 0 && again != nexts.end() && again->second.size() == launches.size())
      cycles[shortKernelName(kernel)] = {warmCycles(launches), warmCycles(again->second)};
  }
  for (ChoiceRow &row : rows) {
    const auto found = cycles.find(row.kernel);
    const auto both = found == cycles.end() ? std::pair<uint64_t, uint64_t>() : found->second;
    row.originalUnder.push_back(both.first);
    row.nextUnder.push_back(both.second);
  }
}

std::string choiceText(const std::vector<ChoiceRow> &rows) {
  std::vector<ChoiceRow> full, small;
  for (const ChoiceRow &row : rows)
    (row.wavesPerSimd >= fullDevice ? full : small).push_back(row);
  return groupText("Launches that fill the device, ratios of modelled cycles:", full) +
         groupText("Smaller launches:", small);
}

} // namespace meld::bench
