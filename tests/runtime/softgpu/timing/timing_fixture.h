// What the tests of the timing model share: kernels of timing.s on a device that models cycles.
#pragma once

#include "tests/runtime/softgpu/execute/test_code.h"

#include "runtime/softgpu/timing/timing.h"

namespace meld::softgpu::test {

class Timing : public testing::TestWithParam<std::string> {
protected:
  std::string target = GetParam();
  TestCode micro{std::string(MELD_TEST_KERNELS) + "/timing-" + target + ".hsaco"};
  TestCode code{std::string(MELD_TEST_KERNELS) + "/kernels-" + target + ".hsaco"};
  alignas(4096) uint32_t data[(201 << 10) + 64] = {};
  const TimingParameters p = TimingParameters::of(targetOf(target));

  std::unique_ptr<Gpu> timed(unsigned threads = 1, const char *parameters = "") {
    DeviceConfig c = testConfig(target, threads);
    c.timing = true;
    c.timingParameters = parseTimingChanges(parameters).value();
    return Gpu::create(c);
  }
  uint64_t cycles(Gpu &g, const std::string &kernel, uint32_t grid, uint32_t group,
                  uint32_t lds = 0) {
    Args args(&data[0]);
    AqlPacket packet = makePacket(micro, kernel, {grid}, {group}, args.data());
    packet.groupSegment = lds;
    DispatchRequest r;
    r.packet = &packet;
    DispatchResult result = g.run(r);
    EXPECT_EQ(result.code, DispatchCode::ok) << result.message;
    EXPECT_GT(result.cycles, 0u);
    return result.cycles;
  }
  /// Cycles per repetition of the body, for `waves` waves in one workgroup, with the code in the
  /// instruction cache where `parameters` do not say otherwise.
  double each(const std::string &name, unsigned waves = 1, const char *parameters = "") {
    auto g = timed(1, (std::string("fetchMiss=0,") + parameters).c_str());
    const uint32_t n = waves * 64;
    return double(cycles(*g, name + "_2", n, n, 16384) - cycles(*g, name + "_1", n, n, 16384)) /
           100;
  }
};

} // namespace meld::softgpu::test
