// Running out of device memory is hipErrorOutOfMemory, the device stays usable, and freed memory
// can be had again.
#include "tests/e2e/programs/check.h"

#include <vector>

int main() {
  size_t free = 0, total = 0;
  HIP(hipMemGetInfo(&free, &total));
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  EXPECT(properties.totalGlobalMem == total);
  void *p = nullptr;
  EXPECT(hipMalloc(&p, total + 4096) == hipErrorOutOfMemory);
  EXPECT(hipMalloc(&p, size_t{1} << 44) == hipErrorOutOfMemory);
  (void)hipGetLastError();
  for (int round = 0; round < 3; ++round) {
    std::vector<void *> all;
    const size_t piece = total / 16;
    for (;;) {
      const hipError_t error = hipMalloc(&p, piece);
      if (error != hipSuccess) {
        EXPECT(error == hipErrorOutOfMemory);
        break;
      }
      all.push_back(p);
      if (all.size() > 16)
        break;
    }
    (void)hipGetLastError();
    EXPECT(all.size() >= 14 && all.size() <= 16);
    for (void *q : all)
      HIP(hipFree(q));
  }
  int in = 42, out = 0;
  HIP(hipMalloc(&p, 4));
  HIP(hipMemcpy(p, &in, 4, hipMemcpyHostToDevice));
  HIP(hipMemcpy(&out, p, 4, hipMemcpyDeviceToHost));
  EXPECT(out == 42);
  HIP(hipFree(p));
  return verdict();
}
