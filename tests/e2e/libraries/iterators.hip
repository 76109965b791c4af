// rocPRIM's iterators under a reduction: zipped, transformed, constant, with the index of the best.
#include "check.h"
#include <algorithm>
#include <rocprim/rocprim.hpp>

struct Product {
  template <typename Pair> __host__ __device__ long long operator()(const Pair &pair) const {
    return static_cast<long long>(rocprim::get<0>(pair)) * rocprim::get<1>(pair);
  }
};
using Best = rocprim::key_value_pair<int, int>;
struct ArgMin {
  __host__ __device__ Best operator()(const Best &a, const Best &b) const {
    if (a.value != b.value)
      return a.value < b.value ? a : b;
    return a.key < b.key ? a : b;
  }
};

int main() {
  const size_t n = 15000;
  const auto a = randomIntegers<int>(n, -100000, 100000, 101);
  const auto b = randomIntegers<int>(n, -100000, 100000, 102);
  Device<int> da(a), db(b);
  Device<long long> dot(1);
  const auto products = rocprim::make_transform_iterator(
      rocprim::make_zip_iterator(rocprim::make_tuple(da.get(), db.get())), Product());
  withStorage([&](void *s, size_t &bytes) {
    return rocprim::reduce(s, bytes, products, dot.get(), 0LL, n, rocprim::plus<long long>());
  });
  long long want = 0;
  for (size_t i = 0; i < n; ++i)
    want += static_cast<long long>(a[i]) * b[i];
  EXPECT(dot.first() == want);

  Device<Best> best(1);
  const rocprim::arg_index_iterator<int *, int> indexed(da.get());
  withStorage([&](void *s, size_t &bytes) {
    return rocprim::reduce(s, bytes, indexed, best.get(), Best(1 << 30, 1 << 30), n, ArgMin());
  });
  const auto least = std::min_element(a.begin(), a.end());
  EXPECT(best.first().key == least - a.begin() && best.first().value == *least);

  withStorage([&](void *s, size_t &bytes) {
    return rocprim::reduce(s, bytes, rocprim::make_constant_iterator<long long>(7), dot.get(), 0LL,
                           n, rocprim::plus<long long>());
  });
  EXPECT(dot.first() == 7 * static_cast<long long>(n));
  return verdict();
}
