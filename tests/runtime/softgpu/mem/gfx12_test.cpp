// What memory instructions of GFX12 do that those of GFX11 do not: offsets of 24 bits, scalar loads
// of bytes, halves and three dwords, atomics that are new or have become others. The words are LLVM
// 19's; expected values are worked out by hand from the "RDNA4" ISA's pseudocode.
#include "tests/runtime/softgpu/llvm_cpu.h"
#include "tests/runtime/softgpu/mem/machine.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

class Gfx12Memory : public ::testing::TestWithParam<isa::Target> {
protected:
  const isa::Target target = GetParam();
  const unsigned lanes = isa::traitsOf(target).waveSize;
  std::mt19937_64 rng{12};
  Machine machine;

  State random() {
    State s;
    s.randomize(rng);
    s.setExec(rng() & (kFullExec >> (64 - lanes)));
    return s;
  }
  void expectRun(const char *text, std::vector<uint32_t> words, State &got, const State &want) {
    std::vector<uint8_t> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    const auto out = machine.runBytes(bytes, text, got, target);
    ASSERT_TRUE(out.prepared) << text;
    ASSERT_EQ(out.status, WaveStatus::ready) << text << ": " << out.fault.what;
    EXPECT_EQ(difference(got, want), "") << text;
  }
  template <class Lane> void eachLane(const State &s, Lane lane) {
    for (unsigned l = 0; l < lanes; ++l)
      if (s.exec() >> l & 1)
        lane(l);
  }
  /// Lane l's address in v[2:3]: a dword or two for each, `add` bytes further.
  void setAddresses(State &s, int64_t add, unsigned bytes = 4) {
    for (unsigned l = 0; l < kWaveSize; ++l) {
      const uint64_t a = machine.memory() + uint64_t(add) + bytes * l;
      s.v[2].u[l] = uint32_t(a);
      s.v[3].u[l] = uint32_t(a >> 32);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, Gfx12Memory,
                         testing::Values(isa::Target::gfx1201, isa::Target::gfx1201w64),
                         [](auto &i) { return testName(i.param); });

template <class T> T at(const std::vector<uint8_t> &bytes, size_t offset) {
  T x;
  std::memcpy(&x, &bytes.at(offset), sizeof x);
  return x;
}
template <class T> void put(std::vector<uint8_t> &bytes, size_t offset, T x) {
  std::memcpy(&bytes.at(offset), &x, sizeof x);
}

} // namespace

TEST_P(Gfx12Memory, OffsetsOf24Bits) {
  struct Form {
    const char *text;
    std::vector<uint32_t> words;
    int64_t offset;
  };
  const Form forms[] = {
      {"global_load_b32 v16, v[2:3], off offset:8388607",
       {0xee05007c, 0x00000010, 0x7fffff02},
       8388607},
      {"global_load_b32 v16, v[2:3], off offset:-8388608",
       {0xee05007c, 0x00000010, 0x80000002},
       -8388608},
      {"flat_load_b32 v16, v[2:3] offset:-16", {0xec05007c, 0x00000010, 0xfffff002}, -16}};
  for (const Form &f : forms) {
    State s = random();
    setAddresses(s, 4096 - f.offset);
    State want = s;
    eachLane(s, [&](unsigned l) { want.v[16].u[l] = at<uint32_t>(s.memory, 4096 + 4 * l); });
    expectRun(f.text, f.words, s, want);
  }
  State s = random();
  s.setPair(6, machine.memory() + 64);
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 8 * l;
  State want = s;
  eachLane(s, [&](unsigned l) { want.v[16].u[l] = at<uint32_t>(s.memory, 8 * l); });
  expectRun("global_load_b32 v16, v2, s[6:7] offset:-64", {0xee050006, 0x00000010, 0xffffc002}, s,
            want);
}

// The aperture is that of the register, however far below it the offset reaches.
TEST_P(Gfx12Memory, OffsetsDoNotLeaveAnAperture) {
  struct Form {
    const char *text;
    std::vector<uint32_t> words;
    unsigned bytes;
    bool store, high = false;
  };
  const Form forms[] = {
      {"flat_load_b32 v16, v[2:3] offset:-8192", {0xec05007c, 0x00000010, 0xffe00002}, 4, false},
      {"flat_load_b64 v[16:17], v[2:3] offset:-8192",
       {0xec05407c, 0x00000010, 0xffe00002},
       8,
       false},
      {"flat_load_u8 v16, v[2:3] offset:-8192", {0xec04007c, 0x00000010, 0xffe00002}, 1, false},
      {"flat_load_d16_hi_b16 v16, v[2:3] offset:-8192",
       {0xec08c07c, 0x00000010, 0xffe00002},
       2,
       false,
       true},
      {"flat_store_b32 v[2:3], v8 offset:-8192", {0xec06807c, 0x04000000, 0xffe00002}, 4, true},
      {"flat_store_b128 v[2:3], v[8:11] offset:-8192",
       {0xec07407c, 0x04000000, 0xffe00002},
       16,
       true},
      {"flat_store_b8 v[2:3], v8 offset:-8192", {0xec06007c, 0x04000000, 0xffe00002}, 1, true},
      {"flat_store_d16_hi_b16 v[2:3], v8 offset:-8192",
       {0xec09407c, 0x04000000, 0xffe00002},
       2,
       true,
       true}};
  for (const Form &f : forms)
    for (const uint32_t first : {64u, 8192u + 128u}) // outside the LDS, and inside
      for (const bool apart : {false, true})
        for (const uint64_t exec : {kFullExec, kLowExec, rng() | 1}) {
          State s = random();
          s.setExec(exec & (kFullExec >> (64 - lanes)));
          for (unsigned l = 0; l < kWaveSize; ++l) {
            s.v[2].u[l] = first + (apart ? f.bytes * l : 0);
            s.v[3].u[l] = kSharedAperture >> 32;
          }
          State want = s;
          eachLane(s, [&](unsigned l) {
            const uint32_t offset = s.v[2].u[l] - 8192;
            const bool inside = uint64_t(offset) + f.bytes <= kLds;
            for (unsigned k = 0; k < f.bytes; ++k) {
              const auto byteOf = [&](VRow &row) {
                return reinterpret_cast<uint8_t *>(&row.u[l]) + k % 4 + (f.high ? 2 : 0);
              };
              if (f.store && inside)
                want.lds[offset + k] = *byteOf(s.v[8 + k / 4]);
              if (!f.store && f.bytes == 1)
                want.v[16].u[l] = 0; // zero-extended
              if (!f.store)
                *byteOf(want.v[16 + k / 4]) = inside ? s.lds[offset + k] : 0;
            }
          });
          expectRun(f.text, f.words, s, want);
        }
}

TEST_P(Gfx12Memory, Scratch) {
  const auto byteAt = [&](unsigned lane, uint32_t b) {
    return b / 4 * 4 * lanes + lane * 4 + b % 4;
  };
  State s = random();
  s.s[4] = 24;
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = l % 8 * 4;
  State want = s;
  eachLane(s, [&](unsigned l) {
    for (unsigned k = 0; k < 2; ++k)
      want.v[16 + k].u[l] = at<uint32_t>(s.scratch, byteAt(l, s.v[2].u[l] + 16 + 4 * k));
  });
  expectRun("scratch_load_b64 v[16:17], v2, s4 offset:-8", {0xed054004, 0x00020010, 0xfffff802}, s,
            want);

  s = random();
  s.s[4] = 24;
  want = s;
  eachLane(s, [&](unsigned l) { put(want.scratch, byteAt(l, 40), s.v[5].u[l]); });
  expectRun("scratch_store_b32 off, v5, s4 offset:16", {0xed068004, 0x02800000, 0x00001000}, s,
            want);

  s = random();
  want = s;
  eachLane(s, [&](unsigned l) { want.v[16].u[l] = at<uint32_t>(s.scratch, byteAt(l, 12)); });
  expectRun("scratch_load_b32 v16, off, off offset:12", {0xed05007c, 0x00000010, 0x00000c00}, s,
            want);
}

TEST_P(Gfx12Memory, Buffers) {
  const auto resource = [&](State &s, uint32_t stride) {
    s.s[8] = uint32_t(machine.memory());
    s.s[9] = uint32_t(machine.memory() >> 32 & 0xffff) | stride << 16;
    s.s[10] = 1024;
    s.s[11] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 20 << 12 | 3 << 28; // 32_UINT, bytes count
  };
  State s = random();
  resource(s, 0);
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 16 * l;
  State want = s;
  eachLane(s, [&](unsigned l) {
    want.v[16].u[l] = 16 * l + 24 + 4 <= 1024 ? at<uint32_t>(s.memory, 16 * l + 24) : 0;
  });
  expectRun("buffer_load_b32 v16, v2, s[8:11], null offen offset:24",
            {0xc405007c, 0x40801010, 0x00001802}, s, want);

  s = random();
  resource(s, 12);
  s.s[4] = 8;
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = l;
  want = s;
  eachLane(s, [&](unsigned l) { want.v[16].u[l] = at<uint32_t>(s.memory, 12 * l + 12); });
  expectRun("buffer_load_b32 v16, v2, s[8:11], s4 idxen offset:4",
            {0xc4050004, 0x80801010, 0x00000402}, s, want);

  s = random();
  resource(s, 0);
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 8 * l;
  want = s;
  eachLane(s, [&](unsigned l) {
    put(want.memory, 8 * l, s.v[4].u[l]);
    put(want.memory, 8 * l + 4, s.v[5].u[l]);
  });
  expectRun("buffer_store_b64 v[4:5], v2, s[8:11], null offen",
            {0xc406c07c, 0x40801004, 0x00000002}, s, want);
}

/// 9.4.2, 9.6: the scalar offset is part of what is swizzled, the stride is that of the resource
/// times its scale.
TEST_P(Gfx12Memory, SwizzledBuffersAndScaledStrides) {
  for (const bool swizzled : {true, false}) {
    State s = random();
    s.s[8] = uint32_t(machine.memory());
    s.s[9] = uint32_t(machine.memory() >> 32 & 0xffff) | 8 << 16 | (swizzled ? 1u << 30 : 0);
    s.s[10] = 4096;
    s.s[11] = 20 << 12 | 1 << 18 |
              2 << 28; // a stride of 4 * 8 bytes, 8 records together; anything is in range
    s.s[4] = 12;
    for (unsigned l = 0; l < kWaveSize; ++l)
      s.v[2].u[l] = l;
    State want = s;
    eachLane(s, [&](unsigned l) {
      const unsigned offset = 8 + 12;
      const unsigned place = swizzled ? (l / 8 * 32 + offset) * 8 + l % 8 * 4 : l * 32 + offset;
      want.v[16].u[l] = at<uint32_t>(s.memory, place);
    });
    expectRun("buffer_load_b32 v16, v2, s[8:11], s4 idxen offset:8",
              {0xc4050004, 0x80801010, 0x00000802}, s, want);
  }
}

TEST_P(Gfx12Memory, ScalarLoads) {
  const auto run = [&](const char *text, std::vector<uint32_t> words, const auto &result) {
    State s = random();
    s.s[4] = 4;
    s.setPair(6, machine.memory() + 128);
    s.setPair(8, machine.memory() + 128); // a buffer of 0x28 bytes
    s.s[10] = 0x28;
    s.s[11] = 0;
    for (unsigned k = 0; k < 256; ++k)
      s.memory[k] = uint8_t(0x80 + 7 * k);
    State want = s;
    result(want);
    expectRun(text, words, s, want);
  };
  const auto memory = [](const State &s, int at_, auto type) {
    return at<decltype(type)>(s.memory, size_t(128 + at_));
  };
  run("s_load_u8 s20, s[6:7], 0x5", {0xf4012503, 0xf8000005},
      [&](State &s) { s.s[20] = memory(s, 5, uint8_t()); });
  run("s_load_i8 s20, s[6:7], 0x5", {0xf4010503, 0xf8000005},
      [&](State &s) { s.s[20] = uint32_t(int32_t(memory(s, 5, int8_t()))); });
  run("s_load_u16 s20, s[6:7], 0x5", {0xf4016503, 0xf8000005},
      [&](State &s) { s.s[20] = memory(s, 4, uint16_t()); });
  run("s_load_i16 s20, s[6:7], -0x3", {0xf4014503, 0xf8fffffd},
      [&](State &s) { s.s[20] = uint32_t(int32_t(memory(s, -4, int16_t()))); });
  run("s_load_b96 s[20:22], s[6:7], s4 offset:0x8", {0xf400a503, 0x08000008}, [&](State &s) {
    for (int k = 0; k < 3; ++k)
      s.s[20 + k] = memory(s, 12 + 4 * k, uint32_t());
  });
  run("s_buffer_load_u8 s20, s[8:11], 0x21", {0xf4032504, 0xf8000021},
      [&](State &s) { s.s[20] = memory(s, 0x21, uint8_t()); });
  run("s_buffer_load_i16 s20, s[8:11], 0x21", {0xf4034504, 0xf8000021},
      [&](State &s) { s.s[20] = uint32_t(int32_t(memory(s, 0x20, int16_t()))); });
  run("s_buffer_load_b96 s[20:22], s[8:11], 0x20", {0xf402a504, 0xf8000020}, [&](State &s) {
    for (int k = 0; k < 3; ++k)
      s.s[20 + k] = k < 2 ? memory(s, 0x20 + 4 * k, uint32_t()) : 0;
  });
  run("s_buffer_load_u8 s20, s[8:11], 0x28", {0xf4032504, 0xf8000028},
      [&](State &s) { s.s[20] = 0; });
}

/// 8.1.1: the lowest bit of each part of a half's address counts for nothing, a byte's counts, that
/// of a buffer's base, too.
TEST_P(Gfx12Memory, PartsOfAddressesOfSmallScalarLoads) {
  struct Case {
    const char *text;
    std::vector<uint32_t> words;
    unsigned at, bytes;
  };
  const Case cases[] = {
      {"s_load_u8 s20, s[6:7], s4 offset:0x5", {0xf4012503, 0x08000005}, 1 + 3 + 5, 1},
      {"s_load_u16 s20, s[6:7], s4 offset:0x5", {0xf4016503, 0x08000005}, 0 + 2 + 4, 2},
      {"s_buffer_load_u8 s20, s[8:11], s4 offset:0x5", {0xf4032504, 0x08000005}, 1 + 3 + 5, 1},
      {"s_buffer_load_u16 s20, s[8:11], s4 offset:0x5", {0xf4036504, 0x08000005}, 0 + 2 + 4, 2}};
  for (const Case &c : cases) {
    State s = random();
    s.s[4] = 3;
    s.setPair(6, machine.memory() + 1);
    s.setPair(8, machine.memory() + 1);
    s.s[10] = 64;
    s.s[11] = 0;
    State want = s;
    want.s[20] = c.bytes == 1 ? at<uint8_t>(s.memory, c.at) : at<uint16_t>(s.memory, c.at);
    expectRun(c.text, c.words, s, want);
  }
}

TEST_P(Gfx12Memory, NothingToDo) {
  const std::pair<const char *, std::vector<uint32_t>> forms[] = {
      {"s_prefetch_data s[6:7], 0x10, s4, 3", {0xf404c0c3, 0x08000010}},
      {"s_prefetch_inst s[6:7], 0x10, null, 3", {0xf40480c3, 0xf8000010}},
      {"global_inv scope:SCOPE_SYS", {0xee0ac07c, 0x000c0000, 0}},
      {"global_wb scope:SCOPE_DEV", {0xee0b007c, 0x00080000, 0}},
      {"global_wbinv scope:SCOPE_SYS", {0xee13c07c, 0x000c0000, 0}}};
  for (const auto &[text, words] : forms) {
    State s = random(), want = s;
    expectRun(text, words, s, want);
  }
}

TEST_P(Gfx12Memory, Subtractions) {
  const auto fill = [&](State &s) { // some below, some above, some equal
    for (unsigned l = 0; l < kWaveSize; ++l) {
      put(s.memory, 4 * l, 1000u);
      s.v[4].u[l] = l % 3 == 0 ? 1000 : l % 3 == 1 ? 1001 : 7;
    }
  };
  const auto conditional = [](uint32_t m, uint32_t d) { return m >= d ? m - d : m; };
  const auto clamped = [](uint32_t m, uint32_t d) { return m < d ? 0 : m - d; };
  State s = random();
  setAddresses(s, 0);
  fill(s);
  State want = s;
  eachLane(s, [&](unsigned l) {
    want.v[16].u[l] = 1000;
    put(want.memory, 4 * l, conditional(1000, s.v[4].u[l]));
  });
  expectRun("global_atomic_cond_sub_u32 v16, v[2:3], v4, off th:TH_ATOMIC_RETURN",
            {0xee14007c, 0x02100010, 0x00000002}, s, want);

  s = random();
  setAddresses(s, 0);
  fill(s);
  want = s;
  eachLane(s, [&](unsigned l) { put(want.memory, 4 * l, clamped(1000, s.v[4].u[l])); });
  expectRun("global_atomic_sub_clamp_u32 v[2:3], v4, off", {0xee0dc07c, 0x02000000, 0x00000002}, s,
            want);

  for (bool clamps : {false, true}) {
    s = random();
    for (unsigned l = 0; l < kWaveSize; ++l) {
      put(s.lds, 4 * l, 1000u);
      s.v[2].u[l] = 4 * l;
      s.v[4].u[l] = l % 3 == 0 ? 1000 : l % 3 == 1 ? 1001 : 7;
    }
    want = s;
    eachLane(s, [&](unsigned l) {
      want.v[16].u[l] = 1000;
      put(want.lds, 4 * l, (clamps ? clamped : +conditional)(1000, s.v[4].u[l]));
    });
    if (clamps)
      expectRun("ds_sub_clamp_rtn_u32 v16, v2, v4", {0xdaa40000, 0x10000402}, s, want);
    else
      expectRun("ds_cond_sub_rtn_u32 v16, v2, v4", {0xdaa00000, 0x10000402}, s, want);
  }
}

/// Of two NaNs the operand's is stored, quieted; one alone loses; -0 is below +0.
TEST_P(Gfx12Memory, MinimaOfNumbers) {
  struct Case {
    uint32_t memory, operand, least, most;
  };
  constexpr uint32_t one = 0x3f800000, two = 0x40000000, minus0 = 0x80000000, quiet = 0x7fc00001,
                     signalling = 0x7f800001, other = 0xff800002;
  const Case cases[] = {
      {one, two, one, two},        {two, one, one, two},
      {0, minus0, minus0, 0},      {minus0, 0, minus0, 0},
      {quiet, one, one, one},      {one, signalling, one, one},
      {signalling, one, one, one}, {quiet, other, other | 0x400000, other | 0x400000},
      {one, one, one, one},        {signalling, quiet, quiet, quiet}};
  State s = random();
  s.setExec(kFullExec >> (64 - lanes));
  setAddresses(s, 0);
  for (unsigned l = 0; l < kWaveSize; ++l) {
    put(s.memory, 4 * l, cases[l % std::size(cases)].memory);
    s.v[4].u[l] = cases[l % std::size(cases)].operand;
  }
  State want = s;
  eachLane(s, [&](unsigned l) {
    want.v[16].u[l] = cases[l % std::size(cases)].memory;
    put(want.memory, 4 * l, cases[l % std::size(cases)].least);
  });
  State most = s, wantMost = s;
  expectRun("global_atomic_min_num_f32 v16, v[2:3], v4, off th:TH_ATOMIC_RETURN",
            {0xee14407c, 0x02100010, 0x00000002}, s, want);
  eachLane(s, [&](unsigned l) { put(wantMost.memory, 4 * l, cases[l % std::size(cases)].most); });
  expectRun("flat_atomic_max_num_f32 v[2:3], v4", {0xec14807c, 0x02000000, 0x00000002}, most,
            wantMost);

  s = random();
  s.setExec(kFullExec >> (64 - lanes));
  for (unsigned l = 0; l < kWaveSize; ++l) {
    put(s.lds, 4 * l, cases[l % std::size(cases)].memory);
    s.v[2].u[l] = 4 * l;
    s.v[4].u[l] = cases[l % std::size(cases)].operand;
  }
  want = s;
  eachLane(s, [&](unsigned l) {
    want.v[16].u[l] = cases[l % std::size(cases)].memory;
    put(want.lds, 4 * l, cases[l % std::size(cases)].least);
  });
  expectRun("ds_min_num_rtn_f32 v16, v2, v4", {0xd8c80000, 0x10000402}, s, want);
}

TEST_P(Gfx12Memory, AdditionsInOrder) {
  State s = random();
  s.setExec(1);
  setAddresses(s, 0, 8);
  for (bool turn : {false, true}) {
    put<uint32_t>(s.memory, 0, 5);
    put<uint32_t>(s.memory, 4, 100);
    s.v[4].u[0] = turn ? 5 : 6;
    s.v[5].u[0] = 23;
    setAddresses(s, 0, 8);
    State want = s;
    want.v[16].u[0] = 5;
    want.v[17].u[0] = 100;
    if (turn) {
      put<uint32_t>(want.memory, 0, 6);
      put<uint32_t>(want.memory, 4, 123);
    }
    expectRun("global_atomic_ordered_add_b64 v[16:17], v[2:3], v[4:5], off th:TH_ATOMIC_RETURN",
              {0xee1cc07c, 0x02100010, 0x00000002}, s, want);
  }
}

/// The whole wave exchanges, where GFX10 and GFX11 stay within 32 lanes. ds_bpermute_fi_b32 reads
/// lanes that are off, too; LLVM 19 has no such name, the number is the manual's.
TEST_P(Gfx12Memory, PermutationsOfTheWholeWave) {
  State s = random();
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 4 * ((l * 5 + 3) % 64) + (l % 3 ? 0 : 1u << 20);
  const auto from = [&](unsigned l, unsigned add) { return (l * 5 + 3 + add) % lanes; };
  State got = s, want = s;
  eachLane(s, [&](unsigned l) { want.v[16].u[l] = s.v[4].u[from(l, 0)]; });
  expectRun("ds_bpermute_fi_b32 v16, v2, v4", {0xdb340000, 0x10000402}, got, want);

  got = want = s;
  eachLane(s, [&](unsigned l) {
    const unsigned k = from(l, 2);
    want.v[16].u[l] = s.exec() >> k & 1 ? s.v[4].u[k] : 0;
  });
  expectRun("ds_bpermute_b32 v16, v2, v4 offset:8", {0xdacc0008, 0x10000402}, got, want);

  got = want = s;
  uint32_t result[kWaveSize] = {};
  eachLane(s, [&](unsigned l) { result[from(l, 0)] = s.v[4].u[l]; });
  eachLane(s, [&](unsigned l) { want.v[16].u[l] = result[l]; });
  expectRun("ds_permute_b32 v16, v2, v4", {0xdac80000, 0x10000402}, got, want);
}

/// 13.2: memory keeps denormals, and so do FLAT instructions in LDS; DS instructions do as MODE
/// says, for both kinds of 16 bits by the field of f16.
TEST_P(Gfx12Memory, DenormalsOfFloatAtomics) {
  struct Case {
    const char *text;
    std::vector<uint32_t> words;
    enum Where { memory, flatInLds, lds } where;
    uint32_t mode, was, operand, becomes;
  };
  const auto add = [](Case::Where where) -> std::vector<uint32_t> {
    if (where == Case::memory)
      return {0xee15807c, 0x02100010, 0x00000002};
    return {0xec15807c, 0x02100010, 0x00000002};
  };
  const char *const global = "global_atomic_add_f32 v16, v[2:3], v4, off th:TH_ATOMIC_RETURN";
  const char *const flat = "flat_atomic_add_f32 v16, v[2:3], v4 th:TH_ATOMIC_RETURN";
  const std::vector<uint32_t> f32 = {0xd9e40000, 0x10000402}, f16 = {0xdaa80000, 0x10000402},
                              bf16 = {0xdaac0000, 0x10000402}, least = {0xd8c80000, 0x10000402};
  const char *const dsAdd = "ds_add_rtn_f32 v16, v2, v4",
                    *const dsF16 = "ds_pk_add_rtn_f16 v16, v2, v4",
                    *const dsBf16 = "ds_pk_add_rtn_bf16 v16, v2, v4",
                    *const dsMin = "ds_min_num_rtn_f32 v16, v2, v4";
  const Case cases[] = {
      {global, add(Case::memory), Case::memory, 0xf0, 0x123, 0x80000003, 0x120},
      {global, add(Case::memory), Case::memory, 0, 0x123, 0x3, 0x126},
      {flat, add(Case::flatInLds), Case::flatInLds, 0xf0, 0x123, 0x3, 0x126},
      {flat, add(Case::flatInLds), Case::flatInLds, 0, 0x123, 0x3, 0x126},
      {dsAdd, f32, Case::lds, 0x30, 0x123, 0x3, 0x126},
      {dsAdd, f32, Case::lds, 0xc0, 0x123, 0x3, 0},
      {dsF16, f16, Case::lds, 0xc0, 0x00018005, 0x3c000002, 0x3c008003},
      {dsF16, f16, Case::lds, 0x30, 0x00018005, 0x3c000002, 0x3c000000},
      {dsF16, f16, Case::lds, 0x40, 0x00010400, 0x00018001, 0x00000000}, // results are flushed
      {dsF16, f16, Case::lds, 0x80, 0x04000400, 0x80018001, 0x04000400}, // operands are
      {dsBf16, bf16, Case::lds, 0xc0, 0x00018005, 0x3f800002, 0x3f808003},
      {dsBf16, bf16, Case::lds, 0x30, 0x00018005, 0x3f800002, 0x3f800000},
      {dsMin, least, Case::lds, 0x10, 0x123, 0x3f800000, 0x123},
      {dsMin, least, Case::lds, 0xe0, 0x123, 0x3f800000, 0},
      {dsMin, least, Case::lds, 0xe0, 0x80000123, 0x3, 0x80000000}};
  for (const Case &c : cases) {
    SCOPED_TRACE(c.mode);
    State s = random();
    s.mode = c.mode;
    setAddresses(s, 0);
    for (unsigned l = 0; l < kWaveSize; ++l) {
      if (c.where == Case::lds)
        s.v[2].u[l] = 4 * l;
      else if (c.where == Case::flatInLds)
        s.v[2].u[l] = 4 * l, s.v[3].u[l] = uint32_t(kSharedAperture >> 32);
      put(c.where == Case::memory ? s.memory : s.lds, 4 * l, c.was);
      s.v[4].u[l] = c.operand;
    }
    State want = s;
    eachLane(s, [&](unsigned l) {
      want.v[16].u[l] = c.was;
      put(c.where == Case::memory ? want.memory : want.lds, 4 * l, c.becomes);
    });
    expectRun(c.text, c.words, s, want);
  }
}
