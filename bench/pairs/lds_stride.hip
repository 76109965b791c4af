// A chain of LDS reads of one wave, 16 words from lane to lane and one (HIP performance optimization
// on Vega 64, 2.9.2): each address comes from the word that was read before.
#include "bench/pairs/pair.h"

namespace {

constexpr int words = 4096, inner = 100;

__global__ void chase(int *buffer, int stride, int mask, int rounds) {
  __shared__ int held[words];
  for (int i = threadIdx.x; i < words; i += 64)
    held[i] = buffer[i];
  __syncthreads();
  int at = (int(threadIdx.x) * stride) & mask;
  for (int i = 0; i < rounds; ++i)
    for (int k = 0; k < inner; ++k)
      at = ((held[at] + int(threadIdx.x)) * stride) & mask;
  buffer[threadIdx.x] = at;
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"stride16", "stride1"},
                         {{"rounds", 10, "of 100 reads each"}});
  const int stride = side.is("stride16") ? 16 : 1, rounds = int(side["rounds"]);
  std::vector<int> start(words), want;
  for (int i = 0; i < words; ++i)
    start[i] = i % 64; // what a thread of the wave would have there
  want = start;
  for (int t = 0; t < 64; ++t) {
    int at = (t * stride) & (words - 1);
    for (int i = 0; i < rounds * inner; ++i)
      at = ((start[at] + t) * stride) & (words - 1);
    want[t] = at;
  }
  bench::DeviceBuffer<int> buffer(start);
  chase<<<1, 64>>>(buffer.get(), stride, words - 1, rounds);
  bench::finish();
  bench::Verdicts verdicts("lds_stride");
  verdicts.expectEqual(side.name(), buffer.download(), want);
  return verdicts.exitCode();
}
