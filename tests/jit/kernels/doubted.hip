// Beside a kernel that is worth melding one that a test makes LLVM swap registers in, behind a call.
#include "bitonic.hip"

__device__ __attribute__((noinline)) void note(unsigned *data) { asm volatile("" ::"v"(data)); }

extern "C" __global__ void exchanges(unsigned *data) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = data[i], high = data[i + 1];
  note(data);
  asm volatile("v_xor_b32 %0, %1, %0" : "+v"(low), "+v"(high));
  data[i] = low;
  data[i + 1] = high;
}
