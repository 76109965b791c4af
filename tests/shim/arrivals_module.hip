// Loaded with hipModuleLoad.
#include <hip/hip_runtime.h>

extern "C" __global__ void moduleKernel(int *x) {
  int v = x[threadIdx.x];
  x[threadIdx.x] = v & 1 ? v + 10 : v * v;
}
