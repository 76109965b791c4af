// BIT: bitonic sort of one block's elements in LDS (the kernel of the control-flow melding paper).
//
// The direction of a compare-and-swap depends on a bit of the thread id, so within a wave half of
// the threads sort upwards and half downwards: two arms that differ in nothing but the comparison.
#include "harness.h"

#include <algorithm>

// The listing of the paper (figure 1); its programs give the array as dynamic LDS.
template <unsigned Block> __global__ void bitonicSort(int *values) {
  extern __shared__ int shared[];
  const unsigned tid = threadIdx.x, offset = blockIdx.x * Block;
  shared[tid] = values[offset + tid];
  __syncthreads();

  for (unsigned k = 2; k <= Block; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      const unsigned ixj = tid ^ j;
      if (ixj > tid) { // divergent: branch
        if ((tid & k) == 0) {
          if (shared[ixj] < shared[tid]) {
            const int t = shared[tid];
            shared[tid] = shared[ixj];
            shared[ixj] = t;
          }
        } else {
          if (shared[ixj] > shared[tid]) {
            const int t = shared[tid];
            shared[tid] = shared[ixj];
            shared[ixj] = t;
          }
        }
      }
      __syncthreads();
    }
  }
  values[offset + tid] = shared[tid];
}

template <unsigned Block> void run(const bench::Options &o, bench::Verdicts &verdicts) {
  if (o.block != 0 && o.block != Block)
    return;
  const size_t blocks = o.sizeInMultiplesOf(Block) / Block;
  std::vector<int> host(blocks * Block);
  bench::Random random(o.seed);
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = o.pattern == "descending" ? static_cast<int>(host.size() - i)
                                        : static_cast<int>(random.next());

  bench::DeviceBuffer<int> device(host);
  bitonicSort<Block><<<dim3(blocks), dim3(Block), Block * sizeof(int)>>>(device.get());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  for (size_t b = 0; b < blocks; ++b)
    std::sort(host.begin() + b * Block, host.begin() + (b + 1) * Block);
  verdicts.expectEqual("values=" + std::to_string(blocks * Block) +
                           " block=" + std::to_string(Block) + " pattern=" + o.pattern,
                       device.download(), host);
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {64 * 256, 1024 * 256, "values"}, {"random", "descending"});
  bench::Verdicts verdicts("bitonic");
  run<32>(o, verdicts);
  run<64>(o, verdicts);
  run<128>(o, verdicts);
  run<256>(o, verdicts);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
