// rocPRIM segmented radix sort: many segments of uneven length, keys alone and pairs.
#include "check.h"
#include <algorithm>
#include <numeric>
#include <rocprim/rocprim.hpp>

int main() {
  std::vector<unsigned> offsets{0};
  for (unsigned x = 5; offsets.size() < 60; x = x * 1103515245u + 12345u)
    offsets.push_back(offsets.back() + (x >> 16) % (x >> 30 ? 40 : 900));
  const size_t n = offsets.back(), segments = offsets.size() - 1;
  auto values = randomIntegers<int>(n, -500, 500, 61);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);

  Device<int> in(values), out(n), payload(order), moved(n);
  Device<unsigned> at(offsets);
  withStorage([&](void *s, size_t &b) {
    return rocprim::segmented_radix_sort_keys_desc(s, b, in.get(), out.get(), unsigned(n),
                                                   unsigned(segments), at.get(), at.get() + 1);
  });
  auto sorted = values;
  for (size_t i = 0; i < segments; ++i)
    std::sort(sorted.begin() + offsets[i], sorted.begin() + offsets[i + 1], std::greater<int>());
  expectSame("keys", out.host(), sorted);

  withStorage([&](void *s, size_t &b) {
    return rocprim::segmented_radix_sort_pairs(s, b, in.get(), out.get(), payload.get(),
                                               moved.get(), unsigned(n), unsigned(segments),
                                               at.get(), at.get() + 1);
  });
  for (size_t i = 0; i < segments; ++i)
    std::stable_sort(order.begin() + offsets[i], order.begin() + offsets[i + 1],
                     [&](int a, int b) { return values[a] < values[b]; });
  expectSame("values", moved.host(), order);
  return verdict();
}
