// NW: Needleman-Wunsch alignment, after Rodinia. A block of 16 threads fills a tile of the score
// matrix diagonal by diagonal: the number of threads at work grows to 16 and shrinks again.
#include "harness.h"

#include <algorithm>

constexpr int edge = 16;

__global__ void diagonal(const int *similarity, int *score, int columns, int penalty, int first,
                         int total) {
  __shared__ int tile[edge + 1][edge + 1], local[edge][edge];
  const int bx = first + static_cast<int>(blockIdx.x), by = total - bx, t = threadIdx.x;
  const int origin = by * edge * columns + bx * edge;
  for (int y = 0; y < edge; ++y)
    local[y][t] = similarity[origin + (y + 1) * columns + t + 1];
  if (t == 0)
    tile[0][0] = score[origin];
  tile[t + 1][0] = score[origin + (t + 1) * columns];
  tile[0][t + 1] = score[origin + t + 1];
  __syncthreads();
  for (int m = 0; m < edge; ++m) {
    if (t <= m) {
      const int x = t + 1, y = m - t + 1;
      tile[y][x] = max(tile[y - 1][x - 1] + local[y - 1][x - 1],
                       max(tile[y][x - 1] - penalty, tile[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int m = edge - 2; m >= 0; --m) {
    if (t <= m) {
      const int x = t + edge - m, y = edge - t;
      tile[y][x] = max(tile[y - 1][x - 1] + local[y - 1][x - 1],
                       max(tile[y][x - 1] - penalty, tile[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int y = 0; y < edge; ++y)
    score[origin + (y + 1) * columns + t + 1] = tile[y + 1][t + 1];
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {128, 1024, "letters"});
  bench::Verdicts verdicts("needle");
  const int tiles = static_cast<int>(o.sizeInMultiplesOf(edge)) / edge;
  const int columns = tiles * edge + 1, penalty = 10;
  bench::Random random(o.seed);
  std::vector<int> similarity(columns * columns), score(columns * columns);
  for (int &x : similarity)
    x = static_cast<int>(random.below(20)) - 10;
  for (int i = 0; i < columns; ++i)
    score[i] = score[i * columns] = -i * penalty;
  bench::DeviceBuffer<int> dSimilarity(similarity), dScore(score);
  for (int total = 0; total <= 2 * (tiles - 1); ++total) {
    const int first = std::max(0, total - tiles + 1), last = std::min(total, tiles - 1);
    diagonal<<<dim3(static_cast<unsigned>(last - first + 1)), dim3(edge)>>>(
        dSimilarity.get(), dScore.get(), columns, penalty, first, total);
    HIP_CHECK(hipGetLastError());
  }
  HIP_CHECK(hipDeviceSynchronize());
  for (int y = 1; y < columns; ++y)
    for (int x = 1; x < columns; ++x)
      score[y * columns + x] =
          std::max({score[(y - 1) * columns + x - 1] + similarity[y * columns + x],
                    score[y * columns + x - 1] - penalty, score[(y - 1) * columns + x] - penalty});
  verdicts.expectEqual("n=" + std::to_string(columns - 1), dScore.download(), score);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
