// A kernel end to end, on one and on several streams, with events, a host function between two
// kernels, a graph, and a kernel that waits for the host.
#include "tests/e2e/programs/check.h"

#include <atomic>
#include <vector>

__global__ void saxpy(float a, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void addOne(int *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] += 1;
}

__global__ void waitForHost(volatile int *flag, int *out) {
  while (*flag == 0)
    ;
  *out = *flag;
}

static void plain() {
  const int n = 100003;
  std::vector<float> x(n), y(n), got(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = static_cast<float>(i % 77);
  }
  float *dx, *dy;
  HIP(hipMalloc(&dx, n * sizeof(float)));
  HIP(hipMalloc(&dy, n * sizeof(float)));
  HIP(hipMemcpy(dx, x.data(), n * sizeof(float), hipMemcpyHostToDevice));
  HIP(hipMemcpy(dy, y.data(), n * sizeof(float), hipMemcpyHostToDevice));
  saxpy<<<(n + 255) / 256, 256>>>(2.0f, dx, dy, n);
  HIP(hipGetLastError());
  HIP(hipMemcpy(got.data(), dy, n * sizeof(float), hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += got[i] != 2.0f * x[i] + y[i]; // small integers: exact either way
  EXPECT(wrong == 0);
  HIP(hipFree(dx));
  HIP(hipFree(dy));
}

static void streams() {
  constexpr int kStreams = 6, n = 5000, kRounds = 20;
  hipStream_t stream[kStreams];
  int *data[kStreams];
  hipEvent_t done[kStreams];
  for (int s = 0; s < kStreams; ++s) {
    HIP(hipStreamCreateWithFlags(&stream[s], hipStreamNonBlocking));
    HIP(hipEventCreateWithFlags(&done[s], hipEventDisableTiming));
    HIP(hipMalloc(&data[s], n * sizeof(int)));
    HIP(hipMemsetAsync(data[s], 0, n * sizeof(int), stream[s]));
  }
  for (int round = 0; round < kRounds; ++round)
    for (int s = 0; s < kStreams; ++s) {
      HIP(hipStreamWaitEvent(stream[s], done[(s + 1) % kStreams], 0)); // cross-queue barriers
      addOne<<<(n + 63) / 64, 64, 0, stream[s]>>>(data[s], n);
      HIP(hipEventRecord(done[s], stream[s]));
    }
  for (int s = 0; s < kStreams; ++s)
    HIP(hipStreamSynchronize(stream[s]));
  std::vector<int> got(n);
  for (int s = 0; s < kStreams; ++s) {
    HIP(hipMemcpy(got.data(), data[s], n * sizeof(int), hipMemcpyDeviceToHost));
    int wrong = 0;
    for (int v : got)
      wrong += v != kRounds;
    EXPECT(wrong == 0);
    HIP(hipFree(data[s]));
    HIP(hipEventDestroy(done[s]));
    HIP(hipStreamDestroy(stream[s]));
  }
}

static std::atomic<int> called{0};
static void hostFunction(hipStream_t, hipError_t, void *p) {
  *static_cast<int *>(p) += 100;
  ++called;
}

static void hostBetweenKernels() {
  int *p;
  HIP(hipHostMalloc(&p, sizeof(int)));
  *p = 1;
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  addOne<<<1, 64, 0, stream>>>(p, 1);
  HIP(hipStreamAddCallback(stream, hostFunction, p, 0));
  addOne<<<1, 64, 0, stream>>>(p, 1);
  HIP(hipStreamSynchronize(stream));
  EXPECT(called == 1);
  EXPECT(*p == 103);
  HIP(hipStreamDestroy(stream));
  HIP(hipHostFree(p));
}

static void hostReleasesKernel() {
  int *flag, *out;
  HIP(hipHostMalloc(&flag, sizeof(int), hipHostMallocCoherent));
  HIP(hipHostMalloc(&out, sizeof(int), hipHostMallocCoherent));
  *flag = 0;
  *out = 0;
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  waitForHost<<<1, 64, 0, stream>>>(flag, out);
  EXPECT(hipStreamQuery(stream) == hipErrorNotReady);
  *static_cast<volatile int *>(flag) = 42;
  HIP(hipStreamSynchronize(stream));
  EXPECT(*out == 42);
  HIP(hipStreamDestroy(stream));
  HIP(hipHostFree(flag));
  HIP(hipHostFree(out));
}

static void graph() {
  const int n = 1000;
  int *p;
  HIP(hipMalloc(&p, n * sizeof(int)));
  HIP(hipMemset(p, 0, n * sizeof(int)));
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hipGraph_t g;
  hipGraphExec_t exec;
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  for (int i = 0; i < 3; ++i)
    addOne<<<(n + 63) / 64, 64, 0, stream>>>(p, n);
  HIP(hipStreamEndCapture(stream, &g));
  HIP(hipGraphInstantiate(&exec, g, nullptr, nullptr, 0));
  for (int i = 0; i < 5; ++i)
    HIP(hipGraphLaunch(exec, stream));
  HIP(hipStreamSynchronize(stream));
  std::vector<int> got(n);
  HIP(hipMemcpy(got.data(), p, n * sizeof(int), hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int v : got)
    wrong += v != 15;
  EXPECT(wrong == 0);
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(g));
  HIP(hipStreamDestroy(stream));
  HIP(hipFree(p));
}

int main() {
  plain();
  streams();
  hostBetweenKernels();
  hostReleasesKernel();
  graph();
  return verdict();
}
