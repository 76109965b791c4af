// One block sorts N values in LDS, one per thread.
#include <hip/hip_runtime.h>

extern "C" __global__ void __launch_bounds__(N) kernel(int *values) {
  __shared__ int shared[N];
  const unsigned tid = threadIdx.x;
  shared[tid] = values[blockIdx.x * N + tid];
  __syncthreads();
  for (unsigned k = 2; k <= N; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      const unsigned other = tid ^ j;
      if (other > tid) {
        if ((tid & k) == 0) {
          if (shared[tid] > shared[other]) {
            const int t = shared[tid];
            shared[tid] = shared[other];
            shared[other] = t;
          }
        } else {
          if (shared[tid] < shared[other]) {
            const int t = shared[tid];
            shared[tid] = shared[other];
            shared[other] = t;
          }
        }
      }
      __syncthreads();
    }
  }
  values[blockIdx.x * N + tid] = shared[tid];
}
