// What a modelled ratio comes to under the parameters' ranges (design.h), and what may be claimed.
#pragma once

#include "bench/runner/geomean.h"

#include <cstdint>
#include <string>
#include <vector>

namespace meld::bench {

/// Least and most of a ratio, the modelled one among them. Without runs under other parameters it is
/// empty, and nothing can be claimed.
struct Band {
  double low = 0, high = 0;
  bool known() const { return low > 0; }
  void add(double ratio);
};

/// Of one program in two codes: the modelled cycles of both, and those of the design's runs in order.
/// Each ratio is of two runs under the same parameters. Empty where a run is missing on one side.
Band bandOf(uint64_t before, uint64_t after, const std::vector<uint64_t> &beforeUnder,
            const std::vector<uint64_t> &afterUnder);

/// Of a geometric mean. The parameters are the same for all programs at once, whatever they are: so
/// it is the mean of each run of the design that has a least and a most, not each program's.
class MeanBand {
public:
  void add(uint64_t before, uint64_t after, const std::vector<uint64_t> &beforeUnder,
           const std::vector<uint64_t> &afterUnder);
  /// Empty where any program had none.
  Band band() const;
  /// The mean with its band, "1.23 (1.11-1.30)"; empty where there is no band.
  std::string text(int decimals) const;

private:
  bool all_ = true;
  Geomean modelled_;
  std::vector<Geomean> under_;
};

/// "gain": above 1 over the whole band. "loss": below 1 over the whole band. "open": the band holds
/// 1. "same": nothing else than 1 in it. As it is printed, with two decimals: 1.004 is no gain.
/// Empty without a band.
std::string claimOf(const Band &band);

/// "1.23 (1.11-1.30)"; the ratio alone without a band.
std::string withBand(double ratio, const Band &band, int decimals);

} // namespace meld::bench
