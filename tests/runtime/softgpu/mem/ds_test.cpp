// DS instructions against the scalar reference and the manual's lane-exchange rules.
#include "tests/runtime/softgpu/mem/machine.h"
#include "tests/runtime/softgpu/mem/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

const std::vector<std::string> kReadsWrites = {
    "read_b32",        "read_b64",       "read_b96",         "read_b128",       "read_u8",
    "read_i8",         "read_u16",       "read_i16",         "read_u8_d16",     "read_u8_d16_hi",
    "read_i8_d16",     "read_i8_d16_hi", "read_u16_d16",     "read_u16_d16_hi", "write_b8",
    "write_b8_d16_hi", "write_b16",      "write_b16_d16_hi", "write_b32",       "write_b64",
    "write_b96",       "write_b128"};
const std::vector<std::string> kAtomics = {
    "add_u32",   "sub_u32",   "rsub_u32",  "inc_u32", "dec_u32", "min_i32",
    "max_i32",   "min_u32",   "max_u32",   "and_b32", "or_b32",  "xor_b32",
    "mskor_b32", "cmpst_b32", "cmpst_f32", "min_f32", "max_f32", "add_f32",
    "add_u64",   "sub_u64",   "rsub_u64",  "inc_u64", "dec_u64", "min_i64",
    "max_i64",   "min_u64",   "max_u64",   "and_b64", "or_b64",  "xor_b64",
    "mskor_b64", "cmpst_b64", "cmpst_f64", "min_f64", "max_f64", "add_f64"};
const std::vector<std::string> kReturningOnly = {"wrxchg_b32", "wrxchg_b64", "wrap_b32"};

std::string regs(char file, unsigned first, unsigned n) {
  return n == 1 ? file + std::to_string(first)
                : file + ("[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]");
}

/// "add_u32" -> "add_rtn_u32"
std::string withReturn(const std::string &name) {
  size_t at = name.rfind('_');
  return name.substr(0, at) + "_rtn" + name.substr(at);
}

struct Case {
  std::string name, text;
  unsigned dst = 0, data = 0, data1 = 0;
  bool returns = false;
};

class Ds : public ::testing::Test {
protected:
  std::mt19937_64 rng{77};
  Machine machine;

  /// Byte offsets: linear, one address, strided, random aligned, random with some past the end, few
  /// addresses.
  std::vector<uint32_t> pattern(unsigned which, unsigned bytes) {
    std::vector<uint32_t> at(kWaveSize);
    const uint32_t base = uint32_t(rng() % 32) * 16;
    const unsigned unit = bytes >= 8 ? 8 : bytes;
    for (unsigned l = 0; l < kWaveSize; ++l)
      switch (which) {
      case 0:
        at[l] = base + l * bytes;
        break;
      case 1:
        at[l] = base;
        break;
      case 2:
        at[l] = base + l * 36 / unit * unit;
        break;
      case 3:
        at[l] = uint32_t(rng() % (kLds / 16 - 1)) * 16;
        break;
      case 4:
        at[l] = uint32_t(rng() % (2 * kLds / 16)) * 16 + uint32_t(rng() % 2) * (16 - unit);
        break;
      case 5:
        at[l] = base + uint32_t(rng() % 3) * unit;
        break;
      default:
        at[l] = uint32_t(rng() % (kLds - 16));
        break; // misaligned
      }
    return at;
  }

  void tame(State &s, const std::string &name) {
    auto value = [&]() -> uint64_t {
      if (name.find("f32") != name.npos) {
        float x = std::ldexp(float(int64_t(rng() % 2001) - 1000), int(rng() % 8) - 4);
        uint32_t u;
        std::memcpy(&u, &x, 4);
        return u | uint64_t(u) << 32;
      }
      if (name.find("f64") != name.npos) {
        double x = std::ldexp(double(int64_t(rng() % 2001) - 1000), int(rng() % 8) - 4);
        uint64_t u;
        std::memcpy(&u, &x, 8);
        return u;
      }
      return uint32_t(rng() % 6 - 2) | (rng() % 6 - 2) << 32;
    };
    for (size_t k = 0; k < s.lds.size(); k += 8) {
      uint64_t x = value();
      std::memcpy(&s.lds[k], &x, 8);
    }
    for (unsigned base : {8u, kAcc + 8u})
      for (unsigned l = 0; l < kWaveSize; ++l)
        for (unsigned k = 0; k < 4; k += 2) {
          uint64_t x = value();
          s.v[base + k].u[l] = uint32_t(x);
          s.v[base + k + 1].u[l] = uint32_t(x >> 32);
        }
  }

  /// One element access at offset at[l] + add, per lane, on `state`; rows as in `c`, operands from
  /// `before`.
  static void reference(const Case &c, const State &before, State &state,
                        const std::vector<uint32_t> &at, uint32_t add) {
    const ElementInfo e = elementInfo(c.name);
    ASSERT_NE(e.bytes, 0u) << c.name;
    for (unsigned l = 0; l < kWaveSize; ++l) {
      if (!(state.exec() >> l & 1))
        continue;
      const uint32_t a = at[l] + add;
      const bool inside = uint64_t(a) + e.bytes <= kLds;
      uint8_t bytes[16] = {};
      if (inside)
        std::memcpy(bytes, &state.lds[a], e.bytes);
      LaneAccess lane{bytes};
      for (unsigned k = 0; k < 4; ++k) {
        lane.data[k] = before.v[c.data + k].u[l];
        lane.data2[k] = before.v[c.data1 + k].u[l];
        lane.dst[k] = state.v[c.dst + k].u[l];
      }
      accessLane(c.name, lane, state.mode);
      if (!e.load && inside)
        std::memcpy(&state.lds[a], bytes, e.bytes);
      if (e.load || c.returns)
        for (unsigned k = 0; k < e.dst; ++k)
          state.v[c.dst + k].u[l] = lane.dst[k];
    }
  }

  void compare(const Case &c, State &state, const State &want) {
    auto out = machine.run(c.text, state);
    ASSERT_TRUE(out.prepared) << c.text;
    ASSERT_NE(out.status, WaveStatus::faulted) << c.text << ": " << out.fault.what;
    ASSERT_EQ(difference(state, want), "") << c.text << " exec " << std::hex << want.exec();
    ASSERT_EQ(out.trace.cacheLines, 0u);
  }

  void sweep(const Case &c, uint32_t add) {
    const ElementInfo e = elementInfo(c.name);
    State s;
    s.randomize(rng);
    for (unsigned which = 0; which < 7; ++which)
      for (uint64_t exec : execPatterns(rng)) {
        if (e.atomic && which == 6)
          continue;
        if (e.atomic)
          tame(s, c.name);
        auto at = pattern(which, e.bytes);
        for (unsigned l = 0; l < kWaveSize; ++l)
          s.v[2].u[l] = at[l];
        s.setExec(exec);
        State want = s;
        reference(c, s, want, at, add);
        compare(c, s, want);
        if (HasFatalFailure())
          return;
      }
  }
};

} // namespace

TEST_F(Ds, ReadsAndWrites) {
  for (const std::string &name : kReadsWrites) {
    const ElementInfo e = elementInfo(name);
    for (char file : {'v', 'a'}) {
      const unsigned base = file == 'a' ? kAcc : 0;
      if (e.load)
        sweep(
            {name, "ds_" + name + " " + regs(file, 16, e.dst) + ", v2 offset:272", base + 16, 0, 0},
            272);
      else
        sweep(
            {name, "ds_" + name + " v2, " + regs(file, 8, e.data) + " offset:1040", 0, base + 8, 0},
            1040);
    }
    if (e.load) // the destination replaces the address
      sweep({name, "ds_" + name + " " + regs('v', 2, e.dst) + ", v2", 2, 0, 0}, 0);
  }
}

TEST_F(Ds, Atomics) {
  std::vector<std::string> names = kAtomics;
  names.insert(names.end(), kReturningOnly.begin(), kReturningOnly.end());
  for (const std::string &name : names) {
    const ElementInfo e = elementInfo(name);
    const bool two = e.data > e.dst;
    for (bool returns : {false, true}) {
      if (!returns &&
          std::find(kReturningOnly.begin(), kReturningOnly.end(), name) != kReturningOnly.end())
        continue;
      for (char file : {'v', 'a'}) {
        const unsigned base = file == 'a' ? kAcc : 0;
        Case c{name,      "ds_" + (returns ? withReturn(name) : name) + " ",
               base + 16, base + 8,
               base + 10, returns};
        c.text += (returns ? regs(file, 16, e.dst) + ", " : "") + "v2, " + regs(file, 8, e.dst);
        if (two)
          c.text += ", " + regs(file, 10, e.dst);
        c.text += " offset:16";
        sweep(c, 16);
      }
      if (returns && !two) // the old value replaces the operand
        sweep(
            {name,
             "ds_" + withReturn(name) + " " + regs('v', 8, e.dst) + ", v2, " + regs('v', 8, e.dst),
             8, 8, 10, true},
            0);
    }
  }
}

TEST_F(Ds, OffsetWrapsAround) {
  State s;
  s.randomize(rng);
  s.setExec(kFullExec);
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 4 * l - 64;
  State want = s;
  for (unsigned l = 0; l < kWaveSize; ++l)
    std::memcpy(&want.v[16].u[l], &s.lds[4 * l], 4);
  compare({"read_b32", "ds_read_b32 v16, v2 offset:64", 16, 0}, s, want);
}

TEST_F(Ds, TwoAddresses) {
  struct Form {
    const char *text;
    const char *element;
    uint32_t first, second;
    unsigned dst, data, data1;
    bool returns;
  };
  const Form forms[] = {
      {"ds_read2_b32 v[16:17], v2 offset0:3 offset1:200", "read_b32", 12, 800, 16, 0, 0, false},
      {"ds_read2_b32 v[2:3], v2 offset0:3 offset1:9", "read_b32", 12, 36, 2, 0, 0, false},
      {"ds_read2_b32 a[16:17], v2 offset1:1", "read_b32", 0, 4, kAcc + 16, 0, 0, false},
      {"ds_read2st64_b32 v[16:17], v2 offset0:1 offset1:6", "read_b32", 256, 1536, 16, 0, 0, false},
      {"ds_read2_b64 v[16:19], v2 offset0:3 offset1:100", "read_b64", 24, 800, 16, 0, 0, false},
      {"ds_read2_b64 v[2:5], v2 offset0:3 offset1:1", "read_b64", 24, 8, 2, 0, 0, false},
      {"ds_read2st64_b64 v[16:19], v2 offset0:1 offset1:3", "read_b64", 512, 1536, 16, 0, 0, false},
      {"ds_write2_b32 v2, v8, v10 offset0:3 offset1:200", "write_b32", 12, 800, 0, 8, 10, false},
      {"ds_write2st64_b32 v2, a8, a10 offset0:1 offset1:6", "write_b32", 256, 1536, 0, kAcc + 8,
       kAcc + 10, false},
      {"ds_write2_b64 v2, v[8:9], v[10:11] offset0:3 offset1:100", "write_b64", 24, 800, 0, 8, 10,
       false},
      {"ds_write2st64_b64 v2, v[8:9], v[10:11] offset0:1 offset1:3", "write_b64", 512, 1536, 0, 8,
       10, false},
      {"ds_wrxchg2_rtn_b32 v[16:17], v2, v8, v10 offset0:3 offset1:200", "wrxchg_b32", 12, 800, 16,
       8, 10, true},
      {"ds_wrxchg2st64_rtn_b32 v[10:11], v2, v8, v10 offset0:1 offset1:2", "wrxchg_b32", 256, 512,
       10, 8, 10, true},
      {"ds_wrxchg2_rtn_b64 v[16:19], v2, v[8:9], v[10:11] offset0:3 offset1:100", "wrxchg_b64", 24,
       800, 16, 8, 10, true},
      {"ds_wrxchg2st64_rtn_b64 v[8:11], v2, v[8:9], v[10:11] offset0:1 offset1:3", "wrxchg_b64",
       512, 1536, 8, 8, 10, true},
  };
  State s;
  s.randomize(rng);
  for (const Form &f : forms) {
    const ElementInfo e = elementInfo(f.element);
    const unsigned results = e.load || f.returns ? e.dst : 0;
    for (unsigned which = 0; which < 6; ++which)
      for (uint64_t exec : execPatterns(rng)) {
        auto at = pattern(which, e.bytes);
        for (unsigned l = 0; l < kWaveSize; ++l)
          s.v[2].u[l] = at[l];
        s.setExec(exec);
        State want = s;
        Case first{f.element, f.text, f.dst, f.data, 0, f.returns}, second = first;
        second.dst = f.dst + results;
        second.data = f.data1;
        reference(first, s, want, at, f.first);
        reference(second, s, want, at, f.second);
        compare(first, s, want);
        if (HasFatalFailure())
          return;
      }
  }
}

TEST_F(Ds, Permute) {
  State s;
  for (uint64_t exec : execPatterns(rng)) {
    s.randomize(rng);
    s.setExec(exec);
    for (unsigned offset : {0u, 4u, 252u}) {
      State want = s;
      uint32_t backward[64] = {}, forward[64] = {};
      for (unsigned l = 0; l < 64; ++l) {
        unsigned other = (s.v[2].u[l] + offset) / 4 % 64;
        backward[l] = exec >> other & 1 ? s.v[8].u[other] : 0;
        if (exec >> l & 1)
          forward[other] = s.v[8].u[l];
      }
      for (unsigned l = 0; l < 64; ++l)
        if (exec >> l & 1) {
          want.v[16].u[l] = backward[l];
        }
      compare({"", "ds_bpermute_b32 v16, v2, v8 offset:" + std::to_string(offset)}, s, want);
      for (unsigned l = 0; l < 64; ++l)
        if (exec >> l & 1)
          want.v[8].u[l] = forward[l];
      compare({"", "ds_permute_b32 v8, v2, v8 offset:" + std::to_string(offset)}, s, want);
    }
  }
}

TEST_F(Ds, Swizzle) {
  State s;
  for (uint64_t exec : execPatterns(rng)) {
    s.randomize(rng);
    s.setExec(exec);
    auto expect = [&](const std::string &pattern, auto source) {
      State want = s;
      for (unsigned l = 0; l < 64; ++l)
        if (exec >> l & 1) {
          unsigned from = source(l);
          want.v[16].u[l] = exec >> from & 1 ? s.v[2].u[from] : 0;
        }
      State got = s;
      compare({"", "ds_swizzle_b32 v16, v2 offset:" + pattern}, got, want);
    };
    expect("swizzle(QUAD_PERM,1,0,3,2)", [](unsigned l) { return l ^ 1; });
    expect("swizzle(QUAD_PERM,3,3,0,1)", [](unsigned l) { return (l & ~3u) + "\3\3\0\1"[l & 3]; });
    expect("swizzle(SWAP,16)", [](unsigned l) { return l ^ 16; });
    expect("swizzle(REVERSE,8)", [](unsigned l) { return l ^ 7; });
    expect("swizzle(BROADCAST,4,2)", [](unsigned l) { return (l & ~3u) | 2; });
    expect("swizzle(BITMASK_PERM,\"01pi0\")",
           [](unsigned l) { return (l & 32) | 8 | (l & 4) | ((l & 2) ^ 2); });
    // Rotate: lane i reads lane i + n of its group of 32 (masked bits stay).
    expect(std::to_string(0xc000 | 3 << 5), [](unsigned l) { return (l & 32) | ((l + 3) & 31); });
    expect(std::to_string(0xc400 | 3 << 5), [](unsigned l) { return (l & 32) | ((l - 3) & 31); });
    expect(std::to_string(0xc000 | 8 << 5 | 7),
           [](unsigned l) { return (l & 32) | ((l + 8) & 24) | (l & 7); });
    // FFT: bit reversal of 5 bits; mask 1 keeps the lowest bit and shifts the rest down by one.
    expect(std::to_string(0xe000), [](unsigned l) {
      unsigned r = (l & 1) << 4 | (l & 2) << 2 | (l & 4) | (l & 8) >> 2 | (l & 16) >> 4;
      return (l & 32) | r;
    });
  }
}

TEST_F(Ds, AppendConsumeAndThreadId) {
  State s;
  for (uint64_t exec : execPatterns(rng)) {
    s.randomize(rng);
    s.setExec(exec);
    s.s[isa::Sgpr::m0] = 0x00030100; // upper half is not part of the address
    uint32_t counter = 1000, n = unsigned(__builtin_popcountll(exec));
    std::memcpy(&s.lds[0x100 + 16], &counter, 4);
    State want = s;
    for (unsigned l = 0; l < 64; ++l)
      if (exec >> l & 1)
        want.v[16].u[l] = 1000, want.v[17].u[l] = 1000 + n;
    counter += n;
    std::memcpy(&want.lds[0x100 + 16], &counter, 4);
    State step = want;
    for (unsigned l = 0; l < 64; ++l)
      step.v[17].u[l] = s.v[17].u[l];
    compare({"", "ds_append v16 offset:16"}, s, step);
    counter -= n;
    std::memcpy(&want.lds[0x100 + 16], &counter, 4);
    compare({"", "ds_consume v17 offset:16"}, s, want);

    s.s[isa::Sgpr::m0] = want.s[isa::Sgpr::m0] = kLds - 128 - 8;
    for (unsigned l = 0; l < 64; ++l)
      if (exec >> l & 1) {
        uint32_t at = kLds - 128 + 4 * l;
        want.v[16].u[l] = 0;
        if (at < kLds)
          std::memcpy(&want.v[16].u[l], &s.lds[at], 4);
      }
    compare({"", "ds_read_addtid_b32 v16 offset:8"}, s, want);
    for (unsigned l = 0; l < 32; ++l)
      if (exec >> l & 1)
        std::memcpy(&want.lds[kLds - 128 + 4 * l], &s.v[8].u[l], 4);
    compare({"", "ds_write_addtid_b32 v8 offset:8"}, s, want);
  }
}

TEST_F(Ds, SecondSourceInLds) {
  // gfx900 only: LDS[A] = LDS[A] op LDS[A + 4 * distance], distance 15 bits sign-extended.
  State s;
  for (uint64_t exec : execPatterns(rng)) {
    s.randomize(rng);
    s.setExec(exec);
    for (unsigned l = 0; l < 64; ++l)
      s.v[2].u[l] = 1024 + 8 * l;
    State want = s;
    for (unsigned l = 0; l < 64; ++l)
      if (exec >> l & 1) {
        uint32_t a, b;
        std::memcpy(&a, &want.lds[1024 + 8 * l], 4);
        std::memcpy(&b, &want.lds[1024 + 8 * l + 1200], 4);
        a += b;
        std::memcpy(&want.lds[1024 + 8 * l], &a, 4);
      }
    auto out = machine.run("ds_add_src2_u32 v2 offset:300", s, isa::Target::gfx900);
    ASSERT_TRUE(out.prepared);
    ASSERT_EQ(difference(s, want), "");
    for (unsigned l = 0; l < 64; ++l)
      if (exec >> l & 1)
        std::memcpy(&want.lds[1024 + 8 * l], &want.lds[1024 + 8 * l - 400], 8);
    machine.run("ds_write_src2_b64 v2 offset:32668", s, isa::Target::gfx900); // 0x7f9c: -100 dwords
    ASSERT_EQ(difference(s, want), "");
  }
}

TEST_F(Ds, FloatRules) {
  struct Row {
    const char *text;
    uint32_t mode;
    uint64_t memory, data, data1, want;
  };
  const Row rows[] = {
      {"ds_add_f32 v2, v8", 0xf0, 0x00000001, 0x00000002, 0, 0x00000003}, // denormals kept
      {"ds_add_f32 v2, v8", 0xc0, 0x00000001, 0x00000002, 0, 0x00000000}, // flushed
      {"ds_add_f32 v2, v8", 0xd0, 0x00800001, 0x80800000, 0,
       0x00000000},                                // result flushed, input allowed
      {"ds_add_f64 v2, v[8:9]", 0x00, 1, 2, 0, 3}, // never flushed
      {"ds_min_f32 v2, v8", 0xf0, 0x80000000, 0x00000000, 0, 0x80000000},
      {"ds_max_f32 v2, v8", 0xf0, 0x80000000, 0x00000000, 0, 0x00000000},
      {"ds_max_f32 v2, v8", 0xf0, 0x7fc00000, 0x3f800000, 0, 0x3f800000},
      {"ds_cmpst_f32 v2, v8, v10", 0xf0, 0x80000000, 0x00000000, 0x40000000,
       0x40000000}, // -0 == +0
      {"ds_cmpst_f32 v2, v8, v10", 0xf0, 0x7fc00000, 0x7fc00000, 0x40000000,
       0x7fc00000}, // NaN != NaN
      {"ds_cmpst_b32 v2, v8, v10", 0xf0, 0x7fc00000, 0x7fc00000, 0x40000000, 0x40000000},
  };
  for (const Row &r : rows) {
    State s;
    s.mode = r.mode;
    s.setExec(1);
    std::memcpy(s.lds.data(), &r.memory, 8);
    s.v[8].u[0] = uint32_t(r.data);
    s.v[9].u[0] = uint32_t(r.data >> 32);
    s.v[10].u[0] = uint32_t(r.data1);
    machine.run(r.text, s);
    uint64_t got;
    std::memcpy(&got, s.lds.data(), 8);
    EXPECT_EQ(got, r.want) << r.text << std::hex << " mode " << r.mode << " memory " << r.memory;
  }
}

TEST_F(Ds, SameAddressReturnsAreASerialisation) {
  State s;
  s.randomize(rng);
  s.setExec(kFullExec);
  for (unsigned l = 0; l < 64; ++l)
    s.v[2].u[l] = 4 * (l % 3), s.v[8].u[l] = l;
  std::memset(s.lds.data(), 0, 12);
  machine.run("ds_add_rtn_u32 v16, v2, v8", s);
  uint32_t sum[3] = {};
  for (unsigned l = 0; l < 64; ++l) {
    EXPECT_EQ(s.v[16].u[l], sum[l % 3]);
    sum[l % 3] += l;
  }
  EXPECT_EQ(std::memcmp(s.lds.data(), sum, 12), 0);
}

TEST_F(Ds, RefusedInstructions) {
  State s;
  EXPECT_FALSE(machine.run("ds_add_u32 v2, v8 gds", s, isa::Target::gfx900).prepared);
}
