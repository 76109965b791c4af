// How well one series of numbers puts things into the order of another.
#pragma once

#include <vector>

namespace meld::bench {

/// 1-based places in ascending order; equal values share the mean of their places.
std::vector<double> ranks(const std::vector<double> &values);

/// Pearson's correlation. 0 for fewer than two pairs, and where one side is all equal.
double correlation(const std::vector<double> &left, const std::vector<double> &right);

/// Spearman's rank correlation: Pearson's correlation of the ranks, which is right with ties, too.
/// 1: the same order, -1: the reverse. 0 for fewer than two pairs, and where one side is all equal.
double rankCorrelation(const std::vector<double> &left, const std::vector<double> &right);

} // namespace meld::bench
