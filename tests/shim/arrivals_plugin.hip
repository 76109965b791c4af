// A library that is opened, used and closed, more than once: its code object goes and comes with it. No managed
// variable here: HIP 5.2 keeps those of a library that is gone.
#include <hip/hip_runtime.h>

__device__ int loads = 3;

static __global__ void inPlugin(int *x) {
  x[threadIdx.x] = threadIdx.x < 32 ? 5 + loads : 7 * loads;
}

extern "C" __attribute__((visibility("default"))) bool libraryWork() {
  int *device, host[64] = {};
  if (hipMalloc(&device, sizeof(host)))
    return false;
  inPlugin<<<1, 64>>>(device);
  if (hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost))
    return false;
  for (int i = 0; i < 64; ++i)
    if (host[i] != (i < 32 ? 8 : 21))
      return false;
  return hipFree(device) == hipSuccess;
}
