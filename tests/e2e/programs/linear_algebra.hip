// Dense linear algebra: LU decomposition with partial pivoting (one launch per column step), the
// system solved by substitution, a small Cholesky factor per workgroup.
// References: the same elimination on the host bit for bit, and residuals.
#include "check.h"

#include <algorithm>
#include <numeric>

__global__ void choosePivot(double *a, int *pivots, int n, int k) { // one workgroup
  __shared__ double best[128];
  __shared__ int where[128];
  const int t = threadIdx.x;
  best[t] = -1, where[t] = k;
  for (int r = k + t; r < n; r += 128)
    if (fabs(a[r * n + k]) > best[t])
      best[t] = fabs(a[r * n + k]), where[t] = r;
  for (int d = 64; d; d /= 2) {
    __syncthreads();
    if (t < d && (best[t + d] > best[t] || (best[t + d] == best[t] && where[t + d] < where[t])))
      best[t] = best[t + d], where[t] = where[t + d];
  }
  __syncthreads();
  const int p = where[0];
  if (t == 0)
    pivots[k] = p;
  for (int c = t; c < n; c += 128) {
    const double v = a[k * n + c];
    a[k * n + c] = a[p * n + c];
    a[p * n + c] = v;
  }
}
__global__ void eliminate(double *a, int n, int k) {
  const int r = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  const int c = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n && c < n)
    a[r * n + c] -= a[r * n + k] / a[k * n + k] * a[k * n + c];
}
__global__ void scaleColumn(double *a, int n, int k) {
  const int r = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n)
    a[r * n + k] /= a[k * n + k];
}

__global__ void cholesky(double *matrices, int n) {
  __shared__ double l[32][33];
  double *a = matrices + blockIdx.x * n * n;
  const int t = threadIdx.x;
  for (int i = t; i < n * n; i += blockDim.x)
    l[i / n][i % n] = a[i];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    if (t == k)
      l[k][k] = sqrt(l[k][k]);
    __syncthreads();
    if (t > k && t < n)
      l[t][k] /= l[k][k];
    __syncthreads();
    if (t > k && t < n)
      for (int c = k + 1; c <= t; ++c)
        l[t][c] -= l[t][k] * l[c][k];
  }
  __syncthreads();
  for (int i = t; i < n * n; i += blockDim.x)
    a[i] = i % n <= i / n ? l[i / n][i % n] : 0;
}

int main() {
  const int n = 60;
  auto a = randomIn<double>(n * n, -1, 1, 1);
  const auto original = a, b = randomIn<double>(n, -1, 1, 2);
  Device<double> matrix(a);
  Device<int> pivots(n);
  for (int k = 0; k < n; ++k) {
    choosePivot<<<1, 128>>>(matrix, pivots, n, k);
    if (k + 1 < n) {
      eliminate<<<dim3((n - k + 14) / 16, (n - k + 14) / 16), dim3(16, 16)>>>(matrix, n, k);
      scaleColumn<<<1, 64>>>(matrix, n, k);
    }
  }
  std::vector<int> wantPivots(n);
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int r = k; r < n; ++r)
      if (std::fabs(a[r * n + k]) > std::fabs(a[p * n + k]))
        p = r;
    wantPivots[k] = p;
    std::swap_ranges(&a[k * n], &a[k * n] + n, &a[p * n]); // a row with itself: nothing
    for (int r = k + 1; r < n; ++r) {
      a[r * n + k] /= a[k * n + k];
      for (int c = k + 1; c < n; ++c)
        a[r * n + c] -= a[r * n + k] * a[k * n + c];
    }
  }
  expectSame("pivots", pivots.host(), wantPivots);
  const auto lu = matrix.host();
  expectSame("LU", lu, a);
  std::vector<double> x = b;
  for (int k = 0; k < n; ++k)
    std::swap(x[k], x[wantPivots[k]]);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < r; ++c)
      x[r] -= lu[r * n + c] * x[c];
  for (int r = n; r-- > 0;) {
    for (int c = r + 1; c < n; ++c)
      x[r] -= lu[r * n + c] * x[c];
    x[r] /= lu[r * n + r];
  }
  for (int r = 0; r < n; ++r) {
    double sum = -b[r];
    for (int c = 0; c < n; ++c)
      sum += original[r * n + c] * x[c];
    EXPECT(std::fabs(sum) < 1e-10);
  }

  const int m = 24, count = 6;
  std::vector<double> spd(count * m * m);
  for (int k = 0; k < count; ++k) {
    const auto g = randomIn<double>(m * m, -1, 1, 10 + k);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j)
        for (int c = 0; c < m; ++c)
          spd[(k * m + i) * m + j] += g[i * m + c] * g[j * m + c] + (i == j && c == 0);
  }
  Device<double> factors(spd);
  cholesky<<<count, 64>>>(factors, m);
  const auto l = factors.host();
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        double sum = 0;
        for (int c = 0; c < m; ++c)
          sum += l[(k * m + i) * m + c] * l[(k * m + j) * m + c];
        EXPECT(std::fabs(sum - spd[(k * m + i) * m + j]) < 1e-12 * m);
      }
  return verdict();
}
