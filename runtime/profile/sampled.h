// What samples of the program counter tell of a kernel's blocks and branches, and what they do not
// (docs/profile.md, "On hardware").
//
// A sample is a wave's program counter and EXEC mask at some time. Samples are proportional to time, so
// they give
//   - the mean of active lanes in a block, from its samples' EXEC masks;
//   - executions only where the hardware says of a sample that the wave issued an instruction just then
//     (method "stochastic"): an instruction issues once each time it is executed, however long it had
//     to wait. `rate` is such samples by instruction; executions are proportional to it.
//
// How often both sides of a branch run has an upper bound by lanes alone, whatever takes how long. Each
// lane of an execution goes to one side, so that with mean lanes L of the block, L1 and L2 of its
// sides, and the shares x and y of the executions in which these have lanes:
//
//   x L1 + y L2 = L,  x <= 1,  y <= 1        both = x + y - 1
//
//   L = 64, L1 = L2 = 64: both = 0           L = 64, L1 = L2 = 32: both = 1
//   L = 60, L1 = 20, L2 = 64: both <= 5/8 (x = 1, y = 5/8)
//
// The largest x + y fills up the side with fewer lanes first. The bound is exact where the sides' means
// are equal. Every mean is taken at the end of its interval that makes the bound larger, and what has
// too few samples at the worst there is. So a branch is never said to part waves less often than the
// samples allow, nor a block never to have run.
//
// Thread rule: plain values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace meld::profile {

/// A number that fewer samples stand behind is not used.
inline constexpr uint64_t kEnoughSamples = 32;

/// Program counters at one place, or in one line of machine code.
struct PcSamples {
  uint64_t samples = 0;
  uint64_t lanes = 0; ///< active, summed over the samples
  bool enough() const { return samples >= kEnoughSamples; }
  double meanLanes() const { return samples ? double(lanes) / double(samples) : 0; }
  void add(const PcSamples &other);
  bool operator==(const PcSamples &) const = default;
};

struct Between {
  double low = 0, high = 0;
  bool operator==(const Between &) const = default;
};

/// Where the mean of active lanes is with a probability of 95 % or more, were the samples independent:
/// Wilson's interval for shares, which is not too narrow for values between 1 and 64, as none spread
/// further than those that are either ("Probable inference", JASA 22, 1927). From 1 to 64 with too
/// few samples.
Between meanLanesBetween(const PcSamples &samples);

/// A copy of a block in the machine code.
struct SampledCopy {
  PcSamples samples;
  uint32_t issued = 0; ///< its instructions of kinds that are reported as issued
};

/// A block, or an edge, over all its copies.
struct Sampled {
  PcSamples all;
  /// Over the intervals of all copies, as these may differ, and one that waits longer has more of the
  /// samples. Those with too few samples, a tenth of all at most, are left out.
  Between meanLanes{1, 64};
  /// Proportional to executions, and what one sample more adds to it at most. Nothing: samples do not
  /// tell.
  std::optional<double> rate;
  double step = 0;
  bool enough() const { return all.enough(); }
  /// Two standard deviations of a Poisson number of samples to each side, and room for what no sample
  /// has met. With a rate only.
  Between rateBetween() const;
  bool operator==(const Sampled &) const = default;
};

/// `rated`: samples are of issued instructions alone.
Sampled sampledOf(const std::vector<SampledCopy> &copies, bool rated);

struct SampledEdge {
  uint32_t to = 0; ///< block
  Sampled samples;
  bool operator==(const SampledEdge &) const = default;
};

struct SampledBranch {
  uint32_t block = 0;
  std::vector<SampledEdge> edges; ///< in the terminator's order
  bool exitsLoop = false;         ///< as Branch::exitsLoop
  bool operator==(const SampledBranch &) const = default;
};

struct SampledLoop {
  uint32_t header = 0;
  unsigned depth = 1;
  Sampled entries; ///< of the edges that come in
  bool operator==(const SampledLoop &) const = default;
};

/// As Function, from samples.
struct SampledFunction {
  std::string name, cfg;
  std::vector<Sampled> blocks;
  std::vector<SampledBranch> branches; ///< by block
  std::vector<SampledLoop> loops;      ///< by header
  bool operator==(const SampledFunction &) const = default;
};

/// The share of the executions of a branch's block in which both sides have lanes is no larger than
/// this. Nothing: too few samples of the block, not two sides, or a loop is left.
std::optional<double> bothAtMost(const SampledFunction &function, const SampledBranch &branch);

/// Rounds of the header for each entry. Nothing: too few samples, or no rates.
std::optional<double> tripsOf(const SampledFunction &function, const SampledLoop &loop);

} // namespace meld::profile
