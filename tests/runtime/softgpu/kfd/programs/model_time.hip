// What events say about launches, in nanoseconds; with modelled time each run says the
// same.
#include "tests/e2e/programs/check.h"

#include <hip/hip_ext.h>

__global__ void work(float *p, int n) {
  float a = p[threadIdx.x];
  for (int i = 0; i < n; ++i)
    a = a * 1.5f + 0.5f;
  p[threadIdx.x] = a;
}

int main() {
  float *p;
  HIP(hipMalloc(&p, 1 << 20));
  HIP(hipMemset(p, 0, 1 << 20));
  hipEvent_t begin, end;
  HIP(hipEventCreate(&begin));
  HIP(hipEventCreate(&end));
  auto elapsed = [&] {
    float ms = -1;
    HIP(hipEventSynchronize(end));
    HIP(hipEventElapsedTime(&ms, begin, end));
    return std::lround(double(ms) * 1e6);
  };
  // The first launch loads the code, by a kernel of the runtime's own.
  work<<<1, 64>>>(p, 1);
  HIP(hipDeviceSynchronize());
  for (int round = 0; round < 2; ++round)
    for (const int launches : {1, 2, 5}) {
      HIP(hipEventRecord(begin));
      for (int i = 0; i < launches; ++i)
        work<<<1, 64>>>(p, 1000);
      HIP(hipEventRecord(end));
      std::printf("launches %d %ld\n", launches, elapsed());
      hipExtLaunchKernelGGL(work, dim3(1), dim3(64), 0, nullptr, begin, end, 0, p, 1000);
      std::printf("exact %ld\n", elapsed());
    }
  return failures;
}
