// With rdc_b.hip: two translation units of one code object, each needing the other.
#include <hip/hip_runtime.h>

__device__ float fromB(float v);
__device__ float fromA(float v) { return v + 1; }

extern "C" __global__ void unitA(float *x) { x[threadIdx.x] = fromB(x[threadIdx.x]); }
int main() { return 0; }
