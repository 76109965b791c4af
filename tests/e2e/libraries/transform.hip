// rocPRIM transforms over one and two sequences, in place and through iterators that compute.
#include "check.h"
#include <rocprim/rocprim.hpp>

struct Collatz {
  __host__ __device__ int operator()(unsigned x) const {
    int steps = 0;
    for (; x > 1; ++steps)
      x = x & 1 ? 3 * x + 1 : x / 2;
    return steps;
  }
};
struct Mix {
  __host__ __device__ double operator()(int a, float b) const { return a * 0.5 + double(b); }
};

int main() {
  const size_t n = 9001;
  Device<int> steps(n);
  HIP(rocprim::transform(rocprim::counting_iterator<unsigned>(1), steps.get(), n, Collatz()));
  HIP(hipDeviceSynchronize());
  std::vector<int> want(n);
  for (size_t i = 0; i < n; ++i)
    want[i] = Collatz()(unsigned(i + 1));
  expectSame("collatz", steps.host(), want);

  std::vector<float> factors(n);
  for (size_t i = 0; i < n; ++i)
    factors[i] = float(i) / 3;
  Device<float> factor(factors);
  Device<double> mixed(n);
  HIP(rocprim::transform(steps.get(), factor.get(), mixed.get(), n, Mix()));
  HIP(hipDeviceSynchronize());
  std::vector<double> wantMixed(n);
  for (size_t i = 0; i < n; ++i)
    wantMixed[i] = Mix()(want[i], factors[i]);
  expectSame("two inputs", mixed.host(), wantMixed);

  HIP(rocprim::transform(steps.get(), steps.get(), n, Collatz()));
  HIP(hipDeviceSynchronize());
  for (int &value : want)
    value = Collatz()(unsigned(value));
  expectSame("in place", steps.host(), want);
  return verdict();
}
