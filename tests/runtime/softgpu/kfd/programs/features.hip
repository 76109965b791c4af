// The parts of HIP that lean on the driver: managed memory, registered host memory used by a
// kernel, device printf, assert's quiet path and malloc (the device calls the host), waiting for a
// value in memory, 3D copies, cooperative launch, several host threads, clocks. argv[1] picks one;
// without it all run.
#include "tests/e2e/programs/check.h"

#include <cstring>
#include <hip/hip_cooperative_groups.h>
#include <string>
#include <thread>
#include <vector>

__global__ void square(int *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = p[i] * p[i];
}

static void managed() {
  const int n = 10000;
  int *p = nullptr;
  HIP(hipMallocManaged(&p, n * sizeof(int)));
  for (int i = 0; i < n; ++i)
    p[i] = i % 100;
  square<<<(n + 255) / 256, 256>>>(p, n);
  HIP(hipDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += p[i] != (i % 100) * (i % 100);
  EXPECT(wrong == 0);
  HIP(hipMemAdvise(p, n * sizeof(int), hipMemAdviseSetReadMostly, 0));
  HIP(hipMemPrefetchAsync(p, n * sizeof(int), 0, nullptr));
  HIP(hipDeviceSynchronize());
  HIP(hipFree(p));
}

static void registeredInKernel() {
  const int n = 5000;
  std::vector<int> host(n + 3);
  int *start = host.data() + 3; // not page aligned
  for (int i = 0; i < n; ++i)
    start[i] = i;
  int *device = nullptr;
  HIP(hipHostRegister(start, n * sizeof(int), hipHostRegisterMapped));
  HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&device), start, 0));
  square<<<(n + 255) / 256, 256>>>(device, n);
  HIP(hipDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += start[i] != i * i;
  EXPECT(wrong == 0);
  HIP(hipHostUnregister(start));
}

__global__ void speak() {
  printf("thread %d of block %d says %s %.2f\n", int(threadIdx.x), int(blockIdx.x), "hello",
         1.5 * threadIdx.x);
}

static void print() {
  speak<<<2, 3>>>();
  HIP(hipDeviceSynchronize());
}

__global__ void allocate(int *sum) {
  int *p = static_cast<int *>(malloc(16 * sizeof(int)));
  if (!p)
    return;
  for (int i = 0; i < 16; ++i)
    p[i] = i + threadIdx.x;
  int s = 0;
  for (int i = 0; i < 16; ++i)
    s += p[i];
  sum[threadIdx.x] = s;
  free(p);
}

static void deviceMalloc() {
  int *sum;
  HIP(hipMalloc(&sum, 64 * sizeof(int)));
  HIP(hipMemset(sum, 0, 64 * sizeof(int)));
  allocate<<<1, 64>>>(sum);
  int got[64];
  HIP(hipMemcpy(got, sum, sizeof got, hipMemcpyDeviceToHost));
  for (int t = 0; t < 64; ++t)
    EXPECT(got[t] == 120 + 16 * t);
  HIP(hipFree(sum));
}

static void waitForValue() {
  uint32_t *signal = nullptr;
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  if (hipExtMallocWithFlags(reinterpret_cast<void **>(&signal), 8, hipMallocSignalMemory) ==
      hipSuccess) {
    *reinterpret_cast<volatile uint64_t *>(signal) = 0;
    int *p;
    HIP(hipHostMalloc(&p, sizeof(int)));
    *p = 7;
    HIP(hipStreamWaitValue32(stream, signal, 5, hipStreamWaitValueGte, 0xffffffff));
    square<<<1, 64, 0, stream>>>(p, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT(*static_cast<volatile int *>(p) == 7);
    *reinterpret_cast<volatile uint32_t *>(signal) = 6;
    HIP(hipStreamSynchronize(stream));
    EXPECT(*p == 49);
    HIP(hipStreamWriteValue32(stream, signal, 123, 0));
    HIP(hipStreamSynchronize(stream));
    EXPECT(*reinterpret_cast<volatile uint32_t *>(signal) == 123);
    HIP(hipHostFree(p));
    HIP(hipFree(signal));
  } else {
    EXPECT(!"signal memory");
  }
  HIP(hipStreamDestroy(stream));
}

static void copies3D() {
  const hipExtent extent = make_hipExtent(50 * sizeof(int), 20, 7);
  hipPitchedPtr device;
  HIP(hipMalloc3D(&device, extent));
  std::vector<int> in(50 * 20 * 7), out(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int>(i * 2654435761u);
  hipMemcpy3DParms parms = {};
  parms.srcPtr = make_hipPitchedPtr(in.data(), 50 * sizeof(int), 50, 20);
  parms.dstPtr = device;
  parms.extent = extent;
  parms.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&parms));
  hipMemcpy3DParms back = {};
  back.srcPtr = device;
  back.dstPtr = make_hipPitchedPtr(out.data(), 50 * sizeof(int), 50, 20);
  back.extent = extent;
  back.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&back));
  EXPECT(in == out);
  HIP(hipFree(device.ptr));
}

// After each step every element is its right neighbour's value from before the step: wrong without
// a barrier.
__global__ void gridSum(int *data, int *total, int n) {
  auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  grid.sync();
  for (int step = 0; step < 5; ++step) {
    const int next = data[(i + 1) % n];
    grid.sync();
    data[i] = next;
    grid.sync();
  }
  total[1 + i] = data[i];
  if (i == 0) {
    int s = 0;
    for (int k = 0; k < n; ++k)
      s += data[k];
    *total = s;
  }
}

static void cooperative() {
  int supported = 0;
  HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
  EXPECT(supported == 1);
  int n = 200 * 20, *data, *total;
  HIP(hipMalloc(&data, n * sizeof(int)));
  HIP(hipMalloc(&total, (n + 1) * sizeof(int)));
  void *arguments[] = {&data, &total, &n};
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(gridSum), dim3(20), dim3(200), arguments,
                                 0, nullptr));
  std::vector<int> got(n + 1);
  HIP(hipMemcpy(got.data(), total, got.size() * sizeof(int), hipMemcpyDeviceToHost));
  EXPECT(got[0] == n * (n - 1) / 2);
  for (int i = 0; i < n; ++i)
    EXPECT(got[1 + i] == (i + 5) % n);
  HIP(hipFree(data));
  HIP(hipFree(total));
}

static void hostThreads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([t] {
      const int n = 3000;
      hipStream_t stream;
      HIP(hipStreamCreate(&stream));
      int *p;
      HIP(hipMalloc(&p, n * sizeof(int)));
      std::vector<int> host(n, t), got(n);
      for (int round = 0; round < 10; ++round) {
        HIP(hipMemcpyAsync(p, host.data(), n * sizeof(int), hipMemcpyHostToDevice, stream));
        square<<<(n + 63) / 64, 64, 0, stream>>>(p, n);
        HIP(hipMemcpyAsync(got.data(), p, n * sizeof(int), hipMemcpyDeviceToHost, stream));
        HIP(hipStreamSynchronize(stream));
        EXPECT(got == std::vector<int>(n, t * t));
      }
      HIP(hipFree(p));
      HIP(hipStreamDestroy(stream));
    });
  for (auto &t : threads)
    t.join();
}

__global__ void clocks(unsigned long long *out) {
  const unsigned long long a = __builtin_readcyclecounter();
  const unsigned long long b = clock64();
  __builtin_amdgcn_s_sleep(1);
  out[0] = __builtin_readcyclecounter() - a;
  out[1] = clock64() - b;
}

static void time() {
  unsigned long long *p;
  HIP(hipHostMalloc(&p, 16));
  hipEvent_t begin, end;
  HIP(hipEventCreate(&begin));
  HIP(hipEventCreate(&end));
  HIP(hipEventRecord(begin));
  clocks<<<1, 1>>>(p);
  HIP(hipEventRecord(end));
  HIP(hipEventSynchronize(end));
  float ms = -1;
  HIP(hipEventElapsedTime(&ms, begin, end));
  EXPECT(ms >= 0 && ms < 10000);
  EXPECT(p[0] < 1ull << 40 && p[1] < 1ull << 40);
  HIP(hipHostFree(p));
}

int main(int argc, char **argv) {
  const std::pair<const char *, void (*)()> parts[] = {
      {"managed", managed},         {"registered", registeredInKernel}, {"print", print},
      {"malloc", deviceMalloc},     {"waitvalue", waitForValue},        {"copies3d", copies3D},
      {"cooperative", cooperative}, {"threads", hostThreads},           {"time", time}};
  for (const auto &[name, part] : parts)
    if (argc < 2 || std::string(argv[1]) == name) {
      part();
      if (argc < 2)
        std::printf("%s done\n", name), std::fflush(stdout);
    }
  return verdict();
}
