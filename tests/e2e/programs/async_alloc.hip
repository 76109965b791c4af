// hipMallocAsync and hipFreeAsync in stream order, and memory pools: buffers live only between two
// points of a stream, many are reused, the results are the host's.
#include "check.h"

__global__ void fill(unsigned *x, int n, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = (seed + i) * 2654435761u;
}
__global__ void accumulate(const unsigned *x, unsigned *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sum[i] ^= x[i] >> (i % 7);
}

int main() {
  int supported = 0;
  HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
  hipStream_t streams[2];
  for (auto &s : streams)
    HIP(hipStreamCreate(&s));
  const int n = 3000, blocks = (n + 255) / 256;
  Device<unsigned> sums[2] = {Device<unsigned>(std::vector<unsigned>(n, 0)),
                              Device<unsigned>(std::vector<unsigned>(n, 0))};
  std::vector<unsigned> want[2] = {std::vector<unsigned>(n, 0), std::vector<unsigned>(n, 0)};
  hipMemPool_t pool = nullptr;
  if (supported) {
    HIP(hipDeviceGetDefaultMemPool(&pool, 0));
    uint64_t keep = 1 << 20;
    HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));
  }
  for (unsigned round = 0; round < 12; ++round)
    for (int s = 0; s < 2; ++s) {
      const int size = n - 100 * int(round);
      unsigned *temporary = nullptr;
      HIP(hipMallocAsync(reinterpret_cast<void **>(&temporary), size * sizeof(unsigned),
                         streams[s]));
      fill<<<blocks, 256, 0, streams[s]>>>(temporary, size, round * 10 + s);
      accumulate<<<blocks, 256, 0, streams[s]>>>(temporary, sums[s], size);
      HIP(hipFreeAsync(temporary, streams[s]));
      for (int i = 0; i < size; ++i)
        want[s][i] ^= (round * 10 + s + i) * 2654435761u >> (i % 7);
    }
  for (int s = 0; s < 2; ++s) {
    HIP(hipStreamSynchronize(streams[s]));
    expectSame("sum", sums[s].host(), want[s]);
  }
  if (supported) {
    unsigned *one = nullptr, got = 0;
    HIP(hipMallocFromPoolAsync(reinterpret_cast<void **>(&one), 4096, pool, streams[0]));
    fill<<<1, 64, 0, streams[0]>>>(one, 64, 5);
    HIP(hipMemcpyAsync(&got, one + 9, 4, hipMemcpyDeviceToHost, streams[0]));
    HIP(hipFreeAsync(one, streams[0]));
    HIP(hipStreamSynchronize(streams[0]));
    EXPECT(got == 14 * 2654435761u);
    HIP(hipMemPoolTrimTo(pool, 0));
  }
  // The streams stay: hipStreamDestroy of a stream that freed into a pool never returns in ROCm
  // 5.2.3 (it loops inside the runtime, without asking the driver for anything).
  return verdict();
}
