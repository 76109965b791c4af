// The text of GFX12, which LLVM 15 does not know: words of every opcode number against llvm-mc of
// LLVM 19, where it is installed, letter by letter, and words of no opcode in particular. LLVM 21
// writes other texts (TH_STORE_WB, op_sel where the instruction has none) and takes a literal for
// the inline constant that its number stands for elsewhere.
#include "runtime/softgpu/isa/decode_common.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/isa/opcodes.h"
#include "tests/runtime/softgpu/isa/later_llvm.h"
#include "tests/runtime/softgpu/isa/oracle.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <vector>

namespace meld::softgpu::isa::test {
namespace {

constexpr unsigned kNull = 124;

struct Setting {
  const char *name;
  Target target;
  const char *arguments;
};

/// LLVM takes these for instructions only where the bits are set that choose upper halves, which
/// they do not have.
bool withoutHalves(Op op) {
  const std::string_view name = mnemonic(op);
  return name.starts_with("v_wmma") || name.starts_with("v_swmmac") ||
         name.starts_with("v_dot4_f32");
}

/// Assemblers set what chooses the upper halves; a matrix product's sources are VGPRs.
void makeProduct(const OpInfo &row, std::array<uint32_t, 4> &w) {
  w[0] |= 0x4000;
  w[1] |= 0x18000000;
  if (row.dst >= Ty::wacc && row.dst <= Ty::wm256)
    w[1] |= 0x20100 | (row.src[2] == Ty::v32 ? 0x4000000 : 0);
  if (isSparse(row.op)) // a part of the index is chosen by no more than a bit often
    w[0] &= ~0x3000u;
}

/// Random words of one opcode; often with fields that are zero, as many opcodes demand it.
std::array<uint32_t, 4> wordsOf(const OpInfo &row, Target target, std::mt19937_64 &rng) {
  const Format format = formatOf(row.enc, target);
  const uint64_t how = rng();
  std::array<uint32_t, 4> w = {uint32_t(rng()), uint32_t(rng()), uint32_t(rng()), uint32_t(rng())};
  w[0] = format.fixed | (w[0] & format.operands) | uint32_t(row.number) << format.place;
  switch (row.enc) {
  case Enc::VOP3:
  case Enc::VOP3P:
    for (unsigned k = 0; k < 3; ++k) {
      const bool missing = row.src[k] == Ty::none || (k == 2 && readsDst(row.op));
      if (missing)
        w[1] &= ~(0x1ffu << (9 * k));
      else if (how >> (8 + k) & 1)
        w[1] |= 0x100u << (9 * k);
    }
    if (row.dst == Ty::none || row.writesExec)
      w[0] &= ~0xffu;
    if ((how & 0x30000) == 0) // DPP
      w[1] = (w[1] & ~0x1ffu) | (how & 0x40000 ? 250 : 233 + (how >> 19 & 1));
    w[0] &= ~(uint32_t(row.bitsZero) >> 5 << 8); // modifiers that must not be
    w[1] &= ~(uint32_t(row.bitsZero) << 27);
    if (withoutHalves(row.op))
      makeProduct(row, w);
    break;
  case Enc::VOP1:
  case Enc::VOP2:
  case Enc::VOPC:
    if ((how & 0x30) == 0) // DPP or a literal
      w[0] = (w[0] & ~0x1ffu) | (how & 0x40 ? 250 : how & 0x80 ? 233 : how & 0x100 ? 234 : 255);
    if (how & 0x200)
      w[1] &= 0xff0fffff;
    break;
  case Enc::VOPD:
    if (row.number >= 16) // for the second half alone
      w[0] = format.fixed | (w[0] & 0x1ffff) | 8 << 22 | uint32_t(row.number) << 17;
    break;
  case Enc::SOPP:
    if (!hasFlag(row, 'i'))
      w[0] &= ~0xffffu;
    break;
  case Enc::SMEM:
    if (how & 1)
      w[1] = (w[1] & 0xffffff) | kNull << 25;
    w[1] &= 0xfeffffff;
    if (how & 2) // aligned
      w[0] &= ~0x3c7u;
    break;
  case Enc::DS:
    if (hasFlag(row, 'n'))
      w[0] &= ~0xffffu, w[1] = 0;
    for (unsigned byte = 0; byte < 4; ++byte)
      if (how >> byte & 1)
        w[1] &= ~(0xffu << (8 * byte));
    break;
  case Enc::MUBUF:
  case Enc::MTBUF:
    w[1] &= how & 0x80 ? ~0u : ~(0x60u << 9);
    w[1] &= ~(3u << 9); // resources start at a multiple of four
    if (how & 2)
      w[0] = (w[0] & ~0x7fu) | kNull;
    break;
  default:
    if (familyOf(row.enc) == Family::flat || familyOf(row.enc) == Family::vectorMemory) {
      if (how & 3)
        w[0] = (w[0] & ~0x7fu) | kNull;
      if (how & 4)
        w[1] &= ~0x20000u;
      if (hasFlag(row, 'c'))
        w[1] &= 0x7c0000, w[2] = 0;
      break;
    }
    if (how & 8)
      w[1] &= 0xffff;
    break;
  }
  return w;
}

/// What LLVM 19 shows otherwise, or not at all.
bool shownOtherwise(const Sample &s, const std::string &theirs) {
  const auto ours = [&](std::string_view part) { return s.ours.find(part) != s.ours.npos; };
  // Halves of registers: LLVM 19 has them in a few instructions and remarks on the others, which it
  // shows as registers from v128 on.
  if (ours(".h") || theirs.find(".l") != theirs.npos || theirs.find(".h") != theirs.npos)
    return true;
  // Integers with the bits of modifiers, which are shown though they mean nothing.
  if (s.ours.starts_with("v_ldexp_f16") || theirs.find("sext(") != theirs.npos)
    return true;
  // Came with LLVM 20 and 21, or is in the manual alone.
  if (s.ours.starts_with("v_mov_b16") || s.ours.starts_with("v_swap_b16") ||
      s.ours.starts_with("ds_bvh_stack_push") || s.ours.starts_with("ds_bpermute_fi") ||
      s.ours.starts_with("s_alloc_vgpr") || ours("v_dual_dot2acc"))
    return true;
  // Halves of the destination in both places that say so.
  if (s.ours.starts_with("v_fmac_f16_e64"))
    return true;
  // A literal that is longer than its operand; constants of s_cmp_*_f16 as if they were integers.
  if (s.ours.starts_with("v_cvt_pk_f32_") ||
      (s.ours.starts_with("s_cmp_") && s.ours.find("_f16") != s.ours.npos))
    return true;
  // LLVM 19 closes |...| after the mask.
  if (s.ours.starts_with("v_cndmask_b32_dpp") && theirs.find(", vcc") != theirs.npos &&
      theirs.find("|", theirs.find(", vcc")) != theirs.npos)
    return true;
  // Three registers of a trap handler start anywhere there.
  return s.ours.find("_b96 ttmp") != s.ours.npos;
}

class Gfx12Text : public testing::TestWithParam<Setting> {
protected:
  std::string mc = laterLlvmMc(19, 19);
  void SetUp() override {
    if (mc.empty())
      GTEST_SKIP() << "no llvm-mc of LLVM 19 in /usr/lib/llvm-19/bin";
  }
  void compare(const std::vector<Sample> &samples) {
    const size_t compared = compareLater(mc, GetParam().arguments, samples, shownOtherwise);
    std::printf("%s: %zu instructions, %zu of them known to %s\n", GetParam().name, samples.size(),
                compared, mc.c_str());
    EXPECT_GT(compared, samples.size() / 2);
  }
};

TEST_P(Gfx12Text, EveryOpcode) {
  const Target target = GetParam().target;
  std::mt19937_64 rng(12);
  std::vector<Sample> samples;
  for (const OpInfo &row : allOpcodes()) {
    if (!(row.targets >> unsigned(target) & 1) || familyOf(row.enc) >= Family::interpolation)
      continue;
    size_t have = 0;
    for (int n = 0; n < 3000 && have < 20; ++n) {
      Sample s{wordsOf(row, target, rng), target, 0, ""};
      Inst inst;
      if (decode(s.words.data(), sizeof s.words, target, inst) != DecodeStatus::ok ||
          inst.enc != row.enc || (inst.op != row.op && inst.dual.op != row.op))
        continue;
      s.size = inst.size;
      s.ours = disassemble(inst, target);
      samples.push_back(s);
      ++have;
    }
    EXPECT_GE(have, 1u) << mnemonic(row.op, target);
  }
  compare(samples);
}

TEST_P(Gfx12Text, RandomWords) {
  const Target target = GetParam().target;
  std::mt19937_64 rng(1201);
  std::vector<Sample> samples;
  for (int n = 0; n < 60000; ++n) {
    const auto words = randomWords(rng, target);
    Sample s{{words[0], words[1], words[2]}, target, 0, ""};
    Inst inst;
    if (decode(s.words.data(), 12, target, inst) != DecodeStatus::ok || withoutHalves(inst.op))
      continue;
    s.size = inst.size;
    s.ours = disassemble(inst, target);
    samples.push_back(s);
  }
  compare(samples);
}

/// A file's code, compiled by LLVM's own later compiler, reads as its disassembler has it.
TEST_P(Gfx12Text, Kernels) {
  const Target target = GetParam().target;
  for (const char *level : {"O0", "O3"}) {
    const std::string path =
        std::string(MELD_ISA_OBJECTS "/kernels-") + GetParam().name + "-" + level + ".text";
    std::ifstream in(path, std::ios::binary);
    if (!in)
      GTEST_SKIP() << "no llc of LLVM 19 or later when this was built";
    const std::vector<char> code(std::istreambuf_iterator<char>(in), {});
    std::vector<Sample> samples;
    Inst inst;
    for (size_t at = 0; at < code.size(); at += inst.size) {
      ASSERT_EQ(int(decode(code.data() + at, code.size() - at, target, inst)),
                int(DecodeStatus::ok))
          << path << " +" << at;
      Sample s{{}, target, inst.size, disassemble(inst, target)};
      std::memcpy(s.words.data(), code.data() + at, inst.size);
      samples.push_back(s);
    }
    compare(samples);
    EXPECT_GT(samples.size(), 1000u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Targets, Gfx12Text,
    testing::Values(Setting{"gfx1201", Target::gfx1201, "-mcpu=gfx1201 -mattr=+wavefrontsize32"},
                    Setting{"gfx1201w64", Target::gfx1201w64,
                            "-mcpu=gfx1201 -mattr=-wavefrontsize32,+wavefrontsize64"}),
    [](const auto &p) { return std::string(p.param.name); });

} // namespace
} // namespace meld::softgpu::isa::test
