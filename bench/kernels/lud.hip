// LUD: the perimeter step of a blocked LU decomposition. The first half of a block's threads
// updates a tile of the block row, the second half a tile of the block column: with 2*Tile threads
// the branch is on the thread id.
#include "harness.h"

template <unsigned Tile>
__global__ __launch_bounds__(2 * Tile) void perimeter(float *m, unsigned n, unsigned offset) {
  __shared__ float diagonal[Tile][Tile], row[Tile][Tile], column[Tile][Tile];
  const unsigned t = threadIdx.x;
  if (t < Tile) {
    for (unsigned i = 0; i < Tile / 2; ++i)
      diagonal[i][t] = m[(offset + i) * n + offset + t];
    for (unsigned i = 0; i < Tile; ++i)
      row[i][t] = m[(offset + i) * n + offset + (blockIdx.x + 1) * Tile + t];
  } else {
    const unsigned u = t - Tile;
    for (unsigned i = Tile / 2; i < Tile; ++i)
      diagonal[i][u] = m[(offset + i) * n + offset + u];
    for (unsigned i = 0; i < Tile; ++i)
      column[i][u] = m[(offset + (blockIdx.x + 1) * Tile + i) * n + offset + u];
  }
  __syncthreads();
  if (t < Tile) {
    for (unsigned i = 1; i < Tile; ++i)
      for (unsigned j = 0; j < i; ++j)
        row[i][t] -= diagonal[i][j] * row[j][t];
  } else {
    const unsigned u = t - Tile;
    for (unsigned i = 0; i < Tile; ++i) {
      for (unsigned j = 0; j < i; ++j)
        column[u][i] -= column[u][j] * diagonal[j][i];
      column[u][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  if (t < Tile) {
    for (unsigned i = 1; i < Tile; ++i)
      m[(offset + i) * n + offset + (blockIdx.x + 1) * Tile + t] = row[i][t];
  } else {
    const unsigned u = t - Tile;
    for (unsigned i = 0; i < Tile; ++i)
      m[(offset + (blockIdx.x + 1) * Tile + i) * n + offset + u] = column[i][u];
  }
}

template <unsigned Tile> void run(const bench::Options &o, bench::Verdicts &verdicts) {
  if (o.block && o.block != 2 * Tile)
    return;
  const unsigned tiles = static_cast<unsigned>(std::max<size_t>(o.size, 2)), n = tiles * Tile;
  bench::Random random(o.seed);
  std::vector<float> host(n * n);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j)
      host[i * n + j] = random.unit() + (i == j ? static_cast<float>(n) : 0.0f);
  bench::DeviceBuffer<float> device(host);
  perimeter<Tile><<<dim3(tiles - 1), dim3(2 * Tile)>>>(device.get(), n, 0);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  std::vector<double> m(host.begin(), host.end());
  for (unsigned b = 1; b < tiles; ++b) {
    for (unsigned t = 0; t < Tile; ++t)
      for (unsigned i = 1; i < Tile; ++i)
        for (unsigned j = 0; j < i; ++j)
          m[i * n + b * Tile + t] -= m[i * n + j] * m[j * n + b * Tile + t];
    for (unsigned u = 0; u < Tile; ++u)
      for (unsigned i = 0; i < Tile; ++i) {
        double &x = m[(b * Tile + u) * n + i];
        for (unsigned j = 0; j < i; ++j)
          x -= m[(b * Tile + u) * n + j] * m[j * n + i];
        x /= m[i * n + i];
      }
  }
  const auto got = device.download();
  verdicts.expectNear("n=" + std::to_string(n) + " block=" + std::to_string(2 * Tile),
                      std::vector<double>(got.begin(), got.end()), m, 1e-4);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {4, 24, "tiles a side"});
  bench::Verdicts verdicts("lud");
  run<8>(o, verdicts);
  run<16>(o, verdicts);
  run<32>(o, verdicts);
  run<64>(o, verdicts);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
