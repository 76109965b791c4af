#include "bench/hardware/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace meld::bench {

namespace {

double middleOf(const std::vector<double> &sorted) {
  const size_t n = sorted.size();
  if (!n)
    return 0;
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/// The largest k of the interval, counted from 1.
size_t rankOfInterval(size_t n) {
  double outside = 0; // P(at most k - 1 heads)
  size_t k = 1;
  for (size_t heads = 0; heads < n / 2; ++heads) {
    outside += std::exp(std::lgamma(double(n) + 1) - std::lgamma(double(heads) + 1) -
                        std::lgamma(double(n - heads) + 1) - double(n) * std::log(2.0));
    if (1 - 2 * outside < 0.95)
      break;
    k = heads + 1;
  }
  return k;
}

} // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return middleOf(values);
}

Spread spreadOf(std::vector<double> values) {
  if (values.empty())
    return {};
  std::sort(values.begin(), values.end());
  const size_t k = rankOfInterval(values.size());
  return {middleOf(values), values[k - 1], values[values.size() - k]};
}

} // namespace meld::bench
