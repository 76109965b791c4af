// A code object of about 100 KB, bitcode included, for the cost of loading one.
#include <hip/hip_runtime.h>

template <int N> __device__ float work(float v, int lane) {
  for (int i = 0; i < N; ++i)
    v = (lane + i) & 1 ? v * (1.0f + N) + i : v * 0.5f - i * N;
  return lane & N ? sinf(v) : cosf(v) + N;
}

extern "C" __global__ void empty() {}

#define KERNEL(n)                                                                                  \
  extern "C" __global__ void kernel##n(float *x) {                                                 \
    x[threadIdx.x] = work<n + 3>(x[threadIdx.x], threadIdx.x);                                     \
  }
KERNEL(0) KERNEL(1) KERNEL(2) KERNEL(3) KERNEL(4) KERNEL(5) KERNEL(6) KERNEL(7) KERNEL(8) KERNEL(9)
