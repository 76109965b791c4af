// A kernel without work, in blocks of 64, 256 and 1,024 threads (HIP performance optimization on Vega
// 64, 2.1.2): how fast the device begins threads.
#include "bench/pairs/pair.h"

__global__ void nothing(float *) {}

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"block64", "block256", "block1024"},
                         {{"threads", 1 << 16, "threads of all blocks"}});
  const unsigned block = unsigned(std::stoul(side.name().substr(5)));
  const std::vector<float> before(64, 1.5f);
  bench::DeviceBuffer<float> data(before);
  nothing<<<unsigned(side["threads"] / block), block>>>(data.get());
  bench::finish();
  bench::Verdicts verdicts("null_blocks");
  verdicts.expectEqual(side.name(), data.download(), before);
  return verdicts.exitCode();
}
