// VOP3P: packed 16-bit and f32 operations, mixed-precision multiply-adds, dot products.
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace meld::test {
namespace {

using namespace softgpu;

struct Modifiers {
  unsigned opSel = 0, opSelHi = 7, negLo = 0, negHi = 0;
  bool clamp = false;
};
Modifiers randomModifiers() {
  const uint64_t r = random64();
  return {(unsigned)(r & 7), (unsigned)(r >> 8 & 7), (unsigned)(r >> 16 & 7),
          (unsigned)(r >> 24 & 7), (r >> 32 & 3) == 0};
}

using Half = std::function<uint64_t(uint64_t, uint64_t, uint64_t)>;

/// `fn` works on one 16-bit element; `isFloat` says whether neg applies; `clampTo` saturates.
void checkPacked(Op op, unsigned sources, bool isFloat, const Half &fn,
                 const std::function<uint64_t(uint64_t, uint64_t, uint64_t)> &clamped,
                 uint32_t mode = kDefaultMode) {
  SCOPED_TRACE(nameOf(op));
  Machine m;
  m.wave.mode = mode;
  for (int n = 0; n < 400; ++n) {
    m.fill((uint32_t)n);
    const auto &edges = edgeValues(isFloat ? 'h' : 's');
    for (unsigned k = 0; k < 3; ++k)
      for (unsigned l = 0; l < 64; ++l)
        if (n & 1)
          m.v(10 + k).u[l] = (uint32_t)((edges[random64() % edges.size()] & 0xffff) |
                                        edges[random64() % edges.size()] << 16);
    const Modifiers mod = n < 4 ? Modifiers{} : randomModifiers();
    std::vector<Operand> src;
    for (unsigned k = 0; k < sources; ++k)
      src.push_back(vgpr(10 + k));
    uint32_t scalar = (uint32_t)random64();
    if (n % 7 == 3) {
      src[1] = sgpr(20);
      m.wave.s[20] = scalar;
    }
    Inst i = make(op, Enc::VOP3P, vgpr(4), src);
    i.opSel = (uint8_t)mod.opSel;
    i.opSelHi = (uint8_t)mod.opSelHi;
    i.neg = (uint8_t)mod.negLo;
    i.abs = (uint8_t)mod.negHi;
    i.clamp = mod.clamp;
    const uint64_t exec = m.wave.exec() = n % 3 ? ~0ull : random64();
    const std::vector<VRow> before = m.rows;
    ASSERT_TRUE(m.run(i));
    for (unsigned l = 0; l < 64; ++l) {
      uint32_t want = 0;
      for (unsigned h = 0; h < 2; ++h) {
        uint64_t x[3];
        for (unsigned k = 0; k < 3; ++k) {
          const uint32_t raw = n % 7 == 3 && k == 1 ? scalar : before[10 + k].u[l];
          x[k] = raw >> ((h ? mod.opSelHi : mod.opSel) >> k & 1 ? 16 : 0) & 0xffff;
          if (isFloat && ((h ? mod.negHi : mod.negLo) >> k & 1))
            x[k] ^= 0x8000;
        }
        const uint64_t r = (mod.clamp ? clamped : fn)(x[0], x[1], x[2]) & 0xffff;
        want |= (uint32_t)r << 16 * h;
      }
      if (!(exec >> l & 1))
        want = before[4].u[l];
      ASSERT_EQ(m.v(4).u[l], want) << std::hex << "round " << n << " lane " << l << " sel "
                                   << mod.opSel << "/" << mod.opSelHi << " a=" << before[10].u[l]
                                   << " b=" << before[11].u[l] << " c=" << before[12].u[l];
    }
  }
}

int16_t s(uint64_t x) { return (int16_t)x; }
uint64_t satU(int64_t x) { return (uint64_t)std::clamp<int64_t>(x, 0, 65535); }
uint64_t satI(int64_t x) { return (uint64_t)std::clamp<int64_t>(x, -32768, 32767); }

TEST(ValuPacked, Integers) {
#define SIGNED(EXPR)                                                                               \
  [](uint64_t a, uint64_t b, uint64_t c) {                                                         \
    (void)c;                                                                                       \
    return (uint64_t)(EXPR);                                                                       \
  }
  checkPacked(Op::v_pk_add_u16, 2, false, SIGNED(a + b), SIGNED(satU((int64_t)(a + b))));
  checkPacked(Op::v_pk_sub_u16, 2, false, SIGNED(a - b), SIGNED(satU((int64_t)a - (int64_t)b)));
  checkPacked(Op::v_pk_add_i16, 2, false, SIGNED(a + b), SIGNED(satI(s(a) + s(b))));
  checkPacked(Op::v_pk_sub_i16, 2, false, SIGNED(a - b), SIGNED(satI(s(a) - s(b))));
  checkPacked(Op::v_pk_mad_u16, 3, false, SIGNED(a * b + c), SIGNED(satU((int64_t)(a * b + c))));
  checkPacked(Op::v_pk_mad_i16, 3, false, SIGNED(a * b + c),
              SIGNED(satI((int64_t)s(a) * s(b) + s(c))));
  const auto plain = [](Op op, const Half &fn) { checkPacked(op, 2, false, fn, fn); };
  plain(Op::v_pk_mul_lo_u16, SIGNED(a * b));
  plain(Op::v_pk_lshlrev_b16, SIGNED(b << (a & 15)));
  plain(Op::v_pk_lshrrev_b16, SIGNED(b >> (a & 15)));
  plain(Op::v_pk_ashrrev_i16, SIGNED(s(b) >> (a & 15)));
  plain(Op::v_pk_max_i16, SIGNED(std::max(s(a), s(b))));
  plain(Op::v_pk_min_i16, SIGNED(std::min(s(a), s(b))));
  plain(Op::v_pk_max_u16, SIGNED(std::max(a, b)));
  plain(Op::v_pk_min_u16, SIGNED(std::min(a, b)));
}

uint64_t clampHalf(uint64_t x) {
  if (kHalf.isNan(x) || (x & 0x8000))
    return 0;
  return std::min<uint64_t>(x, 0x3c00);
}
TEST(ValuPacked, Halves) {
  const auto both = [](Op op, unsigned n, const Half &fn) {
    checkPacked(op, n, true, fn,
                [fn](uint64_t a, uint64_t b, uint64_t c) { return clampHalf(fn(a, b, c)); });
  };
  both(Op::v_pk_add_f16, 2,
       [](uint64_t a, uint64_t b, uint64_t) { return addExact(kHalf, a, b, toNearest); });
  both(Op::v_pk_mul_f16, 2,
       [](uint64_t a, uint64_t b, uint64_t) { return mulExact(kHalf, a, b, toNearest); });
  both(Op::v_pk_fma_f16, 3,
       [](uint64_t a, uint64_t b, uint64_t c) { return fmaExact(kHalf, a, b, c, toNearest); });
  const auto extreme = [](bool max) {
    return [max](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
      for (uint64_t x : {a, b})
        if (kHalf.isNan(x) && !(x & 0x200))
          return x | 0x200; // IEEE mode
      if (kHalf.isNan(a))
        return kHalf.isNan(b) ? b : b;
      if (kHalf.isNan(b))
        return a;
      const auto key = [](uint64_t x) { return x & 0x8000 ? -(int)(x & 0x7fff) - 1 : (int)x; };
      return (key(a) < key(b)) != max ? a : b;
    };
  };
  both(Op::v_pk_min_f16, 2, extreme(false));
  both(Op::v_pk_max_f16, 2, extreme(true));
}
/// MODE.FP16_OVFL, see ValuFloat.HalvesThatAreTooLarge.
TEST(ValuPacked, HalvesThatAreTooLarge) {
  const Half sum = [](uint64_t a, uint64_t b, uint64_t) {
    const uint64_t r = addExact(kHalf, a, b, toNearest);
    return kHalf.isInf(r) && !kHalf.isInf(a) && !kHalf.isInf(b) ? r - 1 : r;
  };
  const auto clamped = [&](uint64_t a, uint64_t b, uint64_t c) { return clampHalf(sum(a, b, c)); };
  checkPacked(Op::v_pk_add_f16, 2, true, sum, clamped, kDefaultMode | Mode::fp16Ovfl);
  Machine m;
  m.wave.mode = kDefaultMode | Mode::fp16Ovfl;
  const uint32_t large = 0x47fff000, infinite = 0xff800000; // 131040, -infinity
  m.v(10).u[0] = large, m.v(11).u[0] = large, m.v(12).u[0] = 0;
  m.v(10).u[1] = large, m.v(11).u[1] = infinite, m.v(12).u[1] = 0;
  ASSERT_TRUE(
      m.run(make(Op::v_fma_mixhi_f16, Enc::VOP3P, vgpr(4), {vgpr(10), vgpr(11), vgpr(12)})));
  EXPECT_EQ(m.v(4).u[0] >> 16, 0x7bffu);
  EXPECT_EQ(m.v(4).u[1] >> 16, 0xfc00u);
}

TEST(ValuPacked, FmacVop2) {
  Machine m;
  m.fill(5);
  const std::vector<VRow> before = m.rows;
  ASSERT_TRUE(m.run(make(Op::v_pk_fmac_f16, Enc::VOP2, vgpr(4), {vgpr(10), vgpr(11)})));
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned h = 0; h < 32; h += 16)
      EXPECT_EQ(m.v(4).u[l] >> h & 0xffff,
                fmaExact(kHalf, before[10].u[l] >> h & 0xffff, before[11].u[l] >> h & 0xffff,
                         before[4].u[l] >> h & 0xffff, toNearest));
}

TEST(ValuPacked, Singles) { // gfx90a
  Machine m;
  for (int n = 0; n < 600; ++n) {
    m.fill((uint32_t)n);
    const auto &edges = edgeValues('f');
    for (unsigned k = 10; k < 16; ++k)
      for (unsigned l = 0; l < 64; ++l)
        m.v(k).u[l] = (uint32_t)edges[random64() % edges.size()];
    const Op op = n % 3 == 0 ? Op::v_pk_add_f32 : n % 3 == 1 ? Op::v_pk_mul_f32 : Op::v_pk_fma_f32;
    const Modifiers mod = n < 3 ? Modifiers{} : randomModifiers();
    std::vector<Operand> src = {vgpr(10, 2), vgpr(12, 2)};
    if (op == Op::v_pk_fma_f32)
      src.push_back(vgpr(14, 2));
    Inst i = make(op, Enc::VOP3P, vgpr(n % 5 ? 4 : 11, 2), src); // at times over both sources
    i.opSel = (uint8_t)mod.opSel;
    i.opSelHi = (uint8_t)mod.opSelHi;
    i.neg = (uint8_t)mod.negLo;
    i.abs = (uint8_t)mod.negHi;
    const std::vector<VRow> before = m.rows;
    ASSERT_TRUE(m.run(i));
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned h = 0; h < 2; ++h) {
        uint64_t x[3];
        for (unsigned k = 0; k < 3; ++k) {
          x[k] = before[10 + 2 * k + ((h ? mod.opSelHi : mod.opSel) >> k & 1)].u[l];
          if ((h ? mod.negHi : mod.negLo) >> k & 1)
            x[k] ^= 0x80000000;
        }
        const uint64_t want = op == Op::v_pk_add_f32 ? addExact(kSingle, x[0], x[1], toNearest)
                              : op == Op::v_pk_mul_f32
                                  ? mulExact(kSingle, x[0], x[1], toNearest)
                                  : fmaExact(kSingle, x[0], x[1], x[2], toNearest);
        ASSERT_EQ(m.v(i.dst.index + h).u[l], want) << n;
      }
  }
  for (unsigned sel = 0; sel < 4; ++sel) {
    m.fill(sel);
    const std::vector<VRow> before = m.rows;
    Inst i = make(Op::v_pk_mov_b32, Enc::VOP3P, vgpr(10, 2), {vgpr(10, 2), vgpr(12, 2)});
    i.opSel = (uint8_t)sel;
    ASSERT_TRUE(m.run(i));
    for (unsigned l = 0; l < 64; ++l) {
      EXPECT_EQ(m.v(10).u[l], before[sel & 1 ? 11 : 10].u[l]);
      EXPECT_EQ(m.v(11).u[l], before[sel & 2 ? 13 : 12].u[l]);
    }
  }
}

TEST(ValuPacked, Mix) {
  Machine m;
  for (Op op : {Op::v_fma_mix_f32, Op::v_fma_mixlo_f16, Op::v_fma_mixhi_f16, Op::v_mad_mix_f32,
                Op::v_mad_mixlo_f16, Op::v_mad_mixhi_f16}) {
    SCOPED_TRACE(nameOf(op));
    const bool fused =
        op == Op::v_fma_mix_f32 || op == Op::v_fma_mixlo_f16 || op == Op::v_fma_mixhi_f16;
    const bool low = op == Op::v_fma_mixlo_f16 || op == Op::v_mad_mixlo_f16,
               high = op == Op::v_fma_mixhi_f16 || op == Op::v_mad_mixhi_f16;
    for (int n = 0; n < 300; ++n) {
      m.fill((uint32_t)n);
      for (unsigned k = 10; k < 13; ++k)
        for (unsigned l = 0; l < 64; ++l)
          if (random64() & 1) {
            const auto &e = edgeValues('h');
            m.v(k).u[l] =
                (uint32_t)((e[random64() % e.size()] & 0xffff) | e[random64() % e.size()] << 16);
          } else {
            const auto &e = edgeValues('f');
            m.v(k).u[l] = (uint32_t)e[random64() % e.size()];
          }
      const Modifiers mod = randomModifiers();
      Inst i = make(op, Enc::VOP3P, vgpr(4), {vgpr(10), vgpr(11), vgpr(12)});
      i.opSel = (uint8_t)mod.opSel;
      i.opSelHi = (uint8_t)mod.opSelHi;
      i.neg = (uint8_t)mod.negLo;
      i.abs = (uint8_t)mod.negHi;
      const std::vector<VRow> before = m.rows;
      ASSERT_TRUE(m.run(i));
      for (unsigned l = 0; l < 64; ++l) {
        uint64_t x[3];
        for (unsigned k = 0; k < 3; ++k) {
          x[k] = before[10 + k].u[l];
          if (mod.opSelHi >> k & 1)
            x[k] =
                convert(kHalf, kSingle, x[k] >> (mod.opSel >> k & 1 ? 16 : 0) & 0xffff, toNearest);
          if (mod.negHi >> k & 1)
            x[k] &= 0x7fffffff;
          if (mod.negLo >> k & 1)
            x[k] ^= 0x80000000;
        }
        uint64_t r;
        if (fused) {
          r = fmaExact(kSingle, x[0], x[1], x[2], toNearest);
        } else {
          for (uint64_t &y : x)
            y = flushDenormal(kSingle, y);
          const uint64_t p = flushDenormal(kSingle, mulExact(kSingle, x[0], x[1], toNearest));
          r = flushDenormal(kSingle, addExact(kSingle, p, x[2], toNearest));
          for (unsigned k = 3; k-- > 0;)
            if (kSingle.isNan(x[k]))
              r = x[k] | kSingle.quietBit();
        }
        uint64_t want = r;
        if (low)
          want = convert(kSingle, kHalf, r, toNearest) | (before[4].u[l] & 0xffff0000);
        if (high)
          want = convert(kSingle, kHalf, r, toNearest) << 16 | (before[4].u[l] & 0xffff);
        ASSERT_EQ(m.v(4).u[l], want) << std::hex << x[0] << " " << x[1] << " " << x[2];
      }
    }
  }
}

/// Integer dot products in 128-bit arithmetic.
void checkDot(Op op, unsigned bits, bool isSigned, bool accumulates, bool clamp) {
  SCOPED_TRACE(nameOf(op));
  const auto reference = [=](Lane &l) {
    const auto element = [&](uint64_t x, unsigned k) -> int64_t {
      const int64_t v = (int64_t)(x >> bits * k & ((1ull << bits) - 1));
      return isSigned && v >> (bits - 1) ? v - (1ll << bits) : v;
    };
    __int128 sum = isSigned ? (__int128)(int32_t)l.c : (__int128)(uint32_t)l.c;
    for (unsigned k = 0; k < 32 / bits; ++k)
      sum += (__int128)element(l.a, k) * element(l.b, k);
    if (clamp)
      sum = isSigned ? std::clamp<__int128>(sum, INT32_MIN, INT32_MAX)
                     : std::clamp<__int128>(sum, 0, UINT32_MAX);
    return (uint64_t)(uint32_t)sum;
  };
  check({op, accumulates ? "u:uu" : "u:uuu", reference, accumulates ? Enc::VOP2 : Enc::VOP3P, false,
         kDefaultMode, [=](Inst &i) {
           i.clamp = clamp;
           if (!accumulates)
             i.opSelHi = 7;
         }});
}
TEST(ValuPacked, IntegerDot) {
  for (bool clamp : {false, true}) {
    checkDot(Op::v_dot2_i32_i16, 16, true, false, clamp);
    checkDot(Op::v_dot2_u32_u16, 16, false, false, clamp);
    checkDot(Op::v_dot4_i32_i8, 8, true, false, clamp);
    checkDot(Op::v_dot4_u32_u8, 8, false, false, clamp);
    checkDot(Op::v_dot8_i32_i4, 4, true, false, clamp);
    checkDot(Op::v_dot8_u32_u4, 4, false, false, clamp);
  }
  checkDot(Op::v_dot2c_i32_i16, 16, true, true, false);
  checkDot(Op::v_dot4c_i32_i8, 8, true, true, false);
  checkDot(Op::v_dot8c_i32_i4, 4, true, true, false);
}
TEST(ValuPacked, FloatDot) {
  const auto reference = [](bool flushes, bool flushesSum) {
    return [=](Lane &l) {
      uint64_t sum = l.c & 0xffffffff;
      for (unsigned h = 0; h < 32; h += 16) {
        uint64_t x = l.a >> h & 0xffff, y = l.b >> h & 0xffff;
        if (flushes) {
          x = flushDenormal(kHalf, x);
          y = flushDenormal(kHalf, y);
        }
        x = convert(kHalf, kSingle, x, toNearest);
        y = convert(kHalf, kSingle, y, toNearest);
        // The accumulator's NaN comes first, then the product's.
        sum = addExact(kSingle, sum, mulExact(kSingle, x, y, toNearest), toNearest);
      }
      return flushesSum ? flushDenormal(kSingle, sum) : sum;
    };
  };
  const auto plain = [](Inst &i) { i.opSelHi = 7; };
  check({Op::v_dot2_f32_f16, "f:uuf", reference(true, true), Enc::VOP3P, false, kDefaultMode, plain,
         Target::gfx90a, false});
  check({Op::v_dot2_f32_f16, "f:uuf", reference(false, false), Enc::VOP3P, false, kDefaultMode,
         plain, Target::gfx906});
  // -2^-24 * 2^-14 is -2^-38 on gfx950, whatever MODE says, and 0 on gfx90a (measured, LLVM's pull request 205101).
  for (Target target : {Target::gfx942, Target::gfx950}) {
    check({Op::v_dot2_f32_f16, "f:uuf", reference(false, true), Enc::VOP3P, false, kDefaultMode,
           plain, target});
    check({Op::v_dot2c_f32_f16,
           "f:uu",
           reference(false, true),
           Enc::VOP2,
           false,
           kDefaultMode,
           {},
           target});
  }
  for (uint32_t mode : {kDefaultMode, kDefaultMode & ~uint32_t(Mode::ieee), kDefaultMode & ~0xf0u})
    for (Target target : {Target::gfx90a, Target::gfx950}) {
      Machine m;
      m.wave.setMode(mode);
      m.v(1).u[0] = 0x8001;
      m.v(2).u[0] = 0x0400;
      m.v(3).u[0] = 0;
      ASSERT_TRUE(m.run(make(Op::v_dot2c_f32_f16, Enc::VOP2, vgpr(3), {vgpr(1), vgpr(2)}), target));
      EXPECT_EQ(m.v(3).u[0], target == Target::gfx90a ? 0u : 0xac800000u);
    }
  // LLVM writes a negated accumulator so (`fneg` before llvm.amdgcn.fdot2, LLVM 15 and 19).
  const auto negated = [](Inst &i) {
    i.opSelHi = 7;
    i.neg = i.abs = 4;
  };
  for (Target target : {Target::gfx906, Target::gfx908})
    check({Op::v_dot2_f32_f16, "f:uuu",
           [=](Lane &l) {
             Lane other = l;
             other.c ^= 0x80000000;
             return reference(false, false)(other);
           },
           Enc::VOP3P, false, kDefaultMode, negated, target});
  check({Op::v_dot2c_f32_f16,
         "f:uu",
         reference(false, false),
         Enc::VOP2,
         false,
         kDefaultMode,
         {},
         Target::gfx908});
  for (Target target : kRdnaTargets) {
    check({Op::v_dot2_f32_f16, "f:uuf", reference(false, false), Enc::VOP3P, false, kDefaultMode,
           plain, target});
    check({Op::v_dot2c_f32_f16,
           "f:uu",
           reference(false, false),
           Enc::VOP2,
           false,
           kDefaultMode,
           {},
           target});
  }
}

} // namespace
} // namespace meld::test
