// Two kernels that the IR's costs speak for; only the second is better as machine code.
#include <hip/hip_runtime.h>

// LLVM's own -O3 makes one quotient of each two by sinking; melded before, the selects stand elsewhere and cost more.
extern "C" __global__ void quotients(unsigned *y, const unsigned *z, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (y[i] & 1)
    y[i] = (y[i] / n + z[i] / (n + 1)) % (n + 3);
  else
    y[i] = (z[i] / n + y[i] / (n + 1)) % (n + 3);
}

extern "C" __global__ void remainders(unsigned *y, const unsigned *z) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned n = z[i] | 1;
  if (i & 1)
    y[2 * i] = (y[2 * i] % n + 17) % (n + 2);
  else
    y[3 * i] = (y[3 * i] % n + 35) % (n + 4);
}
