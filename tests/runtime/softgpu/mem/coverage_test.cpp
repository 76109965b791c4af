// Every memory instruction the decoder knows is implemented, but for the ones named here.
#include "tests/runtime/softgpu/mem/machine.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

/// The same for GFX10, whose SMEM, MTBUF and null are others ("RDNA 2" ISA, "Microcode formats").
std::vector<uint64_t> wordsOfGfx10() {
  constexpr uint64_t kNull = 125;
  std::vector<uint64_t> w;
  for (uint64_t op = 0; op < 256; ++op) {
    w.push_back(0x3dull << 26 | op << 18); // SMEM without operands
    w.push_back(0x3dull << 26 | op << 18 | 4 | 8 << 6 | 16ull << 32 | kNull << 57); // SMEM
    w.push_back(0x36ull << 26 | op << 18);                                          // DS
    w.push_back(0x38ull << 26 | op << 18 | 1 << 12 | 0x80ull << 56); // MUBUF offen, soffset 0
    w.push_back(0x38ull << 26 | op << 18);                           // MUBUF without operands
  }
  for (uint64_t op = 0; op < 128; ++op)
    for (uint64_t segment = 0; segment < 3; ++segment)
      for (uint64_t glc : {0, 1})
        w.push_back(0x37ull << 26 | op << 18 | glc << 16 | segment << 14 | kNull << 48);
  for (uint64_t op = 0; op < 16; ++op)
    w.push_back(0x3aull << 26 | (op & 7) << 16 | (op >> 3) << 53 | 20ull << 19 | 1 << 12 |
                0x80ull << 56);
  return w;
}

/// The same for GFX11 ("RDNA3" ISA, chapter 15).
std::vector<uint64_t> wordsOfGfx11() {
  constexpr uint64_t kNull = 124;
  std::vector<uint64_t> w;
  for (uint64_t op = 0; op < 256; ++op) {
    w.push_back(0x3dull << 26 | op << 18); // SMEM without operands
    w.push_back(0x3dull << 26 | op << 18 | 4 | 8 << 6 | 16ull << 32 | kNull << 57); // SMEM
    w.push_back(0x36ull << 26 | op << 18);                                          // DS
    w.push_back(0x38ull << 26 | op << 18); // MUBUF without operands
    for (uint64_t glc : {0, 1})            // MUBUF offen, soffset 0
      w.push_back(0x38ull << 26 | op << 18 | glc << 14 | 1ull << 54 | 0x80ull << 56);
  }
  for (uint64_t op = 0; op < 128; ++op)
    for (uint64_t segment = 0; segment < 3; ++segment)
      for (uint64_t glc : {0, 1})
        for (uint64_t sve : {0, 1})
          w.push_back(0x37ull << 26 | op << 18 | segment << 16 | glc << 14 | sve << 55 |
                      kNull << 48);
  for (uint64_t op = 0; op < 16; ++op)
    w.push_back(0x3aull << 26 | op << 15 | 20ull << 19 | 1ull << 54 | 0x80ull << 56);
  return w;
}

/// All instruction words of the memory encodings with plain operands, one per opcode number.
std::vector<uint64_t> words() {
  std::vector<uint64_t> w;
  for (uint64_t op = 0; op < 256; ++op) {
    w.push_back(0x30ull << 26 | op << 18); // SMEM without operands
    w.push_back(0x30ull << 26 | op << 18 | 1 << 17 | 4 | 8 << 6 | 16ull << 32); // SMEM
    w.push_back(0x36ull << 26 | op << 17);                                      // DS
  }
  for (uint64_t op = 0; op < 128; ++op) {
    for (uint64_t segment = 0; segment < 3; ++segment)
      w.push_back(0x37ull << 26 | op << 18 | segment << 14 | (segment ? 0x7full << 48 : 0));
    w.push_back(0x38ull << 26 | op << 18);                           // MUBUF without operands
    w.push_back(0x38ull << 26 | op << 18 | 1 << 12 | 0x80ull << 56); // MUBUF offen, soffset 0
  }
  for (uint64_t op = 0; op < 16; ++op)
    w.push_back(0x3aull << 26 | op << 15 | 4 << 19 | 4ull << 23 | 1 << 12 | 0x80ull << 56);
  return w;
}

} // namespace

TEST(MemoryCoverage, EveryDecodedInstructionIsPrepared) {
  // Global wave sync and ordered append need hardware beyond one device's memory; the stack of a ray's
  // traversal is for images.
  const std::set<std::string_view> refused = {
      "ds_bvh_stack_rtn_b32", "ds_ordered_count", "ds_gws_init",    "ds_gws_sema_v",
      "ds_gws_sema_br",       "ds_gws_sema_p",    "ds_gws_barrier", "ds_gws_sema_release_all"};
  using isa::Enc;
  const std::set<Enc> encodings = {Enc::SMEM,    Enc::DS,    Enc::FLAT, Enc::GLOBAL,
                                   Enc::SCRATCH, Enc::MUBUF, Enc::MTBUF};
  for (isa::Target target : isa::kTargets) {
    std::set<std::pair<std::string_view, Enc>> seen;
    const unsigned generation = isa::traitsOf(target).generation;
    for (uint64_t word : generation == 11   ? wordsOfGfx11()
                         : generation == 10 ? wordsOfGfx10()
                                            : words()) {
      isa::Inst inst;
      if (isa::decode(&word, sizeof(word), target, inst) != isa::DecodeStatus::ok ||
          !encodings.count(inst.enc))
        continue;
      ExecInst e;
      std::memset(static_cast<void *>(&e), 0, sizeof(e));
      e.inst = &inst;
      const std::string_view name = isa::mnemonic(inst.op);
      EXPECT_EQ(prepareMemory(e, target), !refused.count(name))
          << name << " on " << isa::targetName(target);
      seen.insert({name, inst.enc});
    }
    // LLVM 15 knows 313 on gfx1030, tfe and lds counted as forms of the same.
    EXPECT_GT(seen.size(), generation == 11   ? 250u
                           : generation == 10 ? 290u
                                              : 340u)
        << isa::targetName(target); // LLVM knows 360 to 385 on each
  }
}
