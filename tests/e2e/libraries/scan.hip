// rocPRIM device scans: look-back over many workgroups, inclusive and exclusive, by key.
#include "check.h"
#include <numeric>
#include <rocprim/rocprim.hpp>

struct Affine { // x -> a*x + b, composed left to right: associative, not commutative
  unsigned a, b;
  bool operator==(const Affine &o) const { return a == o.a && b == o.b; }
};
struct Compose {
  __host__ __device__ Affine operator()(const Affine &f, const Affine &g) const {
    return {f.a * g.a, g.a * f.b + g.b};
  }
};

int main() {
  for (size_t n : {size_t(1), size_t(257), size_t(50000)}) {
    const auto values = randomIntegers<int>(n, -100, 100, 11);
    Device<int> in(values), out(n);
    std::vector<int> want(n);
    withStorage([&](void *s, size_t &b) {
      return rocprim::inclusive_scan(s, b, in.get(), out.get(), n, rocprim::plus<int>());
    });
    std::partial_sum(values.begin(), values.end(), want.begin());
    expectSame("inclusive sum", out.host(), want);
    withStorage([&](void *s, size_t &b) {
      return rocprim::exclusive_scan(s, b, in.get(), out.get(), 9, n, rocprim::plus<int>());
    });
    std::exclusive_scan(values.begin(), values.end(), want.begin(), 9);
    expectSame("exclusive sum", out.host(), want);

    std::vector<Affine> maps(n), wantMaps(n);
    for (size_t i = 0; i < n; ++i)
      maps[i] = {unsigned(values[i]) | 1u, unsigned(i)};
    Device<Affine> from(maps), to(n);
    withStorage([&](void *s, size_t &b) {
      return rocprim::inclusive_scan(s, b, from.get(), to.get(), n, Compose());
    });
    std::inclusive_scan(maps.begin(), maps.end(), wantMaps.begin(), Compose());
    expectSame("composition of affine maps", to.host(), wantMaps);

    std::vector<int> keys(n);
    for (size_t i = 0; i < n; ++i)
      keys[i] = int(i * i / 3000);
    Device<int> key(keys);
    withStorage([&](void *s, size_t &b) {
      return rocprim::inclusive_scan_by_key(s, b, key.get(), in.get(), out.get(), n);
    });
    for (size_t i = 0; i < n; ++i)
      want[i] = values[i] + (i && keys[i] == keys[i - 1] ? want[i - 1] : 0);
    expectSame("sum by key", out.host(), want);
  }
  return verdict();
}
