// Beside a kernel that is worth melding what a test makes LLVM swap registers in, beside a call.
#include "bitonic.hip"

__device__ __attribute__((noinline)) void note(unsigned *data) { asm volatile("" ::"v"(data)); }

__device__ __attribute__((noinline)) void exchange(unsigned *data) {
  unsigned low = data[0], high = data[1];
  note(data);
  asm volatile("v_xor_b32 %0, %1, %0" : "+v"(low), "+v"(high));
  data[0] = low;
  data[1] = high;
}

extern "C" __global__ void calls(unsigned *data) {
  exchange(data + blockIdx.x * blockDim.x + threadIdx.x);
}

extern "C" __global__ void exchanges(unsigned *data) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = data[i], high = data[i + 1];
  note(data);
  asm volatile("v_xor_b32 %0, %1, %0" : "+v"(low), "+v"(high));
  data[i] = low;
  data[i + 1] = high;
}
