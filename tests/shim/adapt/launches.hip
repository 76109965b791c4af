// Launches of every kind, of kernels that have a variant beside them (X and X_variant do the same).
// Without a tool that plants the variants, the originals run.
#include "tests/e2e/programs/check.h"

#include <atomic>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_ext.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// What must not change places: x becomes 3x+1, or 5x+7.
extern "C" __global__ void stepA(unsigned *x) {
  if (threadIdx.x == 0)
    *x = *x * 3 + 1;
}
extern "C" __global__ void stepA_variant(unsigned *x) {
  if (threadIdx.x == 63)
    *x = (*x << 1) + *x + 1;
}
extern "C" __global__ void stepB(unsigned *x) {
  if (threadIdx.x == 0)
    *x = *x * 5 + 7;
}
extern "C" __global__ void stepB_variant(unsigned *x) {
  if (threadIdx.x == 63)
    *x = (*x << 2) + *x + 7;
}
// A sum in a loop, and by its formula.
extern "C" __global__ void sum(unsigned *x, unsigned n) {
  unsigned s = 0;
  for (unsigned i = 0; i < n; ++i) {
    s += i;
    asm volatile("" : "+v"(s));
  }
  if (threadIdx.x == 0)
    atomicAdd(x, s);
}
extern "C" __global__ void sum_variant(unsigned *x, unsigned n) {
  if (threadIdx.x == 0)
    atomicAdd(x, n * (n - 1) / 2);
}
// The other way round: the variant is what is slow.
extern "C" __global__ void formula(unsigned *x, unsigned n) {
  if (threadIdx.x == 0)
    atomicAdd(x, n * (n - 1) / 2);
}
extern "C" __global__ void formula_variant(unsigned *x, unsigned n) {
  unsigned s = 0;
  for (unsigned i = 0; i < n; ++i) {
    s += i;
    asm volatile("" : "+v"(s));
  }
  if (threadIdx.x == 0)
    atomicAdd(x, s);
}
extern "C" __global__ void together(unsigned *x) {
  auto grid = cooperative_groups::this_grid();
  atomicAdd(x, 1);
  grid.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    x[1] = x[0];
}
// As a variant on a cooperative queue it would never come back.
extern "C" __global__ void together_variant(unsigned *x) { x[1] = 0; }

static unsigned *zeroed() {
  unsigned *x;
  HIP(hipMalloc(&x, 4096));
  HIP(hipMemset(x, 0, 4096));
  HIP(hipDeviceSynchronize());
  return x;
}
static unsigned read(const unsigned *x) {
  unsigned value;
  HIP(hipMemcpy(&value, x, 4, hipMemcpyDeviceToHost));
  return value;
}
static bool isA(int i) { return (i * 7 + i / 3) & 1; }
static unsigned afterSteps(int n) {
  unsigned x = 0;
  for (int i = 0; i < n; ++i)
    x = isA(i) ? x * 3 + 1 : x * 5 + 7;
  return x;
}
static void steps(unsigned *x, int n, hipStream_t stream) {
  for (int i = 0; i < n; ++i)
    if (isA(i))
      stepA<<<1, 64, 0, stream>>>(x);
    else
      stepB<<<1, 64, 0, stream>>>(x);
}

static void order(int threads, int launches) {
  unsigned *x = zeroed();
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([=] {
      hipStream_t stream;
      HIP(hipStreamCreate(&stream));
      steps(x + 16 * t, launches, stream);
      HIP(hipStreamSynchronize(stream));
      HIP(hipStreamDestroy(stream));
    });
  for (auto &thread : all)
    thread.join();
  for (int t = 0; t < threads; ++t)
    EXPECT(read(x + 16 * t) == afterSteps(launches));
}

static void trial() {
  unsigned *x = zeroed();
  for (int i = 0; i < 400; ++i) {
    sum<<<4, 64>>>(x, 1000);
    formula<<<4, 64>>>(x + 1, 1000);
    if (i % 16 == 15)
      HIP(hipDeviceSynchronize());
  }
  EXPECT(read(x) == 400u * 4 * 499500);
  EXPECT(read(x + 1) == 400u * 4 * 499500);
}

static void graph() {
  unsigned *x = zeroed();
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hipGraph_t recorded;
  hipGraphExec_t ready;
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  steps(x, 30, stream);
  HIP(hipStreamEndCapture(stream, &recorded));
  HIP(hipGraphInstantiate(&ready, recorded, nullptr, nullptr, 0));
  unsigned expected = 0;
  for (int round = 0; round < 20; ++round) {
    HIP(hipGraphLaunch(ready, stream));
    for (int i = 0; i < 30; ++i)
      expected = isA(i) ? expected * 3 + 1 : expected * 5 + 7;
  }
  HIP(hipStreamSynchronize(stream));
  EXPECT(read(x) == expected);
}

static void cooperative() {
  unsigned *x = zeroed();
  void *arguments[] = {&x};
  for (unsigned i = 1; i <= 40; ++i) {
    HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(together), dim3(8), dim3(64), arguments,
                                   0, nullptr));
    HIP(hipDeviceSynchronize());
    EXPECT(read(x + 1) == i * 512);
  }
}

// The thread that handles a marker's completion may come before the one that sent the marker has told HIP where its time is to be
// found. HIP 5.2 then takes the host's time, which lies behind the modelled ones. It takes a preempted thread: seldom in a run.
static void events() {
  int negative = 0;
  unsigned *x = zeroed();
  hipEvent_t begin, end;
  HIP(hipEventCreate(&begin));
  HIP(hipEventCreate(&end));
  float ms = -1;
  for (int i = 0; i < 60; ++i) {
    HIP(hipEventRecord(begin));
    sum<<<4, 64>>>(x, 1000);
    HIP(hipEventRecord(end));
    HIP(hipEventSynchronize(end));
    HIP(hipEventElapsedTime(&ms, begin, end));
    negative += !(ms >= 0);
    hipExtLaunchKernelGGL(sum, dim3(4), dim3(64), 0, nullptr, begin, end, 0, x, 1000u);
    HIP(hipEventSynchronize(end));
    HIP(hipEventElapsedTime(&ms, begin, end));
    negative += !(ms >= 0);
  }
  EXPECT(negative <= 3);
  EXPECT(read(x) == 120u * 4 * 499500);
}

// Many launches behind a value that the host writes only afterwards.
static void flood(int launches) {
  unsigned *x = zeroed();
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  void *memory;
  HIP(hipExtMallocWithFlags(&memory, 8, hipMallocSignalMemory));
  auto *value = static_cast<volatile long *>(memory);
  *value = 0;
  HIP(hipStreamWaitValue64(stream, memory, 1, hipStreamWaitValueGte, ~0ull));
  steps(x, launches, stream);
  *value = 1;
  HIP(hipStreamSynchronize(stream));
  EXPECT(read(x) == afterSteps(launches));
}

static void callbacks() {
  unsigned *x = zeroed();
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  std::atomic<int> called{0};
  for (int i = 0; i < 50; ++i) {
    steps(x, 10, stream);
    HIP(hipStreamAddCallback(
        stream,
        [](hipStream_t, hipError_t, void *data) { ++*static_cast<std::atomic<int> *>(data); },
        &called, 0));
  }
  HIP(hipStreamSynchronize(stream));
  EXPECT(called == 50);
}

// Streams that go while their launches are under way.
static void destroyed() {
  unsigned *x = zeroed();
  for (int i = 0; i < 40; ++i) {
    hipStream_t stream;
    HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    for (int k = 0; k < 20; ++k)
      sum<<<1, 64, 0, stream>>>(x, 1000);
    HIP(hipStreamDestroy(stream));
  }
  HIP(hipDeviceSynchronize());
  EXPECT(read(x) == 40u * 20 * 499500);
}

static void forked() {
  unsigned *x = zeroed();
  steps(x, 100, nullptr);
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(status == 0);
  steps(x + 16, 100, nullptr);
  HIP(hipDeviceSynchronize());
  EXPECT(read(x) == afterSteps(100));
  EXPECT(read(x + 16) == afterSteps(100));
}

// main() returns while launches are under way.
static void leave() {
  unsigned *x = zeroed();
  for (int i = 0; i < 2000; ++i)
    sum<<<1, 64>>>(x, 1000);
}

static void devices() {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  EXPECT(count == 2);
  std::vector<std::thread> all;
  for (int device = 0; device < count; ++device)
    all.emplace_back([=] {
      HIP(hipSetDevice(device));
      unsigned *x = zeroed();
      steps(x, 2000, nullptr);
      HIP(hipDeviceSynchronize());
      EXPECT(read(x) == afterSteps(2000));
    });
  for (auto &thread : all)
    thread.join();
}

static void library(const char *path) {
  for (int round = 0; round < 3; ++round) {
    hipModule_t module;
    hipFunction_t function;
    HIP(hipModuleLoad(&module, path));
    HIP(hipModuleGetFunction(&function, module, "sum"));
    unsigned *x = zeroed();
    unsigned n = 1000;
    void *arguments[] = {&x, &n};
    for (int i = 0; i < 100; ++i) {
      HIP(hipModuleLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
      if (i % 16 == 15)
        HIP(hipDeviceSynchronize());
    }
    HIP(hipDeviceSynchronize());
    EXPECT(read(x) == 100u * 4 * 499500);
    HIP(hipModuleUnload(module));
  }
}

int main(int argc, char **argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "order")
    order(6, 10'000);
  else if (part == "orderOne")
    order(1, 20'000);
  else if (part == "trial")
    trial();
  else if (part == "graph")
    graph();
  else if (part == "cooperative")
    cooperative();
  else if (part == "events")
    events();
  else if (part == "flood")
    flood(3900);
  else if (part == "callbacks")
    callbacks();
  else if (part == "destroyed")
    destroyed();
  else if (part == "forked")
    forked();
  else if (part == "leave")
    leave();
  else if (part == "devices")
    devices();
  else if (part == "unload" && argc > 2)
    library(argv[2]);
  else
    EXPECT(!"a part of this program");
  std::printf(failures ? "FAIL\n" : "PASS %s\n", part.c_str());
  return failures != 0;
}
