// How a kernel of gfx942 starts: arguments in SGPRs where the descriptor asks for them, scratch
// without set-up ("Initial Kernel Execution State" of LLVM's AMDGPU guide).
#include "tests/runtime/softgpu/execute/test_code.h"

#include <gtest/gtest.h>
#include <vector>

namespace meld::softgpu::test {
namespace {

constexpr size_t kRsrc2 = 52, kPreload = 58; // in the kernel descriptor

class Gfx942 : public testing::Test {
protected:
  TestCode code{MELD_TEST_KERNELS "/gfx942-gfx942.hsaco"};
  std::unique_ptr<Gpu> gpu = Gpu::create(testConfig("gfx942", 2));
  std::vector<uint32_t> out = std::vector<uint32_t>(256);

  /// Asks for `dwords` of the arguments from dword `offset` on, in SGPRs behind the first two.
  void askFor(const std::string &kernel, unsigned dwords, unsigned offset) {
    const uint32_t rsrc2 = code.field<uint32_t>(kernel, kRsrc2);
    code.setField(kernel, kRsrc2, uint32_t((rsrc2 & ~0x3eu) | (2 + dwords) << 1));
    code.setField(kernel, kPreload, uint16_t(dwords | offset << 7));
  }
};

TEST_F(Gfx942, PreloadsArguments) {
  askFor("preloaded", 3, 0);
  const auto r = launch(*gpu, code, "preloaded", {256}, {64}, Args(out.data(), uint32_t(1000)));
  ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
  for (uint32_t k = 0; k < 256; ++k)
    ASSERT_EQ(out[k], 1000 + k % 64) << k;
}

TEST_F(Gfx942, PreloadsFromAnOffset) {
  askFor("preloaded", 3, 2);
  const auto r =
      launch(*gpu, code, "preloaded", {256}, {64}, Args(uint64_t(0), out.data(), uint32_t(7)));
  ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
  EXPECT_EQ(out[255], 7u + 63);
}

TEST_F(Gfx942, WithoutPreloadingTheEntryIsTheEntry) {
  const auto r = launch(*gpu, code, "preloaded", {256}, {64}, Args(out.data(), uint32_t(1000)));
  EXPECT_EQ(r.code, DispatchCode::trap) << r.message;
}

TEST_F(Gfx942, MorePreloadedThanSgprsIsAnError) {
  code.setField("preloaded", kPreload, uint16_t(17));
  const auto r = launch(*gpu, code, "preloaded", {64}, {64}, Args(out.data(), uint32_t(0)));
  EXPECT_EQ(r.code, DispatchCode::badCodeObject);
  EXPECT_NE(r.message.find("17 dwords of arguments"), r.message.npos) << r.message;
}

TEST_F(Gfx942, ScratchNeedsNoSetUp) {
  for (bool checked : {false, true}) {
    DeviceConfig c = testConfig("gfx942", 1);
    c.checks = checked ? ~0u : 0;
    auto g = Gpu::create(c);
    const auto r = launch(*g, code, "scratch", {256}, {64}, Args(out.data()));
    ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
    for (uint32_t k = 0; k < 256; ++k)
      ASSERT_EQ(out[k], k / 64 + k % 64) << k;
  }
}

/// 104 VGPRs in eights, less one; AGPRs from the 20th on, in fours, less one. LDS in 256 bytes, of
/// which hardware gives 512 or (gfx950) 1280.
TEST_F(Gfx942, SaysWhatAWaveHas) {
  for (const auto &[name, lds] : {std::pair{"gfx942", 4u}, std::pair{"gfx950", 5u}}) {
    const auto r =
        launch(*Gpu::create(testConfig(name, 1)), code, "allocated", {64}, {64}, Args(out.data()));
    ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
    EXPECT_EQ(out[0], 12u << 6 | 4u << 12) << name;
    EXPECT_EQ(out[1], lds) << name;
  }
}

} // namespace
} // namespace meld::softgpu::test
