// LDS, barriers, a loop, a device-library function, device globals.
#include <hip/hip_runtime.h>

__device__ int calls;
__constant__ float offsets[4] = {1, 2, 3, 4};

extern "C" __global__ void reduce(float *out, const float *in) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int k = 128; k; k >>= 1) {
    if (t < k)
      s[t] += s[t + k];
    __syncthreads();
  }
  if (!t) {
    atomicAdd(&calls, 1);
    out[blockIdx.x] = sinf(s[0]) + offsets[blockIdx.x & 3];
  }
}
