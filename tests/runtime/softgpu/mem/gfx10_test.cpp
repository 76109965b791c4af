// GLOBAL, FLAT, SCRATCH, DS and SMEM instructions of GFX10.3 and GFX11, in waves of 32 and of 64 lanes: every
// op against the scalar reference, and what they have that GFX9 has not. Expected values are worked out
// from the "RDNA 2" and "RDNA3" ISA manuals.
#include "tests/runtime/softgpu/llvm_cpu.h"
#include "tests/runtime/softgpu/mem/vmem_fixture.h"

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

class RdnaMemory : public Vmem, public ::testing::WithParamInterface<isa::Target> {
protected:
  RdnaMemory() { target_ = GetParam(); }
  unsigned lanes() const { return isa::traitsOf(target_).waveSize; }
  bool gfx11() const { return isa::traitsOf(target_).generation == 11; }
  uint64_t allLanes() const { return kFullExec >> (64 - lanes()); }
  State random() {
    State s;
    s.randomize(rng);
    s.setExec(rng() & allLanes());
    return s;
  }
  void expectRun(const std::string &text, State &got, const State &want) {
    const auto out = machine.run(text, got, target_);
    ASSERT_TRUE(out.prepared) << text;
    ASSERT_EQ(out.status, WaveStatus::ready) << text << ": " << out.fault.what;
    EXPECT_EQ(difference(got, want), "") << text;
  }
  static std::vector<std::string> ops() {
    std::vector<std::string> names = kLoadsStores;
    for (const std::string &a : kIntAtomics)
      names.insert(names.end(), {"atomic_" + a, "atomic_" + a + "_x2"});
    return names;
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, RdnaMemory,
                         testing::Values(isa::Target::gfx1030, isa::Target::gfx1030w64,
                                         isa::Target::gfx1100, isa::Target::gfx1100w64),
                         [](auto &i) { return testName(i.param); });

} // namespace

TEST_P(RdnaMemory, Global) {
  for (const std::string &name : ops()) {
    sweepGlobalVectorAddress(name);
    sweepGlobalScalarAddress(name);
  }
}

TEST_P(RdnaMemory, FlatIntoEveryAperture) {
  for (const std::string &name : ops())
    sweepFlatMixedApertures(name);
}

TEST_P(RdnaMemory, Scratch) {
  for (const std::string &name : kLoadsStores) {
    sweepScratchVectorAndScalarAddress(name);
    sweep(
        name, cases("scratch", name, "off", ", off offset:36"), kScratchPerLane,
        [](State &, std::vector<uint32_t> &at) { std::fill(at.begin(), at.end(), 36); },
        [&](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          return privateByte(s, l, at[l] + k);
        });
  }
}

TEST_P(RdnaMemory, FloatAtomics) {
  for (const std::string op : {"fmin", "fmax", "fcmpswap"})
    for (const char *width : {"", "_x2"})
      for (const char *encoding : {"global", "flat"}) {
        if (gfx11() && *width)
          continue; // it has none of 64 bits
        const std::string name = "atomic_" + op + width;
        const bool global = encoding == std::string("global");
        for (const Case &c : cases(encoding, name, "v[2:3]", global ? ", off" : "")) {
          State s = random();
          const unsigned bytes = elementInfo(name).bytes;
          for (unsigned l = 0; l < kWaveSize; ++l) {
            setAddress(s, 2, l, machine.memory() + 16 * l);
            // Numbers of both signs, some equal to what is compared with, which for 64 bits are in
            // the high halves alone.
            const float value[] = {1.5f, -2.25f, 8, -0.125f};
            for (unsigned k = 0; k < 4; ++k) {
              const bool low = bytes == 8 && k % 2 == 0;
              uint32_t x, m;
              std::memcpy(&x, &value[(l + k) % 4], 4);
              std::memcpy(&m, &value[l * 3 % 4], 4);
              s.v[8 + k].u[l] = low ? 0 : x;
              m = low ? 0 : m;
              std::memcpy(&s.memory[16 * l + 4 * k], &m, 4);
            }
          }
          check(
              c, s, [](State &x, unsigned l, unsigned k) { return &x.memory[16 * l + k]; },
              target_);
        }
      }
}

TEST_P(RdnaMemory, SubtractionEndsAtZero) {
  State s = random(), want = s;
  const uint32_t pairs[][3] = {
      {5, 3, 2}, {3, 5, 0}, {7, 7, 0}, {0xffffffff, 1, 0xfffffffe}, {0, 1, 0}};
  for (unsigned l = 0; l < kWaveSize; ++l) {
    const auto &[before, take, after] = pairs[l % 5];
    setAddress(s, 2, l, machine.memory() + 4 * l);
    std::memcpy(&s.memory[4 * l], &before, 4);
    s.v[8].u[l] = take;
  }
  want = s;
  for (unsigned l = 0; l < kWaveSize; ++l)
    if (s.exec() >> l & 1) {
      std::memcpy(&want.memory[4 * l], &pairs[l % 5][2], 4);
      want.v[16].u[l] = pairs[l % 5][0];
    }
  expectRun("global_atomic_csub v16, v[2:3], v8, off glc", s, want);
}

// "The address is the scalar one, the offset and 4 times the lane."
TEST_P(RdnaMemory, TheLaneIsTheAddress) {
  State s = random();
  s.setPair(4, machine.memory() + 256);
  State want = s;
  for (unsigned l = 0; l < kWaveSize; ++l)
    if (s.exec() >> l & 1)
      std::memcpy(&want.v[16].u[l], &s.memory[256 + 12 + 4 * l], 4);
  expectRun("global_load_dword_addtid v16, s[4:5] offset:12", s, want);
  for (unsigned l = 0; l < kWaveSize; ++l)
    if (s.exec() >> l & 1)
      std::memcpy(&want.memory[256 - 8 + 4 * l], &s.v[8].u[l], 4);
  expectRun("global_store_dword_addtid v8, s[4:5] offset:-8", s, want);
}

// "In wave64 mode the permute operates only across 32 lanes at a time on each half of a wave64."
TEST_P(RdnaMemory, PermutesStayWithin32Lanes) {
  for (int round = 0; round < 20; ++round) {
    State s = random(), want;
    want = s;
    const auto on = [&](unsigned l) { return s.exec() >> l & 1; };
    for (unsigned l = 0; l < lanes(); ++l)
      if (on(l)) {
        const unsigned from = (l & 32) + (s.v[2].u[l] + 8) / 4 % 32;
        want.v[16].u[l] = on(from) ? s.v[8].u[from] : 0;
      }
    State got = s;
    expectRun("ds_bpermute_b32 v16, v2, v8 offset:8", got, want);
    want = s;
    for (unsigned l = 0; l < lanes(); ++l)
      if (on(l))
        want.v[16].u[l] = 0;
    for (unsigned l = 0; l < lanes(); ++l)
      if (on(l))
        if (const unsigned to = (l & 32) + s.v[2].u[l] / 4 % 32; on(to))
          want.v[16].u[to] = s.v[8].u[l];
    got = s;
    expectRun("ds_permute_b32 v16, v2, v8", got, want);
  }
}

TEST_P(RdnaMemory, LdsNeedsNoM0) {
  State s = random();
  s.s[isa::Sgpr::m0] = 0; // no bound
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 60 * l; // the last ones end behind the LDS, which reads as 0
  State want = s;
  for (unsigned l = 0; l < lanes(); ++l)
    if (s.exec() >> l & 1)
      for (unsigned k = 0; k < 4; ++k) {
        want.v[16 + k].u[l] = 0;
        if (60 * l + 512 + 16 <= kLds)
          std::memcpy(&want.v[16 + k].u[l], &s.lds[60 * l + 512 + 4 * k], 4);
      }
  expectRun("ds_read_b128 v[16:19], v2 offset:512", s, want);
  // The lane's number counts from M0 on.
  s.s[isa::Sgpr::m0] = want.s[isa::Sgpr::m0] = 64;
  for (unsigned l = 0; l < lanes(); ++l)
    if (s.exec() >> l & 1)
      std::memcpy(&want.lds[64 + 16 + 4 * l], &s.v[8].u[l], 4);
  expectRun("ds_write_addtid_b32 v8 offset:16", s, want);
}

TEST_P(RdnaMemory, ScalarLoadsAddBothOffsets) {
  State s = random();
  s.setPair(4, machine.memory() + 512);
  s.s[6] = 0x83; // low two bits of the sum are dropped
  for (unsigned n : {1u, 2u, 4u, 8u, 16u}) {
    const std::string load = "s_load_dword" + (n > 1 ? "x" + std::to_string(n) : "") + " " +
                             (n > 1 ? "s[32:" + std::to_string(31 + n) + "]" : "s32") +
                             ", s[4:5], ";
    for (const auto &[offsets, at] : std::map<std::string, int>{
             {"0x40", 512 + 0x40}, {"-0x40", 512 - 0x40}, {"s6", 512 + 0x80}}) {
      State want = s, got = s;
      std::memcpy(&want.s[32], &s.memory[unsigned(at)], 4 * n);
      expectRun(load + offsets, got, want);
    }
  }
  State want = s;
  std::memcpy(&want.s[106], &s.memory[512 + 4], 4); // half of VCC
  expectRun("s_load_dword vcc_lo, s[4:5], 0x4", s, want);
}

TEST_P(RdnaMemory, CachesAndClocks) {
  const State before = random();
  for (const char *text : {"buffer_gl0_inv", "buffer_gl1_inv", "s_dcache_inv", "s_gl1_inv"}) {
    State s = before;
    expectRun(text, s, before);
  }
  if (gfx11())
    return; // clocks are asked for by s_sendmsg_rtn_b64
  State s = before;
  uint64_t last = 0;
  for (const char *text : {"s_memtime s[8:9]", "s_memrealtime s[8:9]"}) {
    machine.run(text, s, target_);
    const uint64_t now = s.s[8] | uint64_t(s.s[9]) << 32;
    EXPECT_GE(now, last);
    last = now;
  }
}

// 128 bytes a line: 32 lanes of 4 bytes that begin in the middle of one lie in two.
TEST_P(RdnaMemory, LinesHave128Bytes) {
  for (const unsigned stride : {4u, 16u, 128u}) {
    State s = random();
    s.setExec(allLanes());
    for (unsigned l = 0; l < kWaveSize; ++l)
      setAddress(s, 2, l, machine.memory() + 64 + stride * l);
    const auto out = machine.run("global_load_dword v16, v[2:3], off", s, target_, true);
    const unsigned bytes = stride * (lanes() - 1) + 4, lines = (64 + bytes + 127) / 128;
    EXPECT_EQ(out.trace.cacheLines, lines) << stride;
    ASSERT_EQ(out.trace.numLines, lines) << stride;
    for (unsigned k = 0; k < lines; ++k)
      EXPECT_EQ(out.trace.lines[k], machine.memory() + 128 * k) << stride;
  }
}

// One pass serves 32 lanes of a dword: in a bank of its own for each, in one for all.
TEST_P(RdnaMemory, BankConflicts) {
  const unsigned passes = lanes() / 32;
  for (const auto &[stride, each] :
       std::map<unsigned, unsigned>{{4, 0}, {8, 1}, {128, 31}, {0, 0}}) {
    State s = random();
    s.setExec(allLanes());
    for (unsigned l = 0; l < kWaveSize; ++l)
      s.v[2].u[l] = stride * (l % 32);
    const auto out = machine.run("ds_read_b32 v16, v2", s, target_);
    EXPECT_EQ(out.trace.ldsBankConflicts, passes * each) << stride;
  }
}
