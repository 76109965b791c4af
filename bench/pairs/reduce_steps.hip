// Sums of blocks of 256 in LDS, two numbers in each step and four (HIP performance optimization on
// Vega 64, 2.12). With four, one wave is left after the first step, and no barrier is needed.
#include "bench/pairs/pair.h"

namespace {

constexpr unsigned threads = 256;

template <unsigned Each> __global__ void reduce(const int *in, int *out) {
  __shared__ int held[threads];
  const unsigned mine = threadIdx.x;
  held[mine] = in[blockIdx.x * threads + mine];
  __syncthreads();
  for (unsigned s = threads / Each; s > 0; s /= Each) {
    if (mine < s) {
      int sum = held[mine];
#pragma unroll
      for (unsigned k = 1; k < Each; ++k)
        sum += held[mine + k * s];
      held[mine] = sum;
    }
    if constexpr (Each == 2)
      __syncthreads();
    else
      __builtin_amdgcn_wave_barrier();
  }
  if (mine == 0)
    out[blockIdx.x] = held[0];
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"two", "four"}, {{"elements", 1 << 16, "a multiple of 256"}});
  const unsigned n = side.count("elements") / threads * threads, blocks = n / threads;
  bench::Random random(1);
  std::vector<int> in(n), want(blocks, 0);
  for (unsigned i = 0; i < n; ++i) {
    in[i] = int(random.below(1000));
    want[i / threads] += in[i];
  }
  bench::DeviceBuffer<int> dIn(in), dOut(blocks);
  if (side.is("two"))
    reduce<2><<<blocks, threads>>>(dIn.get(), dOut.get());
  else
    reduce<4><<<blocks, threads>>>(dIn.get(), dOut.get());
  bench::finish();
  bench::Verdicts verdicts("reduce_steps");
  verdicts.expectEqual(side.name(), dOut.download(), want);
  return verdicts.exitCode();
}
