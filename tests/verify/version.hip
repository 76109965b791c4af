// A kernel, and with -DVERSION a version of it for launches whose order is 2, which needs more LDS and
// more registers; with -DWRONG that stores a value that is too large by one, in one lane of the
// launch whose round is 3.
//
//   version LAUNCHES OTHERS DYNAMIC    so many launches with order 2, then others with order 5, with
//                                      bytes of dynamic LDS that nobody uses
//
// Ends with 0 when the original's results are what the program sees.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const hipError_t error = (call);                                                               \
    if (error != hipSuccess) {                                                                     \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error));                           \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

constexpr int kThreads = 256, kBlocks = 4, kCount = kThreads * kBlocks;

__global__ void turn(int *data, int order, int round) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef VERSION
  __shared__ int values[2 * kThreads]; // of which the original's packet has the first half
  int *mine = values + kThreads;
  __asm__ volatile("v_mov_b32 v200, 0" ::: "v200");
  // What the compiler of versions says: no work-group waits for another. So it may have more LDS.
  __asm__ volatile(
      ".pushsection .meld,\"\",@progbits\n.ascii \"{\\\"waits\\\": false}\"\n.popsection");
  order = 2;
#else
  __shared__ int mine[kThreads];
#endif
  mine[threadIdx.x] = data[i];
  __syncthreads();
  int value = mine[kThreads - 1 - threadIdx.x] * order + round;
#ifdef WRONG
  if (round == 3 && blockIdx.x == 1 && threadIdx.x == 37)
    value += 1;
#endif
  data[i] = value;
}

int main(int argc, char **argv) {
  const auto number = [&](int n) { return argc > n ? std::atoi(argv[n]) : 0; };
  const int launches = number(1), others = number(2), dynamic = number(3);
  std::vector<int> values(kCount), next(kCount);
  for (int i = 0; i < kCount; ++i)
    values[i] = i;
  int *data;
  CHECK(hipMalloc(&data, kCount * sizeof(int)));
  CHECK(hipMemcpy(data, values.data(), kCount * sizeof(int), hipMemcpyHostToDevice));
  for (int round = 0; round < launches + others; ++round) {
    const int order = round < launches ? 2 : 5;
    turn<<<kBlocks, kThreads, dynamic>>>(data, order, round);
    for (int i = 0; i < kCount; ++i) {
      const int from = i / kThreads * kThreads + kThreads - 1 - i % kThreads;
      next[i] = int(unsigned(values[from]) * unsigned(order) + unsigned(round));
    }
    values.swap(next);
  }
  CHECK(hipMemcpy(next.data(), data, kCount * sizeof(int), hipMemcpyDeviceToHost));
  std::puts(next == values ? "PASS" : "FAIL");
  return next != values;
}
