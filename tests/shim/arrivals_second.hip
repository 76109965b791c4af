// A second translation unit: a second fat binary in the same executable.
#include "tests/shim/arrivals.h"

static __global__ void second(int *x) { x[threadIdx.x] = threadIdx.x % 3 ? 1 : x[threadIdx.x] + 2; }

bool secondUnit() {
  int *device, host[64] = {};
  if (hipMalloc(&device, sizeof(host)) || hipMemset(device, 0, sizeof(host)))
    return false;
  second<<<1, 64>>>(device);
  if (hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost))
    return false;
  for (int i = 0; i < 64; ++i)
    if (host[i] != (i % 3 ? 1 : 2))
      return false;
  return hipFree(device) == hipSuccess;
}
