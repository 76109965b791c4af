// What a run of the suite knows: one row per case and configuration. Tables, JSON and the page are
// written from it.
#pragma once

#include "bench/runner/band.h"
#include "bench/runner/cases.h"
#include "bench/runner/measure.h"

#include <nlohmann/json_fwd.hpp>

namespace meld::bench {

struct Run {
  std::string configuration;
  Measurement measured;
  Compilation compiled;
  /// Cycles under each of designRuns() in order; empty: not asked for. 0: that run failed.
  std::vector<uint64_t> under = {};
};

/// From so many waves per SIMD on, a launch fills the device: the scalar unit, branches and memory
/// of one wave work while the vector unit has another's instructions. With one wave on a SIMD
/// everything is waited for, and whatever is left out counts in full.
constexpr double fullDevice = 4;

struct Row {
  Case which;
  std::vector<Run> runs;      ///< the first is the original code
  std::string size = "small"; ///< of the problem

  /// Of the original's main launches; 0 where nobody knows.
  double wavesPerSimd() const { return plain().measured.wavesPerSimd(); }
  /// At least that many, or as many as registers and LDS let onto a SIMD.
  bool fills() const;
  const Run &plain() const { return runs.front(); }
  const Run *find(const std::string &configuration) const;
};

/// Rows that are to be read together.
struct Group {
  std::string title;
  std::vector<Row> rows;
};

/// In the order in which they are shown: launches that fill the device, of each benchmark the
/// largest; then large problems that do not fill it; then the small ones. Without empty groups.
std::vector<Group> groupsOf(const std::vector<Row> &rows);

/// before / after; 0 where there is nothing to divide by.
double ratio(double before, double after);
double instructionRatio(const Row &row, const Run &run);
double cycleRatio(const Row &row, const Run &run);
/// Of the cycle ratio, both codes under the same parameters.
Band cycleBand(const Row &row, const Run &run);
/// Whether any run has been repeated under other parameters.
bool haveBands(const std::vector<Row> &rows);

/// Of all rows, in order, without the original.
std::vector<std::string> configurationsOf(const std::vector<Row> &rows);

struct Means {
  double all = 0;         ///< geometric mean over every case of the set
  double best = 0;        ///< over each program at the block size where its original is fastest
  double least = 0;       ///< the smallest ratio
  std::string leastLabel; ///< where that is
  unsigned count = 0;
  Band allBand, bestBand, leastBand;                  ///< empty where not asked for
  unsigned gains = 0, losses = 0, same = 0, open = 0; ///< programs, by claimOf()
};

/// Of the cycle ratios of `configuration` in a set. Both means are those of the control-flow
/// melding paper: GM, and GM-best at the block size that a programmer would choose without melding.
Means meansOf(const std::vector<Row> &rows, Set set, const std::string &configuration);

struct NamedMeans : Means {
  Set set;
  std::string configuration;
};
/// Of every set and configuration of which there are cases, in order.
std::vector<NamedMeans> allMeans(const std::vector<Row> &rows);

/// "runs": one object per case and configuration; "means": one per set and configuration.
nlohmann::json toJson(const std::vector<Row> &rows);

} // namespace meld::bench
