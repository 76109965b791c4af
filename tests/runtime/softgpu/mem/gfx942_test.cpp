// Memory instructions that gfx942 has beyond gfx90a's: scratch with both addresses, loads to LDS by
// opcode, packed bf16 atomics. Expected values are worked out by hand from the number formats.
#include "tests/runtime/softgpu/mem/machine.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

constexpr isa::Target kTarget = isa::Target::gfx942;

/// Sums of two bf16, by hand: 8 bits of significand, ties to even.
struct Sum {
  uint16_t a, b, sum;
};
const Sum kBf16[] = {
    {0x3f80, 0x3f80, 0x4000}, // 1 + 1
    {0x4380, 0x3f80, 0x4380}, // 256 + 1: a tie, to the even 256
    {0x4381, 0x3f80, 0x4382}, // 258 + 1: a tie, to the even 260
    {0x4380, 0x3fc0, 0x4381}, // 256 + 1.5: above the tie
    {0x0001, 0x0001, 0x0002}, // denormals are not flushed
    {0x8000, 0x8000, 0x8000}, {0x8000, 0x0000, 0x0000}, {0x7f7f, 0x7f7f, 0x7f80}, // too large
    {0x7f80, 0xff80, 0x7fc0}, // infinities of two signs
    {0x7f81, 0x3f80, 0x7fc1}, {0x3f80, 0xff81, 0xffc1}, {0xbf80, 0x3f80, 0x0000},
};
/// The same of f16: 11 bits of significand.
const Sum kHalf[] = {
    {0x3c00, 0x3c00, 0x4000}, // 1 + 1
    {0x6800, 0x3c00, 0x6800}, // 2048 + 1: a tie, to the even 2048
    {0x6801, 0x3c00, 0x6802}, // 2050 + 1: a tie, to the even 2052
    {0x0001, 0x0001, 0x0002}, {0x8000, 0x8000, 0x8000}, {0x7bff, 0x7bff, 0x7c00},
    {0x7c00, 0xfc00, 0x7e00}, {0x7c01, 0x3c00, 0x7e01},
};

struct Pairs {
  uint32_t memory, data, sum;
};
template <size_t N> Pairs pairOf(const Sum (&sums)[N], unsigned lane) {
  const Sum &x = sums[lane % N], &y = sums[(lane * 5 + 3) % N];
  return {uint32_t(x.a | y.a << 16), uint32_t(x.b | y.b << 16), uint32_t(x.sum | y.sum << 16)};
}
Pairs pairOf(bool bf16, unsigned lane) { return bf16 ? pairOf(kBf16, lane) : pairOf(kHalf, lane); }

class Gfx942Memory : public ::testing::Test {
protected:
  std::mt19937_64 rng{942};
  Machine machine;
  State before;

  void SetUp() override {
    before.randomize(rng);
    before.setExec(0xfffffffffffffff5);
  }
  bool active(unsigned lane) const { return before.exec() >> lane & 1; }
  void expectRun(const std::string &text, State &s) {
    const auto out = machine.run(text, s, kTarget);
    ASSERT_TRUE(out.prepared) << text;
    ASSERT_EQ(out.status, WaveStatus::ready) << text << ": " << out.fault.what;
  }
};

/// Byte `b` of a lane's private memory in a State.
uint32_t &scratchDword(State &s, unsigned lane, uint32_t b) {
  return *reinterpret_cast<uint32_t *>(&s.scratch[b / 4 * 256 + lane * 4]);
}

} // namespace

TEST_F(Gfx942Memory, PackedAtomics) {
  for (bool bf16 : {true, false}) {
    const std::string type = bf16 ? "bf16" : "f16";
    for (const char *form : {"global", "flat", "ds"})
      for (bool returns : {true, false}) {
        const bool lds = form == std::string("ds");
        State s = before;
        for (unsigned l = 0; l < kWaveSize; ++l) {
          const Pairs p = pairOf(bf16, l);
          std::memcpy(&(lds ? s.lds : s.memory)[256 + 4 * l], &p.memory, 4);
          s.v[8].u[l] = p.data;
          const uint64_t address = lds ? 256 + 4 * l : machine.memory() + 256 + 4 * l;
          s.v[2].u[l] = uint32_t(address);
          s.v[3].u[l] = uint32_t(address >> 32);
        }
        State want = s;
        for (unsigned l = 0; l < kWaveSize; ++l)
          if (active(l)) {
            const Pairs p = pairOf(bf16, l);
            std::memcpy(&(lds ? want.lds : want.memory)[256 + 4 * l], &p.sum, 4);
            if (returns)
              want.v[16].u[l] = p.memory;
          }
        std::string text;
        if (lds)
          text = "ds_pk_add_" + std::string(returns ? "rtn_" + type + " v16, " : type + " ") +
                 "v2, v8";
        else
          text = std::string(form) + "_atomic_pk_add_" + type + (returns ? " v16, " : " ") +
                 "v[2:3], v8" + (form == std::string("global") ? ", off" : "") +
                 (returns ? " sc0" : "");
        expectRun(text, s);
        EXPECT_EQ(difference(s, want), "") << text;
      }
  }
}

TEST_F(Gfx942Memory, FlatAddF32FollowsModeInLds) {
  // The smallest denormal twice: memory flushes, LDS does as MODE says.
  for (bool lds : {true, false})
    for (uint32_t mode : {0xf0u, 0xc0u}) {
      State s = before;
      s.mode = mode;
      for (unsigned l = 0; l < kWaveSize; ++l) {
        const uint32_t one = 1;
        std::memcpy(&(lds ? s.lds : s.memory)[4 * l], &one, 4);
        const uint64_t address = lds ? kSharedAperture + 4 * l : machine.memory() + 4 * l;
        s.v[2].u[l] = uint32_t(address);
        s.v[3].u[l] = uint32_t(address >> 32);
        s.v[8].u[l] = one;
      }
      expectRun("flat_atomic_add_f32 v[2:3], v8", s);
      uint32_t got;
      std::memcpy(&got, &(lds ? s.lds : s.memory)[4 * 8], 4);
      EXPECT_EQ(got, lds && mode == 0xf0 ? 2u : 0u) << lds << " " << mode;
    }
}

TEST_F(Gfx942Memory, ScratchAddresses) {
  before.s[5] = 16;
  for (unsigned l = 0; l < kWaveSize; ++l)
    before.v[2].u[l] = 4 * (l % 7);
  struct Form {
    const char *address;
    bool vector, scalar;
  };
  for (const Form &f : {Form{"v2, s5", true, true}, Form{"v2, off", true, false},
                        Form{"off, s5", false, true}, Form{"off, off", false, false}}) {
    const auto at = [&](unsigned l) {
      return 12 + (f.vector ? before.v[2].u[l] : 0) + (f.scalar ? 16 : 0);
    };
    State s = before, want = before;
    for (unsigned l = 0; l < kWaveSize; ++l)
      if (active(l))
        want.v[16].u[l] = scratchDword(want, l, at(l));
    const std::string address = f.address;
    expectRun("scratch_load_dword v16, " + address + " offset:12", s);
    EXPECT_EQ(difference(s, want), "") << address;
    s = want = before;
    for (unsigned l = 0; l < kWaveSize; ++l)
      if (active(l))
        for (unsigned k = 0; k < 2; ++k)
          scratchDword(want, l, at(l) + 4 * k) = before.v[8 + k].u[l];
    expectRun("scratch_store_dwordx2 " + address.substr(0, address.find(',')) + ", v[8:9]," +
                  address.substr(address.find(',') + 1) + " offset:12",
              s);
    EXPECT_EQ(difference(s, want), "") << address;
  }
}

TEST_F(Gfx942Memory, LoadsToLds) {
  before.s[isa::Sgpr::m0] = 128;
  before.setPair(4, machine.memory());
  for (unsigned l = 0; l < kWaveSize; ++l)
    before.v[2].u[l] = 4 * (63 - l);
  State s = before, want = before;
  for (unsigned l = 0; l < kWaveSize; ++l)
    if (active(l))
      std::memcpy(&want.lds[128 + 4 * l], &before.memory[4 * (63 - l)], 4);
  expectRun("global_load_lds_dword v2, s[4:5]", s);
  EXPECT_EQ(difference(s, want), "");
  s = want = before;
  for (unsigned l = 0; l < kWaveSize; ++l)
    if (active(l)) {
      const uint32_t value = scratchDword(want, l, 20) & 0xff;
      std::memcpy(&want.lds[128 + 20 + 4 * l], &value, 4);
    }
  expectRun("scratch_load_lds_ubyte off, off offset:20", s);
  EXPECT_EQ(difference(s, want), "");
}

TEST_F(Gfx942Memory, CacheControlDoesNothing) {
  for (const char *text : {"buffer_inv sc0 sc1", "buffer_inv", "buffer_wbl2 sc1", "buffer_wbl2"}) {
    State s = before;
    expectRun(text, s);
    EXPECT_EQ(difference(s, before), "") << text;
  }
}
