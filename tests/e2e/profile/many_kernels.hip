// Forty kernels with something to meld, of which three run: what a library of templates looks like to
// a program.
#include "tests/e2e/programs/check.h"

#include <array>

// What the host computes, too.
template <unsigned N> __host__ __device__ unsigned step(unsigned x, unsigned i) {
  if ((x >> (N % 7)) & 1) {
    x = x * (2 * N + 3) + (x >> 5);
    x ^= (x << 7) + i * N;
    x = x * 69069u + N;
    x ^= x >> 11;
    x = x * (N + 5) + (x >> 3);
  } else {
    x = x * (2 * N + 9) + (x >> 6);
    x ^= (x << 9) + i * (N + 1);
    x = x * 1664525u + N;
    x ^= x >> 13;
    x = x * (N + 11) + (x >> 2);
    x ^= 0x9e3779b9u; // of sides that end alike LLVM 21 makes one by itself
  }
  return x;
}

template <unsigned N> __global__ void churn(unsigned *data, unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = data[i];
  for (unsigned r = 0; r < rounds; ++r)
    x = step<N>(x, i);
  data[i] = x;
}

using Kernel = void (*)(unsigned *, unsigned);
template <unsigned... N>
constexpr std::array<Kernel, sizeof...(N)> all(std::integer_sequence<unsigned, N...>) {
  return {churn<N>...};
}
// Named, so that all are compiled.
constexpr auto kernels = all(std::make_integer_sequence<unsigned, 40>());

template <unsigned N> void run() {
  constexpr unsigned size = 256, rounds = 5;
  std::vector<unsigned> data(size);
  for (unsigned i = 0; i < size; ++i)
    data[i] = i * 2654435761u;
  std::vector<unsigned> expected = data;
  for (unsigned i = 0; i < size; ++i)
    for (unsigned r = 0; r < rounds; ++r)
      expected[i] = step<N>(expected[i], i);
  unsigned *device = nullptr;
  HIP(hipMalloc(&device, size * sizeof(unsigned)));
  HIP(hipMemcpy(device, data.data(), size * sizeof(unsigned), hipMemcpyHostToDevice));
  kernels[N]<<<size / 64, 64>>>(device, rounds);
  HIP(hipMemcpy(data.data(), device, size * sizeof(unsigned), hipMemcpyDeviceToHost));
  HIP(hipFree(device));
  EXPECT(data == expected);
}

int main() {
  run<3>();
  run<17>();
  run<31>();
  run<17>();
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
