// Kernels for the line table's test: several functions, inlining, a loop, a call that stays.
#include <hip/hip_runtime.h>

__device__ inline float half(float x) { return x * 0.5f; }

__device__ __attribute__((noinline)) float outOfLine(float x, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += x / (k + 1);
  return sum;
}

__global__ void first(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = half(data[i]) + outOfLine(data[i], n & 7);
}

__global__ void second(float *data, int n) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = data[i];
  __syncthreads();
  for (int k = 0; k < n; ++k)
    data[i] += half(tile[(i + k) & 63]);
}
