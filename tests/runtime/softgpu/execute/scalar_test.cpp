// Scalar instructions against a reference, and assembly kernels for control flow.
#include "tests/runtime/softgpu/execute/scalar_reference.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <unistd.h>

/// Of those as large as what code is decoded from; 0: none fails.
static std::atomic<unsigned> allocationsUntilFailure{0};

[[gnu::noinline]] void *operator new(size_t bytes) {
  if (bytes == 16384 && allocationsUntilFailure && --allocationsUntilFailure == 0)
    throw std::bad_alloc();
  if (void *p = std::malloc(bytes))
    return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void *p, size_t) noexcept { std::free(p); }

namespace meld::softgpu::test {
namespace {

class Scalar : public testing::TestWithParam<std::string> {
protected:
  std::string target = GetParam();
  TestCode code{std::string(MELD_TEST_KERNELS) + "/snippets-" + target + ".hsaco"};
};
INSTANTIATE_TEST_SUITE_P(Targets, Scalar, testing::Values("gfx900", "gfx90a"),
                         [](auto &i) { return i.param; });

TEST_P(Scalar, EveryOpcodeOnEdgeValues) {
  EXPECT_EQ(checkScalarOpcodes(code, targetOf(target)).size(), 129u)
      << "the arithmetic opcodes of snippets.s";
}

TEST_P(Scalar, ControlFlowKernel) {
  auto gpu = Gpu::create(testConfig(target, 1));
  std::vector<uint32_t> out(32, 0xdead);
  auto r = launch(*gpu, code, "flow", {64}, {64}, Args(out.data()));
  ASSERT_EQ(r.code, DispatchCode::ok) << r.message;
  EXPECT_EQ(out[0], 42u) << "s_swappc call";
  EXPECT_EQ(out[1], 84u) << "s_call_b64";
  const uint64_t back2 = uint64_t(code.symbol("flow_back2")),
                 pc2 = uint64_t(code.symbol("flow_pc2"));
  EXPECT_EQ(out[2], uint32_t(pc2 - back2)) << "s_getpc relative to the return address";
  EXPECT_EQ(out[3], 77u) << "conditional branches";
  EXPECT_EQ(out[4], 102u) << "s_movrels_b32";
  EXPECT_EQ(out[5], 103u) << "s_movrels_b64";
  EXPECT_EQ(out[6], 84u) << "s_movreld_b32";
  EXPECT_EQ(out[7], 9u) << "MODE written and read";
  EXPECT_EQ(out[8], 9u) << "MODE[3:2] = 2";
  EXPECT_EQ(out[9], 1u) << "STATUS.SCC";
  EXPECT_EQ(out[10], 1u) << "SH_MEM_BASES, shared";
  EXPECT_EQ(out[11], 0x20000u) << "src_private_base, high half";
  EXPECT_EQ(out[12], 55u) << "indexed source";
  EXPECT_EQ(out[13], 1u) << "indexed destination";
  EXPECT_EQ(out[14], 1234u) << "reached the end";
}

TEST_P(Scalar, WhatRanUntilMemoryRanOutIsCounted) {
  const std::string trace =
      testing::TempDir() + "meld-far-" + std::to_string(getpid()) + "-" + target;
  for (bool traced : {false, true}) {
    DeviceConfig c = testConfig(target, 1);
    c.translate = "off";
    if (traced)
      c.trace = trace;
    auto gpu = Gpu::create(c);
    allocationsUntilFailure = 2; // the first one is for the kernel's begin
    const DispatchResult r = launch(*gpu, code, "far", {64}, {64}, Args(nullptr));
    allocationsUntilFailure = 0;
    EXPECT_EQ(r.code, DispatchCode::cancelled) << r.message;
    EXPECT_EQ(r.counters.insts[unsigned(isa::Category::valu)], 2u);
    EXPECT_EQ(r.counters.insts[unsigned(isa::Category::salu)], 1u);
    EXPECT_EQ(r.counters.insts[unsigned(isa::Category::other)], 1u);
    EXPECT_EQ(r.counters.insts[unsigned(isa::Category::branch)], 1u);
    EXPECT_EQ(r.counters.activeLanesValu, 128u);
  }
  std::remove(trace.c_str());
}

TEST_P(Scalar, IllegalInstructions) {
  auto gpu = Gpu::create(testConfig(target, 2));
  uint32_t flag = 0;
  auto r = launch(*gpu, code, "unknown", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::ok) << "not executed, so no error: " << r.message;
  flag = 1;
  r = launch(*gpu, code, "unknown", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::illegalInstruction);
  char offset[20];
  std::snprintf(offset, sizeof(offset), "+0x%lx",
                static_cast<const char *>(code.symbol("unknown_bad")) -
                    static_cast<const char *>(code.symbol("unknown")));
  EXPECT_NE(r.message.find("kernel unknown at " + std::string(offset)), std::string::npos)
      << r.message;
  EXPECT_NE(r.message.find(".long 0xbe80fe00: no such instruction"), std::string::npos)
      << r.message;

  r = launch(*gpu, code, "unsupported", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::illegalInstruction);
  EXPECT_NE(r.message.find("image_load"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("unsupported"), std::string::npos) << r.message;

  r = launch(*gpu, code, "lost", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::illegalInstruction) << r.message;
  EXPECT_NE(r.message.find("0x1000"), std::string::npos) << r.message;

  r = launch(*gpu, code, "halts", {64}, {64}, Args(&flag));
  EXPECT_EQ(r.code, DispatchCode::trap) << r.message;
}

} // namespace
} // namespace meld::softgpu::test
