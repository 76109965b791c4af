// Dynamic programming: Floyd-Warshall, 0/1 knapsack row by row, Smith-Waterman along
// anti-diagonals with affine gaps. References: the textbook loops.
#include "check.h"

#include <algorithm>
#include <string>

constexpr int infinite = 1 << 28;

__global__ void relax(int *d, int n, int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    const int through = d[i * n + k] + d[k * n + j];
    if (through < d[i * n + j])
      d[i * n + j] = through;
  }
}
__global__ void item(const int *from, int *to, int weight, int value, int capacity) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c <= capacity)
    to[c] = c >= weight ? max(from[c], from[c - weight] + value) : from[c];
}
/// One workgroup; h, e, f hold three rolling anti-diagonals in LDS.
__global__ void smithWaterman(const char *a, int m, const char *b, int n, int *best) {
  __shared__ int h[3][130], e[2][130], f[2][130], top;
  const int t = threadIdx.x; // row i = t + 1
  if (t == 0)
    top = 0;
  for (int k = t; k < 130; k += blockDim.x) {
    h[0][k] = h[1][k] = h[2][k] = 0;
    e[0][k] = e[1][k] = f[0][k] = f[1][k] = -1000;
  }
  __syncthreads();
  int mine = 0;
  for (int d = 2; d <= m + n; ++d) { // i + j = d
    const int i = t + 1, j = d - i;
    int *now = h[d % 3], *before = h[(d + 2) % 3], *twice = h[(d + 1) % 3];
    if (i <= m && j >= 1 && j <= n) {
      const int across = max(before[i] - 5, e[(d + 1) % 2][i] - 1);       // from (i, j - 1)
      const int down = max(before[i - 1] - 5, f[(d + 1) % 2][i - 1] - 1); // from (i - 1, j)
      const int diagonal = twice[i - 1] + (a[i - 1] == b[j - 1] ? 3 : -2);
      e[d % 2][i] = across;
      f[d % 2][i] = down;
      now[i] = max(0, max(diagonal, max(across, down)));
      mine = max(mine, now[i]);
    } else if (i <= m) {
      now[i] = 0;
      e[d % 2][i] = f[d % 2][i] = -1000;
    }
    __syncthreads();
  }
  atomicMax(&top, mine);
  __syncthreads();
  if (t == 0)
    *best = top;
}

static int smithWatermanHost(const std::string &a, const std::string &b) {
  const int m = int(a.size()), n = int(b.size());
  std::vector<std::vector<int>> h(m + 1, std::vector<int>(n + 1, 0)),
      e(m + 1, std::vector<int>(n + 1, -1000)), f = e;
  int best = 0;
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j) {
      e[i][j] = std::max(h[i][j - 1] - 5, e[i][j - 1] - 1);
      f[i][j] = std::max(h[i - 1][j] - 5, f[i - 1][j] - 1);
      h[i][j] = std::max({0, h[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -2), e[i][j], f[i][j]});
      best = std::max(best, h[i][j]);
    }
  return best;
}

int main() {
  Random random(1);
  {
    const int n = 70;
    std::vector<int> d(n * n, infinite);
    for (int i = 0; i < n; ++i)
      d[i * n + i] = 0;
    for (int e = 0; e < 300; ++e)
      d[random.below(n) * n + random.below(n)] = int(random.below(100));
    for (int i = 0; i < n; ++i)
      d[i * n + i] = 0;
    Device<int> distances(d);
    for (int k = 0; k < n; ++k) {
      relax<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(distances, n, k);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    }
    expectSame("Floyd-Warshall", distances.host(), d);
  }
  {
    const int capacity = 900, items = 40;
    std::vector<int> best(capacity + 1, 0);
    Device<int> a(best), b(capacity + 1);
    for (int k = 0; k < items; ++k) {
      const int weight = 1 + int(random.below(200)), value = int(random.below(1000));
      item<<<4, 256>>>(k % 2 ? b : a, k % 2 ? a : b, weight, value, capacity);
      for (int c = capacity; c >= weight; --c)
        best[c] = std::max(best[c], best[c - weight] + value);
    }
    expectSame("knapsack", a.host(), best);
  }
  for (int round = 0; round < 4; ++round) {
    std::string a(100 + round * 9, 'A'), b(150, 'A');
    for (char &c : a)
      c = "ACGT"[random.below(4)];
    for (char &c : b)
      c = "ACGT"[random.below(4)];
    b.replace(40, 50, a.substr(20, 50)); // a similar stretch with a gap and an error
    b.erase(60, 3);
    b[80] = 'A';
    Device<char> da(std::vector<char>(a.begin(), a.end())),
        db(std::vector<char>(b.begin(), b.end()));
    Device<int> best(1);
    smithWaterman<<<1, 128>>>(da, int(a.size()), db, int(b.size()), best);
    expectSame("Smith-Waterman", best.host(), {smithWatermanHost(a, b)});
  }
  return verdict();
}
