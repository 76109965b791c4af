// The text of what gfx950 has beyond gfx942, which LLVM 15 does not know: words of every such opcode
// against llvm-mc of LLVM 21 or later, where one is installed, letter by letter.
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/isa/opcodes.h"
#include "tests/runtime/softgpu/isa/later_llvm.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace meld::softgpu::isa::test {
namespace {

constexpr Target kTarget = Target::gfx950;
/// LLVM wants eight registers where products of 6 and 4 bits have fewer: a bit of both sources' numbers.
constexpr uint32_t kLastRegisters = 8 | 8 << 9;

bool isNew(const OpInfo &row) {
  return (row.targets >> unsigned(kTarget) & 1) && !(row.targets >> unsigned(Target::gfx942) & 1);
}

/// Random words of one opcode; often with fields that are zero, as many opcodes demand it.
std::array<uint32_t, 4> wordsOf(const OpInfo &row, std::mt19937_64 &rng) {
  const Format format = formatOf(row.enc, kTarget);
  const uint64_t how = rng();
  std::array<uint32_t, 4> w = {uint32_t(rng()), uint32_t(rng()), uint32_t(rng()), uint32_t(rng())};
  w[0] = format.fixed | (w[0] & format.operands);
  if (row.enc == Enc::VOP3PX) { // the number and the operands are in the second half
    w[2] = formatOf(Enc::VOP3P, kTarget).fixed | uint32_t(row.number) << format.place |
           (w[2] & 0x87ff) | 0x800;
    if (how & 3)
      w[1] |= 0x20100; // VGPRs
    w[3] = (w[3] | 0x4020100) & ~kLastRegisters;
    return w;
  }
  w[0] |= uint32_t(row.number) << format.place;
  const bool vop3 = row.enc == Enc::VOP3 || row.enc == Enc::VOP3P;
  if (!vop3) {
    if (how & 1)
      w[0] &= ~0x02010000u | format.fixed;
    if (how & 2)
      w[1] &= ~0x808000u;
    if (row.enc == Enc::DS)
      w[1] &= 0xff0000ff;
    if ((row.enc == Enc::VOP1 || row.enc == Enc::VOP2) &&
        (how & 0x30) == 0) { // SDWA, DPP, a literal
      w[0] = (w[0] & ~0x1ffu) | (how & 0x40 ? 249 : how & 0x80 ? 250 : 255);
      w[1] = how & 0x40 ? (w[1] & 0x0037e7ff) | 0x06060000 : how & 0x800 ? w[1] & 0xffff : w[1];
    }
    return w;
  }
  for (unsigned k = 0; k < 3; ++k) {
    if (row.src[k] == Ty::none || (row.e64 && row.op == Op::v_dot2c_f32_bf16 && k == 2))
      w[1] &= ~(0x1ffu << (9 * k));
    else if (how >> (8 + k) & 1)
      w[1] |= 0x100u << (9 * k);
  }
  if (row.src[0] == Ty::av256)
    w[1] &= ~kLastRegisters;
  if (row.dst == Ty::none)
    w[0] &= ~0xffu;
  uint32_t zero = row.bitsZero; // modifiers that must not be
  w[0] &= ~(zero >> 5 << 8);
  w[1] &= ~(zero << 27);
  return w;
}

TEST(LaterLlvmText, Gfx950) {
  const std::string mc = laterLlvmMc(21);
  if (mc.empty())
    GTEST_SKIP() << "no llvm-mc of LLVM 21 or 22 in /usr/lib/llvm-*/bin";
  std::mt19937_64 rng(950);
  std::vector<Sample> samples;
  size_t opcodes = 0;
  for (const OpInfo &row : allOpcodes()) {
    if (!isNew(row))
      continue;
    size_t have = 0;
    for (int n = 0; n < 2000 && have < 200; ++n) {
      Sample s{wordsOf(row, rng), kTarget, 0, ""};
      Inst inst;
      if (decode(s.words.data(), sizeof s.words, kTarget, inst) != DecodeStatus::ok ||
          inst.op != row.op || inst.enc != row.enc)
        continue;
      s.size = inst.size;
      s.ours = disassemble(inst, kTarget);
      samples.push_back(s);
      ++have;
    }
    EXPECT_GT(have, 10u) << mnemonic(row.op);
    ++opcodes;
  }
  const size_t compared = compareLater(mc, "-mcpu=gfx950", samples,
                                       [](const Sample &, const std::string &) { return false; });
  std::printf("%zu words of %zu opcode numbers, %zu of them known to %s\n", samples.size(), opcodes,
              compared, mc.c_str());
}

} // namespace
} // namespace meld::softgpu::isa::test
