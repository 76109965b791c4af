// The geometric mean, in which ratios are told.
#pragma once

#include <cmath>

namespace meld::bench {

/// Of values above 0; others do not count.
class Geomean {
public:
  void add(double value) {
    if (value > 0 && std::isfinite(value)) {
      sum_ += std::log(value);
      ++count_;
    }
  }
  /// 0 of nothing.
  double value() const { return count_ ? std::exp(sum_ / count_) : 0; }
  unsigned count() const { return count_; }

private:
  double sum_ = 0;
  unsigned count_ = 0;
};

} // namespace meld::bench
