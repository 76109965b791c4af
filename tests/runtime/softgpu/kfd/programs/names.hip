// Prints the kernels' names through the library's counters: run with MELD_COUNTERS and look there.
#include "tests/e2e/programs/check.h"

__global__ void firstKernelOfThisTest(int *p) { p[threadIdx.x] = threadIdx.x; }
template <class T> __global__ void secondKernelOfThisTest(T *p) { p[threadIdx.x] *= 2; }

int main() {
  int *p = nullptr;
  HIP(hipMalloc(&p, 64 * sizeof(int)));
  firstKernelOfThisTest<<<1, 64>>>(p);
  secondKernelOfThisTest<<<1, 64>>>(p);
  int got[64];
  HIP(hipMemcpy(got, p, sizeof got, hipMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i)
    EXPECT(got[i] == 2 * i);
  HIP(hipFree(p));
  return verdict();
}
