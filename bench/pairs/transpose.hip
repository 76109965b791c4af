// Transposes a square matrix of doubles with blocks of 32 x 32, as AMD's HPC training examples do:
// the reads contiguous, the writes contiguous, both through a padded tile in LDS.
#include "bench/pairs/pair.h"

namespace {

constexpr int tile = 32;

__global__ void contiguousReads(const double *__restrict__ in, double *__restrict__ out, int n) {
  const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  if (x < n && y < n)
    out[x * n + y] = in[y * n + x];
}

__global__ void contiguousWrites(const double *__restrict__ in, double *__restrict__ out, int n) {
  const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  if (x < n && y < n)
    out[y * n + x] = in[x * n + y];
}

__global__ void tiles(const double *__restrict__ in, double *__restrict__ out, int n) {
  __shared__ double held[tile][tile + 1];
  const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
  held[threadIdx.y][threadIdx.x] = x < n && y < n ? in[y * n + x] : 0;
  __syncthreads();
  const int toX = blockIdx.y * tile + threadIdx.x, toY = blockIdx.x * tile + threadIdx.y;
  if (toX < n && toY < n)
    out[toY * n + toX] = held[threadIdx.x][threadIdx.y];
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"reads", "writes", "tiled"},
                         {{"n", 256, "rows and columns"}});
  const int n = int(side["n"]);
  const auto in = bench::unitNumbers<double>(size_t(n) * n);
  std::vector<double> want(in.size());
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      want[size_t(x) * n + y] = in[size_t(y) * n + x];
  bench::DeviceBuffer<double> dIn(in), dOut(in.size());
  const dim3 grid((n + tile - 1) / tile, (n + tile - 1) / tile), block(tile, tile);
  const auto kernel = side.is("reads")    ? contiguousReads
                      : side.is("writes") ? contiguousWrites
                                          : tiles;
  kernel<<<grid, block>>>(dIn.get(), dOut.get(), n);
  bench::finish();
  bench::Verdicts verdicts("transpose");
  verdicts.expectEqual(side.name(), dOut.download(), want);
  return verdicts.exitCode();
}
