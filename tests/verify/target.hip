// A program for verification, in a right build and, with -DPLANTED, in a wrong one: the test's
// compiler replaces code objects of the first by those of the second.
//
//   target MODE [DEVICES]     streams, graph, racy, endless, variables, host, calls, twice, sabotage,
//                             quiet
//
// What is planted: one lane of one dispatch stores a value that is too large by one. Ends with 0
// when the *original* results are what the program sees.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const hipError_t error = (call);                                                               \
    if (error != hipSuccess) {                                                                     \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error));                           \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

#ifdef PLANTED
constexpr bool kPlanted = true;
#else
constexpr bool kPlanted = false;
#endif

constexpr int kThreads = 256, kBlocks = 4, kCount = kThreads * kBlocks, kRounds = 6;

// The two builds have these in another order, so that they lie at other addresses.
#ifdef PLANTED
__device__ int spare[1000] __attribute__((aligned(4096)));
__device__ int total[64] __attribute__((aligned(4096)));
#else
__device__ int total[64] __attribute__((aligned(4096)));
__device__ int spare[1000] __attribute__((aligned(4096)));
#endif
__device__ const int *whereTotal;
__constant__ int factor = 1;
static __device__ int hidden = 5;

__global__ void step(int *data, int round) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = data[i] * 3 + round;
  if (i % 2)
    value ^= 0x55;
  if (kPlanted && round == 3 && blockIdx.x == 1 && threadIdx.x == 37)
    value += 1;
  data[i] = value;
}

/// The same without a mistake in either build.
__global__ void stepRight(int *data, int round) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * 3 + round;
}

/// Who comes first depends on the order of the waves; the wrong build lets some of them come later.
__global__ void racy(int *data, int *next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kPlanted && i / 64 % 2 == 0)
#pragma unroll 1
    for (int k = 0; k < 4000; ++k)
      __asm__ volatile("s_nop 0");
  data[atomicAdd(next, 1)] = i;
}

/// The wrong build never comes to its end.
__global__ void endless(int *data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  while (kPlanted)
    __asm__ volatile("s_nop 0");
}

__global__ void variables(int *data, const int **pointer) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&total[i % 64], factor);
  if (i == 0) {
    ++hidden;
    whereTotal = &total[3];
    *pointer = total;
  }
  data[i] = total[(i + 1) % 64] >= 0 ? hidden * factor : 0;
  spare[i] = total[i];
}

/// Says something to the host and waits for its answer.
__global__ void host(int *data, volatile int *question, volatile int *answer) {
  if (threadIdx.x == 0) {
    __hip_atomic_store(const_cast<int *>(question), 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
    while (
        !__hip_atomic_load(const_cast<int *>(answer), __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM))
      __builtin_amdgcn_s_sleep(8);
  }
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] = *answer;
}

__global__ void calls(int *data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  if (i == 5)
    printf("once\n");
}

int expected(int i, int rounds, bool right) {
  int value = i;
  for (int r = 0; r < rounds; ++r) {
    value = value * 3 + r;
    if (!right && i % 2)
      value ^= 0x55;
  }
  return value;
}

int wrongValues(const std::vector<int> &have, bool right) {
  int wrong = 0;
  for (int i = 0; i < kCount; ++i)
    wrong += have[i] != expected(i, kRounds, right);
  return wrong;
}

std::vector<int> numbers() {
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; ++i)
    values[i] = i;
  return values;
}

int streams(bool graph) {
  constexpr size_t bytes = kCount * sizeof(int);
  const std::vector<int> start = numbers();
  hipStream_t stream[2];
  int *data[2], *pinned[2];
  for (int s = 0; s < 2; ++s) {
    CHECK(hipStreamCreateWithFlags(&stream[s], hipStreamNonBlocking));
    CHECK(hipMalloc(&data[s], bytes));
    CHECK(hipHostMalloc(&pinned[s], bytes));
    CHECK(hipMemcpy(data[s], start.data(), bytes, hipMemcpyHostToDevice));
  }
  auto launch = [&](int s) {
    for (int r = 0; r < kRounds; ++r)
      if (s)
        stepRight<<<kBlocks, kThreads, 0, stream[s]>>>(data[s], r);
      else
        step<<<kBlocks, kThreads, 0, stream[s]>>>(data[s], r);
    return hipMemcpyAsync(pinned[s], data[s], bytes, hipMemcpyDeviceToHost, stream[s]);
  };
  for (int s = 0; s < 2; ++s) {
    if (!graph) {
      CHECK(launch(s));
      continue;
    }
    hipGraph_t recorded;
    hipGraphExec_t executable;
    CHECK(hipStreamBeginCapture(stream[s], hipStreamCaptureModeGlobal));
    CHECK(launch(s));
    CHECK(hipStreamEndCapture(stream[s], &recorded));
    CHECK(hipGraphInstantiate(&executable, recorded, nullptr, nullptr, 0));
    CHECK(hipGraphLaunch(executable, stream[s]));
  }
  int wrong = 0;
  for (int s = 0; s < 2; ++s) {
    CHECK(hipStreamSynchronize(stream[s]));
    wrong += wrongValues({pinned[s], pinned[s] + kCount}, s == 1);
  }
  return wrong != 0;
}

int order() {
  int *data, *next;
  CHECK(hipMalloc(&data, kCount * sizeof(int)));
  CHECK(hipMalloc(&next, sizeof(int)));
  CHECK(hipMemset(next, 0, sizeof(int)));
  racy<<<kBlocks, kThreads>>>(data, next);
  std::vector<int> have(kCount);
  CHECK(hipMemcpy(have.data(), data, kCount * sizeof(int), hipMemcpyDeviceToHost));
  long sum = 0;
  for (int x : have)
    sum += x;
  return sum != long(kCount) * (kCount - 1) / 2;
}

int ends() {
  int *data;
  CHECK(hipMalloc(&data, kCount * sizeof(int)));
  endless<<<kBlocks, kThreads>>>(data);
  std::vector<int> have(kCount);
  CHECK(hipMemcpy(have.data(), data, kCount * sizeof(int), hipMemcpyDeviceToHost));
  return have != numbers();
}

int globals() {
  int *data, sums[64], times = 7, zeros[64] = {};
  const int **pointer, *seen;
  CHECK(hipMalloc(&data, kCount * sizeof(int)));
  CHECK(hipMalloc(&pointer, sizeof(*pointer)));
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(factor), &times, sizeof(times)));
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(total), zeros, sizeof(zeros)));
  for (int round = 0; round < 3; ++round)
    variables<<<1, 64>>>(data, pointer);
  CHECK(hipMemcpyFromSymbol(sums, HIP_SYMBOL(total), sizeof(sums)));
  int wrong = 0;
  for (int sum : sums)
    wrong += sum != 3 * times;
  // The pointers that kernels stored lead to the variable the program knows.
  void *address;
  CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(total)));
  CHECK(hipMemcpy(&seen, pointer, sizeof(seen), hipMemcpyDeviceToHost));
  wrong += seen != address;
  CHECK(hipMemcpyFromSymbol(&seen, HIP_SYMBOL(whereTotal), sizeof(seen)));
  wrong += seen != static_cast<int *>(address) + 3;
  std::vector<int> have(64);
  CHECK(hipMemcpy(have.data(), data, 64 * sizeof(int), hipMemcpyDeviceToHost));
  for (int x : have)
    wrong += x != (5 + 3) * times;
  return wrong != 0;
}

int conversation() {
  int *data;
  volatile int *flags;
  CHECK(hipMalloc(&data, kThreads * sizeof(int)));
  CHECK(hipHostMalloc(const_cast<int **>(&flags), 2 * sizeof(int), hipHostMallocCoherent));
  flags[0] = flags[1] = 0;
  host<<<1, kThreads>>>(data, flags, flags + 1);
  while (!__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE)) {
  }
  __atomic_store_n(&flags[1], 42, __ATOMIC_RELEASE);
  std::vector<int> have(kThreads);
  CHECK(hipMemcpy(have.data(), data, kThreads * sizeof(int), hipMemcpyDeviceToHost));
  for (int x : have)
    if (x != 42)
      return 1;
  return flags[0] != 1;
}

/// Two kernels for which both builds agree: nothing differs here.
int twice() {
  int *data;
  CHECK(hipMalloc(&data, kCount * sizeof(int)));
  CHECK(hipMemset(data, 0, kCount * sizeof(int)));
  step<<<kBlocks, kThreads>>>(data, 0);
  stepRight<<<kBlocks, kThreads>>>(data, 1);
  CHECK(hipDeviceSynchronize());
  return 0;
}

int print() {
  int *data;
  CHECK(hipMalloc(&data, kCount * sizeof(int)));
  calls<<<kBlocks, kThreads>>>(data);
  CHECK(hipDeviceSynchronize());
  return 0;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  int devices = 1;
  if (argc > 2)
    CHECK(hipGetDeviceCount(&devices));
  for (int d = 0; d < devices; ++d) {
    CHECK(hipSetDevice(d));
    const int status = !std::strcmp(mode, "streams")     ? streams(false)
                       : !std::strcmp(mode, "graph")     ? streams(true)
                       : !std::strcmp(mode, "racy")      ? order()
                       : !std::strcmp(mode, "endless")   ? ends()
                       : !std::strcmp(mode, "variables") ? globals()
                       : !std::strcmp(mode, "host")      ? conversation()
                       : !std::strcmp(mode, "calls")     ? print()
                       : !std::strcmp(mode, "twice")     ? twice()
                       : !std::strcmp(mode, "sabotage")  ? twice() + 1
                       : !std::strcmp(mode, "quiet")     ? 0
                                                         : 2;
    if (status) {
      std::printf("FAIL %s on device %d\n", mode, d);
      return status;
    }
  }
  std::puts("PASS");
}
