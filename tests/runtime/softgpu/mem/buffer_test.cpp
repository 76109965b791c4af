// MUBUF instructions against the manual's address formula, evaluated byte by byte.
#include "tests/runtime/softgpu/mem/machine.h"
#include "tests/runtime/softgpu/mem/reference.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

const std::vector<std::string> kOps = {
    "load_ubyte",     "load_sbyte",         "load_ushort",    "load_sshort",
    "load_ubyte_d16", "load_ubyte_d16_hi",  "load_sbyte_d16", "load_sbyte_d16_hi",
    "load_short_d16", "load_short_d16_hi",  "load_dword",     "load_dwordx2",
    "load_dwordx3",   "load_dwordx4",       "store_byte",     "store_byte_d16_hi",
    "store_short",    "store_short_d16_hi", "store_dword",    "store_dwordx2",
    "store_dwordx3",  "store_dwordx4",      "atomic_add",     "atomic_cmpswap",
    "atomic_umax_x2", "atomic_cmpswap_x2",  "atomic_sub",     "atomic_xor",
    "atomic_inc"};

std::string regs(char file, unsigned first, unsigned n) {
  return n == 1 ? file + std::to_string(first)
                : file + ("[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]");
}

/// A buffer resource, as its fields.
struct Resource {
  uint32_t stride = 0, records = 0, indexStride = 64;
  bool swizzle = false, addTid = false;

  void write(State &s, unsigned slot, uint64_t base) const {
    s.s[slot] = uint32_t(base);
    s.s[slot + 1] = uint32_t(base >> 32) | stride << 16 | uint32_t(swizzle) << 31;
    s.s[slot + 2] = records;
    s.s[slot + 3] =
        0x27000 | unsigned(__builtin_ctz(indexStride / 8)) << 21 | uint32_t(addTid) << 23;
  }
  /// "Vega" ISA, buffer addressing; element size 4.
  uint64_t offset(uint32_t index, uint64_t off) const {
    if (!swizzle)
      return off + uint64_t(stride) * index;
    const uint64_t indexMsb = index / indexStride, indexLsb = index % indexStride;
    const uint64_t offsetMsb = off / 4, offsetLsb = off % 4;
    return (indexMsb * stride + offsetMsb * 4) * indexStride + indexLsb * 4 + offsetLsb;
  }
};

class Buffer : public ::testing::Test {
protected:
  std::mt19937_64 rng{11};
  Machine machine;

  /// Runs `name` once: index in v2 (idxen), offset in v2 or v3 (offen), resource in s[8:11],
  /// soffset in s12.
  void once(const std::string &name, const Resource &r, bool idxen, bool offen, bool returns,
            char file, State &s, uint32_t soffset, uint32_t imm, bool atScratch) {
    const ElementInfo e = elementInfo(name);
    ASSERT_NE(e.bytes, 0u) << name;
    const unsigned base = file == 'a' ? kAcc : 0;
    const unsigned data = base + 8;
    std::string text = "buffer_" + name + " " + regs(file, 8, e.load ? e.dst : e.data) + ", ";
    text += idxen && offen ? "v[2:3]" : idxen || offen ? "v2" : "off";
    text += ", s[8:11], s12" + std::string(idxen ? " idxen" : "") + (offen ? " offen" : "") +
            " offset:" + std::to_string(imm) + (returns ? " glc" : "");
    r.write(s, 8, atScratch ? machine.scratch() : machine.memory());
    s.s[12] = soffset;

    State want = s;
    auto &block = atScratch ? want.scratch : want.memory;
    const bool structured = r.stride && (idxen || r.addTid);
    const uint64_t limit = r.records > soffset ? r.records - soffset : 0;
    for (unsigned l = 0; l < 64; ++l) {
      if (!(s.exec() >> l & 1))
        continue;
      const uint32_t index = (idxen ? s.v[2].u[l] : 0) + (r.addTid ? l : 0);
      const uint32_t off = (offen ? s.v[idxen ? 3 : 2].u[l] : 0) + imm;
      auto byteAt = [&](unsigned k) -> uint8_t * {
        if (structured ? index >= r.records
            : e.atomic ? r.offset(index, off) + e.bytes > limit
                       : r.offset(index, uint64_t(off) + k / 4 * 4) >= limit)
          return nullptr;
        return &block.at(soffset + r.offset(index, uint64_t(off) + k));
      };
      uint8_t bytes[16] = {};
      bool any = false;
      for (unsigned k = 0; k < e.bytes; ++k)
        if (uint8_t *p = byteAt(k))
          bytes[k] = *p, any = true;
      LaneAccess lane{bytes};
      for (unsigned k = 0; k < 4; ++k)
        lane.data[k] = lane.dst[k] = s.v[data + k].u[l];
      for (unsigned k = 0; k < e.dst; ++k)
        lane.data2[k] = s.v[data + e.dst + k].u[l];
      accessLane(name, lane, s.mode);
      if (e.atomic && !any)
        std::memset(lane.dst, 0, sizeof(lane.dst));
      if (!e.load)
        for (unsigned k = 0; k < e.bytes; ++k)
          if (uint8_t *p = byteAt(k))
            *p = bytes[k];
      if (e.load || returns)
        for (unsigned k = 0; k < e.dst; ++k)
          want.v[data + k].u[l] = lane.dst[k];
    }
    auto out = machine.run(text, s);
    ASSERT_TRUE(out.prepared) << text;
    ASSERT_NE(out.status, WaveStatus::faulted) << text << ": " << out.fault.what;
    ASSERT_EQ(difference(s, want), "")
        << text << " stride " << r.stride << " records " << r.records << " index stride "
        << r.indexStride << " swizzle " << r.swizzle << " tid " << r.addTid << std::hex << " exec "
        << s.exec();
  }

  /// All ops with random EXEC; `offsets` and `indices` bound the random operands.
  void sweep(const Resource &r, bool idxen, bool offen, uint32_t offsets, uint32_t indices,
             uint32_t soffset, bool atScratch = false) {
    State s;
    s.randomize(rng);
    for (const std::string &name : kOps) {
      const ElementInfo e = elementInfo(name);
      for (bool returns : {false, true}) {
        if (returns && !e.atomic)
          continue;
        for (uint64_t exec : execPatterns(rng)) {
          const bool aligned = e.atomic || rng() % 2, same = rng() % 3 == 0;
          const unsigned unit = e.atomic ? e.bytes : aligned ? 4 : 1;
          for (unsigned l = 0; l < 64; ++l) {
            uint32_t off = uint32_t(rng() % offsets) / unit * unit,
                     index = uint32_t(rng() % indices);
            if (same)
              off = l ? s.v[idxen ? 3 : 2].u[0] : off;
            if (idxen)
              s.v[2].u[l] = index;
            if (offen)
              s.v[idxen ? 3 : 2].u[l] = off;
          }
          s.setExec(exec);
          once(name, r, idxen, offen, returns, rng() % 2 ? 'a' : 'v', s, soffset,
               uint32_t(rng() % 4) * 16, atScratch);
          if (HasFatalFailure())
            return;
        }
      }
    }
  }
};

} // namespace

TEST_F(Buffer, Raw) {
  sweep({0, 2000}, false, true, 2100, 1, 64);
  sweep({0, 2003}, false, true, 2100, 1, 0);
  sweep({0, 100}, false, true, 2100, 1, 200); // soffset past the end: everything is out of range
}

TEST_F(Buffer, RawWithoutVectorAddress) { sweep({0, 2000}, false, false, 1, 1, 256); }

TEST_F(Buffer, LinearRecords) {
  sweep({16, 60}, true, false, 1, 70, 128);
  sweep({24, 60}, true, true, 24, 70, 128);
  sweep({8, 60, 64, false, true}, false, true, 32, 1, 0); // the lane is the index
}

TEST_F(Buffer, StrideWithoutIndexCountsBytes) { sweep({16, 500}, false, true, 520, 1, 0); }

TEST_F(Buffer, Swizzled) {
  for (uint32_t indexStride : {8u, 16u, 32u, 64u}) {
    sweep({32, 200, indexStride, true, false}, true, true, 16, 220, 64);
    sweep({32, 100, indexStride, true, true}, true, true, 16, 60, 64);
  }
}

TEST_F(Buffer, PrivateMemory) {
  // What a compiler spills with: stride 0, 64-lane swizzle, the lane as index.
  const Resource scratch{0, kScratchPerLane * 64 - 256, 64, true, true};
  sweep(scratch, false, true, 190, 1, 256, true);
  sweep(scratch, false, false, 1, 1, 256, true);
}

TEST_F(Buffer, NegativePrivateOffsetWraps) {
  // A frame index below an object plus an instruction offset: the 32-bit sum counts.
  State s;
  s.randomize(rng);
  s.setExec(kFullExec);
  for (unsigned l = 0; l < 64; ++l)
    s.v[2].u[l] = uint32_t(-16) + 4 * (l % 3);
  const Resource scratch{0, kScratchPerLane * 64, 64, true, true};
  once("load_dword", scratch, false, true, false, 'v', s, 0, 32, true);
  once("store_dwordx2", scratch, false, true, false, 'v', s, 0, 32, true);
}

TEST_F(Buffer, AnOffsetOfMinusOneTurnsAWideAccessOff) {
  // How rocBLAS's kernels turn lanes off at the edge of a matrix, with num_records just below 2^32.
  // The dwords behind the first one do not wrap around to the beginning of the buffer.
  for (isa::Target target :
       {isa::Target::gfx908, isa::Target::gfx90a, isa::Target::gfx1030, isa::Target::gfx1100})
    for (const char *name :
         {"store_dword", "store_dwordx2", "store_dwordx3", "store_dwordx4", "store_short",
          "load_dword", "load_dwordx2", "load_dwordx3", "load_dwordx4", "load_ushort"})
      for (uint32_t outside : {~0u, ~0u - 1, ~0u - 3, ~0u - 8}) {
        State s;
        s.randomize(rng);
        s.setExec(kFullExec);
        s.s[8] = uint32_t(machine.memory());
        s.s[9] = uint32_t(machine.memory() >> 32);
        s.s[10] = 0xfffff000;
        s.s[11] = isa::traitsOf(target).generation >= 10 ? 3u << 28 : 0x20000;
        const ElementInfo e = elementInfo(name);
        for (unsigned l = 0; l < kWaveSize; ++l)
          s.v[2].u[l] = outside;
        s.v[2].u[5] = 64; // one that is not off
        State want = s;
        for (unsigned k = 0; k < (e.bytes + 3) / 4; ++k)
          if (e.load) {
            want.v[8 + k] = {};
            std::memcpy(&want.v[8 + k].u[5], &s.memory[64 + 4 * k], std::min(4u, e.bytes));
          } else {
            std::memcpy(&want.memory[64 + 4 * k], &s.v[8 + k].u[5], std::min(4u, e.bytes));
          }
        std::string text = name;
        if (isa::traitsOf(target).generation >= 11)
          for (const auto &[from, to] : {std::pair("dwordx2", "b64"),
                                         {"dwordx3", "b96"},
                                         {"dwordx4", "b128"},
                                         {"dword", "b32"},
                                         {"ushort", "u16"},
                                         {"short", "b16"}})
            if (const size_t at = text.find(from); at != text.npos)
              text.replace(at, std::strlen(from), to);
        text = "buffer_" + text + " " + regs('v', 8, (e.bytes + 3) / 4) + ", v2, s[8:11], 0 offen";
        const auto out = machine.run(text, s, target);
        ASSERT_TRUE(out.prepared) << text;
        ASSERT_NE(out.status, WaveStatus::faulted) << text << ": " << out.fault.what;
        EXPECT_EQ(difference(s, want), "")
            << text << " " << std::hex << outside << " on " << int(target);
      }
}

TEST_F(Buffer, PrivateMemoryEndsWithTheScratchBlock) {
  // The executor's resource has num_records = 2^32 - 1; an access past the wave's block must not
  // reach the host.
  State s;
  Resource{0, 0xffffffff, 64, true, true}.write(s, 8, machine.scratch());
  for (const char *text : {"buffer_store_dword v8, v2, s[8:11], s12 offen",
                           "buffer_store_byte v8, v2, s[8:11], s12 offen",
                           "buffer_store_dwordx2 v[8:9], v2, s[8:11], s12 offen"})
    for (uint32_t soffset : {0u, 64u}) {
      s.setExec(kFullExec);
      s.s[12] = soffset;
      for (unsigned l = 0; l < 64; ++l)
        s.v[2].u[l] = 8;
      EXPECT_EQ(machine.run(text, s).fault.kind, FaultKind::none) << text;
      s.v[2].u[9] = kScratchPerLane;
      auto out = machine.run(text, s);
      EXPECT_EQ(out.fault.kind, FaultKind::aperture) << text;
      EXPECT_EQ(out.fault.lane, 9) << text;
      EXPECT_TRUE(out.fault.write);
      for (unsigned l = 0; l < 64; ++l)
        s.v[2].u[l] = kScratchPerLane - (l < 63 ? 0 : 4);
      s.setExec(0xff);
      EXPECT_EQ(machine.run(text, s).fault.kind, FaultKind::aperture) << text;
    }
}

TEST_F(Buffer, ConstantScalarOffset) {
  State s;
  s.randomize(rng);
  s.setExec(kFullExec);
  Resource{0, 4096}.write(s, 8, machine.memory());
  for (unsigned l = 0; l < 64; ++l)
    s.v[2].u[l] = 8 * l;
  State want = s;
  for (unsigned l = 0; l < 64; ++l)
    std::memcpy(&want.v[8].u[l], &s.memory[8 * l + 16 + 20], 4);
  machine.run("buffer_load_dword v8, v2, s[8:11], 16 offen offset:20", s);
  EXPECT_EQ(difference(s, want), "");
  want = s;
  for (unsigned l = 0; l < 64; ++l)
    std::memcpy(&want.v[8].u[l], &s.memory[8 * l + 20], 4);
  machine.run("buffer_load_dword v8, v2, s[8:11], 0 offen offset:20", s);
  EXPECT_EQ(difference(s, want), "");
}

TEST_F(Buffer, LoadToLds) {
  State s;
  for (uint64_t exec : execPatterns(rng)) {
    s.randomize(rng);
    s.setExec(exec);
    s.s[isa::Sgpr::m0] = 0x100;
    Resource{0, 1000}.write(s, 8, machine.memory());
    s.s[12] = 0;
    for (unsigned l = 0; l < 64; ++l)
      s.v[2].u[l] = 20 * l;
    State want = s;
    for (unsigned l = 0; l < 64; ++l)
      if (exec >> l & 1) {
        uint32_t x = 0;
        if (20 * l + 8 < 1000)
          std::memcpy(&x, &s.memory[20 * l + 8], 4);
        std::memcpy(&want.lds[0x100 + 8 + 4 * l], &x, 4);
      }
    auto out = machine.run("buffer_load_dword v2, s[8:11], s12 offen offset:8 lds", s,
                           isa::Target::gfx900);
    ASSERT_TRUE(out.prepared);
    EXPECT_EQ(difference(s, want), "");
  }
}

TEST_F(Buffer, CacheControlDoesNothing) {
  State s;
  s.randomize(rng);
  for (const char *text : {"buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_wbl2", "buffer_invl2"}) {
    State got = s;
    ASSERT_TRUE(machine.run(text, got).prepared);
    EXPECT_EQ(difference(got, s), "") << text;
  }
}
