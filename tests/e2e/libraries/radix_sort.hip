// rocPRIM radix sort: 64-bit and floating-point keys, both directions; pairs by some of the bits.
#include "check.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <rocprim/rocprim.hpp>

template <typename T> void keys(const char *what, std::vector<T> values, bool descending) {
  Device<T> in(values), out(values.size());
  withStorage([&](void *s, size_t &b) {
    return descending ? rocprim::radix_sort_keys_desc(s, b, in.get(), out.get(), values.size())
                      : rocprim::radix_sort_keys(s, b, in.get(), out.get(), values.size());
  });
  if (descending)
    std::stable_sort(values.begin(), values.end(), std::greater<T>());
  else
    std::stable_sort(values.begin(), values.end());
  expectSame(what, out.host(), values);
}

int main() {
  const size_t n = 20000;
  keys("64 bits", randomIntegers<long long>(3000, -(1LL << 62), 1LL << 62, 3), false);
  std::vector<float> floats(n);
  const auto bits = randomIntegers<int>(n, -100000, 100000, 4);
  for (size_t i = 0; i < n; ++i)
    floats[i] = float(bits[i]) * 0.25f + (bits[i] >= 0 ? 0.125f : -0.125f);
  floats[17] = INFINITY;
  floats[170] = -INFINITY;
  keys("float descending", floats, true);

  // Pairs: equal keys keep the order of their values (the sort is stable).
  const auto few = randomIntegers<unsigned>(n, 0, 1023, 5);
  std::vector<unsigned> order(n);
  std::iota(order.begin(), order.end(), 0u);
  Device<unsigned> keysIn(few), keysOut(n), valuesIn(order), valuesOut(n);
  withStorage([&](void *s, size_t &b) {
    return rocprim::radix_sort_pairs(s, b, keysIn.get(), keysOut.get(), valuesIn.get(),
                                     valuesOut.get(), n, 2, 7);
  });
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return (few[a] >> 2 & 31) < (few[b] >> 2 & 31); });
  expectSame("values by bits 2 to 6 of the key", valuesOut.host(), order);
  return verdict();
}
