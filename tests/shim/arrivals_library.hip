// A shared library with kernels and a managed variable of its own, opened with dlopen.
#include <hip/hip_runtime.h>

__managed__ int managed = 11;

static __global__ void inLibrary(int *x) { x[threadIdx.x] = threadIdx.x < 32 ? 5 : managed; }

extern "C" __attribute__((visibility("default"))) bool libraryWork() {
  int *device, host[64] = {};
  if (managed != 11)
    return false;
  managed = 20;
  if (hipMalloc(&device, sizeof(host)))
    return false;
  inLibrary<<<1, 64>>>(device);
  if (hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost))
    return false;
  for (int i = 0; i < 64; ++i)
    if (host[i] != (i < 32 ? 5 : 20))
      return false;
  return hipFree(device) == hipSuccess;
}
