// Fixture of the FLAT, GLOBAL and SCRATCH tests: address patterns, instruction forms, and a sweep
// that compares the machine with the scalar reference.
#pragma once

#include "tests/runtime/softgpu/mem/machine.h"
#include "tests/runtime/softgpu/mem/reference.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

namespace meld::softgpu::test {

inline const std::vector<std::string> kLoadsStores = {
    "load_ubyte",     "load_sbyte",         "load_ushort",    "load_sshort",
    "load_ubyte_d16", "load_ubyte_d16_hi",  "load_sbyte_d16", "load_sbyte_d16_hi",
    "load_short_d16", "load_short_d16_hi",  "load_dword",     "load_dwordx2",
    "load_dwordx3",   "load_dwordx4",       "store_byte",     "store_byte_d16_hi",
    "store_short",    "store_short_d16_hi", "store_dword",    "store_dwordx2",
    "store_dwordx3",  "store_dwordx4"};
inline const std::vector<std::string> kIntAtomics = {"swap", "cmpswap", "add",  "sub", "smin",
                                                     "umin", "smax",    "umax", "and", "or",
                                                     "xor",  "inc",     "dec"};
inline const std::vector<std::string> kFloatAtomics = {"add_f32", "pk_add_f16", "add_f64",
                                                       "min_f64", "max_f64"};

inline std::string regs(char file, unsigned first, unsigned n) {
  return n == 1 ? file + std::to_string(first)
                : file + ("[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]");
}

enum Pattern { linear, uniform, strided, descending, random4, random1, crowded, patterns };

/// Byte offsets within a `span`-byte block, `bytes` each.
inline std::vector<uint32_t> pattern(Pattern p, unsigned bytes, uint32_t span,
                                     std::mt19937_64 &rng) {
  std::vector<uint32_t> at(kWaveSize);
  const uint32_t base = uint32_t(rng() % 64) * 4;
  for (unsigned l = 0; l < kWaveSize; ++l) {
    switch (p) {
    case linear:
      at[l] = base + l * bytes;
      break;
    case uniform:
      at[l] = base;
      break;
    case strided:
      at[l] = base + l * 2 * bytes;
      break;
    case descending:
      at[l] = base + (63 - l) * bytes;
      break;
    case random4:
      at[l] = uint32_t(rng() % ((span - 32) / 16)) * 16;
      break;
    case random1:
      at[l] = uint32_t(rng() % (span - 32));
      break;
    default:
      at[l] = base + uint32_t(rng() % 4) * 8;
      break;
    }
    at[l] %= span - 32;
  }
  return at;
}

/// One instruction and where its operands are.
struct Case {
  std::string name, text;
  unsigned dst = 0, data = 0; // rows
  bool returns = false;
};

/// Applies the reference to `state`; byteAt(lane, k) is where byte k lies in the state's blocks.
inline void reference(const Case &c, State &state,
                      const std::function<uint8_t *(unsigned, unsigned)> &byteAt) {
  const ElementInfo e = elementInfo(c.name);
  ASSERT_NE(e.bytes, 0u) << c.name;
  const State before = state;
  for (unsigned l = 0; l < kWaveSize; ++l) {
    if (!(state.exec() >> l & 1))
      continue;
    uint8_t bytes[16] = {};
    for (unsigned k = 0; k < e.bytes; ++k)
      if (uint8_t *p = byteAt(l, k))
        bytes[k] = *p;
    LaneAccess lane{bytes};
    for (unsigned k = 0; k < 4; ++k) {
      lane.data[k] = before.v[c.data + k].u[l];
      lane.dst[k] = before.v[c.dst + k].u[l];
    }
    if (e.atomic)
      for (unsigned k = 0; k < e.dst; ++k)
        lane.data2[k] = before.v[c.data + e.dst + k].u[l];
    accessLane(c.name, lane, state.mode);
    if (!e.load)
      for (unsigned k = 0; k < e.bytes; ++k)
        if (uint8_t *p = byteAt(l, k))
          *p = bytes[k];
    if (e.load || c.returns)
      for (unsigned k = 0; k < e.dst; ++k)
        state.v[c.dst + k].u[l] = lane.dst[k];
  }
}

class Vmem : public ::testing::Test {
protected:
  std::mt19937_64 rng{20240611};
  Machine machine;
  isa::Target target_ = isa::Target::gfx90a; ///< of sweep(), where it names none

  void check(const Case &c, State &state,
             const std::function<uint8_t *(State &, unsigned, unsigned)> &byteAt,
             isa::Target target = isa::Target::gfx90a) {
    State want = state;
    reference(c, want, [&](unsigned l, unsigned k) { return byteAt(want, l, k); });
    auto out = machine.run(c.text, state, target);
    ASSERT_TRUE(out.prepared) << c.text;
    ASSERT_NE(out.status, WaveStatus::faulted) << c.text << ": " << out.fault.what;
    ASSERT_EQ(difference(state, want), "") << c.text << " exec " << std::hex << want.exec();
  }

  static void setAddress(State &s, unsigned row, unsigned lane, uint64_t a) {
    s.v[row].u[lane] = uint32_t(a);
    s.v[row + 1].u[lane] = uint32_t(a >> 32);
  }

  /// Small values for integer atomics (so that comparisons and inc/dec hit), plain floats for float
  /// atomics.
  void tame(State &s, const std::string &name) {
    const bool f32 = name.find("f32") != name.npos, f64 = name.find("f64") != name.npos,
               f16 = name.find("f16") != name.npos;
    auto value32 = [&]() -> uint32_t {
      if (f32) {
        float x = std::ldexp(float(int64_t(rng() % 2000001) - 1000000), int(rng() % 40) - 20);
        uint32_t u;
        std::memcpy(&u, &x, 4);
        return u;
      }
      if (f16)
        return uint32_t(rng()) & 0xbbffbbff; // exponents below infinity
      return uint32_t(rng() % 8) - 2;
    };
    auto fill = [&](uint8_t *p, size_t n) {
      for (size_t k = 0; k + 8 <= n; k += 8) {
        uint64_t x;
        if (f64) {
          double d = std::ldexp(double(int64_t(rng() % 2000001) - 1000000), int(rng() % 60) - 30);
          std::memcpy(&x, &d, 8);
        } else {
          x = value32() | uint64_t(value32()) << 32;
        }
        std::memcpy(p + k, &x, 8);
      }
    };
    if (rng() % 16 == 0 || name != tamed_) { // what the last run left is as good
      fill(s.memory.data(), s.memory.size());
      fill(s.lds.data(), s.lds.size());
      fill(s.scratch.data(), s.scratch.size());
    }
    tamed_ = name;
    for (unsigned base : {8u, kAcc + 8u})
      for (unsigned l = 0; l < kWaveSize; ++l)
        for (unsigned k = 0; k < 4; k += 2) {
          uint8_t pair[8];
          fill(pair, 8);
          std::memcpy(&s.v[base + k].u[l], pair, 4);
          std::memcpy(&s.v[base + k + 1].u[l], pair + 4, 4);
        }
  }

  std::string tamed_; ///< the op whose values memory holds

  /// All forms of one op: VGPR and AGPR data, returning or not, destination over the address or the
  /// data. `tail` is the operand after the data (", off"), if any, and the modifiers.
  std::vector<Case> cases(const std::string &encoding, const std::string &name,
                          const std::string &address, const std::string &tail) {
    const ElementInfo e = elementInfo(name);
    EXPECT_NE(e.bytes, 0u) << name;
    std::vector<Case> out;
    auto add = [&](char file, unsigned dst, bool returns) {
      Case c{name, encoding + "_" + name + " ", (file == 'a' ? kAcc : 0) + dst,
             (file == 'a' ? kAcc : 0) + 8u, returns};
      if (e.load || returns)
        c.text += regs(file, dst, e.dst) + ", ";
      c.text += address;
      if (!e.load)
        c.text += ", " + regs(file, 8, e.data);
      c.text += tail + (returns ? " glc" : "");
      out.push_back(c);
    };
    const bool agprs = target_ == isa::Target::gfx90a;
    add('v', 16, false);
    if (agprs)
      add('a', 16, false);
    if (e.load)
      add('v', 2, false);
    if (e.atomic) {
      add('v', 16, true);
      if (agprs)
        add('a', 16, true);
      add('v', 8, true);
    }
    return out;
  }

  /// Runs every case of an op over patterns and EXEC. place() puts byte offsets into the address
  /// registers and may change them; byteAt() finds the bytes in a state.
  void sweep(const std::string &name, const std::vector<Case> &list, uint32_t span,
             const std::function<void(State &, std::vector<uint32_t> &)> &place,
             const std::function<uint8_t *(State &, const std::vector<uint32_t> &, unsigned,
                                           unsigned)> &byteAt) {
    sweep(name, list, span, place, byteAt, target_);
  }
  void sweep(const std::string &name, const std::vector<Case> &list, uint32_t span,
             const std::function<void(State &, std::vector<uint32_t> &)> &place,
             const std::function<uint8_t *(State &, const std::vector<uint32_t> &, unsigned,
                                           unsigned)> &byteAt,
             isa::Target target) {
    const uint64_t lanes = kFullExec >> (64 - isa::traitsOf(target).waveSize);
    const ElementInfo e = elementInfo(name);
    State s;
    s.randomize(rng);
    for (const Case &c : list)
      for (Pattern p = linear; p < patterns; p = Pattern(p + 1))
        for (uint64_t exec : execPatterns(rng)) {
          if (e.atomic && p == random1)
            continue;
          if (e.atomic)
            tame(s, name);
          else if (rng() % 8 == 0)
            s.randomize(rng);
          auto at = pattern(p, e.bytes, span, rng);
          if (e.atomic)
            for (uint32_t &x : at)
              x &= ~(e.bytes - 1);
          place(s, at);
          s.setExec(exec & lanes);
          check(
              c, s, [&](State &x, unsigned l, unsigned k) { return byteAt(x, at, l, k); }, target);
          if (HasFatalFailure())
            return;
        }
  }

  /// Byte `b` of a lane's private memory: dwords of the wave's lanes are interleaved.
  uint8_t *privateByte(State &s, unsigned lane, uint32_t b) const {
    return &s.scratch[b / 4 * 4 * isa::traitsOf(target_).waveSize + lane * 4 + b % 4];
  }

  // What every processor has alike, of the op of that name.

  void sweepGlobalVectorAddress(const std::string &name) {
    sweep(
        name, cases("global", name, "v[2:3]", ", off offset:-100"), 8192,
        [&](State &s, std::vector<uint32_t> &at) {
          for (unsigned l = 0; l < kWaveSize; ++l)
            setAddress(s, 2, l, machine.memory() + 100 + at[l]);
        },
        [](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          return &s.memory[at[l] + k];
        });
  }

  void sweepGlobalScalarAddress(const std::string &name) {
    sweep(
        name, cases("global", name, "v2", ", s[4:5] offset:16"), 8192,
        [&](State &s, std::vector<uint32_t> &at) {
          s.setPair(4, machine.memory() - 16 - 5000);
          for (unsigned l = 0; l < kWaveSize; ++l)
            s.v[2].u[l] = at[l] + 5000;
        },
        [](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          return &s.memory[at[l] + k];
        });
  }

  void sweepFlatMixedApertures(const std::string &name) {
    sweep(
        name, cases("flat", name, "v[2:3]", ""), kScratchPerLane,
        [&](State &s, std::vector<uint32_t> &at) {
          const uint64_t bases[] = {machine.memory(), kSharedAperture, kPrivateAperture};
          for (unsigned l = 0; l < kWaveSize; ++l)
            setAddress(s, 2, l, bases[(l * 7 / 5) % 3] + at[l]);
        },
        [&](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          const uint32_t b = at[l] + k;
          switch (l * 7 / 5 % 3) {
          case 0:
            return &s.memory[b];
          case 1:
            return &s.lds[b];
          default:
            return privateByte(s, l, b);
          }
        });
  }

  void sweepScratchVectorAndScalarAddress(const std::string &name) {
    const auto byteAt = [&](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
      return privateByte(s, l, at[l] + k);
    };
    sweep(
        name, cases("scratch", name, "v2", ", off offset:-12"), kScratchPerLane,
        [](State &s, std::vector<uint32_t> &at) {
          for (unsigned l = 0; l < kWaveSize; ++l)
            s.v[2].u[l] = at[l] + 12;
        },
        byteAt);
    sweep(
        name, cases("scratch", name, "off", ", s4 offset:4"), kScratchPerLane,
        [](State &s, std::vector<uint32_t> &at) {
          for (unsigned l = 1; l < kWaveSize; ++l)
            at[l] = at[0];
          s.s[4] = at[0] - 4;
        },
        byteAt);
  }
};

inline std::vector<std::string> allOps(bool atomics) {
  std::vector<std::string> names = kLoadsStores;
  if (atomics) {
    for (const std::string &a : kIntAtomics)
      names.insert(names.end(), {"atomic_" + a, "atomic_" + a + "_x2"});
    for (const std::string &a : kFloatAtomics)
      names.push_back("atomic_" + a);
  }
  return names;
}

} // namespace meld::softgpu::test
