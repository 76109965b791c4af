// All stores of 65,536 threads into 256 bytes, or to a word of each thread's own (HIP performance
// optimization on Vega 64, 2.10): addresses that share a memory channel.
#include "bench/pairs/pair.h"

namespace {

constexpr unsigned kept = 0xffff0000u;

__global__ void write(int *buffer, unsigned low) {
  const unsigned x = blockDim.x * blockIdx.x + threadIdx.x;
  buffer[(x & kept) | (x & low)] = int(x);
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"bytes256", "bytes65536"},
                         {{"threads", 1 << 17, "a multiple of 65536"}});
  const unsigned n = side.count("threads"), low = side.is("bytes256") ? 63 : 16383;
  if (n % 65536) {
    std::fprintf(stderr, "channels: threads has to be a multiple of 65536\n");
    return 2;
  }
  const std::vector<int> before(n, -1);
  bench::DeviceBuffer<int> buffer(before);
  write<<<n / 256, 256>>>(buffer.get(), low);
  bench::finish();
  // Which of a word's writers was last is the device's choice; that it was one of them is not.
  auto got = buffer.download(), want = before;
  for (unsigned at = 0; at < n; ++at)
    if (((at & kept) | (at & low)) == at) {
      want[at] = int(at);
      if (got[at] >= 0)
        got[at] = int((unsigned(got[at]) & kept) | (unsigned(got[at]) & low));
    }
  bench::Verdicts verdicts("channels");
  verdicts.expectEqual(side.name(), got, want);
  return verdicts.exitCode();
}
