// Memory instructions that gfx950 has beyond gfx942's: LDS reads that transpose, loads of three and four
// dwords to LDS, a packed bf16 atomic in buffers. The words are LLVM 21's; results are read from the
// "CDNA4" ISA's tables or worked out by hand.
#include "tests/runtime/softgpu/mem/machine.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

class Gfx950Memory : public ::testing::Test {
protected:
  std::mt19937_64 rng{950};
  Machine machine;
  State before;

  void SetUp() override { before.randomize(rng); }
  Machine::Outcome run(const char *text, std::vector<uint32_t> words, State &s,
                       isa::Target target = isa::Target::gfx950) {
    std::vector<uint8_t> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return machine.runBytes(bytes, text, s, target);
  }
  void expectRun(const char *text, std::vector<uint32_t> words, State &s) {
    const auto out = run(text, words, s);
    ASSERT_TRUE(out.prepared) << text;
    ASSERT_EQ(out.status, WaveStatus::ready) << text << ": " << out.fault.what;
  }
};

/// Bit `n` of `bytes`.
unsigned bitOf(const uint8_t *bytes, unsigned n) { return bytes[n / 8] >> (n % 8) & 1; }

} // namespace

TEST_F(Gfx950Memory, TransposedReads) {
  struct Form {
    const char *text;
    uint32_t word;
    unsigned bits, bytes;
  };
  const Form forms[] = {{"ds_read_b64_tr_b4 v[6:7], v1", 0xd9c00000, 4, 8},
                        {"ds_read_b96_tr_b6 v[6:8], v1", 0xd9c20000, 6, 12},
                        {"ds_read_b64_tr_b8 v[6:7], v1", 0xd9c40000, 8, 8},
                        {"ds_read_b64_tr_b16 v[6:7], v1 offset:64", 0xd9c60040, 16, 8}};
  for (const Form &f : forms) {
    before.setExec(~0ull);
    const unsigned offset = f.word & 0xff;
    for (unsigned l = 0; l < kWaveSize; ++l)
      before.v[1].u[l] = 16 * ((l * 7) % 64);
    State s = before, want = before;
    // 16 lanes read 16 columns, one after the other, of a matrix whose rows they get.
    const unsigned perLane = f.bytes * 8 / f.bits;
    for (unsigned l = 0; l < kWaveSize; ++l)
      for (unsigned j = 0; j < perLane; ++j) {
        const unsigned n = 16 * j + l % 16, lane = l / 16 * 16 + n / perLane, at = n % perLane;
        for (unsigned bit = 0; bit < f.bits; ++bit) {
          const unsigned to = j * f.bits + bit;
          uint32_t &word = want.v[6 + to / 32].u[l];
          word = (word & ~(1u << to % 32)) |
                 bitOf(&before.lds[before.v[1].u[lane] + offset], at * f.bits + bit) << to % 32;
        }
      }
    expectRun(f.text, {f.word, 0x06000001}, s);
    EXPECT_EQ(difference(s, want), "") << f.text;
    // With lanes off it is not said what happens: refused.
    s = before;
    s.setExec(~1ull);
    EXPECT_EQ(run(f.text, {f.word, 0x06000001}, s).status, WaveStatus::faulted) << f.text;
  }
}

/// The plainest case by hand: every lane's 16-bit number n is 256 * lane + n.
TEST_F(Gfx950Memory, TransposesByHand) {
  before.setExec(~0ull);
  for (unsigned l = 0; l < kWaveSize; ++l) {
    before.v[1].u[l] = 8 * l;
    for (unsigned n = 0; n < 4; ++n) {
      const uint16_t value = uint16_t(256 * l + n);
      std::memcpy(&before.lds[8 * l + 2 * n], &value, 2);
    }
  }
  State s = before;
  expectRun("ds_read_b64_tr_b16 v[6:7], v1", {0xd9c60000, 0x06000001}, s);
  // Lane 0: numbers 0, 16, 32, 48 of the sixteen lanes, which have four each.
  EXPECT_EQ(s.v[6].u[0], 0x04000000u);
  EXPECT_EQ(s.v[7].u[0], 0x0c000800u);
  EXPECT_EQ(s.v[6].u[5], 0x05010101u);
  EXPECT_EQ(s.v[6].u[16], 0x14001000u);
}

TEST_F(Gfx950Memory, LoadsOfMoreDwordsToLds) {
  struct Form {
    const char *text;
    std::vector<uint32_t> words;
    unsigned dwords, offset;
  };
  const Form forms[] = {
      {"global_load_lds_dwordx3 v[2:3], off offset:16", {0xddf88010, 0x007f0002}, 3, 16},
      {"global_load_lds_dwordx4 v2, s[4:5] offset:16", {0xddf48010, 0x00040002}, 4, 16},
      {"buffer_load_dwordx3 v2, s[8:11], 0 offen lds", {0xe0591000, 0x80020002}, 3, 0},
      {"buffer_load_dwordx4 v2, s[8:11], 0 offen lds", {0xe05d1000, 0x80020002}, 4, 0}};
  before.setExec(0xfffffffffffffff5);
  before.s[isa::Sgpr::m0] = 128;
  before.setPair(4, machine.memory());
  before.setPair(8, machine.memory());
  before.s[10] = kMemory;
  before.s[11] = 0x00020000;
  for (const Form &f : forms) {
    for (unsigned l = 0; l < kWaveSize; ++l) {
      const bool wide = f.text[0] == 'g' && f.dwords == 3;
      const uint64_t address = 20 * (63 - l) + (wide ? machine.memory() : 0);
      before.v[2].u[l] = uint32_t(address);
      before.v[3].u[l] = uint32_t(address >> 32);
    }
    State s = before, want = before;
    for (unsigned l = 0; l < kWaveSize; ++l)
      if (before.exec() >> l & 1)
        std::memcpy(&want.lds[128 + f.offset + 16 * l], &before.memory[20 * (63 - l) + f.offset],
                    4 * f.dwords);
    expectRun(f.text, f.words, s);
    EXPECT_EQ(difference(s, want), "") << f.text;
    // All of 160 KiB can be named: this is outside, where on gfx942 it would be the first bytes.
    s = before;
    s.s[isa::Sgpr::m0] = 0x10000;
    want = s;
    expectRun(f.text, f.words, s);
    EXPECT_EQ(difference(s, want), "") << f.text;
    isa::Inst i;
    EXPECT_NE(isa::decode(f.words.data(), 8, isa::Target::gfx942, i), isa::DecodeStatus::ok);
  }
}

TEST_F(Gfx950Memory, BufferAtomicOfBf16) {
  before.setExec(0xfffffffffffffff5);
  before.setPair(8, machine.memory());
  before.s[10] = kMemory;
  before.s[11] = 0x00020000;
  for (unsigned l = 0; l < kWaveSize; ++l) {
    before.v[2].u[l] = 4 * l;
    before.v[8].u[l] = 0x3f803fc0;                    // 1.5 and 1
    const uint32_t value = 0x43804000 + (l & 1) * 16; // 2 and 256, or 2.25
    std::memcpy(&before.memory[4 * l], &value, 4);
  }
  State s = before, want = before;
  for (unsigned l = 0; l < kWaveSize; ++l)
    if (before.exec() >> l & 1) {
      const uint32_t sum = l & 1 ? 0x43804070 : 0x43804060; // 256 + 1 is a tie: to the even 256
      std::memcpy(&want.v[8].u[l], &before.memory[4 * l], 4);
      std::memcpy(&want.memory[4 * l], &sum, 4);
    }
  expectRun("buffer_atomic_pk_add_bf16 v8, v2, s[8:11], 0 offen sc0", {0xe1485000, 0x80020802}, s);
  EXPECT_EQ(difference(s, want), "");
}
