// Loops of dependent multiply-adds on a Vega 10 (HIP performance optimization on Vega 64, 2.2): how
// far the loop is unrolled, how many waves a SIMD has, and one block more than there are compute
// units. All sides of a pair do the same number of multiply-adds, but for the 65th block.
#include "bench/pairs/pair.h"

namespace {

__host__ __device__ inline float factor(int x) { return float(x) / float(x + 1); }
constexpr float addend = 1e-3f;

// `rounds` a multiple of Body.
template <int Body> __global__ void loop(float *out, int rounds) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x;
  const float t = factor(x);
  float sum = 0;
  for (int i = 0; i < rounds; i += Body)
#pragma unroll
    for (int k = 0; k < Body; ++k)
      sum = t * sum + addend;
  out[x] = sum;
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv,
                         {"unroll40", "unroll100", "waves1", "waves4", "blocks65", "blocks64"},
                         {{"rounds", 2000, "multiply-adds of a thread (waves4: a quarter of it)"}});
  unsigned blocks = 1, threads = 256;
  int rounds = int(side["rounds"]);
  if (rounds % 400) {
    std::fprintf(stderr, "fma_loops: rounds has to be a multiple of 400\n");
    return 2;
  }
  if (side.is("waves4")) {
    threads = 1024;
    rounds /= 4;
  } else if (side.is("blocks65") || side.is("blocks64")) {
    threads = 1024;
    blocks = side.is("blocks65") ? 65 : 64;
  }
  bench::DeviceBuffer<float> out(size_t(blocks) * threads);
  if (side.is("unroll40"))
    loop<40><<<blocks, threads>>>(out.get(), rounds);
  else
    loop<100><<<blocks, threads>>>(out.get(), rounds);
  bench::finish();
  std::vector<float> want(size_t(blocks) * threads);
  for (size_t x = 0; x < want.size(); ++x)
    for (int i = 0; i < rounds; ++i)
      want[x] = factor(int(x)) * want[x] + addend;
  bench::Verdicts verdicts("fma_loops");
  verdicts.expectNear(side.name(), out.download(), want, 1e-3);
  return verdicts.exitCode();
}
