// What the runtime says about the device, its memory and kernels: each answer is compared with
// another way to know it (allocation sizes, launches at the limit, the kernel's own declarations).
#include "check.h"

#include <string>

__global__ void __launch_bounds__(256) bounded(float *out) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}
__global__ void light(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = warpSize; }

static void properties() {
  int count = 0, device = -1, runtime = 0, driver = 0;
  HIP(hipGetDeviceCount(&count));
  EXPECT(count == 1);
  HIP(hipSetDevice(0));
  HIP(hipGetDevice(&device));
  EXPECT(device == 0);
  EXPECT(hipSetDevice(count) == hipErrorInvalidDevice);
  (void)hipGetLastError();
  HIP(hipRuntimeGetVersion(&runtime));
  HIP(hipDriverGetVersion(&driver));
  EXPECT(runtime > 0 && driver > 0);
  hipDeviceProp_t p;
  HIP(hipGetDeviceProperties(&p, 0));
  const char *want = std::getenv("MELD_GPU");
  EXPECT(std::string(p.gcnArchName).rfind(want ? want : "gfx90a", 0) == 0);
  const int lanes = want && std::string(want).rfind("gfx1", 0) == 0 ? 32 : 64;
  EXPECT(p.warpSize == lanes && p.maxThreadsPerBlock == 1024 && p.sharedMemPerBlock == 65536);
  int value = 0;
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  EXPECT(value == p.warpSize);
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
  EXPECT(value == p.multiProcessorCount && value > 0);
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxBlockDimX, 0));
  EXPECT(value == 1024);
  size_t total = 0;
  HIP(hipDeviceTotalMem(&total, 0));
  EXPECT(total == p.totalGlobalMem);
  int can = 7;
  HIP(hipDeviceCanAccessPeer(&can, 0, 0));
  EXPECT(can == 0);
}

static hipMemoryType typeOf(const hipPointerAttribute_t &attributes) {
#if HIP_VERSION_MAJOR >= 6
  return attributes.type;
#else
  return attributes.memoryType;
#endif
}

static void memory() {
  size_t before = 0, total = 0, during = 0, after = 0;
  HIP(hipMemGetInfo(&before, &total));
  EXPECT(before <= total && before > 0);
  const size_t bytes = 64 << 20;
  void *p = nullptr;
  HIP(hipMalloc(&p, bytes));
  HIP(hipMemGetInfo(&during, &total));
  EXPECT(before - during >= bytes && before - during < bytes + (8 << 20));
  hipPointerAttribute_t attributes;
  HIP(hipPointerGetAttributes(&attributes, static_cast<char *>(p) + 100));
  EXPECT(typeOf(attributes) == hipMemoryTypeDevice && attributes.device == 0);
  hipDeviceptr_t base;
  size_t size = 0;
  HIP(hipMemGetAddressRange(&base, &size, static_cast<char *>(p) + 12345));
  EXPECT(base == p && size == bytes);
  HIP(hipFree(p));
  HIP(hipMemGetInfo(&after, &total));
  EXPECT(after == before);
  void *host = nullptr;
  HIP(hipHostMalloc(&host, 4096, hipHostMallocMapped));
  HIP(hipPointerGetAttributes(&attributes, host));
  EXPECT(typeOf(attributes) == hipMemoryTypeHost);
  unsigned flags = 0;
  HIP(hipHostGetFlags(&flags, host));
  EXPECT(flags & hipHostMallocMapped);
  HIP(hipHostFree(host));
}

static void occupancy() {
  hipFuncAttributes a;
  HIP(hipFuncGetAttributes(&a, reinterpret_cast<const void *>(bounded)));
  EXPECT(a.sharedSizeBytes == 4096 && a.maxThreadsPerBlock == 256 && a.numRegs > 0);
  int none = 0, heavy = 0, grid = 0, block = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&none, light, 256, 0));
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&heavy, light, 256, 32768));
  // 64 KiB of LDS hold two such workgroups
  EXPECT(none > 2 && heavy == 2);
  HIP(hipOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
  EXPECT(block > 0 && block <= 1024 && block % 64 == 0 && grid > 0);
  Device<int> out(size_t(grid) * block);
  light<<<grid, block>>>(out);
  expectSame("at the potential size", out.host(),
             std::vector<int>(size_t(grid) * block, int(waveSize())));
}

int main() {
  properties();
  memory();
  occupancy();
  return verdict();
}
