// Typed buffer accesses: conversions against values worked out from the format definitions, round
// trips, and the instructions' component, d16 and range rules.
#include "runtime/softgpu/mem/formats.h"
#include "tests/runtime/softgpu/mem/machine.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

uint32_t f32(double x) { return std::bit_cast<uint32_t>(float(x)); }

struct Row {
  unsigned dfmt, nfmt;
  std::vector<uint8_t> bytes;
  uint32_t value[4];
};

const Row kSamples[] = {
    {1, mem::kUnorm, {255}, {f32(1), 0, 0, f32(1)}},
    {1, mem::kUnorm, {51}, {f32(0.2), 0, 0, f32(1)}},
    {1, mem::kSnorm, {0x81}, {f32(-1), 0, 0, f32(1)}},
    {1, mem::kSint, {0x80}, {0xffffff80, 0, 0, 1}},
    {1, mem::kUscaled, {200}, {f32(200), 0, 0, f32(1)}},
    {3, mem::kSscaled, {0xff, 0x05}, {f32(-1), f32(5), 0, f32(1)}},
    {2, mem::kFloat, {0x00, 0x3c}, {f32(1), 0, 0, f32(1)}},
    {5, mem::kSnorm, {0x01, 0x80, 0xff, 0x7f}, {f32(-1), f32(1), 0, f32(1)}},
    {10, mem::kUint, {1, 2, 3, 4}, {1, 2, 3, 4}},
    {10, mem::kUnorm, {0, 255, 0, 255}, {0, f32(1), 0, f32(1)}},
    {9, mem::kUint, {0x01, 0x08, 0x30, 0xc0}, {1, 2, 3, 3}}, // 10, 10, 10, 2 bits from the lowest
    {8, mem::kUint, {0x07, 0x20, 0x00, 0x00}, {3, 1, 2, 0}}, // 2, 10, 10, 10
    {6,
     mem::kFloat,
     {0xc0, 0x03, 0x1e, 0x78},
     {f32(1), f32(1), f32(1), f32(1)}}, // 11, 11, 10 bit floats
    {4, mem::kFloat, {0, 0, 0x20, 0xc1}, {f32(-10), 0, 0, f32(1)}},
    {11, mem::kUint, {1, 0, 0, 0, 2, 0, 0, 0x80}, {1, 0x80000002, 0, 1}},
    {12, mem::kFloat, {0, 0x3c, 0, 0xbc, 0, 0x40, 0, 0}, {f32(1), f32(-1), f32(2), 0}},
    {13, mem::kUint, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, {1, 2, 3, 1}},
    {14, mem::kUint, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}, {1, 2, 3, 4}},
};

class Typed : public ::testing::Test {
protected:
  std::mt19937_64 rng{4};
  Machine machine;
  State s;

  /// Resource in s[8:11]; dst_sel 4,5,6,7 is the identity.
  void resource(uint32_t records, unsigned dfmt, unsigned nfmt, uint32_t dstSel) {
    s.s[8] = uint32_t(machine.memory());
    s.s[9] = uint32_t(machine.memory() >> 32);
    s.s[10] = records;
    s.s[11] = dstSel | nfmt << 12 | dfmt << 15;
  }
  void SetUp() override {
    s.randomize(rng);
    s.setExec(kFullExec);
    for (unsigned l = 0; l < 64; ++l)
      s.v[2].u[l] = 16 * l;
  }
};

constexpr uint32_t kIdentity = 4 | 5 << 3 | 6 << 6 | 7 << 9;

} // namespace

TEST(Formats, DecodeKnownValues) {
  for (const Row &r : kSamples) {
    ASSERT_EQ(mem::texelLayout(r.dfmt).bytes, r.bytes.size());
    uint32_t got[4];
    mem::decodeTexel(r.bytes.data(), r.dfmt, r.nfmt, got);
    for (unsigned k = 0; k < 4; ++k)
      EXPECT_EQ(got[k], r.value[k])
          << "dfmt " << r.dfmt << " nfmt " << r.nfmt << " component " << k;
  }
}

TEST(Formats, EncodeIsTheInverse) {
  for (const Row &r : kSamples) {
    uint8_t got[16] = {};
    mem::encodeTexel(got, r.dfmt, r.nfmt, r.value);
    EXPECT_EQ(std::memcmp(got, r.bytes.data(), r.bytes.size()), 0)
        << "dfmt " << r.dfmt << " nfmt " << r.nfmt;
  }
}

TEST(Formats, EveryByteSurvivesARoundTrip) {
  for (unsigned nfmt :
       {mem::kUnorm, mem::kUscaled, mem::kSscaled, mem::kUint, mem::kSint, mem::kSnormOgl})
    for (unsigned x = 0; x < 256; ++x) {
      uint8_t byte = uint8_t(x), back = 0;
      uint32_t value[4];
      mem::decodeTexel(&byte, 1, nfmt, value);
      mem::encodeTexel(&back, 1, nfmt, value);
      EXPECT_EQ(back, byte) << "nfmt " << nfmt;
    }
  for (uint32_t x = 0; x < 0x10000; ++x) {
    const bool nan = (x & 0x7c00) == 0x7c00 && (x & 0x3ff);
    ASSERT_TRUE(nan || mem::floatToHalf(mem::halfToFloat(x)) == x) << x;
  }
}

TEST(Formats, StoresClampAndRound) {
  const uint32_t value[4] = {f32(2), f32(-3), f32(0.5), f32(NAN)};
  uint8_t bytes[4];
  mem::encodeTexel(bytes, 10, mem::kUnorm, value);
  EXPECT_EQ(bytes[0], 255);
  EXPECT_EQ(bytes[1], 0);
  EXPECT_EQ(bytes[2], 128); // 127.5 to even
  EXPECT_EQ(bytes[3], 0);
  mem::encodeTexel(bytes, 10, mem::kSnorm, value);
  EXPECT_EQ(bytes[0], 127);
  EXPECT_EQ(bytes[1], 0x81);
}

TEST_F(Typed, InstructionFormat) {
  resource(1000, 0, 0, 0); // the resource's own format does not matter
  State want = s;
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned at = 16 * l + 4;
      want.v[16 + k].u[l] = at + 4 <= 1000 ? uint32_t(int32_t(int8_t(s.memory[at + k]))) : 0;
    }
  machine.run("tbuffer_load_format_xyz v[16:18], v2, s[8:11], 0 "
              "format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_SINT] offen offset:4",
              s);
  EXPECT_EQ(difference(s, want), "");
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned k = 0; k < 2; ++k)
      if (16 * l + 8 <= 1000) {
        uint16_t x = uint16_t(s.v[16 + k].u[l]);
        std::memcpy(&want.memory[16 * l + 4 + 2 * k], &x, 2);
      }
  machine.run("tbuffer_store_format_xy v[16:17], v2, s[8:11], 0 "
              "format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_UINT] offen offset:4",
              s);
  EXPECT_EQ(difference(s, want), "");
}

TEST_F(Typed, ResourceFormatAndSelection) {
  resource(4096, 10, mem::kUint, 6 | 1 << 3 | 0 << 6 | 4 << 9); // z, 1, 0, x
  State want = s;
  for (unsigned l = 0; l < 64; ++l) {
    want.v[16].u[l] = s.memory[16 * l + 2];
    want.v[17].u[l] = 1;
    want.v[18].u[l] = 0;
    want.v[19].u[l] = s.memory[16 * l];
  }
  machine.run("buffer_load_format_xyzw v[16:19], v2, s[8:11], 0 offen", s);
  EXPECT_EQ(difference(s, want), "");
}

/// One component goes to LDS as dwords one behind the other, with a bit of the instruction before
/// GFX11 has opcodes for it.
TEST_F(Typed, ToLds) {
  resource(40 * 16, 10, mem::kUnorm, kIdentity);
  s.s[isa::Sgpr::m0] = 0x100;
  s.setExec(0xfffffffffffffff5);
  for (isa::Target target : {isa::Target::gfx900, isa::Target::gfx90a}) {
    State got = s, want = s;
    for (unsigned l = 0; l < 64; ++l)
      if (s.exec() >> l & 1) {
        const uint32_t x = l < 40 ? f32(s.memory[16 * l + 8] / 255.0) : 0;
        std::memcpy(&want.lds[0x100 + 8 + 4 * l], &x, 4);
      }
    const auto out =
        machine.run("buffer_load_format_x v2, s[8:11], 0 offen offset:8 lds", got, target);
    ASSERT_TRUE(out.prepared);
    EXPECT_EQ(difference(got, want), "");
  }
}

TEST_F(Typed, HalvesArePacked) {
  resource(4096, 10, mem::kUint, kIdentity);
  State want = s;
  for (unsigned l = 0; l < 64; ++l) {
    const uint8_t *p = &s.memory[16 * l];
    want.v[16].u[l] = p[0] | p[1] << 16;
    want.v[17].u[l] = p[2] | p[3] << 16;
  }
  machine.run("buffer_load_format_d16_xyzw v[16:17], v2, s[8:11], 0 offen", s);
  EXPECT_EQ(difference(s, want), "");
  for (unsigned l = 0; l < 64; ++l)
    want.v[16].u[l] = (want.v[16].u[l] & 0xffff) | s.memory[16 * l] << 16;
  machine.run("buffer_load_format_d16_hi_x v16, v2, s[8:11], 0 offen", s);
  EXPECT_EQ(difference(s, want), "");
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned k = 0; k < 4; ++k)
      want.memory[16 * l + k] = k ? 0 : uint8_t(s.v[8].u[l] >> 16);
  machine.run("buffer_store_format_d16_hi_x v8, v2, s[8:11], 0 offen", s);
  EXPECT_EQ(difference(s, want), "");
}
