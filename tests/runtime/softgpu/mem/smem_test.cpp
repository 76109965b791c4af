// Scalar memory instructions.
#include "tests/runtime/softgpu/mem/machine.h"
#include "tests/runtime/softgpu/mem/reference.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

std::string sregs(unsigned first, unsigned n) {
  return n == 1 ? "s" + std::to_string(first)
                : "s[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]";
}

class Smem : public ::testing::Test {
protected:
  std::mt19937_64 rng{3};
  Machine machine;
  State s;
  void SetUp() override {
    s.randomize(rng);
    s.setExec(0); // scalar memory does not look at EXEC
  }
  void check(const std::string &text, const State &want, isa::Target target = isa::Target::gfx90a) {
    State got = s;
    auto out = machine.run(text, got, target);
    ASSERT_TRUE(out.prepared) << text;
    EXPECT_EQ(difference(got, want), "") << text;
    EXPECT_EQ(out.trace.cacheLines, 0u);
  }
  std::string suffix(unsigned n) { return n == 1 ? "dword" : "dwordx" + std::to_string(n); }
};

} // namespace

TEST_F(Smem, Loads) {
  for (unsigned n : {1u, 2u, 4u, 8u, 16u}) {
    s.setPair(4, machine.memory() + 256);
    s.s[6] = 0x123; // low two bits are dropped
    State want = s;
    std::memcpy(&want.s[32], &s.memory[256 + 0x40], 4 * n);
    check("s_load_" + suffix(n) + " " + sregs(32, n) + ", s[4:5], 0x40", want);
    std::memcpy(&want.s[32], &s.memory[256 - 0x40], 4 * n);
    check("s_load_" + suffix(n) + " " + sregs(32, n) + ", s[4:5], -0x40", want);
    std::memcpy(&want.s[32], &s.memory[256 + 0x120], 4 * n);
    check("s_load_" + suffix(n) + " " + sregs(32, n) + ", s[4:5], s6", want);
  }
  s.setPair(4, machine.memory() + 259);
  State want = s;
  std::memcpy(&want.s[4], &s.memory[256], 8); // over its own base
  check("s_load_dwordx2 s[4:5], s[4:5], 0x0", want);
  want = s;
  std::memcpy(&want.s[isa::Sgpr::vcc], &s.memory[260], 8);
  check("s_load_dwordx2 vcc, s[4:5], 0x1", want);
}

TEST_F(Smem, Stores) {
  for (unsigned n : {1u, 2u, 4u}) {
    s.setPair(4, machine.memory() + 512);
    State want = s;
    std::memcpy(&want.memory[512 + 0x44], &s.s[32], 4 * n);
    check("s_store_" + suffix(n) + " " + sregs(32, n) + ", s[4:5], 0x44", want,
          isa::Target::gfx900);
  }
}

TEST_F(Smem, BufferLoadsAreRangeChecked) {
  s.s[8] = uint32_t(machine.memory());
  s.s[9] = uint32_t(machine.memory() >> 32) & 0xffff;
  s.s[11] = 0;
  for (uint32_t stride : {0u, 12u})
    for (uint32_t records : {64u, 70u, 1000u}) {
      s.s[9] = (s.s[9] & 0xffff) | stride << 16;
      s.s[10] = records;
      const uint64_t bytes = stride ? uint64_t(stride) * records : records;
      for (uint32_t offset : {0u, 56u, 61u, 64u, 760u, 12000u}) {
        State want = s;
        for (unsigned k = 0; k < 8; ++k) {
          uint32_t at = (offset & ~3u) + 4 * k;
          want.s[32 + k] = 0;
          if (at + 4 <= bytes)
            std::memcpy(&want.s[32 + k], &s.memory[at], 4);
        }
        check("s_buffer_load_dwordx8 s[32:39], s[8:11], " + std::to_string(offset), want);
        want = s;
        for (unsigned k = 0; k < 2; ++k) {
          uint32_t at = (offset & ~3u) + 4 * k;
          if (at + 4 <= bytes)
            std::memcpy(&want.memory[at], &s.s[32 + k], 4);
        }
        check("s_buffer_store_dwordx2 s[32:33], s[8:11], " + std::to_string(offset), want,
              isa::Target::gfx900);
      }
    }
}

TEST_F(Smem, Atomics) {
  for (const char *name : {"swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and",
                           "or", "xor", "inc", "dec"})
    for (bool x2 : {false, true})
      for (bool glc : {false, true})
        for (unsigned round = 0; round < 8; ++round) {
          const std::string op = std::string("atomic_") + name + (x2 ? "_x2" : "");
          const ElementInfo e = elementInfo(op);
          s.setPair(4, machine.memory() + 512);
          for (unsigned k = 0; k < 4; ++k)
            s.s[32 + k] = uint32_t(rng() % 3);
          uint32_t memory[2] = {uint32_t(rng() % 3), uint32_t(rng() % 3)};
          std::memcpy(&s.memory[512 + 8], memory, 8);
          State want = s;
          LaneAccess lane{&want.memory[512 + 8]};
          for (unsigned k = 0; k < e.dst; ++k) {
            lane.data[k] = s.s[32 + k];
            lane.data2[k] = s.s[32 + e.dst + k];
          }
          accessLane(op, lane, s.mode);
          if (glc)
            std::memcpy(&want.s[32], lane.dst, 4 * e.dst);
          check("s_" + op + " " + sregs(32, e.data) + ", s[4:5], 0x8" + (glc ? " glc" : ""), want,
                isa::Target::gfx900);
          if (HasFatalFailure())
            return;
        }
}

TEST_F(Smem, ScratchOffsetCountsIn64Bytes) {
  s.setPair(4, machine.memory());
  s.s[6] = 3;
  State want = s;
  std::memcpy(&want.s[32], &s.memory[192], 8);
  check("s_scratch_load_dwordx2 s[32:33], s[4:5], s6", want, isa::Target::gfx900);
  want = s;
  std::memcpy(&want.memory[20], &s.s[32], 4);
  check("s_scratch_store_dword s32, s[4:5], 20", want, isa::Target::gfx900);
}

TEST_F(Smem, ClocksAdvanceAndCacheControlDoesNothing) {
  for (const char *op : {"s_memtime", "s_memrealtime"}) {
    State a = s, b = s;
    machine.run(std::string(op) + " s[32:33]", a);
    machine.run(std::string(op) + " s[32:33]", b);
    EXPECT_GT(b.s[32] | uint64_t(b.s[33]) << 32, a.s[32] | uint64_t(a.s[33]) << 32);
  }
  for (const char *op : {"s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol"})
    check(op, s, isa::Target::gfx900);
}
