// MS: bottom-up merge sort; every thread merges its own pair of runs, choosing by data which side
// to take.
#include "harness.h"

#include <algorithm>

__global__ void mergePass(const int *from, int *to, unsigned n, unsigned width) {
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * width;
  if (first >= n)
    return;
  const unsigned middle = min(first + width, n), end = min(first + 2 * width, n);
  unsigned i = first, j = middle;
  for (unsigned k = first; k < end; ++k) {
    if (i < middle && (j >= end || from[i] <= from[j])) {
      to[k] = from[i];
      ++i;
    } else {
      to[k] = from[j];
      ++j;
    }
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {16384, 131072, "values"});
  bench::Verdicts verdicts("merge_sort");
  const unsigned n = static_cast<unsigned>(o.size);
  for (unsigned block : {32u, 64u, 128u, 256u}) {
    if (o.block && o.block != block)
      continue;
    bench::Random random(o.seed);
    std::vector<int> host(n);
    for (int &x : host)
      x = static_cast<int>(random.next());
    bench::DeviceBuffer<int> a(host), b(n);
    int *from = a.get(), *to = b.get();
    for (unsigned width = 1; width < n; width *= 2) {
      const unsigned threads = (n + 2 * width - 1) / (2 * width);
      mergePass<<<dim3((threads + block - 1) / block), dim3(block)>>>(from, to, n, width);
      HIP_CHECK(hipGetLastError());
      std::swap(from, to);
    }
    HIP_CHECK(hipDeviceSynchronize());
    std::vector<int> got(n);
    HIP_CHECK(hipMemcpy(got.data(), from, n * sizeof(int), hipMemcpyDeviceToHost));
    std::sort(host.begin(), host.end());
    verdicts.expectEqual("n=" + std::to_string(n) + " block=" + std::to_string(block), got, host);
  }
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
