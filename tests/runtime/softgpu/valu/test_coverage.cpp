// Which vector ALU opcodes the decoder knows and the vector ALU executes, per target.
#include "tests/runtime/softgpu/valu/harness.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <set>

namespace meld::test {
namespace {

using namespace softgpu;

/// Finds real encodings by decoding generated words: every opcode field value of every vector
/// encoding.
std::set<Op> decodableValu(Target target) {
  std::set<Op> found;
  const bool gfx10 = isa::traitsOf(target).generation >= 10;
  const uint32_t vop3 = gfx10 ? 0xd4000000 : 0xd0000000, vop3p = gfx10 ? 0xcc000000 : 0xd3800000;
  const auto attempt = [&](uint32_t lo, uint32_t hi) {
    const uint32_t words[3] = {lo, hi, 0};
    Inst i;
    if (isa::decode(words, sizeof words, target, i) == isa::DecodeStatus::ok)
      found.insert(i.op);
  };
  for (uint32_t n = 0; n < 64; ++n)
    attempt(n << 25 | 2 << 17 | 2 << 9 | 256, 0); // VOP2
  for (uint32_t n = 0; n < 256; ++n) {
    attempt(0x7e000000 | 2 << 17 | n << 9 | 256, 0); // VOP1
    attempt(0x7e000000 | n << 9, 0);                 // ... without operands
    attempt(0x7c000000 | n << 17 | 2 << 9 | 256, 0); // VOPC
  }
  for (uint32_t n = 0; n < 1024; ++n)
    for (uint32_t src2 : {258u, 0u})
      for (uint32_t src1 : {258u, 0u, 128u})
        for (uint32_t src0 : {256u, 0u})
          attempt(vop3 | n << 16 | 4, src2 << 18 | src1 << 9 | src0); // VOP3
  for (uint32_t n = 0; n < 128; ++n)
    for (uint32_t src2 : {264u, 0u})
      for (uint32_t src1 : {258u, 0u})
        attempt(vop3p | n << 16 | 16, src2 << 18 | src1 << 9 | 260); // VOP3P
  for (uint32_t n = 0; n < 128; ++n) {                               // VOP3PX
    const uint32_t words[4] = {0xd3ac0000, 258 << 9 | 257, vop3p | n << 16 | 0x800 | 16,
                               264 << 18 | 258 << 9 | 260};
    Inst i;
    if (isa::decode(words, sizeof words, target, i) == isa::DecodeStatus::ok && i.size == 16)
      found.insert(i.op);
  }
  // A rasteriser helper with an unpublished table; nothing a compute kernel contains.
  found.erase(Op::v_screen_partition_4se_b32);
  // Scales without a product, half of an instruction.
  found.erase(Op::v_mfma_ld_scale_b32);
  std::erase_if(found, [](Op op) { return std::strncmp(nameOf(op).c_str(), "v_", 2) != 0; });
  return found;
}

TEST(ValuCoverage, EveryDecodableOpcodeExecutes) {
  for (Target target : isa::kTargets) {
    const auto ops = decodableValu(target);
    std::string missing;
    size_t have = 0;
    for (Op op : ops) {
      Inst i;
      i.op = op;
      i.enc = Enc::VOP3;
      ExecInst e;
      std::memset(&e, 0, sizeof e);
      e.inst = &i;
      if (prepareValu(e, target))
        ++have;
      else
        missing += " " + nameOf(op);
    }
    std::printf("%.*s: %zu of %zu vector ALU opcodes\n", (int)isa::targetName(target).size(),
                isa::targetName(target).data(), have, ops.size());
    EXPECT_GT(ops.size(), 350u);
    EXPECT_EQ(missing, "");
  }
}

} // namespace
} // namespace meld::test
