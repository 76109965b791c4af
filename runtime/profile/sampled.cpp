#include "runtime/profile/sampled.h"

#include <algorithm>
#include <cmath>

namespace meld::profile {

namespace {

constexpr double kLanes = 64, kDeviations = 2;

/// The largest x + y - 1 of the shares by lanes.
double bothByLanes(const Sampled &block, const Sampled &one, const Sampled &other) {
  const double lanes = block.meanLanes.high;
  const double few = std::min(one.meanLanes.low, other.meanLanes.low);
  const double many = std::max(one.meanLanes.low, other.meanLanes.low);
  const double first = std::min(1.0, lanes / few);
  return first + std::min(1.0, std::max(0.0, lanes - first * few) / many) - 1;
}

/// The same by executions; 1 where these are not known.
double bothByRates(const Sampled &block, const Sampled &one, const Sampled &other) {
  if (!block.rate || !one.rate || !other.rate || block.rateBetween().low <= 0)
    return 1;
  const double all = block.rateBetween().low;
  return std::min(1.0, one.rateBetween().high / all) +
         std::min(1.0, other.rateBetween().high / all) - 1;
}

} // namespace

void PcSamples::add(const PcSamples &other) {
  samples += other.samples;
  lanes += other.lanes;
}

Between meanLanesBetween(const PcSamples &samples) {
  if (!samples.enough())
    return {1, kLanes};
  const double n = double(samples.samples), z2 = kDeviations * kDeviations;
  const double share = std::clamp((samples.meanLanes() - 1) / (kLanes - 1), 0.0, 1.0);
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half =
      kDeviations * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n);
  const auto lanes = [](double s) { return 1 + (kLanes - 1) * std::clamp(s, 0.0, 1.0); };
  return {lanes(middle - half), lanes(middle + half)};
}

Between Sampled::rateBetween() const {
  const double middle = rate.value_or(0);
  const double spread = step * kDeviations * std::sqrt(double(all.samples));
  return {std::max(0.0, middle - spread), middle + spread + step * kDeviations * kDeviations};
}

Sampled sampledOf(const std::vector<SampledCopy> &copies, bool rated) {
  Sampled sum;
  uint64_t leftOut = 0;
  bool every = rated && !copies.empty(), any = false;
  double rate = 0;
  for (const SampledCopy &copy : copies) {
    sum.all.add(copy.samples);
    every &= copy.issued != 0;
    if (copy.issued) {
      rate += double(copy.samples.samples) / copy.issued;
      sum.step = std::max(sum.step, 1.0 / copy.issued);
    }
    if (!copy.samples.enough()) {
      leftOut += copy.samples.samples;
      continue;
    }
    const Between one = meanLanesBetween(copy.samples);
    sum.meanLanes =
        any ? Between{std::min(sum.meanLanes.low, one.low), std::max(sum.meanLanes.high, one.high)}
            : one;
    any = true;
  }
  if (10 * leftOut > sum.all.samples)
    sum.meanLanes = {1, kLanes};
  if (every)
    sum.rate = rate;
  else
    sum.step = 0;
  return sum;
}

std::optional<double> bothAtMost(const SampledFunction &function, const SampledBranch &branch) {
  const Sampled &block = function.blocks[branch.block];
  if (branch.edges.size() != 2 || branch.exitsLoop || !block.enough())
    return std::nullopt;
  const Sampled &one = branch.edges[0].samples, &other = branch.edges[1].samples;
  return std::clamp(std::min(bothByLanes(block, one, other), bothByRates(block, one, other)), 0.0,
                    1.0);
}

std::optional<double> tripsOf(const SampledFunction &function, const SampledLoop &loop) {
  const Sampled &rounds = function.blocks[loop.header];
  if (!rounds.enough() || !loop.entries.enough() || !rounds.rate || !loop.entries.rate)
    return std::nullopt;
  return *rounds.rate / *loop.entries.rate;
}

} // namespace meld::profile
