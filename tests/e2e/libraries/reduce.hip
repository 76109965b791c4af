// rocPRIM device reduction: sums, a minimum, an operator of our own, and segments of every length.
#include "check.h"
#include <algorithm>
#include <numeric>
#include <rocprim/rocprim.hpp>

struct Extent {
  int low, high;
};
struct Widen {
  __host__ __device__ Extent operator()(const Extent &a, const Extent &b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

int main() {
  for (size_t n : {size_t(1), size_t(63), size_t(64), size_t(1000), size_t(70001)}) {
    const auto values = randomIntegers<int>(n, -1000, 1000, 7);
    Device<int> in(values), out(1);
    withStorage([&](void *s, size_t &b) {
      return rocprim::reduce(s, b, in.get(), out.get(), 5, n, rocprim::plus<int>());
    });
    EXPECT(out.first() == std::accumulate(values.begin(), values.end(), 5));
    withStorage([&](void *s, size_t &b) {
      return rocprim::reduce(s, b, in.get(), out.get(), 2000, n, rocprim::minimum<int>());
    });
    EXPECT(out.first() == *std::min_element(values.begin(), values.end()));

    std::vector<Extent> extents(n);
    for (size_t i = 0; i < n; ++i)
      extents[i] = {values[i], values[i] + int(i % 17)};
    Device<Extent> from(extents), to(1);
    const Extent nothing{1 << 30, -(1 << 30)};
    withStorage([&](void *s, size_t &b) {
      return rocprim::reduce(s, b, from.get(), to.get(), nothing, n, Widen());
    });
    const Extent want = std::accumulate(extents.begin(), extents.end(), nothing, Widen());
    EXPECT(to.first().low == want.low && to.first().high == want.high);
  }

  // Segments: empty, one element, more than a workgroup takes at once.
  const std::vector<int> offsets{0, 0, 1, 3, 67, 67, 1091, 9000};
  const auto values = randomIntegers<long long>(9000, -1000000000000LL, 1000000000000LL, 8);
  const size_t segments = offsets.size() - 1;
  Device<long long> in(values), out(segments);
  Device<int> at(offsets);
  withStorage([&](void *s, size_t &b) {
    return rocprim::segmented_reduce(s, b, in.get(), out.get(), segments, at.get(), at.get() + 1,
                                     rocprim::plus<long long>(), 3LL);
  });
  std::vector<long long> want(segments);
  for (size_t i = 0; i < segments; ++i)
    want[i] = std::accumulate(values.begin() + offsets[i], values.begin() + offsets[i + 1], 3LL);
  expectSame("segmented sums", out.host(), want);
  return verdict();
}
