// BabelStream's dot product in double precision with a fixed number of blocks, and with as many as
// give each thread two elements (BabelStream, pull request 139). Blocks of 1,024, partial sums in LDS.
#include "bench/pairs/pair.h"

namespace {

constexpr int threads = 1024;

__global__ void dot(const double *a, const double *b, double *sums, int n) {
  __shared__ double held[threads];
  const size_t mine = threadIdx.x;
  held[mine] = 0;
  for (size_t i = blockIdx.x * size_t(threads) + mine; i < size_t(n); i += threads * gridDim.x)
    held[mine] += a[i] * b[i];
  for (size_t away = threads / 2; away > 0; away /= 2) {
    __syncthreads();
    if (mine < away)
      held[mine] += held[mine + away];
  }
  if (mine == 0)
    sums[blockIdx.x] = held[0];
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(
      argc, argv, {"fixed", "many"},
      {{"elements", 1 << 16, "of each vector"}, {"blocks", 32, "of the fixed side"}});
  const size_t n = side["elements"];
  if (n % (2 * threads)) {
    std::fprintf(stderr, "dot: elements has to be a multiple of 2048\n");
    return 2;
  }
  const auto a = bench::unitNumbers<double>(n, 1), b = bench::unitNumbers<double>(n, 2);
  const unsigned blocks = side.is("fixed") ? side.count("blocks") : unsigned(n / (2 * threads));
  bench::DeviceBuffer<double> dA(a), dB(b), sums(blocks);
  dot<<<blocks, threads>>>(dA.get(), dB.get(), sums.get(), int(n));
  bench::finish();
  double want = 0, got = 0;
  for (size_t i = 0; i < n; ++i)
    want += a[i] * b[i];
  for (double sum : sums.download())
    got += sum;
  bench::Verdicts verdicts("dot");
  verdicts.expectNear(side.name(), std::vector<double>{got}, std::vector<double>{want}, 1e-9);
  return verdicts.exitCode();
}
