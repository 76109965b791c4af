// PCM: partition and concurrent merge, after Batcher's odd-even merge sort, with the sizes of the
// control-flow melding paper: a workgroup sorts 8192 elements, each thread owns a sorted bucket of
// them. In every phase a thread merges its bucket with the neighbour's: the left one keeps the
// lower half, the right one the upper half, so neighbours in a wave run two mirrored merge loops
// with data-dependent branches inside. Buckets and merged halves both lie in LDS.
#include "harness.h"

#include <algorithm>

constexpr unsigned elements = 8192; ///< per workgroup

/// The lower half of two neighbouring buckets, from the front.
template <int Bucket> __device__ void mergeLow(const int *data, int *half, int t) {
  int i = 0, j = 0;
  for (int k = 0; k < Bucket; ++k) {
    if (data[t * Bucket + i] <= data[(t + 1) * Bucket + j]) {
      half[t * Bucket + k] = data[t * Bucket + i];
      ++i;
    } else {
      half[t * Bucket + k] = data[(t + 1) * Bucket + j];
      ++j;
    }
  }
}

/// The upper half, from the back.
template <int Bucket> __device__ void mergeHigh(const int *data, int *half, int t) {
  int i = Bucket - 1, j = Bucket - 1;
  for (int k = Bucket - 1; k >= 0; --k) {
    if (data[t * Bucket + i] >= data[(t - 1) * Bucket + j]) {
      half[t * Bucket + k] = data[t * Bucket + i];
      --i;
    } else {
      half[t * Bucket + k] = data[(t - 1) * Bucket + j];
      --j;
    }
  }
}

template <unsigned Block> __global__ __launch_bounds__(Block) void partitionMerge(int *values) {
  constexpr int bucket = elements / Block, last = Block - 1;
  __shared__ int data[elements], half[elements];
  const int t = threadIdx.x;
  values += blockIdx.x * elements;
  for (int i = 0; i < bucket; ++i)
    data[t * bucket + i] = values[t * bucket + i];
  __syncthreads();

  for (unsigned round = 0; round < Block / 2; ++round) {
    if ((t & 1) == 0)
      mergeLow<bucket>(data, half, t);
    else
      mergeHigh<bucket>(data, half, t);
    __syncthreads();
    for (int k = 0; k < bucket; ++k)
      data[t * bucket + k] = half[t * bucket + k];
    __syncthreads();
    if ((t & 1) && t < last)
      mergeLow<bucket>(data, half, t);
    else if (t > 0 && t < last)
      mergeHigh<bucket>(data, half, t);
    __syncthreads();
    for (int k = 0; k < bucket; ++k)
      data[t * bucket + k] = half[t * bucket + k];
    __syncthreads();
  }
  for (int i = 0; i < bucket; ++i)
    values[t * bucket + i] = data[t * bucket + i];
}

template <unsigned Block> void run(const bench::Options &o, bench::Verdicts &verdicts) {
  if (o.block && o.block != Block)
    return;
  const size_t blocks = o.sizeInMultiplesOf(elements) / elements;
  std::vector<int> host(blocks * elements);
  bench::Random random(o.seed);
  for (int &x : host)
    x = static_cast<int>(random.next());
  // The buckets come sorted; random, or each an interval that starts at a random place.
  const size_t bucket = elements / Block;
  for (size_t b = 0; b < host.size(); b += bucket) {
    const auto first = host.begin() + static_cast<long>(b);
    if (o.pattern == "intervals")
      for (size_t i = 1, start = static_cast<unsigned>(host[b]) % host.size(); i <= bucket; ++i)
        host[b + i - 1] = static_cast<int>(start + i);
    else
      std::sort(first, first + static_cast<long>(bucket));
  }
  bench::DeviceBuffer<int> device(host);
  partitionMerge<Block><<<dim3(static_cast<unsigned>(blocks)), dim3(Block)>>>(device.get());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  for (size_t b = 0; b < host.size(); b += elements)
    std::sort(host.begin() + static_cast<long>(b), host.begin() + static_cast<long>(b + elements));
  verdicts.expectEqual("n=" + std::to_string(host.size()) + " block=" + std::to_string(Block) +
                           " pattern=" + o.pattern,
                       device.download(), host);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {elements, 8 * elements, "elements"},
                                       {"random", "intervals"});
  bench::Verdicts verdicts("pcm");
  run<32>(o, verdicts);
  run<64>(o, verdicts);
  run<128>(o, verdicts);
  run<256>(o, verdicts);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
