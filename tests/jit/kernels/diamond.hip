// Two kernels with divergent two-armed branches, one with a device function.
#include <hip/hip_runtime.h>

__device__ __noinline__ float scaled(float v, float a) { return v * a + 3.0f; }

extern "C" __global__ void diamond(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (x[i] > 0)
    y[i] += a * x[i];
  else
    y[i] -= a * x[i] * 2;
}

extern "C" __global__ void viaFunction(float *y, const float *x, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = scaled(x[i], a);
}
