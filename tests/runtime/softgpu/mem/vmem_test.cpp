// GLOBAL, FLAT and SCRATCH instructions against the scalar reference: every op, EXEC pattern and
// address pattern.
#include "tests/runtime/softgpu/mem/vmem_fixture.h"

using namespace meld::softgpu;
using namespace meld::softgpu::test;

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
