// Random and systematic instruction words against LLVM. MELD_ISA_RANDOM=N sets the number per
// target.
#include "runtime/softgpu/isa/opcodes.h"
#include "tests/runtime/softgpu/isa/oracle.h"
#include "tests/runtime/softgpu/llvm_cpu.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <gtest/gtest.h>
#include <vector>

namespace meld::softgpu::isa::test {
namespace {

class EachTarget : public testing::TestWithParam<Target> {
protected:
  Target target = GetParam();
  Oracle oracle{target};
  int reported = 0;

  void check(const void *bytes, size_t size) {
    std::string difference = compare(oracle, target, {static_cast<const uint8_t *>(bytes), size});
    if (!difference.empty() && ++reported <= 20)
      ADD_FAILURE() << difference;
  }
};

TEST_P(EachTarget, RandomWords) {
  const char *setting = std::getenv("MELD_ISA_RANDOM");
  long count = setting ? std::atol(setting) : 200000;
  std::mt19937_64 rng(uint64_t(target) + 1);
  for (long i = 0; i < count; ++i) {
    auto words = randomWords(rng, target);
    check(words.data(), sizeof words);
  }
  EXPECT_EQ(reported, 0);
}

/// First dword of an opcode with all other fields zero, and whether it has a second.
uint32_t baseWord(const OpInfo &row, Target target, bool &wide) {
  const Format format = formatOf(row.enc, target);
  wide = row.enc >= Enc::VOP3 ? row.enc != Enc::VINTRP && row.enc != Enc::LDSDIR
                              : row.enc == Enc::SMEM;
  const bool lowBit =
      row.enc == Enc::MIMG && traitsOf(target).generation == 10; // see decodeGraphics
  const uint32_t n = lowBit ? row.number & 0x7fu : row.number;
  return format.fixed | n << format.place | (lowBit ? row.number >> 7 : 0);
}

/// Every opcode, every source field, every kind of value in it (register, each constant, literal).
TEST_P(EachTarget, EveryOperandCode) {
  for (const OpInfo &row : allOpcodes()) {
    if (!(row.targets >> unsigned(target) & 1))
      continue;
    bool wide;
    uint32_t base = baseWord(row, target, wide);
    for (uint32_t code = 0; code < 512; ++code) {
      if ((code > 7 && code < 98) || (code > 131 && code < 190) || (code > 257 && code < 508))
        continue; // the middle of SGPRs, integers, VGPRs
      for (uint32_t literal : {0x3f800000u, 0x7u, 0x0003fff0u, 0x3c00u, 0x00493c00u}) {
        uint32_t scalar = code & 0xff;
        if (!wide) {
          uint32_t words[3] = {base | (row.enc < Enc::SMEM ? scalar : code), literal, 0};
          check(words, sizeof words);
          if (row.enc == Enc::SOP2 || row.enc == Enc::SOPC) {
            words[0] = base | scalar << 8;
            check(words, sizeof words);
          } else if (row.enc == Enc::VOP2 || row.enc == Enc::VOP1 || row.enc == Enc::VOPC) {
            for (uint32_t scalarBit : {0x00000000u, 0x00800000u, 0x80000000u}) { // SDWA, then DPP
              words[0] = base | 249 | scalar << 9;
              if (row.enc == Enc::VOP1)
                words[0] = base | 249;
              words[1] = 0x06060600 | (scalarBit == 0x80000000u ? 0 : scalar) | scalarBit;
              check(words, sizeof words);
            }
            words[0] = base | 250;
            words[1] = 0xff000000 | code << 8;
            check(words, sizeof words);
          }
        } else if (row.enc == Enc::VOP3 || row.enc == Enc::VOP3P) {
          for (unsigned k = 0; k < 3; ++k) {
            uint32_t second = 0x04020100; // v0, v0, v0
            second = (second & ~(0x1ffu << (9 * k))) | code << (9 * k);
            if (k == 0) { // opcodes with fewer sources want zeros above
              uint32_t words[3] = {base, code, literal};
              check(words, sizeof words);
            } else if (k == 1) {
              uint32_t words[3] = {base, 0x100 | code << 9, literal};
              check(words, sizeof words);
            }
            uint32_t words[3] = {base, second, literal};
            check(words, sizeof words);
          }
          uint32_t words[3] = {base | scalar, 0x100, 0};
          check(words, sizeof words);
        } else if (row.enc == Enc::VOPD) { // each half beside v_dual_mov_b32
          const uint32_t mov = findOp(Op::v_mov_b32, row.enc, target)->number;
          const Format format = formatOf(row.enc, target);
          if (row.number < 16) {
            uint32_t words[3] = {base | mov << 17 | code, 0x02000101, literal};
            check(words, sizeof words);
          }
          uint32_t words[3] = {format.fixed | mov << format.place | row.number << 17 | 0x101,
                               0x02000000 | code, literal};
          check(words, sizeof words);
          words[0] = format.fixed | mov << format.place | row.number << 17 | code;
          check(words, sizeof words);
        } else {
          uint32_t words[3] = {base | (literal & 0x3000), scalar << 24, 0};
          check(words, sizeof words);
          words[1] = scalar;
          check(words, sizeof words);
          words[1] = scalar << 8;
          check(words, sizeof words);
          words[1] = scalar << 16;
          check(words, sizeof words);
        }
        if (code != 255)
          break; // only code 255 has a literal
      }
    }
  }
  EXPECT_EQ(reported, 0);
}

/// Every number an encoding has room for, those without an opcode, too.
TEST_P(EachTarget, EveryOpcodeNumber) {
  struct Place {
    Enc enc;
    unsigned bits; ///< of the number in the first dword
  };
  const bool gfx9 = traitsOf(target).generation == 9, gfx10 = traitsOf(target).generation == 10;
  const Place places[] = {
      {Enc::SOP1, 8},
      {Enc::SOP2, 7},
      {Enc::SOPC, 7},
      {Enc::SOPK, 5},
      {Enc::SOPP, 7},
      {Enc::SMEM, 8},
      {Enc::VOP1, 8},
      {Enc::VOP2, 6},
      {Enc::VOPC, 8},
      {Enc::VOP3, 10},
      {Enc::VOP3P, 7},
      {Enc::DS, 8},
      {Enc::FLAT, 7},
      {Enc::GLOBAL, 7},
      {Enc::SCRATCH, 7},
      {Enc::VOPD, 4},
      {Enc::MUBUF, gfx9 ? 7u : 8u},
      {Enc::MTBUF, gfx10 ? 3u : 4u},
  };
  std::mt19937_64 rng(uint64_t(target) + 5);
  for (const Place &place : places) {
    const Format format = formatOf(place.enc, target);
    for (uint32_t number = 0; format.operands && number < 1u << place.bits; ++number)
      for (int n = 0; n < 60; ++n) {
        const uint64_t how = rng();
        uint32_t words[3] = {uint32_t(rng()), uint32_t(rng()), uint32_t(rng())};
        words[0] = format.fixed | number << format.place |
                   (words[0] & format.operands & (how & 1 ? 0xffff00ffu : ~0u));
        for (unsigned byte = 0; byte < 4; ++byte)
          if (how >> (8 + byte) & 1)
            words[1] &= ~(0xffu << (8 * byte));
        check(words, sizeof words);
      }
  }
  EXPECT_EQ(reported, 0);
}

/// Immediates of SOPP and SOPK have their own syntax: try all of them.
TEST_P(EachTarget, EveryScalarImmediate) {
  for (const OpInfo &row : allOpcodes())
    if (row.targets >> unsigned(target) & 1 &&
        (row.enc == Enc::SOPP || row.enc == Enc::SOPK || row.op == Op::s_set_gpr_idx_on)) {
      bool wide;
      uint32_t base = baseWord(row, target, wide);
      bool special =
          row.op == Op::s_sendmsg || row.op == Op::s_waitcnt || row.op == Op::s_getreg_b32;
      for (uint32_t imm = 0; imm < 0x10000; imm += special ? 1 : imm < 128 ? 1 : 61) {
        uint32_t words[2] = {base | imm, imm};
        check(words, sizeof words);
      }
    }
  for (uint32_t imm = 0; imm < 0x10000; ++imm) {
    const Format ds = formatOf(Enc::DS, target);
    const uint32_t number = findOp(Op::ds_swizzle_b32, Enc::DS, target)->number;
    uint32_t words[2] = {ds.fixed | number << ds.place | imm, 0};
    check(words, sizeof words);
  }
  EXPECT_EQ(reported, 0);
}

TEST_P(EachTarget, TruncatedInput) {
  std::mt19937_64 rng(7);
  for (int i = 0; i < 20000; ++i) {
    auto words = randomWords(rng, target);
    Inst whole;
    DecodeStatus full = decode(words.data(), sizeof words, target, whole);
    for (size_t size = 0; size < 12; ++size) {
      std::vector<uint8_t> bytes(size); // exact allocation: a sanitizer sees reads past the end
      if (size)
        std::memcpy(bytes.data(), words.data(), size);
      Inst inst;
      DecodeStatus status = decode(bytes.data(), size, target, inst);
      if (full == DecodeStatus::ok && size < whole.size && whole.op != Op::v_nop) {
        EXPECT_EQ(int(status), int(DecodeStatus::truncated))
            << std::hex << words[0] << " " << words[1];
      } else if (full == DecodeStatus::ok && size >= whole.size) {
        EXPECT_EQ(int(status), int(DecodeStatus::ok));
      }
      if (size % 4 == 0 && size > 0)
        check(bytes.data(), size);
    }
  }
}

/// Not a time limit: only prints. Also the coverage counts, per encoding.
TEST_P(EachTarget, ReportsCoverageAndSpeed) {
  static constexpr const char *kNames[] = {
#define ENCODING(name, ...) #name,
#include "runtime/softgpu/isa/encodings.def"
#undef ENCODING
  };
  unsigned counts[std::size(kNames)] = {}, total = 0;
  for (const OpInfo &row : allOpcodes())
    if (row.targets >> unsigned(target) & 1) {
      ++counts[unsigned(row.enc)];
      ++total;
    }
  std::printf("%s: %u opcode numbers:", softgpu::test::testName(target).c_str(), total);
  for (unsigned e = 0; e < std::size(kNames); ++e)
    std::printf(" %s %u", kNames[e], counts[e]);
  std::mt19937_64 rng(3);
  std::vector<std::array<uint32_t, 3>> valid;
  Inst inst;
  while (valid.size() < 20000) {
    auto words = randomWords(rng, target);
    if (decode(words.data(), sizeof words, target, inst) == DecodeStatus::ok)
      valid.push_back(words);
  }
  std::clock_t begin = std::clock(); // CPU time: other processes do not count
  size_t bytes = 0;
  for (int round = 0; round < 20; ++round)
    for (auto &words : valid) {
      decode(words.data(), sizeof words, target, inst);
      bytes += inst.size;
    }
  double ns = double(std::clock() - begin) / CLOCKS_PER_SEC * 1e9;
  std::printf("\n  decode: %.1f ns per instruction\n", ns / (20.0 * double(valid.size())));
  EXPECT_GT(bytes, valid.size());
  EXPECT_GT(total, 1000u);
}

INSTANTIATE_TEST_SUITE_P(All, EachTarget, testing::ValuesIn(kTargets),
                         [](const auto &p) { return softgpu::test::testName(p.param); });

} // namespace
} // namespace meld::softgpu::isa::test
