// K-means, after Rodinia: every thread finds the nearest of a few centres for its point, then adds
// the point to that centre's sums by atomics.
#include "harness.h"

constexpr int features = 8, centres = 5;

__global__ void assign(const int *points, const int *centre, int *member, int *sums, int *counts,
                       int n) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= n)
    return;
  int best = 0, least = 0x7fffffff;
  for (int c = 0; c < centres; ++c) {
    int distance = 0;
    for (int f = 0; f < features; ++f) {
      const int d = points[f * n + at] - centre[c * features + f];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  if (member[at] != best) {
    member[at] = best;
    atomicAdd(&counts[centres], 1);
  }
  atomicAdd(&counts[best], 1);
  for (int f = 0; f < features; ++f)
    atomicAdd(&sums[best * features + f], points[f * n + at]);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {3000, 200000, "points"});
  bench::Verdicts verdicts("kmeans");
  const unsigned block = o.block ? o.block : 256;
  const int n = static_cast<int>(o.size);
  bench::Random random(o.seed);
  std::vector<int> points(features * n), centre(centres * features), member(n, -1);
  for (int &x : points)
    x = static_cast<int>(random.below(1000));
  for (int &x : centre)
    x = static_cast<int>(random.below(1000));
  std::vector<int> want(n), sums(centres * features), counts(centres + 1);
  for (int i = 0; i < n; ++i) {
    long least = 1L << 40;
    for (int c = 0; c < centres; ++c) {
      long distance = 0;
      for (int f = 0; f < features; ++f) {
        const long d = points[f * n + i] - centre[c * features + f];
        distance += d * d;
      }
      if (distance < least) {
        least = distance;
        want[i] = c;
      }
    }
    ++counts[want[i]];
    ++counts[centres];
    for (int f = 0; f < features; ++f)
      sums[want[i] * features + f] += points[f * n + i];
  }
  bench::DeviceBuffer<int> dPoints(points), dCentre(centre), dMember(member),
      dSums(std::vector<int>(sums.size())), dCounts(std::vector<int>(counts.size()));
  assign<<<dim3((n + block - 1) / block), dim3(block)>>>(
      dPoints.get(), dCentre.get(), dMember.get(), dSums.get(), dCounts.get(), n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  auto got = dMember.download();
  const auto gotSums = dSums.download(), gotCounts = dCounts.download();
  got.insert(got.end(), gotSums.begin(), gotSums.end());
  got.insert(got.end(), gotCounts.begin(), gotCounts.end());
  want.insert(want.end(), sums.begin(), sums.end());
  want.insert(want.end(), counts.begin(), counts.end());
  verdicts.expectEqual("points=" + std::to_string(n), got, want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
