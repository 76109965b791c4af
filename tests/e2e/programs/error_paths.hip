// Mistakes an application makes give the error the API documents, and the device works after each.
#include "check.h"

#include <string>

__global__ void __launch_bounds__(128) mark(int *out) { out[threadIdx.x] = 1 + threadIdx.x; }
extern __shared__ int dynamic[];
__global__ void withLds(int *out) {
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

static void stillWorks(const char *after) {
  Device<int> out(128);
  mark<<<1, 128>>>(out);
  std::vector<int> want(128);
  for (int i = 0; i < 128; ++i)
    want[i] = 1 + i;
  expectSame(after, out.host(), want);
}

static void expectError(const char *what, hipError_t got, std::initializer_list<hipError_t> want) {
  for (hipError_t w : want)
    if (got == w)
      return;
  std::printf("%s gave %s\n", what, hipGetErrorName(got));
  ++failures;
}

static void launches() {
  Device<int> out(2048);
  mark<<<1, 2048>>>(out);
  expectError("2048 threads", hipGetLastError(),
              {hipErrorInvalidConfiguration, hipErrorInvalidValue});
  EXPECT(hipGetLastError() == hipSuccess); // asked once, gone
  stillWorks("after too many threads");
  mark<<<dim3(0, 1, 1), 64>>>(out);
  expectError("no block", hipGetLastError(), {hipErrorInvalidConfiguration, hipErrorInvalidValue});
  mark<<<1, dim3(0, 64, 1)>>>(out);
  expectError("no thread", hipGetLastError(), {hipErrorInvalidConfiguration, hipErrorInvalidValue});
  stillWorks("after an empty launch");
  withLds<<<1, 64, 65537>>>(out);
  expectError("too much LDS", hipPeekAtLastError(),
              {hipErrorInvalidConfiguration, hipErrorInvalidValue, hipErrorOutOfMemory,
               hipErrorSharedObjectInitFailed});
  (void)hipGetLastError();
  withLds<<<1, 64, 65536>>>(out);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  stillWorks("after all LDS there is");
}

static void memory() {
  void *p = nullptr;
  size_t free = 0, total = 0;
  HIP(hipMemGetInfo(&free, &total));
  expectError("more than there is", hipMalloc(&p, total + (1 << 20)), {hipErrorOutOfMemory});
  expectError("absurd size", hipMalloc(&p, size_t(1) << 60), {hipErrorOutOfMemory});
  expectError("null out pointer", hipMalloc(nullptr, 16), {hipErrorInvalidValue});
  HIP(hipMalloc(&p, 0));
  HIP(hipFree(nullptr));
  int local = 0;
  expectError("free of a stack address", hipFree(&local),
              {hipErrorInvalidValue, hipErrorInvalidDevicePointer});
  HIP(hipMalloc(&p, 1000));
  expectError("copy past the end",
              hipMemcpy(p, std::vector<char>(2000).data(), 2000, hipMemcpyHostToDevice),
              {hipErrorInvalidValue});
  expectError("copy to null", hipMemcpy(nullptr, &local, 4, hipMemcpyHostToDevice),
              {hipErrorInvalidValue});
  expectError("fill past the end", hipMemset(p, 0, 2000), {hipErrorInvalidValue});
  HIP(hipFree(p));
  expectError("second free", hipFree(p), {hipErrorInvalidValue, hipErrorInvalidDevicePointer});
  stillWorks("after bad memory calls");
}

static void objects() {
  hipModule_t module;
  const std::string junk(256, 'x');
  expectError("module from junk", hipModuleLoadData(&module, junk.data()),
              {hipErrorInvalidImage, hipErrorNoBinaryForGpu, hipErrorInvalidValue,
               hipErrorInvalidKernelFile});
  expectError("module from nowhere", hipModuleLoad(&module, "/nonexistent/file.co"),
              {hipErrorFileNotFound, hipErrorInvalidImage, hipErrorInvalidValue});
  hipEvent_t a, b;
  HIP(hipEventCreate(&a));
  HIP(hipEventCreateWithFlags(&b, hipEventDisableTiming));
  HIP(hipEventRecord(a));
  HIP(hipEventRecord(b));
  HIP(hipDeviceSynchronize());
  float ms = 0;
  expectError("time of an untimed event", hipEventElapsedTime(&ms, a, b),
              {hipErrorInvalidHandle, hipErrorInvalidResourceHandle});
  HIP(hipEventDestroy(a));
  HIP(hipEventDestroy(b));
  expectError("destroyed null event", hipEventDestroy(nullptr),
              {hipErrorInvalidValue, hipErrorInvalidHandle});
  EXPECT(std::string(hipGetErrorName(hipErrorOutOfMemory)) == "hipErrorOutOfMemory");
  stillWorks("after bad handles");
}

int main() {
  launches();
  memory();
  objects();
  (void)hipGetLastError();
  return verdict();
}
