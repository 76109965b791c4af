#include "bench/runner/validation.h"

#include "bench/runner/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace meld::bench {

double ValidationRow::ratio() const {
  if (check.published == 0)
    return model == 0 ? 1 : INFINITY;
  return model / check.published;
}

bool ValidationRow::ok() const {
  if (!measured)
    return false;
  return check.origin == Origin::other || std::abs(ratio() - 1) <= check.tolerance + 1e-9;
}

std::vector<Launch> launchesOf(const std::string &output, const std::vector<Dispatch> &dispatches) {
  std::vector<Launch> launches;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string tag;
    Launch launch;
    if (words >> tag >> launch.name >> launch.operations && tag == "micro")
      launches.push_back(launch);
  }
  if (launches.size() != dispatches.size())
    return {};
  for (size_t i = 0; i < launches.size(); ++i) {
    launches[i].cycles = static_cast<double>(dispatches[i].cycles);
    launches[i].conflicts = static_cast<double>(dispatches[i].counter("SQ_LDS_BANK_CONFLICT"));
    launches[i].occupancy = dispatches[i].occupancy;
  }
  return launches;
}

namespace {

/// The short and the long launch of a name; the short one twice where there is one launch only.
using Pair = std::pair<const Launch *, const Launch *>;

double valueOf(const Check &check, const Pair &pair) {
  const auto &[first, second] = pair;
  const double operations = second->operations - first->operations;
  const double cycles = second->cycles - first->cycles;
  switch (check.quantity) {
  case Quantity::cyclesPerOperation:
    return cycles / operations;
  case Quantity::operationsPerCycle:
    return operations / cycles;
  case Quantity::bytesPerCycle:
    return check.bytes * operations / cycles;
  case Quantity::conflictsPerLaunch:
    return first->conflicts / std::max(1.0, first->operations);
  case Quantity::conflictsPerOperation:
    return (second->conflicts - first->conflicts) / operations;
  case Quantity::occupancy:
    return first->occupancy;
  }
  return 0;
}

bool needsTwo(Quantity quantity) {
  return quantity != Quantity::conflictsPerLaunch && quantity != Quantity::occupancy;
}

const char *nameOf(Origin origin) {
  switch (origin) {
  case Origin::rule:
    return "rule";
  case Origin::check:
    return "check";
  case Origin::other:
    return "other";
  }
  return "";
}

std::string bandOf(const Check &check) {
  if (check.origin == Origin::other)
    return "-";
  return check.tolerance > 0 ? "1 +- " + decimal(check.tolerance, 2) : "exact";
}

std::string verdictOf(const ValidationRow &row) {
  if (!row.measured)
    return "MISSING";
  if (row.check.origin == Origin::other)
    return "-";
  return row.ok() ? "ok" : "OUT";
}

} // namespace

std::vector<ValidationRow> evaluate(const std::vector<Check> &checks,
                                    const std::vector<Launch> &launches) {
  std::map<std::string, Pair> byName;
  for (const Launch &launch : launches) {
    auto [it, fresh] = byName.try_emplace(launch.name, Pair{&launch, &launch});
    if (!fresh)
      it->second.second = &launch;
  }
  std::vector<ValidationRow> rows;
  for (const Check &check : checks) {
    ValidationRow row{check};
    if (auto it = byName.find(check.name); it != byName.end()) {
      const auto &[first, second] = it->second;
      row.measured = !needsTwo(check.quantity) ||
                     (second->operations > first->operations && second->cycles > first->cycles);
      if (row.measured)
        row.model = valueOf(check, it->second);
    }
    rows.push_back(row);
  }
  return rows;
}

int runValidation(const Paths &paths, bool json) {
  bool ok = true;
  nlohmann::json all = nlohmann::json::array();
  for (const char *device : {"gfx90a", "gfx900"}) {
    // One compute unit with a dispatcher of its own: what is launched side by side runs side by side.
    // The published figures are of loops that have gone round: their code is in the instruction
    // cache, and their pages in the device's TLB.
    std::string parameters = "dispatchUnits=1,fetchMiss=0,tlbWalk=0";
    if (const char *others = std::getenv("MELD_GPU_TIMING_PARAMS"))
      parameters += "," + std::string(others);
    const Configuration configuration{
        "validate",
        true,
        {{"MELD_GPU", device}, {"MELD_GPU_CUS", "1"}, {"MELD_GPU_TIMING_PARAMS", parameters}}};
    const Measurement m = measure(paths, "micro", {"--times", "8"}, configuration, true);
    const auto launches = launchesOf(m.output, m.dispatches);
    if (!m.pass || launches.empty()) {
      std::fprintf(stderr, "meld-bench: the microbenchmarks failed on %s: exit code %d\n%s\n",
                   device, m.exitCode, m.output.c_str());
      return 1;
    }
    const auto rows = evaluate(checksOf(device), launches);
    Table table({"what", "model", "published", "ratio", "band", "verdict", "kind", "source"});
    unsigned judged = 0, inside = 0;
    for (const ValidationRow &row : rows) {
      ok = ok && row.ok();
      if (row.check.origin != Origin::other) {
        ++judged;
        inside += row.ok();
      }
      table.add({row.check.what, decimal(row.model, 2), decimal(row.check.published, 2),
                 decimal(row.ratio(), 2), bandOf(row.check), verdictOf(row),
                 nameOf(row.check.origin), row.check.source});
      all.push_back({{"device", device},
                     {"name", row.check.name},
                     {"what", row.check.what},
                     {"model", row.model},
                     {"published", row.check.published},
                     {"ratio", row.ratio()},
                     {"tolerance", row.check.tolerance},
                     {"kind", nameOf(row.check.origin)},
                     {"ok", row.ok()},
                     {"source", row.check.source}});
    }
    if (!json)
      std::printf("%s: %u of %u figures inside their bands\n\n%s\n", device, inside, judged,
                  table.text().c_str());
  }
  if (json)
    std::printf("%s\n", all.dump(1).c_str());
  else
    std::printf("kind: rule = the model was built from this source; check = it was not; other = a "
                "neighbouring device, never\njudged. band: of the ratio model / published. Sources "
                "in full: docs/timing-model.md.\n");
  return ok ? 0 : 1;
}

} // namespace meld::bench
