// k-means (Lloyd's algorithm) with integer sums, so that the order of additions cannot matter: the
// assignment, the centres and the number of iterations until nothing moves are the host's. And
// k nearest neighbours by a bounded insertion list per thread.
#include "check.h"

#include <algorithm>
#include <numeric>

constexpr int clusters = 7, dimensions = 3;

__global__ void assign(const int *points, const int *centres, int *label, unsigned long long *sums,
                       int *counts, int *moved, int n) {
  __shared__ unsigned long long localSums[clusters * dimensions];
  __shared__ int localCounts[clusters];
  for (int i = threadIdx.x; i < clusters * dimensions; i += blockDim.x)
    localSums[i] = 0;
  if (threadIdx.x < clusters)
    localCounts[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    long long best = 1ll << 62;
    int which = 0;
    for (int c = 0; c < clusters; ++c) {
      long long distance = 0;
      for (int d = 0; d < dimensions; ++d) {
        const long long delta = points[i * dimensions + d] - centres[c * dimensions + d];
        distance += delta * delta;
      }
      if (distance < best)
        best = distance, which = c;
    }
    if (label[i] != which) {
      label[i] = which;
      atomicAdd(moved, 1);
    }
    atomicAdd(&localCounts[which], 1);
    for (int d = 0; d < dimensions; ++d)
      atomicAdd(&localSums[which * dimensions + d], (unsigned long long)points[i * dimensions + d]);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < clusters * dimensions; k += blockDim.x)
    atomicAdd(&sums[k], localSums[k]);
  if (threadIdx.x < clusters)
    atomicAdd(&counts[threadIdx.x], localCounts[threadIdx.x]);
}
__global__ void recentre(int *centres, unsigned long long *sums, int *counts) {
  const int c = threadIdx.x / dimensions;
  if (counts[c])
    centres[threadIdx.x] = int(sums[threadIdx.x] / counts[c]);
  __syncthreads();
  sums[threadIdx.x] = 0;
  if (threadIdx.x % dimensions == 0)
    counts[c] = 0;
}
__global__ void nearest(const int *points, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  long long distances[5];
  int who[5], size = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i)
      continue;
    long long distance = 0;
    for (int d = 0; d < dimensions; ++d) {
      const long long delta = points[i * dimensions + d] - points[j * dimensions + d];
      distance += delta * delta;
    }
    if (size == 5 && distance >= distances[4])
      continue;
    int at = size < 5 ? size++ : 4;
    for (; at > 0 && distances[at - 1] > distance; --at) {
      distances[at] = distances[at - 1];
      who[at] = who[at - 1];
    }
    distances[at] = distance;
    who[at] = j;
  }
  for (int k = 0; k < 5; ++k)
    out[i * 5 + k] = who[k];
}

int main() {
  const int n = 1200;
  Random random(1);
  std::vector<int> points(n * dimensions);
  for (int i = 0; i < n * dimensions; ++i)
    points[i] = 100000 * (1 + (i / dimensions * 5 + i % dimensions * 3) % clusters) +
                int(random.below(90000));
  std::vector<int> centres(points.begin(), points.begin() + clusters * dimensions), label(n, -1);
  Device<int> dPoints(points), dCentres(centres), dLabel(label),
      counts(std::vector<int>(clusters, 0)), moved(1);
  Device<unsigned long long> sums(std::vector<unsigned long long>(clusters * dimensions, 0));
  int iterations = 0, wantIterations = 0, changes = 1;
  for (; changes && iterations < 100; ++iterations) {
    HIP(hipMemset(moved, 0, sizeof(int)));
    assign<<<(n + 127) / 128, 128>>>(dPoints, dCentres, dLabel, sums, counts, moved, n);
    recentre<<<1, clusters * dimensions>>>(dCentres, sums, counts);
    changes = moved.host()[0];
  }
  auto distance = [&](const int *a, const int *b) {
    long long s = 0;
    for (int d = 0; d < dimensions; ++d)
      s += 1ll * (a[d] - b[d]) * (a[d] - b[d]);
    return s;
  };
  for (changes = 1; changes && wantIterations < 100; ++wantIterations) {
    changes = 0;
    std::vector<long long> total(clusters * dimensions, 0), size(clusters, 0);
    for (int i = 0; i < n; ++i) {
      int best = 0;
      for (int c = 1; c < clusters; ++c)
        if (distance(&points[i * dimensions], &centres[c * dimensions]) <
            distance(&points[i * dimensions], &centres[best * dimensions]))
          best = c;
      changes += label[i] != best;
      label[i] = best;
      ++size[best];
      for (int d = 0; d < dimensions; ++d)
        total[best * dimensions + d] += points[i * dimensions + d];
    }
    for (int k = 0; k < clusters * dimensions; ++k)
      if (size[k / dimensions])
        centres[k] = int(total[k] / size[k / dimensions]);
  }
  EXPECT(iterations == wantIterations && iterations > 2);
  expectSame("labels", dLabel.host(), label);
  expectSame("centres", dCentres.host(), centres);

  const int few = 300;
  Device<int> neighbours(few * 5);
  nearest<<<(few + 63) / 64, 64>>>(dPoints, neighbours, few);
  std::vector<int> want;
  for (int i = 0; i < few; ++i) {
    std::vector<int> order(few);
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + i);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return distance(&points[i * dimensions], &points[a * dimensions]) <
             distance(&points[i * dimensions], &points[b * dimensions]);
    });
    want.insert(want.end(), order.begin(), order.begin() + 5);
  }
  expectSame("neighbours", neighbours.host(), want);
  return verdict();
}
