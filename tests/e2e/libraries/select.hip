// rocPRIM stream compaction: by flag, by predicate, unique.
#include "check.h"
#include <algorithm>
#include <rocprim/rocprim.hpp>

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x & 1; }
};

int main() {
  for (size_t n : {size_t(1), size_t(640), size_t(30011)}) {
    const auto values = randomIntegers<int>(n, 0, 5, 31);
    std::vector<unsigned char> flags(n);
    for (size_t i = 0; i < n; ++i)
      flags[i] = i % 7 == 0 || values[i] == 3;
    Device<int> in(values), out(n);
    Device<unsigned char> flag(flags);
    Device<unsigned> count(1);
    const auto check = [&](const char *what, const std::vector<int> &want) {
      EXPECT(count.first() == want.size());
      expectSame(what, out.host(std::min<size_t>(count.first(), n)), want);
    };

    withStorage([&](void *s, size_t &b) {
      return rocprim::select(s, b, in.get(), flag.get(), out.get(), count.get(), n);
    });
    std::vector<int> want;
    for (size_t i = 0; i < n; ++i)
      if (flags[i])
        want.push_back(values[i]);
    check("by flag", want);

    withStorage([&](void *s, size_t &b) {
      return rocprim::select(s, b, in.get(), out.get(), count.get(), n, IsOdd());
    });
    want.clear();
    std::copy_if(values.begin(), values.end(), std::back_inserter(want), IsOdd());
    check("by predicate", want);

    withStorage([&](void *s, size_t &b) {
      return rocprim::unique(s, b, in.get(), out.get(), count.get(), n);
    });
    want.clear();
    std::unique_copy(values.begin(), values.end(), std::back_inserter(want));
    check("unique", want);
  }
  return verdict();
}
