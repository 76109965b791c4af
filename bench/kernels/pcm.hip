// PCM: partition and concurrent merge, after Batcher's odd-even merge sort. In every round each
// thread merges its bucket of sorted elements with the neighbouring one: even threads keep the
// lower half, odd threads the upper half, so neighbours in a wave run two mirrored merge loops with
// data-dependent branches inside.
#include "harness.h"

#include <algorithm>

constexpr unsigned bucketSize = 4;

template <unsigned Block> __global__ __launch_bounds__(Block) void partitionMerge(int *values) {
  __shared__ int data[Block * bucketSize];
  const unsigned t = threadIdx.x;
  values += blockIdx.x * Block * bucketSize;
  for (unsigned i = 0; i < bucketSize; ++i)
    data[t * bucketSize + i] = values[t * bucketSize + i];
  // Each bucket first, by insertion.
  int *own = data + t * bucketSize;
  for (unsigned i = 1; i < bucketSize; ++i) {
    const int x = own[i];
    unsigned j = i;
    for (; j > 0 && own[j - 1] > x; --j)
      own[j] = own[j - 1];
    own[j] = x;
  }
  __syncthreads();

  for (unsigned round = 0; round < Block; ++round) {
    int merged[bucketSize];
    const bool low = ((t + round) & 1) == 0;
    const unsigned partner = low ? t + 1 : t - 1;
    const bool active = partner < Block;
    if (active) {
      const int *other = data + partner * bucketSize;
      if (low) {
        unsigned i = 0, j = 0;
        for (unsigned k = 0; k < bucketSize; ++k) {
          if (own[i] <= other[j]) {
            merged[k] = own[i];
            ++i;
          } else {
            merged[k] = other[j];
            ++j;
          }
        }
      } else {
        int i = bucketSize - 1, j = bucketSize - 1;
        for (int k = bucketSize - 1; k >= 0; --k) {
          if (own[i] >= other[j]) {
            merged[k] = own[i];
            --i;
          } else {
            merged[k] = other[j];
            --j;
          }
        }
      }
    }
    __syncthreads();
    if (active)
      for (unsigned k = 0; k < bucketSize; ++k)
        own[k] = merged[k];
    __syncthreads();
  }
  for (unsigned i = 0; i < bucketSize; ++i)
    values[t * bucketSize + i] = own[i];
}

template <unsigned Block> void run(const bench::Options &o, bench::Verdicts &verdicts) {
  if (o.block && o.block != Block)
    return;
  const size_t blocks = std::max<size_t>(1, (o.size ? o.size : 4096) / (Block * bucketSize));
  const size_t perBlock = Block * bucketSize;
  std::vector<int> host(blocks * perBlock);
  bench::Random random(o.seed);
  for (int &x : host)
    x = static_cast<int>(random.next());
  bench::DeviceBuffer<int> device(host);
  partitionMerge<Block><<<dim3(static_cast<unsigned>(blocks)), dim3(Block)>>>(device.get());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  for (size_t b = 0; b < blocks; ++b)
    std::sort(host.begin() + static_cast<long>(b * perBlock),
              host.begin() + static_cast<long>((b + 1) * perBlock));
  verdicts.expectEqual("block=" + std::to_string(Block), device.download(), host);
}

int main(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv);
  bench::Verdicts verdicts("pcm");
  run<32>(o, verdicts);
  run<64>(o, verdicts);
  run<128>(o, verdicts);
  run<256>(o, verdicts);
  return verdicts.exitCode();
}
