// Pathfinder: the cheapest way down a grid, after Rodinia. Several rows per launch on a strip with
// a halo that shrinks; the threads at its ends fall out, those at the grid's edge have one
// neighbour.
#include "harness.h"

#include <algorithm>

constexpr int threads = 128, rowsPerLaunch = 4, inner = threads - 2 * rowsPerLaunch;

__global__ void descend(const int *wall, const int *from, int *to, int columns, int row, int rows) {
  __shared__ int now[threads], next[threads];
  const int t = threadIdx.x;
  const int x = static_cast<int>(blockIdx.x) * inner + t - rowsPerLaunch;
  const bool inside = x >= 0 && x < columns;
  if (inside)
    now[t] = from[x];
  __syncthreads();
  for (int i = 0; i < rows; ++i) {
    const bool active = inside && t > i && t < threads - 1 - i;
    if (active) {
      int best = now[t];
      if (x > 0)
        best = min(best, now[t - 1]);
      if (x < columns - 1)
        best = min(best, now[t + 1]);
      next[t] = best + wall[(row + i) * columns + x];
    }
    __syncthreads();
    if (active)
      now[t] = next[t];
    __syncthreads();
  }
  if (inside && t >= rowsPerLaunch && t < threads - rowsPerLaunch)
    to[x] = now[t];
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {2000, 100000, "columns"});
  bench::Verdicts verdicts("pathfinder");
  const int columns = static_cast<int>(o.size), rows = 17;
  bench::Random random(o.seed);
  std::vector<int> wall(rows * columns);
  for (int &x : wall)
    x = static_cast<int>(random.below(10));
  std::vector<int> want(wall.begin(), wall.begin() + columns);
  bench::DeviceBuffer<int> dWall(wall), a(want), b(want);
  int *from = a.get(), *to = b.get();
  const unsigned blocks = static_cast<unsigned>((columns + inner - 1) / inner);
  for (int row = 1; row < rows; row += rowsPerLaunch) {
    descend<<<dim3(blocks), dim3(threads)>>>(dWall.get(), from, to, columns, row,
                                             std::min(rowsPerLaunch, rows - row));
    HIP_CHECK(hipGetLastError());
    std::swap(from, to);
  }
  HIP_CHECK(hipDeviceSynchronize());
  for (int row = 1; row < rows; ++row) {
    const auto old = want;
    for (int x = 0; x < columns; ++x)
      want[x] = wall[row * columns + x] +
                std::min({old[x], old[std::max(0, x - 1)], old[std::min(columns - 1, x + 1)]});
  }
  verdicts.expectEqual("columns=" + std::to_string(columns), (from == a.get() ? a : b).download(),
                       want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
