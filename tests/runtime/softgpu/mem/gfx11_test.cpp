// What memory instructions of GFX11 do that those of GFX10.3 do not. Expected values are worked out from the
// "RDNA3" ISA manual; what both have alike is in gfx10_test.cpp and gfx10_buffer_test.cpp.
#include "tests/runtime/softgpu/llvm_cpu.h"
#include "tests/runtime/softgpu/mem/vmem_fixture.h"

#include <llvm/Config/llvm-config.h>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

class Gfx11Memory : public Vmem, public ::testing::WithParamInterface<isa::Target> {
protected:
  Gfx11Memory() { target_ = GetParam(); }
  unsigned lanes() const { return isa::traitsOf(target_).waveSize; }
  State random() {
    State s;
    s.randomize(rng);
    s.setExec(rng() & (kFullExec >> (64 - lanes())));
    return s;
  }
  void expectRun(const std::string &text, State &got, const State &want) {
    const auto out = machine.run(text, got, target_);
    ASSERT_TRUE(out.prepared) << text;
    ASSERT_EQ(out.status, WaveStatus::ready) << text << ": " << out.fault.what;
    EXPECT_EQ(difference(got, want), "") << text;
  }
  template <class Lane> void eachLane(const State &s, Lane lane) {
    for (unsigned l = 0; l < lanes(); ++l)
      if (s.exec() >> l & 1)
        lane(l);
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, Gfx11Memory,
                         testing::Values(isa::Target::gfx1100, isa::Target::gfx1100w64),
                         [](auto &i) { return testName(i.param); });

uint32_t dwordAt(const std::vector<uint8_t> &bytes, size_t at) {
  uint32_t x;
  std::memcpy(&x, &bytes.at(at), 4);
  return x;
}
void put(std::vector<uint8_t> &bytes, size_t at, uint32_t x) { std::memcpy(&bytes.at(at), &x, 4); }

} // namespace

// 11.2, "SVS": Addr = FLAT_SCRATCH + swizzle(Soff + Voff + Ioff, TID).
TEST_P(Gfx11Memory, ScratchWithBothAddresses) {
  for (const std::string &name : kLoadsStores)
    sweep(
        name, cases("scratch", name, "v2", ", s4 offset:-8"), kScratchPerLane,
        [](State &s, std::vector<uint32_t> &at) {
          s.s[4] = 24;
          for (unsigned l = 0; l < kWaveSize; ++l) {
            at[l] = std::max(at[l], 16u);
            s.v[2].u[l] = at[l] - 16;
          }
        },
        [&](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          return privateByte(s, l, at[l] + k);
        });
}

// The offset has 13 bits and a sign.
TEST_P(Gfx11Memory, OffsetsOf13Bits) {
  for (const int offset : {4095, -4096}) {
    State s = random(), want = s;
    for (unsigned l = 0; l < kWaveSize; ++l)
      setAddress(s, 2, l, machine.memory() + 8192 - uint64_t(int64_t(offset)) + 4 * l);
    want = s;
    eachLane(s, [&](unsigned l) { want.v[16].u[l] = dwordAt(s.memory, 8192 + 4 * l); });
    expectRun("global_load_b32 v16, v[2:3], off offset:" + std::to_string(offset), s, want);
  }
}

// 16.15: "src = DATA, cmp = DATA2", which the manuals before have the other way round.
TEST_P(Gfx11Memory, ComparingStoresTakeTheNewValueFirst) {
  for (const bool returns : {false, true})
    for (const bool wide : {false, true}) {
      State s = random();
      for (unsigned l = 0; l < kWaveSize; ++l) {
        s.v[2].u[l] = 16 * l;
        if (l % 3) // the comparison holds
          for (unsigned k = 0; k < 2; ++k)
            s.v[10 + k].u[l] = dwordAt(s.lds, 16 * l + 4 * k);
      }
      State want = s;
      eachLane(s, [&](unsigned l) {
        for (unsigned k = 0; k < (wide ? 2u : 1u); ++k) {
          if (returns)
            want.v[16 + k].u[l] = dwordAt(s.lds, 16 * l + 4 * k);
          if (l % 3)
            put(want.lds, 16 * l + 4 * k, s.v[8 + k].u[l]);
        }
      });
      const std::string bits = wide ? "b64" : "b32";
      const std::string data = wide ? "v[8:9], v[10:11]" : "v8, v10";
      const std::string dst = wide ? "v[16:17], " : "v16, ";
      expectRun("ds_cmpstore_" + std::string(returns ? "rtn_" : "") + bits + " " +
                    (returns ? dst : "") + "v2, " + data,
                s, want);
    }
}

// 16.15, "Floating point compare and store": -0 is equal to 0, a NaN to nothing.
TEST_P(Gfx11Memory, ComparingStoresOfFloats) {
  struct Case {
    uint32_t memory, compare;
    bool stores;
  };
  constexpr Case kCases[] = {{0x3f800000, 0x3f800000, true},
                             {0x3f800000, 0x40000000, false},
                             {0x80000000, 0, true},
                             {0x7fc00000, 0x7fc00000, false}};
  State s = random();
  for (unsigned l = 0; l < kWaveSize; ++l) {
    s.v[2].u[l] = 4 * l;
    put(s.lds, 4 * l, kCases[l % 4].memory);
    s.v[9].u[l] = kCases[l % 4].compare;
  }
  State want = s;
  eachLane(s, [&](unsigned l) {
    want.v[16].u[l] = kCases[l % 4].memory;
    if (kCases[l % 4].stores)
      put(want.lds, 4 * l, s.v[8].u[l]);
  });
  expectRun("ds_cmpstore_rtn_f32 v16, v2, v8, v9", s, want);
}

// 16.15: a dword whose datum has its highest bit set is replaced by the rest of the datum.
TEST_P(Gfx11Memory, ConditionalExchange) {
  State s = random();
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 16 * l + l % 8; // the address is rounded down to eight bytes
  State want = s;
  eachLane(s, [&](unsigned l) {
    for (unsigned k = 0; k < 2; ++k) {
      const size_t at = 16 * l + 8 + 4 * k;
      want.v[16 + k].u[l] = dwordAt(s.lds, at);
      if (s.v[8 + k].u[l] >> 31)
        put(want.lds, at, s.v[8 + k].u[l] & 0x7fffffff);
    }
  });
  expectRun("ds_condxchg32_rtn_b64 v[16:17], v2, v[8:9] offset:8", s, want);
}

// 13.2: additions of floats in memory flush denormals, those in LDS do as MODE says.
TEST_P(Gfx11Memory, FloatAdditionWhereverTheAddressLies) {
  constexpr uint32_t kDenormal = 0x00000123, kOne = 0x3f800000, kTwo = 0x40000000;
  for (const bool denormals : {true, false}) {
    State s = random();
    s.mode = denormals ? 0xf0 : 0;
    for (unsigned l = 0; l < kWaveSize; ++l) {
      const bool shared = l % 2;
      setAddress(s, 2, l, (shared ? kSharedAperture : machine.memory()) + 4 * l);
      put(shared ? s.lds : s.memory, 4 * l, l % 3 ? kOne : 0);
      s.v[8].u[l] = l % 3 ? kOne : kDenormal;
    }
    State want = s;
    eachLane(s, [&](unsigned l) {
      const bool shared = l % 2;
      want.v[16].u[l] = l % 3 ? kOne : 0;
      const uint32_t small = shared && denormals ? kDenormal : 0;
      put(shared ? want.lds : want.memory, 4 * l, l % 3 ? kTwo : small);
    });
    expectRun("flat_atomic_add_f32 v16, v[2:3], v8 glc", s, want);
  }
}

// 8.1.1: ADDR = SGPR[base] + inst_offset + { M0 or SGPR[offset] or zero }.
TEST_P(Gfx11Memory, ScalarLoadsAddWhatIsThere) {
  State s = random();
  s.setPair(4, machine.memory() + 512);
  s.s[6] = 0x40;
  s.s[isa::Sgpr::m0] = 0x80;
  for (const auto &[offsets, at] : std::map<std::string, unsigned>{{"s6 offset:0x10", 512 + 0x50},
                                                                   {"s6 offset:-0x20", 512 + 0x20},
                                                                   {"m0", 512 + 0x80},
                                                                   {"m0 offset:0x4", 512 + 0x84},
                                                                   {"null", 512},
                                                                   {"0xffffc", 0}}) {
    if (!at)
      continue;
    State want = s, got = s;
    for (unsigned k = 0; k < 4; ++k)
      want.s[32 + k] = dwordAt(s.memory, at + 4 * k);
    expectRun("s_load_b128 s[32:35], s[4:5], " + offsets, got, want);
  }
}

// 8.1.2: of the resource base, stride and the number of records count; a swizzle does not.
TEST_P(Gfx11Memory, ScalarBufferLoads) {
  State s = random();
  const uint64_t base = machine.memory() + 256;
  s.s[8] = uint32_t(base);
  s.s[9] = uint32_t(base >> 32) | 16 << 16 | 1u << 30;
  s.s[10] = 4; // 64 bytes
  s.s[11] = 0;
  State want = s;
  for (unsigned k = 0; k < 8; ++k) // the last four lie behind the end
    want.s[32 + k] = k < 4 ? dwordAt(s.memory, 256 + 48 + 4 * k) : 0;
  expectRun("s_buffer_load_b256 s[32:39], s[8:11], 0x30", s, want);
}

// 9.3.1: f32 becomes f16 by truncation, what was made from other formats is rounded.
TEST_P(Gfx11Memory, HalvesOfFormattedLoads) {
  State s = random();
  s.s[8] = uint32_t(machine.memory());
  s.s[9] = uint32_t(machine.memory() >> 32);
  s.s[10] = 4096;
  s.s[11] = 0xfac | 3u << 28;
  for (unsigned l = 0; l < kWaveSize; ++l) {
    s.v[2].u[l] = 16 * l;
    put(s.memory, 16 * l, 0x3f803fff);     // a little below the second f16 behind 1
    put(s.memory, 16 * l + 4, 0xbf801fff); // the same below the first behind -1
    put(s.memory, 16 * l + 8, 0xabcd00ff);
  }
  State want = s;
  eachLane(s, [&](unsigned l) { want.v[16].u[l] = 0xbc00'3c01; });
  expectRun("tbuffer_load_d16_format_xy v16, v2, s[8:11], 0 format:[BUF_FMT_32_32_FLOAT] offen", s,
            want);
  // 0x00ff / 0xffff = 0.0038910... = 1.9922 * 2^-9; 0xabcd / 0xffff = 0.67110...
  eachLane(s, [&](unsigned l) { want.v[16].u[l] = 0x395e'1bf8; });
  expectRun(
      "tbuffer_load_d16_format_xy v16, v2, s[8:11], 0 format:[BUF_FMT_16_16_UNORM] offen offset:8",
      s, want);
}

// The halves of a register that a load leaves alone stay.
TEST_P(Gfx11Memory, HighHalvesOfBufferLoads) {
  State s = random();
  s.s[8] = uint32_t(machine.memory());
  s.s[9] = uint32_t(machine.memory() >> 32);
  s.s[10] = 4096;
  s.s[11] = 0xfac | 11u << 12 | 3u << 28; // 16_UINT
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 4 * l;
  State want = s;
  eachLane(s, [&](unsigned l) {
    want.v[16].u[l] = (s.v[16].u[l] & 0xffff) | dwordAt(s.memory, 4 * l) << 16;
  });
  expectRun("buffer_load_d16_hi_format_x v16, v2, s[8:11], 0 offen", s, want);
  eachLane(s, [&](unsigned l) {
    const uint32_t old = dwordAt(s.memory, 4 * l);
    put(want.memory, 4 * l, (old & 0xffff0000) | s.v[8].u[l] >> 16);
  });
  expectRun("buffer_store_d16_hi_format_x v8, v2, s[8:11], 0 offen", s, want);
}

// What LLVM has beside the manual: loads to LDS, at M0 + offset + 4 * lane.
TEST_P(Gfx11Memory, BufferLoadsToLds) {
#if LLVM_VERSION_MAJOR >= 20
  GTEST_SKIP() << "this LLVM does not assemble them for GFX11";
#endif
  State s = random();
  s.s[8] = uint32_t(machine.memory());
  s.s[9] = uint32_t(machine.memory() >> 32);
  s.s[10] = 4096;
  s.s[11] = 0xfac | 12u << 12 | 3u << 28; // 16_SINT
  s.s[isa::Sgpr::m0] = 64;
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 12 * l;
  const auto expected = [&](uint32_t (*value)(uint32_t)) {
    State want = s;
    eachLane(s, [&](unsigned l) {
      put(want.lds, 64 + 8 + 4 * l, value(dwordAt(s.memory, 12 * l + 8)));
    });
    return want;
  };
  State got = s;
  expectRun("buffer_load_lds_b32 v2, s[8:11], 0 offen offset:8", got,
            expected([](uint32_t x) { return x; }));
  got = s;
  expectRun("buffer_load_lds_i8 v2, s[8:11], 0 offen offset:8", got,
            expected([](uint32_t x) { return uint32_t(int32_t(int8_t(x))); }));
  got = s;
  expectRun("buffer_load_lds_format_x v2, s[8:11], 0 offen offset:8", got,
            expected([](uint32_t x) { return uint32_t(int32_t(int16_t(x))); }));
}
