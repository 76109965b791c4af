// Lanes of a wave take both sides, which do nearly the same. Integers: the results are the same bit for bit.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <vector>

__host__ __device__ inline unsigned left(unsigned x) {
  for (unsigned i = 0; i < 4; ++i)
    x = (x * 2654435761u ^ (x >> 13)) + 0x9e3779b9u;
  return x;
}
__host__ __device__ inline unsigned right(unsigned x) {
  for (unsigned i = 0; i < 4; ++i)
    x = (x * 2246822519u ^ (x >> 13)) + 0x85ebca6bu;
  return x ^ 0x27d4eb2fu; // of sides that end alike LLVM 21 makes one by itself
}

__global__ void sides(const unsigned *in, unsigned *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] & 1)
    out[i] = left(in[i]);
  else
    out[i] = right(in[i]);
}

int main() {
  constexpr unsigned n = 4096;
  std::vector<unsigned> in(n), out(n);
  for (unsigned i = 0; i < n; ++i)
    in[i] = i * 2654435761u >> 7;
  unsigned *from = nullptr, *to = nullptr;
  if (hipMalloc(&from, n * 4) != hipSuccess || hipMalloc(&to, n * 4) != hipSuccess ||
      hipMemcpy(from, in.data(), n * 4, hipMemcpyHostToDevice) != hipSuccess)
    return 2;
  sides<<<n / 256, 256>>>(from, to);
  if (hipMemcpy(out.data(), to, n * 4, hipMemcpyDeviceToHost) != hipSuccess)
    return 2;
  unsigned wrong = 0, sum = 0;
  for (unsigned i = 0; i < n; ++i) {
    wrong += out[i] != (in[i] & 1 ? left(in[i]) : right(in[i]));
    sum = sum * 31 + out[i];
  }
  std::printf("sum %08x, %u wrong\n", sum, wrong);
  return wrong != 0;
}
