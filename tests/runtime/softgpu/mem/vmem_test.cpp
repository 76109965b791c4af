// GLOBAL, FLAT and SCRATCH instructions against the scalar reference: every op, EXEC pattern and
// address pattern.
#include "runtime/softgpu/cu/gpu.h"
#include "tests/runtime/softgpu/mem/machine.h"
#include "tests/runtime/softgpu/mem/reference.h"

#include <cmath>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <thread>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

const std::vector<std::string> kLoadsStores = {
    "load_ubyte",     "load_sbyte",         "load_ushort",    "load_sshort",
    "load_ubyte_d16", "load_ubyte_d16_hi",  "load_sbyte_d16", "load_sbyte_d16_hi",
    "load_short_d16", "load_short_d16_hi",  "load_dword",     "load_dwordx2",
    "load_dwordx3",   "load_dwordx4",       "store_byte",     "store_byte_d16_hi",
    "store_short",    "store_short_d16_hi", "store_dword",    "store_dwordx2",
    "store_dwordx3",  "store_dwordx4"};
const std::vector<std::string> kIntAtomics = {"swap", "cmpswap", "add",  "sub", "smin",
                                              "umin", "smax",    "umax", "and", "or",
                                              "xor",  "inc",     "dec"};
const std::vector<std::string> kFloatAtomics = {"add_f32", "pk_add_f16", "add_f64", "min_f64",
                                                "max_f64"};

sigjmp_buf faultJump;
uint64_t faultAddress;

std::string regs(char file, unsigned first, unsigned n) {
  return n == 1 ? file + std::to_string(first)
                : file + ("[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]");
}

enum Pattern { linear, uniform, strided, descending, random4, random1, crowded, patterns };

/// Byte offsets within a `span`-byte block, `bytes` each.
std::vector<uint32_t> pattern(Pattern p, unsigned bytes, uint32_t span, std::mt19937_64 &rng) {
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
void reference(const Case &c, State &state,
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
    add('v', 16, false);
    add('a', 16, false);
    if (e.load)
      add('v', 2, false);
    if (e.atomic) {
      add('v', 16, true);
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
                                           unsigned)> &byteAt,
             isa::Target target = isa::Target::gfx90a) {
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
          s.setExec(exec);
          check(
              c, s, [&](State &x, unsigned l, unsigned k) { return byteAt(x, at, l, k); }, target);
          if (HasFatalFailure())
            return;
        }
  }
};

std::vector<std::string> allOps(bool atomics) {
  std::vector<std::string> names = kLoadsStores;
  if (atomics) {
    for (const std::string &a : kIntAtomics)
      names.insert(names.end(), {"atomic_" + a, "atomic_" + a + "_x2"});
    for (const std::string &a : kFloatAtomics)
      names.push_back("atomic_" + a);
  }
  return names;
}

} // namespace

TEST_F(Vmem, GlobalVectorAddress) {
  for (const std::string &name : allOps(true))
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

TEST_F(Vmem, GlobalScalarAddress) {
  for (const std::string &name : allOps(true))
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

TEST_F(Vmem, ScalarAddressOffsetIsUnsigned) {
  // A 32-bit offset with its top bit set reaches 2 GiB and more above the base.
  State s;
  s.randomize(rng);
  s.setExec(kFullExec);
  s.setPair(4, machine.memory() - 0xfffff000ull);
  for (unsigned l = 0; l < kWaveSize; ++l)
    s.v[2].u[l] = 0xfffff000u + 4 * l;
  check({"load_dword", "global_load_dword v16, v2, s[4:5]", 16, 0}, s,
        [](State &x, unsigned l, unsigned k) { return &x.memory[4 * l + k]; });
}

TEST_F(Vmem, FlatToMemory) {
  for (const std::string &name : allOps(true)) {
    if (name == "atomic_add_f32" || name == "atomic_pk_add_f16")
      continue; // no FLAT form before gfx940
    sweep(
        name, cases("flat", name, "v[2:3]", " offset:100"), 8192,
        [&](State &s, std::vector<uint32_t> &at) {
          for (unsigned l = 0; l < kWaveSize; ++l)
            setAddress(s, 2, l, machine.memory() - 100 + at[l]);
        },
        [](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          return &s.memory[at[l] + k];
        });
  }
}

TEST_F(Vmem, FlatToLds) {
  for (const std::string &name : allOps(true)) {
    if (name == "atomic_add_f32" || name == "atomic_pk_add_f16")
      continue;
    const ElementInfo e = elementInfo(name);
    sweep(
        name, cases("flat", name, "v[2:3]", " offset:8"), kLds + 2048,
        [&](State &s, std::vector<uint32_t> &at) {
          for (unsigned l = 0; l < kWaveSize; ++l)
            setAddress(s, 2, l, kSharedAperture + at[l]);
        },
        [e](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          return at[l] + 8 + e.bytes <= kLds ? &s.lds[at[l] + 8 + k] : nullptr;
        });
  }
}

TEST_F(Vmem, FlatToScratch) {
  for (const std::string &name : allOps(true)) {
    if (name == "atomic_add_f32" || name == "atomic_pk_add_f16")
      continue;
    sweep(
        name, cases("flat", name, "v[2:3]", ""), kScratchPerLane,
        [&](State &s, std::vector<uint32_t> &at) {
          for (unsigned l = 0; l < kWaveSize; ++l)
            setAddress(s, 2, l, kPrivateAperture + at[l]);
        },
        [](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          const uint32_t b = at[l] + k;
          return &s.scratch[b / 4 * 256 + l * 4 + b % 4];
        });
  }
}

TEST_F(Vmem, FlatMixedApertures) {
  for (const std::string &name : allOps(true)) {
    if (name == "atomic_add_f32" || name == "atomic_pk_add_f16")
      continue;
    sweep(
        name, cases("flat", name, "v[2:3]", ""), kScratchPerLane,
        [&](State &s, std::vector<uint32_t> &at) {
          const uint64_t bases[] = {machine.memory(), kSharedAperture, kPrivateAperture};
          for (unsigned l = 0; l < kWaveSize; ++l)
            setAddress(s, 2, l, bases[(l * 7 / 5) % 3] + at[l]);
        },
        [](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          const uint32_t b = at[l] + k;
          switch (l * 7 / 5 % 3) {
          case 0:
            return &s.memory[b];
          case 1:
            return &s.lds[b];
          default:
            return &s.scratch[b / 4 * 256 + l * 4 + b % 4];
          }
        });
  }
}

TEST_F(Vmem, ScratchVectorAndScalarAddress) {
  auto byteAt = [](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
    const uint32_t b = at[l] + k;
    return &s.scratch[b / 4 * 256 + l * 4 + b % 4];
  };
  for (const std::string &name : allOps(false)) {
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
}

TEST_F(Vmem, Gfx900HasTheSameSemantics) {
  for (const char *name : {"load_dwordx4", "store_dwordx3", "atomic_add_x2", "load_short_d16_hi"}) {
    auto list = cases("global", name, "v[2:3]", ", off");
    std::erase_if(list, [](const Case &c) { return c.data >= kAcc; });
    sweep(
        name, list, 8192,
        [&](State &s, std::vector<uint32_t> &at) {
          for (unsigned l = 0; l < kWaveSize; ++l)
            setAddress(s, 2, l, machine.memory() + at[l]);
        },
        [](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          return &s.memory[at[l] + k];
        },
        isa::Target::gfx900);
  }
}

TEST_F(Vmem, PrivateOutOfRangeFaults) {
  State s;
  s.setExec(0xf0);
  for (unsigned l = 0; l < kWaveSize; ++l)
    setAddress(s, 2, l, kPrivateAperture + (l == 6 ? kScratchPerLane - 3 : 0));
  auto out = machine.run("flat_load_dword v16, v[2:3]", s);
  EXPECT_EQ(out.status, WaveStatus::faulted);
  EXPECT_EQ(out.fault.kind, FaultKind::aperture);
  EXPECT_EQ(out.fault.lane, 6);
  EXPECT_FALSE(out.fault.write);
}

TEST_F(Vmem, MisalignedAtomicFaults) {
  State s;
  s.setExec(kFullExec);
  for (unsigned l = 0; l < kWaveSize; ++l)
    setAddress(s, 2, l, machine.memory() + 8 * l + (l >= 9 ? 4 : 0));
  auto out = machine.run("global_atomic_add_x2 v[2:3], v[8:9], off", s);
  EXPECT_EQ(out.fault.kind, FaultKind::memory);
  EXPECT_EQ(out.fault.lane, 9);
  EXPECT_EQ(out.fault.address, machine.memory() + 76);
  EXPECT_TRUE(out.fault.write);
}

TEST_F(Vmem, FaultingLaneIsFound) {
  State s;
  s.setExec(~1ull);
  for (unsigned l = 0; l < kWaveSize; ++l)
    setAddress(s, 2, l, machine.memory() + 16 * l);
  machine.run("global_load_dwordx3 v[16:18], v[2:3], off offset:4", s);
  const ExecInst *i = machine.wave.next;
  EXPECT_EQ(faultingLane(i, machine.wave, machine.memory() + 4 + 16 * 5 + 11), 5);
  EXPECT_EQ(faultingLane(i, machine.wave, machine.memory() + 4 + 16 * 5 + 12), -1);
  EXPECT_EQ(faultingLane(i, machine.wave, machine.memory() + 4), -1); // lane 0 is off
  EXPECT_FALSE(writesMemory(i));
}

TEST_F(Vmem, RealFaultsLeaveTheInstructionAndTheLane) {
  // A load that runs into an inaccessible page, left from the signal handler as the executor does.
  auto *pages = static_cast<uint8_t *>(
      mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + 4096, 4096, PROT_NONE), 0);
  struct sigaction action = {}, before;
  action.sa_sigaction = [](int, siginfo_t *info, void *) {
    faultAddress = reinterpret_cast<uint64_t>(info->si_addr);
    siglongjmp(faultJump, 1);
  };
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &before);
  struct Row {
    const char *text;
    unsigned stride;
    uint64_t exec;
    int lane;
    bool write;
  };
  const uint64_t base = reinterpret_cast<uint64_t>(pages) + 4096 - 40 * 16;
  for (const Row &r :
       {Row{"global_load_dwordx4 v[16:19], v[2:3], off", 16, kFullExec, 40, false},
        Row{"global_load_dwordx4 v[2:5], v[2:3], off", 16, 0xff00ff00ff00ff00, 40, false},
        Row{"global_store_dword v[2:3], v8, off", 16, 0x0ffffe0000000000, 41, true},
        Row{"flat_load_ubyte v16, v[2:3]", 20, kFullExec, 32, false},
        Row{"global_atomic_add v[2:3], v8, off", 16, kFullExec, 40, true}}) {
    State s;
    s.setExec(r.exec);
    for (unsigned l = 0; l < kWaveSize; ++l)
      setAddress(s, 2, l, base + l * r.stride);
    faultAddress = 0;
    if (sigsetjmp(faultJump, 1) == 0) {
      machine.run(r.text, s);
      ADD_FAILURE() << "no fault: " << r.text;
      continue;
    }
    EXPECT_GE(faultAddress, reinterpret_cast<uint64_t>(pages) + 4096) << r.text;
    ASSERT_NE(machine.wave.next, nullptr);
    EXPECT_EQ(faultingLane(machine.wave.next, machine.wave, faultAddress), r.lane) << r.text;
    EXPECT_EQ(writesMemory(machine.wave.next), r.write) << r.text;
  }
  // Non-canonical: the signal does not carry the address.
  State s;
  s.setExec(2);
  setAddress(s, 2, 1, 0x1234567812345678);
  if (sigsetjmp(faultJump, 1) == 0) {
    machine.run("global_load_dword v16, v[2:3], off", s);
    ADD_FAILURE() << "no fault";
  } else {
    EXPECT_EQ(faultingLane(machine.wave.next, machine.wave, faultAddress), 1);
    EXPECT_EQ(laneAddress(machine.wave.next, machine.wave, 1), 0x1234567812345678u);
  }
  sigaction(SIGSEGV, &before, nullptr);
  munmap(pages, 8192);
}

TEST_F(Vmem, MappedAndCheckedAddresses) {
  // Device addresses 1 TiB above the host's, of which a block of 4096 bytes is known.
  struct Shifted : AddressMapper {
    uint64_t first = 0;
    const uint64_t shift = 1ull << 40;
    bool empty() const override { return false; }
    uint64_t toHost(uint64_t a) const override { return a - first - shift < 4096 ? a - shift : a; }
    bool mapped(uint64_t a, uint64_t size) const override {
      return a - first - shift < 4096 && a - first - shift + size <= 4096;
    }
  } mapper;
  mapper.first = machine.memory();
  machine.wave.mapper = &mapper;
  State s;
  s.randomize(rng);
  s.setExec(kFullExec);
  const uint64_t device = machine.memory() + mapper.shift;
  for (bool checked : {false, true}) {
    machine.wave.checkMemory = checked;
    for (unsigned l = 0; l < kWaveSize; ++l)
      setAddress(s, 2, l, device + 4 * l);
    auto byteAt = [](State &x, unsigned l, unsigned k) { return &x.memory[4 * l + k]; };
    check({"load_dword", "global_load_dword v16, v[2:3], off", 16, 0}, s, byteAt);
    check({"store_dword", "flat_store_dword v[2:3], v8", 0, 8}, s, byteAt);
    check({"atomic_add", "global_atomic_add v16, v[2:3], v8, off glc", 16, 8, true}, s, byteAt);
    s.setPair(4, device);
    State want = s;
    std::memcpy(&want.s[32], &s.memory[16], 8);
    machine.run("s_load_dwordx2 s[32:33], s[4:5], 0x10", s);
    EXPECT_EQ(difference(s, want), "");
    s.setPair(8, device);
    s.s[10] = 4096;
    s.s[11] = 0;
    for (unsigned l = 0; l < kWaveSize; ++l) {
      std::memcpy(&want.v[16].u[l], &s.memory[4 * l], 4);
      s.v[20].u[l] = want.v[20].u[l] = 4 * l;
    }
    std::memcpy(want.s, s.s, sizeof(s.s));
    machine.run("buffer_load_dword v16, v20, s[8:11], 0 offen", s);
    EXPECT_EQ(difference(s, want), "");
  }
  setAddress(s, 2, 17, device + 4095);
  auto out = machine.run("global_store_dword v[2:3], v8, off", s);
  EXPECT_EQ(out.fault.kind, FaultKind::memory);
  EXPECT_EQ(out.fault.lane, 17);
  EXPECT_EQ(out.fault.address, device + 4095);
  EXPECT_TRUE(out.fault.write);
  s.setPair(4, device + 4096);
  out = machine.run("s_load_dword s32, s[4:5], 0x0", s);
  EXPECT_EQ(out.fault.kind, FaultKind::memory);
  EXPECT_EQ(out.fault.lane, -1);
  machine.wave.mapper = nullptr;
  machine.wave.checkMemory = false;
}

TEST_F(Vmem, GlobalLoadToLds) {
  State s;
  for (const char *text :
       {"global_load_dword v[2:3], off offset:4 lds", "global_load_dword v4, s[4:5] offset:4 lds"})
    for (uint64_t exec : execPatterns(rng)) {
      s.randomize(rng);
      s.setExec(exec);
      s.s[isa::Sgpr::m0] = 0x80;
      s.setPair(4, machine.memory());
      for (unsigned l = 0; l < kWaveSize; ++l) {
        setAddress(s, 2, l, machine.memory() + 12 * l);
        s.v[4].u[l] = 12 * l;
      }
      State want = s;
      for (unsigned l = 0; l < kWaveSize; ++l)
        if (exec >> l & 1)
          std::memcpy(&want.lds[0x84 + 4 * l], &s.memory[12 * l + 4], 4);
      ASSERT_TRUE(machine.run(text, s).prepared);
      ASSERT_EQ(difference(s, want), "") << text;
    }
}

TEST_F(Vmem, SameAddressAtomicsAreSerialised) {
  State s;
  s.randomize(rng);
  for (uint64_t exec : execPatterns(rng)) {
    for (unsigned l = 0; l < kWaveSize; ++l) {
      setAddress(s, 2, l, machine.memory() + 64);
      s.v[8].u[l] = l + 1;
    }
    s.setExec(exec);
    std::memset(&s.memory[64], 0, 4);
    machine.run("global_atomic_add v16, v[2:3], v8, off glc", s);
    uint32_t sum = 0;
    for (unsigned l = 0; l < kWaveSize; ++l)
      if (exec >> l & 1) {
        EXPECT_EQ(s.v[16].u[l], sum);
        sum += l + 1;
      }
    uint32_t memory;
    std::memcpy(&memory, &s.memory[64], 4);
    EXPECT_EQ(memory, sum);
  }
}

TEST_F(Vmem, AtomicsOfSeveralThreadsAddUp) {
  // Waves of different host threads update the same words, from all lanes of a wave or one word per
  // lane.
  struct Row {
    const char *text;
    bool oneWord, f32;
  };
  for (const Row &r : {Row{"global_atomic_add v[2:3], v8, off", true, false},
                       Row{"global_atomic_add v16, v[2:3], v8, off glc", false, false},
                       Row{"global_atomic_add_f32 v[2:3], v8, off", true, true},
                       Row{"global_atomic_add_f32 v[2:3], v8, off", false, true},
                       Row{"flat_atomic_sub v[2:3], v9", false, false}}) {
    const auto bytes = assemble(r.text, "gfx90a");
    isa::Inst inst;
    ASSERT_EQ(isa::decode(bytes.data(), bytes.size(), isa::Target::gfx90a, inst),
              isa::DecodeStatus::ok);
    ExecInst code[2];
    std::memset(static_cast<void *>(code), 0, sizeof(code));
    code[0].inst = &inst;
    ASSERT_TRUE(prepareMemory(code[0], isa::Target::gfx90a));
    alignas(64) static uint32_t words[kWaveSize];
    std::memset(words, 0, sizeof(words));
    constexpr unsigned kThreads = 3, kRounds = 2000;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        std::vector<VRow> rows(32);
        Wave w;
        w.v = rows.data();
        w.exec() = kFullExec;
        for (unsigned l = 0; l < kWaveSize; ++l) {
          const uint64_t a = reinterpret_cast<uint64_t>(&words[r.oneWord ? 7 : l]);
          rows[2].u[l] = uint32_t(a);
          rows[3].u[l] = uint32_t(a >> 32);
          rows[8].u[l] = r.f32 ? 0x3f800000 : 1;
          rows[9].u[l] = uint32_t(-1);
        }
        for (unsigned k = 0; k < kRounds; ++k)
          code[0].run(&code[0], w);
      });
    for (std::thread &t : threads)
      t.join();
    for (unsigned l = 0; l < kWaveSize; ++l) {
      const uint32_t count = kThreads * kRounds * (r.oneWord ? (l == 7 ? kWaveSize : 0) : 1);
      const float f = float(count);
      uint32_t want = count;
      if (r.f32)
        std::memcpy(&want, &f, 4);
      EXPECT_EQ(words[l], want) << r.text << " word " << l;
    }
  }
}

TEST_F(Vmem, FloatAtomicsSpecialValues) {
  // Memory f32 adds flush denormals; NaNs are quieted, invalid gives the positive default NaN;
  // minNum/maxNum.
  struct Row {
    const char *op;
    uint64_t memory, data, want;
  };
  const Row rows[] = {
      {"add_f32", 0x00000001, 0x00000002, 0x00000000},
      {"add_f32", 0x80000001, 0x80000000, 0x80000000},
      {"add_f32", 0x7f800000, 0xff800000, 0x7fc00000},
      {"add_f32", 0x7f800001, 0x3f800000, 0x7fc00001},
      {"add_f32", 0x3f800000, 0xffc12345, 0xffc12345},
      {"add_f64", 0x0000000000000001, 0x0000000000000002, 0x0000000000000003},
      {"add_f64", 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000},
      {"min_f64", 0x8000000000000000, 0x0000000000000000, 0x8000000000000000},
      {"min_f64", 0x0000000000000000, 0x8000000000000000, 0x8000000000000000},
      {"max_f64", 0x8000000000000000, 0x0000000000000000, 0x0000000000000000},
      {"max_f64", 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000},
      {"min_f64", 0x3ff0000000000000, 0x7ff8000000000000, 0x3ff0000000000000},
      {"pk_add_f16", 0x00017c00, 0x0001fc00, 0x00027e00},
      {"pk_add_f16", 0x7bff3c00, 0x7bff3c00, 0x7c004000},
  };
  for (const Row &r : rows) {
    State s;
    s.setExec(1);
    setAddress(s, 2, 0, machine.memory());
    s.v[8].u[0] = uint32_t(r.data);
    s.v[9].u[0] = uint32_t(r.data >> 32);
    std::memcpy(s.memory.data(), &r.memory, 8);
    const bool wide = std::string(r.op).find("f64") != std::string::npos;
    machine.run(
        std::string("global_atomic_") + r.op + " v[2:3], " + (wide ? "v[8:9]" : "v8") + ", off", s);
    uint64_t got = 0;
    std::memcpy(&got, s.memory.data(), wide ? 8 : 4);
    EXPECT_EQ(got, r.want) << r.op << std::hex << " " << r.memory << " " << r.data;
  }
}
