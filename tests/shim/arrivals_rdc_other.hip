// The other unit of the relocatable program.
#include <hip/hip_runtime.h>

__device__ int shared = 100;
__device__ int scaled(int v) { return v * 11 + 1; }
__global__ void otherUnit(int *x) { x[threadIdx.x] += shared; }
