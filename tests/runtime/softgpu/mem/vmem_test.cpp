// GLOBAL, FLAT and SCRATCH instructions against the scalar reference: every op, EXEC pattern and
// address pattern.
#include "tests/runtime/softgpu/mem/vmem_fixture.h"

using namespace meld::softgpu;
using namespace meld::softgpu::test;

TEST_F(Vmem, GlobalVectorAddress) {
  for (const std::string &name : allOps(true))
    sweepGlobalVectorAddress(name);
}

TEST_F(Vmem, GlobalScalarAddress) {
  for (const std::string &name : allOps(true))
    sweepGlobalScalarAddress(name);
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
        [&](State &s, const std::vector<uint32_t> &at, unsigned l, unsigned k) {
          return privateByte(s, l, at[l] + k);
        });
  }
}

TEST_F(Vmem, FlatMixedApertures) {
  for (const std::string &name : allOps(true)) {
    if (name == "atomic_add_f32" || name == "atomic_pk_add_f16")
      continue;
    sweepFlatMixedApertures(name);
  }
}

TEST_F(Vmem, ScratchVectorAndScalarAddress) {
  for (const std::string &name : allOps(false))
    sweepScratchVectorAndScalarAddress(name);
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
