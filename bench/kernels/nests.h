// What the programs with nests of loops share: several items a thread, of equal or unequal length.
#pragma once

#include "harness.h"

namespace bench {

/// 1 to `most`, mostly small: the shares of lengths l and 2l are as 4 to 1.
inline unsigned powerLaw(Random &random, unsigned most) {
  const double u = 1.0 - double(random.unit());
  return static_cast<unsigned>(1.0 / std::max(u, 1.0 / most));
}

/// Work-groups for so many items, `each` of them a thread.
inline unsigned groupsFor(size_t items, unsigned block, unsigned each) {
  return static_cast<unsigned>(std::max<size_t>(1, items / (size_t{block} * each)));
}

inline void finish() {
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
}

/// Rows of unequal ("skewed") or equal length, of numbers below `targets`; one after the other in
/// `entries`, row r from starts[r] on.
struct Rows {
  std::vector<unsigned> starts{0}, entries;
  Rows(Random &random, unsigned rows, unsigned targets, bool skewed, unsigned most,
       unsigned equal) {
    for (unsigned r = 0; r < rows; ++r) {
      for (unsigned k = skewed ? powerLaw(random, most) : equal; k > 0; --k)
        entries.push_back(random.below(targets));
      starts.push_back(static_cast<unsigned>(entries.size()));
    }
  }
};

} // namespace bench
