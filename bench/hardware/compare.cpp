#include "bench/hardware/compare.h"

#include "bench/runner/rank.h"
#include "bench/runner/static_counts.h"
#include "bench/runner/table.h"
#include "bench/runner/validation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace meld::bench {

using nlohmann::json;

namespace {

/// The microbenchmarks' figures, in cycles of the clock that the record has.
std::vector<ValidationRow> figuresOf(const Record &record) {
  std::vector<Launch> launches;
  const double cyclesPerNanosecond = record.clockMhz() / 1000;
  for (const MicroTimes &times : record.micro)
    launches.push_back({times.name, median(times.operations),
                        median(times.nanoseconds) * cyclesPerNanosecond, 0, 0});
  return evaluate(checksOf(record.device.gfx()), launches);
}

bool isOfTime(Quantity quantity) {
  return quantity == Quantity::cyclesPerOperation || quantity == Quantity::operationsPerCycle ||
         quantity == Quantity::bytesPerCycle;
}

std::vector<MicroComparison> compareMicro(const Record &model, const Record &silicon) {
  std::vector<MicroComparison> rows;
  const auto mine = figuresOf(model), theirs = figuresOf(silicon);
  std::set<std::string> seen; // two sources may be checked by one pair of launches
  for (const ValidationRow &row : theirs) {
    const auto same = std::find_if(mine.begin(), mine.end(), [&](const ValidationRow &other) {
      return other.check.name == row.check.name && other.check.what == row.check.what;
    });
    if (isOfTime(row.check.quantity) && row.measured && same != mine.end() && same->measured &&
        seen.insert(row.check.name).second)
      rows.push_back({row.check.what, same->model, row.model});
  }
  return rows;
}

std::vector<double> ratiosOf(const KernelTimes &times) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(times.original.size(), times.melded.size()); ++i)
    if (times.original[i] > 0 && times.melded[i] > 0)
      ratios.push_back(times.original[i] / times.melded[i]);
  return ratios;
}

/// Kernels of both, and how many of them executed as many instructions, to 1 %.
void compareCounts(const Counters &model, const Counters &silicon, Summary &summary) {
  for (const auto &entry : silicon) {
    const auto &theirs = entry.second;
    const auto mine = model.find(entry.first);
    if (mine == model.end())
      continue;
    const auto sum = [&](const std::map<std::string, uint64_t> &counters) {
      double all = 0;
      for (const auto &[name, value] : counters)
        if (name.starts_with("SQ_INSTS_") && theirs.count(name) && mine->second.count(name))
          all += static_cast<double>(value);
      return all;
    };
    const double is = sum(theirs), modelled = sum(mine->second);
    if (is <= 0)
      continue;
    ++summary.counts;
    summary.equalCounts += std::abs(modelled / is - 1) <= 0.01;
  }
}

Summary summarize(const std::vector<KernelComparison> &kernels) {
  Summary s;
  std::vector<double> mine, theirs, mineChanged, theirsChanged;
  for (const KernelComparison &k : kernels) {
    mine.push_back(k.model);
    theirs.push_back(k.silicon.median);
    if (k.modelSeesMore()) {
      mineChanged.push_back(k.model);
      theirsChanged.push_back(k.silicon.median);
    }
    s.meanError += std::abs(k.error());
    s.bias += k.error();
    s.decided += k.decided();
    s.sameSign += k.decided() && k.sameSign();
  }
  s.kernels = static_cast<unsigned>(kernels.size());
  if (s.kernels) {
    s.meanError /= s.kernels;
    s.bias /= s.kernels;
  }
  s.correlation = rankCorrelation(mine, theirs);
  s.changed = static_cast<unsigned>(mineChanged.size());
  s.changedCorrelation = rankCorrelation(mineChanged, theirsChanged);
  return s;
}

std::string signed3(double value) { return (value < 0 ? "" : "+") + decimal(value, 3); }

std::string rangeText(const Range &range, int decimals) {
  return decimal(range.median, decimals) + " (" + decimal(range.least, decimals) + " to " +
         decimal(range.most, decimals) + ")";
}

/// The median of the rounds' medians, with the least and the most of all.
std::string overRounds(const Record &record, const std::string &name) {
  std::vector<double> medians;
  Range all{INFINITY, 0, 0};
  for (const PowerOfRound &round : record.power)
    if (const auto found = round.values.find(name); found != round.values.end()) {
      medians.push_back(found->second.median);
      all.least = std::min(all.least, found->second.least);
      all.most = std::max(all.most, found->second.most);
    }
  all.median = median(medians);
  return medians.empty() ? "" : rangeText(all, 0);
}

} // namespace

Comparison compare(const Record &model, const Record &silicon) {
  Comparison all;
  all.micro = compareMicro(model, silicon);
  Summary counts;
  for (const ProgramTimes &theirs : silicon.programs) {
    const ProgramTimes *mine = model.find(theirs.benchmark);
    if (!theirs.failure.empty() || !mine || !mine->failure.empty() || !theirs.rounds()) {
      all.missing.push_back(theirs.benchmark + ": " +
                            (!theirs.failure.empty()  ? "on silicon, " + theirs.failure
                             : !mine                  ? std::string("not in the model's record")
                             : !mine->failure.empty() ? "in the model, " + mine->failure
                                                      : std::string("not measured yet")));
      continue;
    }
    if (mine->arguments != theirs.arguments) {
      all.missing.push_back(theirs.benchmark + ": another problem in the model's record");
      continue;
    }
    for (const auto &[kernel, times] : theirs.kernels) {
      const auto same = mine->kernels.find(kernel);
      if (same == mine->kernels.end()) {
        all.missing.push_back(theirs.benchmark + ", " + shortKernelName(kernel) +
                              ": not in the model's record");
        continue;
      }
      const auto ratios = ratiosOf(times), modelled = ratiosOf(same->second);
      if (ratios.empty() || modelled.empty())
        continue;
      all.kernels.push_back({theirs.benchmark, shortKernelName(kernel), times.launches,
                             static_cast<unsigned>(ratios.size()), median(modelled),
                             spreadOf(ratios), median(times.original) / 1000});
    }
    compareCounts(mine->originalCounters, theirs.originalCounters, counts);
    compareCounts(mine->meldedCounters, theirs.meldedCounters, counts);
  }
  all.summary = summarize(all.kernels);
  all.summary.counts = counts.counts;
  all.summary.equalCounts = counts.equalCounts;
  return all;
}

std::string describe(const Record &record) {
  const DeviceFacts &d = record.device;
  std::string text =
      d.name + ", " + d.arch + ", " + std::to_string(d.computeUnits) + " compute units" +
      (d.software ? " (modelled: no silicon)" : "") + ", " + record.date + ", HIP " + d.runtime +
      (d.kernel.empty() ? "" : ", Linux " + d.kernel) + "\n" + "clock " +
      decimal(record.clockMhz(), 0) + " MHz (at most " + decimal(d.clockMhz, 0) + ")";
  const auto add = [&](const char *what, const std::string &value) {
    if (!value.empty())
      text += std::string("; ") + what + value;
  };
  add("sclk, MHz: ", overRounds(record, "sclkMHz"));
  add("mclk, MHz: ", overRounds(record, "mclkMHz"));
  add("power, W: ", overRounds(record, "watts"));
  add("performance level ", record.performanceLevel);
  add("profile ", record.powerProfile);
  text += "\nsize " + record.options.size + ", " + std::to_string(record.options.rounds) +
          " rounds, counters: " + record.counterTool + "\n";
  if (record.options.rounds < kRoundsThatProve)
    text += "Fewer than " + std::to_string(kRoundsThatProve) +
            " rounds: an interval is all there is, and holds the truth with less than 95 %.\n";
  const auto busy =
      std::count_if(record.power.begin(), record.power.end(), [](const PowerOfRound &round) {
        return round.busyBefore && *round.busyBefore > 5;
      });
  if (busy)
    text += "The device had other work before " + std::to_string(busy) +
            " of its rounds: spreads are wider than they need to be.\n";
  if (!record.complete)
    text += "Not complete: the measurement was interrupted.\n";
  return text;
}

std::string comparisonText(const Comparison &comparison, const Record &silicon) {
  std::string text = describe(silicon) + "\n";
  if (!comparison.micro.empty()) {
    Table table({"microbenchmark", "model", "silicon", "model / silicon"});
    for (const MicroComparison &row : comparison.micro)
      table.add({row.what, decimal(row.model, 2), decimal(row.silicon, 2),
                 row.silicon > 0 ? decimal(row.model / row.silicon, 2) : "-"});
    text += table.text() + "\n";
  }
  Table table({"benchmark", "kernel", "launches", "us", "model", "silicon", "interval", "rounds",
               "model / silicon", "sign"});
  for (const KernelComparison &k : comparison.kernels)
    table.add({k.benchmark, k.kernel, std::to_string(k.launches), decimal(k.microseconds, 1),
               decimal(k.model, 3), decimal(k.silicon.median, 3),
               decimal(k.silicon.low, 3) + "-" + decimal(k.silicon.high, 3),
               std::to_string(k.rounds), decimal(1 + k.error(), 3),
               !k.decided()   ? "-"
               : k.sameSign() ? "same"
                              : "OTHER"});
  text += table.text() + "\n";
  for (const std::string &missing : comparison.missing)
    text += "left out: " + missing + "\n";
  const Summary &s = comparison.summary;
  text += std::to_string(s.kernels) + " kernels: rank correlation " + decimal(s.correlation, 3) +
          " (" + decimal(s.changedCorrelation, 3) + " among the " + std::to_string(s.changed) +
          " of which the model sees more than 1 %), mean error " + decimal(s.meanError, 3) +
          ", bias " + signed3(s.bias) + "; sign the same in " + std::to_string(s.sameSign) +
          " of " + std::to_string(s.decided) + " where both see a difference\n";
  if (s.counts)
    text += "instruction counts equal to 1 % in " + std::to_string(s.equalCounts) + " of " +
            std::to_string(s.counts) + " kernels, original and melded\n";
  return text;
}

json toJson(const Comparison &comparison, const Record &silicon) {
  json micro = json::array(), kernels = json::array();
  for (const MicroComparison &row : comparison.micro)
    micro.push_back({{"what", row.what}, {"model", row.model}, {"silicon", row.silicon}});
  for (const KernelComparison &k : comparison.kernels)
    kernels.push_back({{"benchmark", k.benchmark},
                       {"kernel", k.kernel},
                       {"launches", k.launches},
                       {"rounds", k.rounds},
                       {"model", k.model},
                       {"silicon", k.silicon.median},
                       {"siliconInterval", {k.silicon.low, k.silicon.high}},
                       {"decided", k.decided()},
                       {"sameSign", k.sameSign()}});
  const Summary &s = comparison.summary;
  return {{"device", silicon.device.name},
          {"arch", silicon.device.arch},
          {"software", silicon.device.software},
          {"micro", std::move(micro)},
          {"kernels", std::move(kernels)},
          {"missing", comparison.missing},
          {"summary",
           {{"kernels", s.kernels},
            {"rankCorrelation", s.correlation},
            {"changed", s.changed},
            {"changedRankCorrelation", s.changedCorrelation},
            {"meanError", s.meanError},
            {"bias", s.bias},
            {"decided", s.decided},
            {"sameSign", s.sameSign},
            {"kernelsCounted", s.counts},
            {"equalCounts", s.equalCounts}}}};
}

} // namespace meld::bench
