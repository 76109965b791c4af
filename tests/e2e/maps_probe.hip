// Runs one divergent kernel, checks it, and prints which of our libraries this process has mapped.
#include "bench/kernels/harness.h"

#include <fstream>

__global__ void sortPairs(int *v) {
  const unsigned i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (threadIdx.x & 1) {
    if (v[i] > v[i + 1]) {
      int t = v[i];
      v[i] = v[i + 1];
      v[i + 1] = t;
    }
  } else {
    if (v[i] < v[i + 1]) {
      int t = v[i];
      v[i] = v[i + 1];
      v[i + 1] = t;
    }
  }
}

int main() {
  const unsigned n = 4096;
  std::vector<int> host(n);
  bench::Random random(7);
  for (int &x : host)
    x = static_cast<int>(random.next());
  bench::DeviceBuffer<int> device(host);
  sortPairs<<<dim3(n / 2 / 64), dim3(64)>>>(device.get());
  HIP_CHECK(hipDeviceSynchronize());
  for (unsigned t = 0; t < n / 2; ++t) {
    int &a = host[2 * t], &b = host[2 * t + 1];
    if (t & 1 ? a > b : a < b)
      std::swap(a, b);
  }
  bench::Verdicts verdicts("maps_probe");
  verdicts.expectEqual("sort pairs", device.download(), host);

  std::ifstream maps("/proc/self/maps");
  bool jit = false, shim = false;
  for (std::string line; std::getline(maps, line);) {
    jit |= line.find("libmeld-jit.so") != std::string::npos;
    shim |= line.find("/libmeld.so") != std::string::npos;
  }
  std::printf("libmeld.so %s\nlibmeld-jit.so %s\n", shim ? "mapped" : "absent",
              jit ? "mapped" : "absent");
  return verdicts.exitCode();
}
