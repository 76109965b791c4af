// The few statistics of repeated measurements.
#pragma once

#include <vector>

namespace meld::bench {

/// 0 of nothing.
double median(std::vector<double> values);

/// The median, and between what it lies.
struct Spread {
  double median = 0, low = 0, high = 0;
  /// Both ends on the same side of 1, and not at it.
  bool awayFromOne() const { return low > 1 || (high < 1 && high > 0); }
};

inline constexpr unsigned kRoundsThatProve = 6;

/// The median with its 95 % confidence interval from order statistics: no distribution is assumed.
/// The k-th least and the k-th largest of n values enclose the median with probability
/// 1 - 2 P(at most k-1 of n coins show heads); k is the largest for which that is at least 0.95 (David
/// and Nagaraja, "Order Statistics", 7.1). With fewer than kRoundsThatProve values no such k exists:
/// the interval is all there is, and proves less.
Spread spreadOf(std::vector<double> values);

} // namespace meld::bench
