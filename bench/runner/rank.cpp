#include "bench/runner/rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace meld::bench {

std::vector<double> ranks(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> places(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]])
      ++last;
    for (size_t k = first; k <= last; ++k)
      places[order[k]] = static_cast<double>(first + last) / 2 + 1;
    first = last + 1;
  }
  return places;
}

double correlation(const std::vector<double> &left, const std::vector<double> &right) {
  const size_t n = std::min(left.size(), right.size());
  if (n < 2)
    return 0;
  const auto mean = [n](const std::vector<double> &values) {
    return std::accumulate(values.begin(), values.begin() + std::ptrdiff_t(n), 0.0) /
           static_cast<double>(n);
  };
  const double meanA = mean(left), meanB = mean(right);
  double product = 0, squaresA = 0, squaresB = 0;
  for (size_t i = 0; i < n; ++i) {
    product += (left[i] - meanA) * (right[i] - meanB);
    squaresA += (left[i] - meanA) * (left[i] - meanA);
    squaresB += (right[i] - meanB) * (right[i] - meanB);
  }
  return squaresA > 0 && squaresB > 0 ? product / std::sqrt(squaresA * squaresB) : 0;
}

double rankCorrelation(const std::vector<double> &left, const std::vector<double> &right) {
  const auto n = std::ptrdiff_t(std::min(left.size(), right.size()));
  return correlation(ranks({left.begin(), left.begin() + n}),
                     ranks({right.begin(), right.begin() + n}));
}

} // namespace meld::bench
