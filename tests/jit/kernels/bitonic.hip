// Bitonic sort in LDS: each step's two arms end in a compare that branches to the same two successors.
#include <hip/hip_runtime.h>

extern "C" __global__ void bitonic(int *values) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = values[blockIdx.x * 256 + t];
  __syncthreads();
  for (int k = 2; k <= 256; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      int other = t ^ j;
      if (other > t) {
        if ((t & k) == 0) {
          if (s[t] > s[other]) {
            int v = s[t];
            s[t] = s[other];
            s[other] = v;
          }
        } else {
          if (s[t] < s[other]) {
            int v = s[t];
            s[t] = s[other];
            s[other] = v;
          }
        }
      }
      __syncthreads();
    }
  }
  values[blockIdx.x * 256 + t] = s[t];
}
