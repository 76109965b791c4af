// rocPRIM partition: the selected in order at the front, the rest in reverse order at the end.
#include "check.h"
#include <rocprim/rocprim.hpp>

struct Below {
  int limit;
  __host__ __device__ bool operator()(int x) const { return x < limit; }
};

int main() {
  for (int limit : {-1, 0, 25, 50, 101}) {
    const size_t n = 12345;
    const auto values = randomIntegers<int>(n, 0, 100, 41);
    Device<int> in(values), out(n);
    Device<size_t> count(1);
    withStorage([&](void *s, size_t &b) {
      return rocprim::partition(s, b, in.get(), out.get(), count.get(), n, Below{limit});
    });
    std::vector<int> want(n);
    size_t front = 0, back = n;
    for (int value : values)
      (value < limit ? want[front++] : want[--back]) = value;
    EXPECT(count.first() == front);
    expectSame("partition", out.host(), want);
  }
  return verdict();
}
