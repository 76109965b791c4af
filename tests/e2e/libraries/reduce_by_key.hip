// rocPRIM reduction by key: one value per run of equal keys, runs that cross workgroups.
#include "check.h"
#include <rocprim/rocprim.hpp>

int main() {
  for (unsigned longest : {1u, 9u, 3000u}) {
    const size_t n = 20000;
    std::vector<unsigned> keys;
    for (unsigned x = 3, key = 0; keys.size() < n; x = x * 1664525u + 1013904223u, ++key)
      keys.insert(keys.end(), std::min<size_t>(1 + (x >> 8) % longest, n - keys.size()), key % 5);
    const auto values = randomIntegers<int>(n, -9, 9, 81);
    std::vector<unsigned> wantKeys;
    std::vector<int> wantSums;
    for (size_t i = 0; i < n; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        wantKeys.push_back(keys[i]);
        wantSums.push_back(0);
      }
      wantSums.back() += values[i];
    }
    Device<unsigned> key(keys), keyOut(n), runs(1);
    Device<int> value(values), sum(n);
    withStorage([&](void *s, size_t &b) {
      return rocprim::reduce_by_key(s, b, key.get(), value.get(), unsigned(n), keyOut.get(),
                                    sum.get(), runs.get());
    });
    EXPECT(runs.first() == wantKeys.size());
    expectSame("keys", keyOut.host(wantKeys.size()), wantKeys);
    expectSame("sums", sum.host(wantSums.size()), wantSums);
  }
  return verdict();
}
