#include <hip/hip_runtime.h>

__device__ float fromA(float v);
__device__ int table[4] = {1, 2, 3, 4};
__device__ float fromB(float v) { return v * table[int(v) & 3]; }

extern "C" __global__ void unitB(float *x) { x[threadIdx.x] = fromA(x[threadIdx.x]) * 2; }
