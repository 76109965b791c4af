// The same two sides behind branches that do not diverge within a wave, and behind some that do.
#include <hip/hip_runtime.h>

#define SORT_NEIGHBOURS(condition)                                                                 \
  __shared__ unsigned shared[256];                                                                 \
  const unsigned at = blockIdx.x * 256 + threadIdx.x;                                              \
  const unsigned me = threadIdx.x & 255, other = me ^ 1;                                           \
  shared[me] = values[at];                                                                         \
  __syncthreads();                                                                                 \
  const unsigned x = shared[me], y = shared[other];                                                \
  if (condition) {                                                                                 \
    if (x > y) {                                                                                   \
      shared[me] = y;                                                                              \
      shared[other] = x;                                                                           \
    }                                                                                              \
  } else {                                                                                         \
    if (x < y) {                                                                                   \
      shared[me] = y;                                                                              \
      shared[other] = x;                                                                           \
    }                                                                                              \
  }                                                                                                \
  __syncthreads();                                                                                 \
  values[at] = shared[me];

extern "C" __global__ void argument(unsigned *values, int n) { SORT_NEIGHBOURS(n == 3) }
extern "C" __global__ void block(unsigned *values) { SORT_NEIGHBOURS((blockIdx.x & 1) != 0) }
extern "C" __global__ void memory(unsigned *values, const int *__restrict__ which) {
  SORT_NEIGHBOURS(*which == 3)
}
extern "C" __global__ void __launch_bounds__(256) wave(unsigned *values) {
  SORT_NEIGHBOURS(threadIdx.x < 64)
}
extern "C" __global__ void __launch_bounds__(256) half(unsigned *values) {
  SORT_NEIGHBOURS(threadIdx.x < 32)
}
extern "C" __global__ void parity(unsigned *values) { SORT_NEIGHBOURS((threadIdx.x & 1) != 0) }
