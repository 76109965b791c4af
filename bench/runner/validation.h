// The timing model against published figures of the devices it models.
//
// `meld-bench validate` runs bench/validation/micro.hip on the software GPU, one compute unit,
// timing model on, and compares each figure with what a manual, a vendor's profiler documentation
// or a public microbenchmark says. Rows differ in what they prove:
//
//   rule     the model's rule or parameter was taken from this source; the row shows that the
//            model does what it was told to do
//   check    the source played no part in building the model
//   other    a figure of a neighbouring device, for want of one; shown, never a reason to fail
//
// Modelled cycles are the same on every host, so a ratio outside its band is an error, not noise.
#pragma once

#include "bench/runner/measure.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace meld::bench {

/// One launch of the microbenchmarks.
struct Launch {
  std::string name;
  double operations = 0;
  double cycles = 0, conflicts = 0;
  unsigned occupancy = 0;
};

enum class Quantity {
  cyclesPerOperation, ///< of the difference of two launches
  operationsPerCycle, ///< the same, other way round
  bytesPerCycle,      ///< of operations of `bytes` bytes
  conflictsPerLaunch, ///< SQ_LDS_BANK_CONFLICT of one launch, for each of its operations
  conflictsPerOperation,
  occupancy, ///< waves per SIMD
};

enum class Origin { rule, check, other };

struct Check {
  std::string name; ///< of the launches
  std::string what;
  Quantity quantity;
  double published;
  double tolerance; ///< the ratio model / published is within 1 +- this
  Origin origin;
  std::string source; ///< short title and section; docs/timing-model.md has them in full
  double bytes = 0;
};

struct ValidationRow {
  Check check;
  double model = 0;
  bool measured = false; ///< the launches are there
  double ratio() const;  ///< model / published; 1 when both are 0
  bool ok() const;       ///< inside the band, or of Origin::other
};

/// What is checked for a device: "gfx90a" or "gfx900".
std::vector<Check> checksOf(const std::string &device);

/// `output` of micro.hip with its dispatches, in order. Empty when they do not belong together.
std::vector<Launch> launchesOf(const std::string &output, const std::vector<Dispatch> &dispatches);

std::vector<ValidationRow> evaluate(const std::vector<Check> &checks,
                                    const std::vector<Launch> &launches);

/// 0 when every row of both devices is inside its band.
int runValidation(const Paths &paths, bool json);

} // namespace meld::bench
