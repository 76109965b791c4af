// Buffer instructions of GFX10.3 and GFX11: addresses, what is in range for each OOB_SELECT, private memory,
// and the numbers that stand for data and number formats. The rules are written down once more here, byte
// by byte, from the "RDNA 2" ISA manual, 8.1.5, and the "RDNA3" ISA manual, 9.4; the numbers come from LLVM's
// assembler.
#include "runtime/softgpu/isa/buffer_format.h"
#include "runtime/softgpu/mem/formats.h"
#include "tests/runtime/softgpu/llvm_cpu.h"
#include "tests/runtime/softgpu/mem/machine.h"
#include "tests/runtime/softgpu/mem/reference.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

struct Resource {
  uint32_t stride = 0, records = 0, indexStride = 32, oob = 0, format = 0, dstSel = 0xfac;
  bool swizzle = false, addTid = false, gfx11 = false;
  uint32_t element = 4; ///< GFX11: or 16 bytes

  void write(State &s, unsigned slot, uint64_t base) const {
    const uint32_t swizzled = !swizzle        ? 0
                              : !gfx11        ? 2u << 30
                              : element == 16 ? 3u << 30
                                              : 1u << 30;
    s.s[slot] = uint32_t(base);
    s.s[slot + 1] = uint32_t(base >> 32) | stride << 16 | swizzled;
    s.s[slot + 2] = records;
    s.s[slot + 3] = dstSel | format << 12 | unsigned(__builtin_ctz(indexStride / 8)) << 21 |
                    uint32_t(addTid) << 23 | uint32_t(!gfx11) << 24 | oob << 28;
  }
  uint64_t offset(uint32_t index, uint32_t off) const {
    if (!swizzle)
      return off + uint64_t(stride) * index;
    return (uint64_t(index / indexStride) * stride + off / element * element) * indexStride +
           index % indexStride * element + off % element;
  }
  bool inside(uint32_t index, uint32_t off, uint32_t bytes, uint32_t soffset) const {
    switch (oob) {
    case 0:
      return index < records && off + bytes <= stride;
    case 1:
      return index < records;
    case 2:
      return records > 0;
    default:
      if (gfx11 && swizzle && stride)
        return records > soffset && index < records - soffset && off + bytes <= stride;
      return offset(index, off) + bytes + soffset <= records;
    }
  }
};

class RdnaBuffer : public ::testing::TestWithParam<isa::Target> {
protected:
  std::mt19937_64 rng{1030};
  Machine machine;
  unsigned lanes() const { return isa::traitsOf(GetParam()).waveSize; }
  bool gfx11() const { return isa::traitsOf(GetParam()).generation == 11; }

  /// Runs `name` on random operands: index in v2, offset in v3, the resource in s[8:11], soffset in s12.
  void once(const std::string &name, const Resource &r, uint32_t soffset, uint32_t offsets,
            uint32_t indices, bool atScratch) {
    const ElementInfo e = elementInfo(name);
    ASSERT_NE(e.bytes, 0u) << name;
    State s;
    s.randomize(rng);
    s.setExec(rng() & (kFullExec >> (64 - lanes())));
    for (unsigned l = 0; l < kWaveSize; ++l) {
      s.v[2].u[l] = uint32_t(rng() % indices);
      s.v[3].u[l] = uint32_t(rng() % offsets) / 4 * 4 / e.bytes * e.bytes;
    }
    r.write(s, 8, atScratch ? machine.scratch() : machine.memory());
    s.s[12] = soffset;
    const unsigned count = e.load ? e.dst : e.data;
    const std::string data = count == 1 ? "v8" : "v[8:" + std::to_string(7 + count) + "]";
    const std::string text = "buffer_" + name + " " + data +
                             ", v[2:3], s[8:11], s12 idxen offen offset:16" +
                             (e.atomic ? " glc" : "");
    State want = s;
    auto &block = atScratch ? want.scratch : want.memory;
    for (unsigned l = 0; l < lanes(); ++l) {
      if (!(s.exec() >> l & 1))
        continue;
      const uint32_t index = s.v[2].u[l] + (r.addTid ? l : 0), off = s.v[3].u[l] + 16;
      auto byteAt = [&](unsigned k) -> uint8_t * {
        const uint32_t part = e.atomic ? 0 : k / 4 * 4;
        const uint32_t bytes = e.atomic ? e.bytes : std::min(e.bytes, 4u);
        return r.inside(index, off + part, bytes, soffset)
                   ? &block.at(soffset + r.offset(index, off + k))
                   : nullptr;
      };
      uint8_t bytes[16] = {};
      bool any = false;
      for (unsigned k = 0; k < e.bytes; ++k)
        if (uint8_t *p = byteAt(k))
          bytes[k] = *p, any = true;
      LaneAccess lane{bytes};
      for (unsigned k = 0; k < 4; ++k)
        lane.data[k] = lane.dst[k] = s.v[8 + k].u[l];
      for (unsigned k = 0; k < e.dst; ++k)
        lane.data2[k] = s.v[8 + e.dst + k].u[l];
      accessLane(name, lane, s.mode);
      if (e.atomic && !any)
        std::memset(lane.dst, 0, sizeof(lane.dst));
      if (!e.load)
        for (unsigned k = 0; k < e.bytes; ++k)
          if (uint8_t *p = byteAt(k))
            *p = bytes[k];
      if (e.load || e.atomic)
        for (unsigned k = 0; k < e.dst; ++k)
          want.v[8 + k].u[l] = lane.dst[k];
    }
    const auto out = machine.run(text, s, GetParam());
    ASSERT_TRUE(out.prepared) << text;
    ASSERT_NE(out.status, WaveStatus::faulted) << text << ": " << out.fault.what;
    ASSERT_EQ(difference(s, want), "") << text << " oob " << r.oob << " stride " << r.stride
                                       << " records " << r.records << " swizzle " << r.swizzle;
  }
  void sweep(const Resource &r, uint32_t soffset, uint32_t offsets, uint32_t indices,
             bool atScratch = false) {
    for (const char *name :
         {"load_ubyte", "load_sshort", "load_short_d16_hi", "load_dword", "load_dwordx3",
          "load_dwordx4", "store_byte", "store_dword", "store_dwordx2", "store_dwordx4",
          "atomic_add", "atomic_cmpswap", "atomic_umax_x2"})
      for (int round = 0; round < 6; ++round) {
        once(name, r, soffset, offsets, indices, atScratch);
        if (HasFatalFailure())
          return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Waves, RdnaBuffer,
                         testing::Values(isa::Target::gfx1030, isa::Target::gfx1030w64,
                                         isa::Target::gfx1100, isa::Target::gfx1100w64),
                         [](auto &i) { return testName(i.param); });

} // namespace

TEST_P(RdnaBuffer, EveryWayToCheckBounds) {
  for (uint32_t oob : {0u, 1u, 3u})
    for (bool swizzle : {false, true}) {
      Resource r{.gfx11 = gfx11()};
      r.stride = 48;
      r.oob = oob;
      r.swizzle = swizzle;
      r.records = oob == 3 ? 1500 : 32;
      r.addTid = oob == 1;
      r.indexStride = 8;
      sweep(r, 64, 64, 40);
    }
  Resource unchecked{.stride = 16, .records = 1, .oob = 2, .gfx11 = gfx11()};
  sweep(unchecked, 0, 64, 40);
  unchecked.records = 0; // but this
  sweep(unchecked, 0, 64, 40);
}

// GFX11 counts records where a swizzled buffer with a stride is checked by bytes, and takes the
// scalar offset off their number.
TEST_P(RdnaBuffer, RecordsOfSwizzledBuffersByBytes) {
  if (gfx11())
    sweep({.stride = 48, .records = 90, .indexStride = 8, .oob = 3, .swizzle = true, .gfx11 = true},
          64, 64, 40);
}

// Elements of 16 bytes: what lies in one lies together, also four dwords; what does not is taken apart.
TEST_P(RdnaBuffer, ElementsOf16Bytes) {
  if (!gfx11())
    return;
  for (uint32_t oob : {0u, 2u})
    sweep({.stride = 64,
           .records = 40,
           .indexStride = 8,
           .oob = oob,
           .swizzle = true,
           .gfx11 = true,
           .element = 16},
          32, 64, 48);
}

TEST_P(RdnaBuffer, PrivateMemory) {
  Resource r{.records = ~0u,
             .indexStride = lanes(),
             .oob = 3,
             .swizzle = true,
             .addTid = true,
             .gfx11 = gfx11()};
  for (uint32_t oob : {2u, 3u}) {
    r.oob = oob;
    sweep(r, 0, kScratchPerLane - 48, 1, true);
  }
}

// Spills, as compilers write them: no vector address or an offset, all lanes at the same place or not.
TEST_P(RdnaBuffer, Spills) {
  for (const char *address : {"off", "v3"})
    for (bool same : {true, false}) {
      State s;
      s.randomize(rng);
      s.setExec(rng() & (kFullExec >> (64 - lanes())));
      Resource{.records = ~0u,
               .indexStride = lanes(),
               .oob = 3,
               .swizzle = true,
               .addTid = true,
               .gfx11 = gfx11()}
          .write(s, 8, machine.scratch());
      const bool offen = address[0] == 'v';
      for (unsigned l = 0; l < kWaveSize; ++l)
        s.v[3].u[l] = same ? 40 : l * 7 % 13 * 4;
      State want = s;
      for (unsigned l = 0; l < lanes(); ++l)
        if (s.exec() >> l & 1)
          for (unsigned k = 0; k < 2; ++k) {
            const unsigned dword = (offen ? s.v[3].u[l] : 0) / 4 + 3 + k;
            std::memcpy(&want.scratch[dword * 4 * lanes() + 4 * l], &s.v[8 + k].u[l], 4);
          }
      machine.run(std::string("buffer_store_dwordx2 v[8:9], ") + address + ", s[8:11], 0 " +
                      (offen ? "offen " : "") + "offset:12",
                  s, GetParam());
      EXPECT_EQ(difference(s, want), "") << address << same;
      for (unsigned l = 0; l < lanes(); ++l)
        if (s.exec() >> l & 1)
          want.v[16].u[l] = want.v[9].u[l];
      machine.run(std::string("buffer_load_dword v16, ") + address + ", s[8:11], 0 " +
                      (offen ? "offen " : "") + "offset:16",
                  s, GetParam());
      EXPECT_EQ(difference(s, want), "") << address << same;
    }
}

// Names as LLVM writes them say the bits of the components, from the highest to the lowest.
void numbersStandForTheirNames(isa::Target target, unsigned formats) {
  using namespace mem;
  const unsigned generation = isa::traitsOf(target).generation;
  const std::map<std::string, NumFormat> numbers = {
      {"UNORM", kUnorm}, {"SNORM", kSnorm}, {"USCALED", kUscaled}, {"SSCALED", kSscaled},
      {"UINT", kUint},   {"SINT", kSint},   {"FLOAT", kFloat}};
  const char *layouts[] = {"8",        "16",          "8_8",        "32",         "16_16",
                           "10_11_11", "11_11_10",    "10_10_10_2", "2_10_10_10", "8_8_8_8",
                           "32_32",    "16_16_16_16", "32_32_32",   "32_32_32_32"};
  unsigned known = 0;
  std::vector<bool> seen(128);
  for (const std::string layout : layouts)
    for (const auto &[name, nfmt] : numbers) {
      const auto code = assemble("tbuffer_load_format_x v1, off, s[8:11], 0 format:[BUF_FMT_" +
                                     layout + "_" + name + "]",
                                 std::string(isa::targetName(target)));
      if (code.empty())
        continue; // there is no such format
      ++known;
      isa::Inst inst;
      ASSERT_EQ(isa::decode(code.data(), code.size(), target, inst), isa::DecodeStatus::ok);
      const isa::BufferFormat format = isa::bufferFormat(inst.format, generation);
      EXPECT_EQ(format.number, nfmt) << layout << " " << name;
      std::vector<unsigned> bits; // from the lowest
      for (size_t at = layout.size(); at != std::string::npos;) {
        const size_t before = layout.rfind('_', at - 1);
        bits.push_back(unsigned(std::stoul(layout.substr(before == layout.npos ? 0 : before + 1))));
        at = before;
      }
      const TexelLayout &texel = texelLayout(format.data);
      ASSERT_EQ(texel.components, bits.size()) << layout;
      for (unsigned k = 0; k < bits.size(); ++k)
        EXPECT_EQ(texel.bits[k], bits[k]) << layout;
      seen[inst.format] = true;
    }
  EXPECT_EQ(known, formats);
  for (unsigned number = 0; number < 128; ++number)
    EXPECT_EQ(isa::bufferFormat(number, generation).data != 0, seen[number]) << number;
}

TEST(BufferFormats, NumbersStandForTheirNames) {
  numbersStandForTheirNames(isa::Target::gfx1030, 77);
  numbersStandForTheirNames(isa::Target::gfx1100, 63);
}

TEST_P(RdnaBuffer, Formats) {
  State s;
  s.randomize(rng);
  s.setExec(kFullExec >> (64 - lanes()));
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 16 * l;
  Resource{.records = 4096,
           .oob = 3,
           .format = gfx11() ? 46u : 60u, // 8_8_8_8_UINT
           .dstSel = 6 | 1 << 3 | 0 << 6 | 4 << 9,
           .gfx11 = gfx11()}
      .write(s, 8, machine.memory());
  State want = s;
  for (unsigned l = 0; l < lanes(); ++l) { // z, 1, 0, x
    want.v[16].u[l] = s.memory[16 * l + 2];
    want.v[17].u[l] = 1;
    want.v[18].u[l] = 0;
    want.v[19].u[l] = s.memory[16 * l];
  }
  machine.run("buffer_load_format_xyzw v[16:19], v2, s[8:11], 0 offen", s, GetParam());
  EXPECT_EQ(difference(s, want), "");
  // The instruction's own format counts in tbuffer_*.
  for (unsigned l = 0; l < lanes(); ++l)
    for (unsigned k = 0; k < 2; ++k) {
      int16_t x;
      std::memcpy(&x, &s.memory[16 * l + 4 + 2 * k], 2);
      want.v[16 + k].u[l] = uint32_t(int32_t(x));
    }
  machine.run(
      "tbuffer_load_format_xy v[16:17], v2, s[8:11], 0 format:[BUF_FMT_16_16_SINT] offen offset:4",
      s, GetParam());
  EXPECT_EQ(difference(s, want), "");
  for (unsigned l = 0; l < lanes(); ++l)
    for (unsigned k = 0; k < 3; ++k)
      std::memcpy(&want.memory[16 * l + 4 * k], &s.v[8 + k].u[l], 4);
  machine.run(
      "tbuffer_store_format_xyz v[8:10], v2, s[8:11], 0 format:[BUF_FMT_32_32_32_FLOAT] offen", s,
      GetParam());
  EXPECT_EQ(difference(s, want), "");
}
