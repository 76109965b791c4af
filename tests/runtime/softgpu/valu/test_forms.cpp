// Instruction forms: neg/abs, omod, clamp, op_sel, SDWA, DPP, VGPR indexing, special scalar
// sources.
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <bit>

namespace meld::test {
namespace {

using namespace softgpu;
using isa::SdwaSel;
using isa::SdwaUnused;

uint64_t signs(Format f, uint64_t x, bool neg, bool abs) {
  x &= f.sign() * 2 - 1;
  if (abs)
    x &= ~f.sign();
  return neg ? x ^ f.sign() : x;
}

TEST(ValuForms, NegAbs) {
  for (unsigned neg = 0; neg < 8; ++neg)
    for (unsigned abs = 0; abs < 8; abs += 3) {
      const auto set = [=](Inst &i) {
        i.neg = (uint8_t)neg;
        i.abs = (uint8_t)abs;
      };
      const auto fma = [=](Format f) {
        return [=](Lane &l) {
          return fmaExact(f, signs(f, l.a, neg & 1, abs & 1), signs(f, l.b, neg & 2, abs & 2),
                          signs(f, l.c, neg & 4, abs & 4), toNearest);
        };
      };
      check({Op::v_fma_f32, "f:fff", fma(kSingle), Enc::VOP3, false, kDefaultMode, set});
      check({Op::v_fma_f64, "d:ddd", fma(kDouble), Enc::VOP3, false, kDefaultMode, set});
      check({Op::v_fma_f16, "h:hhh", fma(kHalf), Enc::VOP3, true, kDefaultMode, set});
    }
  check({Op::v_cndmask_b32, "u:uum",
         [](Lane &l) {
           return l.mask ? signs(kSingle, l.b, true, true) : signs(kSingle, l.a, true, false);
         },
         Enc::VOP3, false, kDefaultMode,
         [](Inst &i) {
           i.neg = 3;
           i.abs = 2;
         }});
  check({Op::v_cmp_lt_f32, "c:ff",
         [](Lane &l) {
           return (uint64_t)(std::bit_cast<float>((uint32_t)signs(kSingle, l.a, true, false)) <
                             std::bit_cast<float>((uint32_t)signs(kSingle, l.b, false, true)));
         },
         Enc::VOP3, false, kDefaultMode,
         [](Inst &i) {
           i.neg = 1;
           i.abs = 2;
         }});
}

TEST(ValuForms, Clamp) {
  for (bool dx10 : {true, false}) {
    const uint32_t mode = dx10 ? kDefaultMode : kDefaultMode & ~uint32_t(Mode::dx10Clamp);
    const auto clamp = [=](Format f, uint64_t x) -> uint64_t {
      const uint64_t one = (uint64_t)f.bias() << f.mantissaBits;
      if (f.isNan(x))
        return dx10 ? 0 : x;
      if (x & f.sign())
        return 0;
      return x > one ? one : x;
    };
    const auto on = [](Inst &i) { i.clamp = true; };
    check({Op::v_add_f32, "f:ff",
           [=](Lane &l) { return clamp(kSingle, addExact(kSingle, l.a, l.b, toNearest)); },
           Enc::VOP3, false, mode, on});
    check({Op::v_mul_f64, "d:dd",
           [=](Lane &l) { return clamp(kDouble, mulExact(kDouble, l.a, l.b, toNearest)); },
           Enc::VOP3, false, mode, on});
    check({Op::v_mul_f16, "h:hh",
           [=](Lane &l) { return clamp(kHalf, mulExact(kHalf, l.a, l.b, toNearest)); }, Enc::VOP3,
           false, mode, on});
  }
}

TEST(ValuForms, OutputScale) {
  // Effective only without IEEE mode and output denormals, but for gfx1201; -0 becomes +0.
  const uint32_t mode = (kDefaultMode & ~uint32_t(Mode::ieee)) & ~0xa0u;
  for (unsigned omod = 1; omod < 4; ++omod) {
    const uint64_t factor = omod == 1 ? 0x40000000 : omod == 2 ? 0x40800000 : 0x3f000000;
    check({Op::v_mul_f32, "f:ff",
           [=](Lane &l) {
             const uint64_t p = mulExact(kSingle, l.a, l.b, toNearest);
             const uint64_t r = flushDenormal(kSingle, mulExact(kSingle, p, factor, toNearest));
             return kSingle.isZero(r) ? 0 : r;
           },
           Enc::VOP3, false, mode, [=](Inst &i) { i.omod = (uint8_t)omod; }});
    for (const Target target : {Target::gfx90a, Target::gfx1030, Target::gfx1100})
      check({Op::v_mul_f32, "f:ff", [=](Lane &l) { return mulExact(kSingle, l.a, l.b, toNearest); },
             Enc::VOP3, false, kDefaultMode, [=](Inst &i) { i.omod = (uint8_t)omod; }, target,
             false});
  }
}

TEST(ValuForms, OpSel) {
  Machine m;
  for (unsigned sel = 0; sel < 16; ++sel) {
    m.fill(sel + 3);
    const std::vector<VRow> before = m.rows;
    Inst i = make(Op::v_mad_u16, Enc::VOP3, vgpr(4), {vgpr(10), vgpr(11), vgpr(12)});
    i.opSel = (uint8_t)sel;
    ASSERT_TRUE(m.run(i));
    for (unsigned l = 0; l < 64; ++l) {
      const auto half = [&](unsigned k) {
        return before[10 + k].u[l] >> (sel >> k & 1 ? 16 : 0) & 0xffff;
      };
      const uint32_t r = (half(0) * half(1) + half(2)) & 0xffff, old = before[4].u[l];
      EXPECT_EQ(m.v(4).u[l], sel & 8 ? r << 16 | (old & 0xffff) : r | (old & 0xffff0000)) << sel;
    }
  }
}

uint32_t sdwaField(uint32_t x, SdwaSel sel, bool sext) {
  switch (sel) {
  case SdwaSel::dword:
    return x;
  case SdwaSel::word0:
    return sext ? (uint32_t)(int16_t)x : x & 0xffff;
  case SdwaSel::word1:
    return sext ? (uint32_t)(int16_t)(x >> 16) : x >> 16;
  default: {
    const uint32_t b = x >> 8 * (unsigned)sel & 0xff;
    return sext ? (uint32_t)(int8_t)b : b;
  }
  }
}

TEST(ValuForms, Sdwa) {
  Machine m;
  for (unsigned n = 0; n < 2000; ++n) {
    m.fill(n);
    const uint64_t r = random64();
    const std::vector<VRow> before = m.rows;
    Inst i = make(Op::v_add_u32, Enc::VOP2, vgpr(4), {vgpr(10), r & 1 ? vgpr(11) : sgpr(20)});
    m.wave.s[20] = (uint32_t)random64();
    const uint64_t exec = m.wave.exec() = r & 2 ? ~0ull : random64();
    i.sdwa = true;
    i.sdwaSrc[0] = (SdwaSel)(r >> 4 & 7 ? (r >> 4 & 7) - 1 : 6);
    i.sdwaSrc[1] = (SdwaSel)(r >> 8 & 7 ? (r >> 8 & 7) - 1 : 6);
    i.sdwaDst = (SdwaSel)(r >> 12 & 7 ? (r >> 12 & 7) - 1 : 6);
    i.sdwaUnused = (SdwaUnused)((r >> 16) % 3);
    i.sdwaSext = r >> 20 & 3;
    ASSERT_TRUE(m.run(i));
    for (unsigned l = 0; l < 64; ++l) {
      const uint32_t b = r & 1 ? before[11].u[l] : m.wave.s[20], old = before[4].u[l];
      const uint32_t sum = sdwaField(before[10].u[l], i.sdwaSrc[0], i.sdwaSext & 1) +
                           sdwaField(b, i.sdwaSrc[1], i.sdwaSext & 2);
      uint32_t want = sum;
      if (i.sdwaDst != SdwaSel::dword) {
        const bool byte = i.sdwaDst <= SdwaSel::byte3;
        const unsigned width = byte ? 8 : 16, at = byte ? 8 * (unsigned)i.sdwaDst
                                                   : i.sdwaDst == SdwaSel::word1 ? 16
                                                                                 : 0;
        const uint64_t field = ((1ull << width) - 1) << at, bits = (uint64_t)sum << at & field;
        if (i.sdwaUnused == SdwaUnused::preserve)
          want = (uint32_t)((old & ~field) | bits);
        else if (i.sdwaUnused == SdwaUnused::pad)
          want = (uint32_t)bits;
        else
          want = (uint32_t)(bits | (bits >> (at + width - 1) & 1 ? ~0ull << (at + width) : 0));
      }
      ASSERT_EQ(m.v(4).u[l], exec >> l & 1 ? want : old) << "round " << n << " lane " << l;
    }
  }
}

TEST(ValuForms, SdwaFloat) {
  Machine m;
  for (unsigned n = 0; n < 64; ++n) {
    m.fill(n);
    Inst i = make(Op::v_add_f16, Enc::VOP2, vgpr(4), {vgpr(10), vgpr(11)});
    i.sdwa = true;
    i.sdwaSrc[0] = SdwaSel::word1;
    i.sdwaSrc[1] = SdwaSel::word0;
    i.sdwaDst = SdwaSel::word1;
    i.sdwaUnused = SdwaUnused::preserve;
    i.neg = n & 3;
    i.abs = n >> 2 & 3;
    const VRow old = m.v(4);
    ASSERT_TRUE(m.run(i));
    for (unsigned l = 0; l < 64; ++l) {
      const uint64_t a = signs(kHalf, m.v(10).u[l] >> 16, i.neg & 1, i.abs & 1),
                     b = signs(kHalf, m.v(11).u[l] & 0xffff, i.neg & 2, i.abs & 2);
      ASSERT_EQ(m.v(4).u[l],
                (uint32_t)(addExact(kHalf, a, b, toNearest) << 16 | (old.u[l] & 0xffff)));
    }
  }
}

/// Source lane by the manual's table of DPP controls; -1 where there is none.
int dppReference(unsigned ctrl, int lane) {
  const int row = lane / 16 * 16, n = lane % 16;
  if (ctrl < 0x100)
    return lane / 4 * 4 + (int)(ctrl >> 2 * (lane % 4) & 3);
  const int k = ctrl & 15;
  if (ctrl > 0x100 && ctrl < 0x110)
    return n + k > 15 ? -1 : lane + k;
  if (ctrl > 0x110 && ctrl < 0x120)
    return n < k ? -1 : lane - k;
  if (ctrl > 0x120 && ctrl < 0x130)
    return row + (n + 16 - k) % 16;
  if (ctrl >= 0x150 && ctrl < 0x160)
    return row + k;
  switch (ctrl) {
  case 0x130:
    return lane == 63 ? -1 : lane + 1;
  case 0x134:
    return (lane + 1) % 64;
  case 0x138:
    return lane - 1;
  case 0x13c:
    return (lane + 63) % 64;
  case 0x140:
    return row + 15 - n;
  case 0x141:
    return lane / 8 * 8 + 7 - lane % 8;
  case 0x142:
    return lane < 16 ? -1 : row - 1;
  case 0x143:
    return lane < 32 ? -1 : 31;
  }
  return -1;
}

TEST(ValuForms, Dpp) {
  Machine m;
  std::vector<unsigned> controls = {0x00,  0x1b,  0xb1,  0xe4,  0x4e,  0x130, 0x134,
                                    0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
  for (unsigned k = 1; k < 16; ++k)
    for (unsigned base : {0x100u, 0x110u, 0x120u, 0x150u})
      controls.push_back(base + k);
  for (unsigned ctrl : controls)
    for (unsigned n = 0; n < 16; ++n) {
      m.fill(ctrl + n);
      const std::vector<VRow> before = m.rows;
      Inst i = make(Op::v_sub_u32, Enc::VOP2, vgpr(n & 1 ? 10 : 4), {vgpr(10), vgpr(11)});
      i.dpp = true;
      i.dppCtrl = (uint16_t)ctrl;
      i.dppBoundCtrl = n & 2;
      i.dppRowMask = n & 4 ? 0xf : (uint8_t)(random64() & 15);
      i.dppBankMask = n & 4 ? 0xf : (uint8_t)(random64() & 15);
      const uint64_t exec = m.wave.exec() = n & 8 ? ~0ull : random64();
      ASSERT_TRUE(m.run(i));
      for (int l = 0; l < 64; ++l) {
        const int s = dppReference(ctrl, l);
        const bool valid = s >= 0 && (exec >> s & 1);
        const bool write = (exec >> l & 1) && (i.dppRowMask >> l / 16 & 1) &&
                           (i.dppBankMask >> l / 4 % 4 & 1) && (valid || i.dppBoundCtrl);
        const uint32_t want =
            write ? (valid ? before[10].u[s] : 0) - before[11].u[l] : before[i.dst.index].u[l];
        ASSERT_EQ(m.v(i.dst.index).u[l], want) << std::hex << "ctrl " << ctrl << " lane " << l;
      }
    }
}

TEST(ValuForms, DppTwoRows) { // gfx90a: 64-bit operations with row_newbcast
  Machine m;
  Inst i = make(Op::v_ceil_f64, Enc::VOP1, vgpr(4, 2), {vgpr(10, 2)});
  i.dpp = true;
  i.dppCtrl = 0x155;
  for (unsigned l = 0; l < 64; ++l) {
    const uint64_t x = std::bit_cast<uint64_t>(l + 0.5);
    m.v(10).u[l] = (uint32_t)x;
    m.v(11).u[l] = (uint32_t)(x >> 32);
  }
  ASSERT_TRUE(m.run(i));
  for (unsigned l = 0; l < 64; ++l)
    EXPECT_EQ(std::bit_cast<double>(m.v(4).u[l] | (uint64_t)m.v(5).u[l] << 32), (l & ~15u) + 6.0);
}

/// SDWA in a compare: selected fields in, a lane mask out, into VCC or an SGPR pair.
TEST(ValuForms, SdwaCompare) {
  Machine m;
  for (unsigned n = 0; n < 300; ++n) {
    m.fill(n);
    Inst i =
        make(Op::v_cmp_gt_u32, Enc::VOPC, n & 1 ? sgpr(106, 2) : sgpr(30, 2), {vgpr(10), vgpr(11)});
    i.sdwa = true;
    i.sdwaSrc[0] = (SdwaSel)(n % 7);
    i.sdwaSrc[1] = (SdwaSel)(n / 7 % 7);
    i.sdwaSext = n >> 3 & 3;
    const uint64_t exec = m.wave.exec() = n & 2 ? ~0ull : random64();
    ASSERT_TRUE(m.run(i));
    uint64_t want = 0;
    for (unsigned l = 0; l < 64; ++l)
      want |=
          (uint64_t)((exec >> l & 1) && sdwaField(m.v(10).u[l], i.sdwaSrc[0], i.sdwaSext & 1) >
                                            sdwaField(m.v(11).u[l], i.sdwaSrc[1], i.sdwaSext & 2))
          << l;
    ASSERT_EQ(m.wave.s64(n & 1 ? 106 : 30), want) << n;
  }
}

/// DPP before an accumulating operation and before one with a carry.
TEST(ValuForms, DppAccumulateAndCarry) {
  Machine m;
  for (unsigned n = 0; n < 40; ++n) {
    m.fill(n);
    for (unsigned r : {4u, 10u, 11u})
      for (unsigned l = 0; l < 64; ++l)
        m.v(r).u[l] = (uint32_t)edgeValues('f')[random64() % 36] & 0x7fbfffff;
    const std::vector<VRow> before = m.rows;
    Inst i = make(Op::v_fmac_f32, Enc::VOP2, vgpr(4), {vgpr(10), vgpr(11)});
    i.dpp = true;
    i.dppCtrl = 0x111 + n % 15;
    i.dppBoundCtrl = true;
    i.neg = n & 3;
    ASSERT_TRUE(m.run(i));
    for (int l = 0; l < 64; ++l) {
      const int s = dppReference(i.dppCtrl, l);
      const uint64_t a = signs(kSingle, s < 0 ? 0 : before[10].u[s], n & 1, false);
      const uint64_t b = signs(kSingle, before[11].u[l], n & 2, false);
      ASSERT_EQ(m.v(4).u[l], fmaExact(kSingle, a, b, before[4].u[l], toNearest)) << n;
    }
    Inst c = make(Op::v_add_co_u32, Enc::VOP2, vgpr(20), {vgpr(21), vgpr(22)});
    c.sdst = sgpr(106, 2);
    c.dpp = true;
    c.dppCtrl = 0x140;
    ASSERT_TRUE(m.run(c));
    for (int l = 0; l < 64; ++l) {
      const uint64_t sum = (uint64_t)before[21].u[dppReference(0x140, l)] + before[22].u[l];
      ASSERT_EQ(m.v(20).u[l], (uint32_t)sum);
      ASSERT_EQ(m.wave.vcc() >> l & 1, sum >> 32);
    }
  }
}

TEST(ValuForms, RelativeIndexing) {
  for (unsigned enables = 0; enables < 16; ++enables) {
    Machine m;
    m.wave.mode |= Mode::gprIdxEn;
    m.wave.s[isa::Sgpr::m0] = enables << 12 | 7;
    const std::vector<VRow> before = m.rows;
    ASSERT_TRUE(m.run(make(Op::v_add3_u32, Enc::VOP3, vgpr(4), {vgpr(20), vgpr(30), vgpr(40)})));
    const unsigned d = enables & 8 ? 11 : 4;
    for (unsigned l = 0; l < 64; ++l)
      EXPECT_EQ(m.v(d).u[l], before[enables & 1 ? 27 : 20].u[l] +
                                 before[enables & 2 ? 37 : 30].u[l] +
                                 before[enables & 4 ? 47 : 40].u[l]);
  }
}

TEST(ValuForms, SpecialSources) {
  Machine m;
  const auto read = [&](uint16_t code) {
    Operand o;
    o.kind = Operand::Kind::special;
    o.index = o.encoded = code;
    EXPECT_TRUE(m.run(make(Op::v_mov_b32, Enc::VOP1, vgpr(4), {o})));
    return m.v(4).u[0];
  };
  m.wave.scc = 1;
  m.wave.vcc() = 0;
  EXPECT_EQ(read(251), 1u); // vccz
  EXPECT_EQ(read(252), 0u); // execz
  EXPECT_EQ(read(253), 1u); // scc
  m.wave.apertures[1] = 0x123456789abcdef0;
  EXPECT_EQ(read(236), 0x9abcdef0u); // src_shared_limit, low half
  m.wave.vcc() = 1ull << 40;
  m.wave.scc = 0;
  EXPECT_EQ(read(251), 0u);
  EXPECT_EQ(read(253), 0u);
}

} // namespace
} // namespace meld::test
