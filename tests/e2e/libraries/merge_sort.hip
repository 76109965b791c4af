// rocPRIM merge sort with a comparison of our own, and the merge of two sorted sequences.
#include "check.h"
#include <algorithm>
#include <numeric>
#include <rocprim/rocprim.hpp>

struct ByDigits { // first by the last three digits, then by value
  __host__ __device__ bool operator()(unsigned a, unsigned b) const {
    return a % 1000 != b % 1000 ? a % 1000 < b % 1000 : a < b;
  }
};

int main() {
  for (size_t n : {size_t(2), size_t(1023), size_t(20000)}) {
    auto values = randomIntegers<unsigned>(n, 0, 1 << 30, 21);
    Device<unsigned> in(values), out(n);
    withStorage([&](void *s, size_t &b) {
      return rocprim::merge_sort(s, b, in.get(), out.get(), n, ByDigits());
    });
    std::stable_sort(values.begin(), values.end(), ByDigits());
    expectSame("merge sort", out.host(), values);

    const size_t half = n / 3;
    std::vector<unsigned> left(values.begin(), values.begin() + half);
    std::vector<unsigned> right(values.begin() + half, values.end());
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    Device<unsigned> a(left), b2(right), merged(n);
    withStorage([&](void *s, size_t &b) {
      return rocprim::merge(s, b, a.get(), b2.get(), merged.get(), half, n - half);
    });
    std::sort(values.begin(), values.end());
    expectSame("merge", merged.host(), values);
  }
  return verdict();
}
