// A kernel on a device gfx950: what gfx942 has not, 160 KiB of LDS and instructions of 16 bytes among it.
#include "tests/runtime/softgpu/execute/test_code.h"

#include <gtest/gtest.h>
#include <vector>

namespace meld::softgpu::test {
namespace {

class Gfx950 : public testing::Test {
protected:
  TestCode code{MELD_TEST_KERNELS "/gfx950-gfx942.hsaco"};
  std::vector<uint32_t> out = std::vector<uint32_t>(64);
};

TEST_F(Gfx950, RunsWhatItHasBeyondGfx942) {
  for (bool checked : {false, true}) {
    DeviceConfig c = testConfig("gfx950", 1);
    c.checks = checked ? ~0u : 0;
    const auto gpu = Gpu::create(c);
    const auto r = launch(*gpu, code, "more", {64}, {64}, Args(out.data()));
    ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
    for (uint32_t k = 0; k < 64; ++k)
      ASSERT_EQ(out[k], 2 * k + 256);
  }
}

TEST_F(Gfx950, ItsPredecessorRefusesTheLds) {
  const auto gpu = Gpu::create(testConfig("gfx942", 1));
  const auto r = launch(*gpu, code, "more", {64}, {64}, Args(out.data()));
  EXPECT_EQ(r.code, DispatchCode::ldsTooLarge) << r.message;
}

} // namespace
} // namespace meld::softgpu::test
