// The compact form of an instruction's operands against RegisterUse, which is checked against LLVM.
#include "tests/runtime/softgpu/isa/oracle.h"
#include "tests/runtime/softgpu/llvm_cpu.h"

#include "runtime/softgpu/isa/operand_ranges.h"
#include "runtime/softgpu/isa/register_use.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace meld::softgpu::isa::test {
namespace {

using File = RegisterRange::File;
using Role = RegisterRange::Role;

constexpr int kEnd = kFirstVgpr + 256;

/// Whether an operand names it; what an opcode implies has the role of none, and an old value's is
/// the destination's.
bool isOperand(const RegisterRange &r) {
  return r.role != Role::implicit && r.role != Role::destination && r.file != File::agpr;
}

void insert(std::set<int> &set, const RegisterRange &r) {
  for (int k = 0; k < r.dwords; ++k)
    if (const int n = r.index + k + (r.file == File::vgpr ? kFirstVgpr : 0); n < kEnd)
      set.insert(n);
}

class OperandRangesTest : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Targets, OperandRangesTest, testing::ValuesIn(kTargets),
                         [](auto &i) { return softgpu::test::testName(i.param); });

TEST_P(OperandRangesTest, AgreeWithRegisterUse) {
  std::mt19937_64 rng(11);
  unsigned vectors = 0, memory = 0, pairs = 0;
  for (int n = 0; n < 60000; ++n) {
    const auto words = randomWords(rng, GetParam());
    Inst in;
    if (decode(reinterpret_cast<const uint8_t *>(words.data()), sizeof words, GetParam(), in) !=
        DecodeStatus::ok)
      continue;
    const Family family = familyOf(in.enc);
    if (family == Family::image || family == Family::exports)
      continue; // never executed: RegisterUse has nothing of them
    const OperandRanges ranges(in);
    const RegisterUse use(in);
    EXPECT_EQ(ranges.op, in.op);

    std::set<int> reads;
    for (const RegisterRange &r : use.reads())
      if (isOperand(r))
        insert(reads, r);
    for (int r = 0; r < kEnd; ++r) {
      // What lies behind the last SGPR is no register to RegisterUse.
      if (r >= Sgpr::sink && r < kFirstVgpr)
        continue;
      ASSERT_EQ(ranges.reads({int16_t(r), int16_t(r + 1)}), reads.contains(r))
          << disassemble(in, GetParam()) << ": " << r;
    }
    // Of more registers, one that is read is enough.
    for (int r = 0; r + 4 <= Sgpr::sink; r += 3) {
      bool any = false;
      for (int k = r; k < r + 4; ++k)
        any |= reads.contains(k);
      ASSERT_EQ(ranges.reads({int16_t(r), int16_t(r + 4)}), any) << disassemble(in, GetParam());
    }

    memory += family != Family::vector && family != Family::scalar;
    pairs += in.enc == Enc::VOPD;
    if (family != Family::vector)
      continue;
    ++vectors;
    std::set<int> want, written;
    bool scalar = false;
    for (const RegisterRange &r : use.writes())
      if (r.role != Role::implicit && r.file != File::agpr) {
        insert(want, r);
        scalar |= r.file == File::sgpr && !r.dual;
      }
    bool ended = false;
    for (const OperandRange &r : ranges.writes) {
      EXPECT_FALSE(ended && !r.empty()) << "the empty ones come last";
      ended |= r.empty();
      for (int k = r.begin; k < r.end; ++k)
        if (k < kEnd && !(k >= Sgpr::sink && k < kFirstVgpr))
          written.insert(k);
    }
    ASSERT_EQ(written, want) << disassemble(in, GetParam());
    if (scalar) {
      ASSERT_TRUE(ranges.writesSgpr) << disassemble(in, GetParam());
    }
  }
  EXPECT_GT(vectors, 5000u);
  EXPECT_GT(memory, 500u);
  if (GetParam() == Target::gfx1100 || GetParam() == Target::gfx1201) {
    EXPECT_GT(pairs, 100u);
  }
}

} // namespace
} // namespace meld::softgpu::isa::test
