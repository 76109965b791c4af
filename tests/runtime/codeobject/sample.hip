// Something of everything that metadata can say.
#include <hip/hip_runtime.h>

__device__ int counter = 7;
__device__ float zeros[64];
__constant__ int table[16] = {1, 2, 3};

__global__ __launch_bounds__(128) void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] += a * x[i] + table[i & 15] + zeros[i & 63];
    atomicAdd(&counter, 1);
  }
}

__global__ void reduce(const float *in, float *out) {
  __shared__ float sums[256];
  sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int s = 128; s; s /= 2) {
    if (threadIdx.x < s)
      sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  if (!threadIdx.x)
    out[blockIdx.x] = sums[0];
}

__attribute__((amdgpu_flat_work_group_size(64, 64))) __global__ void scratch(int *out, int at) {
  int local[32];
  for (int i = 0; i < 32; ++i)
    local[i] = i * at;
  out[threadIdx.x] = local[(at + threadIdx.x) & 31];
}

int main() { return 0; }
