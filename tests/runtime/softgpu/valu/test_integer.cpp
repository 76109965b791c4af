// Integer operations of 16, 32 and 64 bits against scalar pseudo-code of the "Vega" ISA manual,
// chapter 12.
#include "tests/runtime/softgpu/valu/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace meld::test {
namespace {

using U = uint32_t;
using I = int32_t;
using U128 = unsigned __int128;
using I128 = __int128;

I sext(uint64_t x, unsigned bits) { return (I)((U)x << (32 - bits)) >> (32 - bits); }
int16_t s16(uint64_t x) { return (int16_t)x; }

template <class F> Reference two(F f) {
  return [f](Lane &l) { return (uint64_t)f((U)l.a, (U)l.b); };
}
template <class F> Reference three(F f) {
  return [f](Lane &l) { return (uint64_t)f((U)l.a, (U)l.b, (U)l.c); };
}
Inst &clamped(Inst &i) {
  i.clamp = true;
  return i;
}
uint64_t saturateU(I128 x, uint64_t max) { return x < 0 ? 0 : x > (I128)max ? max : (uint64_t)x; }
uint64_t saturateI(I128 x, int64_t min, int64_t max) {
  return (uint64_t)(x < min ? min : x > max ? max : (int64_t)x);
}

TEST(ValuInteger, OneSource) {
  check({Op::v_mov_b32, "u:u", [](Lane &l) { return l.a; }, Enc::VOP1});
  check({Op::v_not_b32, "u:u", [](Lane &l) { return (U)~l.a; }, Enc::VOP1});
  check({Op::v_bfrev_b32, "u:u",
         [](Lane &l) {
           U r = 0;
           for (int k = 0; k < 32; ++k)
             if (l.a >> k & 1)
               r |= 0x80000000u >> k;
           return (uint64_t)r;
         },
         Enc::VOP1});
  check({Op::v_ffbh_u32, "u:u",
         [](Lane &l) {
           for (int k = 31; k >= 0; --k)
             if (l.a >> k & 1)
               return (uint64_t)(31 - k);
           return (uint64_t)0xffffffff;
         },
         Enc::VOP1});
  check({Op::v_ffbl_b32, "u:u",
         [](Lane &l) {
           for (int k = 0; k < 32; ++k)
             if (l.a >> k & 1)
               return (uint64_t)k;
           return (uint64_t)0xffffffff;
         },
         Enc::VOP1});
  check({Op::v_ffbh_i32, "u:u",
         [](Lane &l) {
           for (int k = 30; k >= 0; --k)
             if ((l.a >> k & 1) != (l.a >> 31 & 1))
               return (uint64_t)(31 - k);
           return (uint64_t)0xffffffff;
         },
         Enc::VOP1});
}

TEST(ValuInteger, TwoSources) {
  for (Enc e : {Enc::VOP2, Enc::VOP3}) {
    check({Op::v_add_u32, "u:uu", two([](U a, U b) { return a + b; }), e});
    check({Op::v_sub_u32, "u:uu", two([](U a, U b) { return a - b; }), e});
    check({Op::v_subrev_u32, "u:uu", two([](U a, U b) { return b - a; }), e});
    check({Op::v_and_b32, "u:uu", two([](U a, U b) { return a & b; }), e});
    check({Op::v_or_b32, "u:uu", two([](U a, U b) { return a | b; }), e});
    check({Op::v_xor_b32, "u:uu", two([](U a, U b) { return a ^ b; }), e});
    check({Op::v_xnor_b32, "u:uu", two([](U a, U b) { return ~(a ^ b); }), e});
    check({Op::v_lshlrev_b32, "u:uu", two([](U a, U b) { return b << (a & 31); }), e});
    check({Op::v_lshrrev_b32, "u:uu", two([](U a, U b) { return b >> (a & 31); }), e});
    check({Op::v_ashrrev_i32, "u:uu", two([](U a, U b) { return (U)((I)b >> (a & 31)); }), e});
    check({Op::v_min_i32, "u:uu", two([](U a, U b) { return (U)std::min((I)a, (I)b); }), e});
    check({Op::v_max_i32, "u:uu", two([](U a, U b) { return (U)std::max((I)a, (I)b); }), e});
    check({Op::v_min_u32, "u:uu", two([](U a, U b) { return std::min(a, b); }), e});
    check({Op::v_max_u32, "u:uu", two([](U a, U b) { return std::max(a, b); }), e});
  }
  check({Op::v_add_i32, "u:uu", two([](U a, U b) { return a + b; })});
  check({Op::v_sub_i32, "u:uu", two([](U a, U b) { return a - b; })});
  check({Op::v_mul_lo_u32, "u:uu", two([](U a, U b) { return (U)((uint64_t)a * b); })});
  check({Op::v_mul_hi_u32, "u:uu", two([](U a, U b) { return (U)((uint64_t)a * b >> 32); })});
  check(
      {Op::v_mul_hi_i32, "u:uu", two([](U a, U b) { return (U)(((int64_t)(I)a * (I)b) >> 32); })});
  check({Op::v_mul_i32_i24, "u:uu",
         two([](U a, U b) { return (U)((int64_t)sext(a, 24) * sext(b, 24)); })});
  check({Op::v_mul_hi_i32_i24, "u:uu",
         two([](U a, U b) { return (U)(((int64_t)sext(a, 24) * sext(b, 24)) >> 32); })});
  check({Op::v_mul_u32_u24, "u:uu",
         two([](U a, U b) { return (U)((uint64_t)(a & 0xffffff) * (b & 0xffffff)); })});
  check({Op::v_mul_hi_u32_u24, "u:uu",
         two([](U a, U b) { return (U)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 32); })});
  check({Op::v_bcnt_u32_b32, "u:uu", two([](U a, U b) {
           U n = b;
           for (int k = 0; k < 32; ++k)
             n += a >> k & 1;
           return n;
         })});
  check({Op::v_bfm_b32, "u:uu", two([](U a, U b) { return ((1u << (a & 31)) - 1) << (b & 31); })});
}

TEST(ValuInteger, Clamp) {
  const auto on = [](Inst &i) { clamped(i); };
  check({Op::v_add_u32, "u:uu", two([](U a, U b) { return saturateU((I128)a + b, 0xffffffff); }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_sub_u32, "u:uu", two([](U a, U b) { return saturateU((I128)a - b, 0xffffffff); }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_subrev_u32, "u:uu", two([](U a, U b) { return saturateU((I128)b - a, 0xffffffff); }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_add_i32, "u:uu",
         two([](U a, U b) { return saturateI((I128)(I)a + (I)b, INT32_MIN, INT32_MAX); }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_sub_i32, "u:uu",
         two([](U a, U b) { return saturateI((I128)(I)a - (I)b, INT32_MIN, INT32_MAX); }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_mad_u32_u24, "u:uuu", three([](U a, U b, U c) {
           return saturateU((I128)(a & 0xffffff) * (b & 0xffffff) + c, 0xffffffff);
         }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_mad_i32_i24, "u:uuu", three([](U a, U b, U c) {
           return saturateI((I128)sext(a, 24) * sext(b, 24) + (I)c, INT32_MIN, INT32_MAX);
         }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_add_u16, "s:ss", two([](U a, U b) { return saturateU((I128)a + b, 0xffff); }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_sub_u16, "s:ss", two([](U a, U b) { return saturateU((I128)a - b, 0xffff); }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_add_i16, "s:ss",
         two([](U a, U b) { return saturateI(s16(a) + s16(b), -32768, 32767); }), Enc::VOP3, true,
         kDefaultMode, on});
  check({Op::v_sub_i16, "s:ss",
         two([](U a, U b) { return saturateI(s16(a) - s16(b), -32768, 32767); }), Enc::VOP3, true,
         kDefaultMode, on});
  check({Op::v_mad_u16, "s:sss",
         three([](U a, U b, U c) { return saturateU((I128)a * b + c, 0xffff); }), Enc::VOP3, true,
         kDefaultMode, on});
  check({Op::v_mad_i16, "s:sss", three([](U a, U b, U c) {
           return saturateI((I128)s16(a) * s16(b) + s16(c), -32768, 32767);
         }),
         Enc::VOP3, true, kDefaultMode, on});
  check({Op::v_mad_u32_u16, "u:ssu",
         three([](U a, U b, U c) { return saturateU((I128)a * b + c, 0xffffffff); }), Enc::VOP3,
         false, kDefaultMode, on});
  check({Op::v_mad_i32_i16, "u:ssu", three([](U a, U b, U c) {
           return saturateI((I128)s16(a) * s16(b) + (I)c, INT32_MIN, INT32_MAX);
         }),
         Enc::VOP3, false, kDefaultMode, on});
  check({Op::v_mad_u64_u32, "q+:uuq",
         [](Lane &l) {
           const U128 r = (U128)(U)l.a * (U)l.b + l.c;
           l.carry = r >> 64 != 0;
           return r >> 64 ? ~0ull : (uint64_t)r;
         },
         Enc::VOP3, false, kDefaultMode, on});
}

TEST(ValuInteger, Carries) {
  const auto add = [](uint64_t a, uint64_t b, bool in, bool &out) {
    const uint64_t r = (uint64_t)(U)a + (U)b + in;
    out = r >> 32;
    return r;
  };
  const auto sub = [](uint64_t a, uint64_t b, bool in, bool &out) {
    const int64_t r = (int64_t)(U)a - (int64_t)(U)b - in;
    out = r < 0;
    return (uint64_t)(U)r;
  };
  check({Op::v_add_co_u32, "u+:uu", [=](Lane &l) { return add(l.a, l.b, false, l.carry); },
         Enc::VOP2});
  check({Op::v_sub_co_u32, "u+:uu", [=](Lane &l) { return sub(l.a, l.b, false, l.carry); },
         Enc::VOP2});
  check({Op::v_subrev_co_u32, "u+:uu", [=](Lane &l) { return sub(l.b, l.a, false, l.carry); },
         Enc::VOP2});
  check({Op::v_addc_co_u32, "u+:uum", [=](Lane &l) { return add(l.a, l.b, l.mask, l.carry); }});
  check({Op::v_subb_co_u32, "u+:uum", [=](Lane &l) { return sub(l.a, l.b, l.mask, l.carry); }});
  check({Op::v_subbrev_co_u32, "u+:uum", [=](Lane &l) { return sub(l.b, l.a, l.mask, l.carry); }});
  check({Op::v_cndmask_b32, "u:uum", [](Lane &l) { return l.mask ? l.b : l.a; }});
}

TEST(ValuInteger, ThreeSources) {
  check({Op::v_lshl_add_u32, "u:uuu", three([](U a, U b, U c) { return (a << (b & 31)) + c; })});
  check({Op::v_add_lshl_u32, "u:uuu", three([](U a, U b, U c) { return (a + b) << (c & 31); })});
  check({Op::v_add3_u32, "u:uuu", three([](U a, U b, U c) { return a + b + c; })});
  check({Op::v_lshl_or_b32, "u:uuu", three([](U a, U b, U c) { return (a << (b & 31)) | c; })});
  check({Op::v_and_or_b32, "u:uuu", three([](U a, U b, U c) { return (a & b) | c; })});
  check({Op::v_or3_b32, "u:uuu", three([](U a, U b, U c) { return a | b | c; })});
  check({Op::v_xad_u32, "u:uuu", three([](U a, U b, U c) { return (a ^ b) + c; })});
  check({Op::v_bfe_u32, "u:uuu", three([](U a, U b, U c) {
           U r = 0;
           for (U k = 0; k < (c & 31) && (b & 31) + k < 32; ++k)
             r |= (a >> ((b & 31) + k) & 1) << k;
           return r;
         })});
  check({Op::v_bfe_i32, "u:uuu", three([](U a, U b, U c) {
           const U off = b & 31, width = c & 31;
           if (!width)
             return 0u;
           if (off + width >= 32)
             return (U)((I)a >> off);
           return (U)((I)(a << (32 - off - width)) >> (32 - width));
         })});
  check({Op::v_bfi_b32, "u:uuu", three([](U a, U b, U c) { return (a & b) | (~a & c); })});
  check({Op::v_alignbit_b32, "u:uuu",
         three([](U a, U b, U c) { return (U)(((uint64_t)a << 32 | b) >> (c & 31)); })});
  check({Op::v_alignbyte_b32, "u:uuu",
         three([](U a, U b, U c) { return (U)(((uint64_t)a << 32 | b) >> 8 * (c & 3)); })});
  const auto sorted = [](auto a, auto b, auto c, int k) {
    decltype(a) x[] = {a, b, c};
    std::sort(x, x + 3);
    return (U)x[k];
  };
  const Op unsignedOps[] = {Op::v_min3_u32, Op::v_med3_u32, Op::v_max3_u32};
  const Op signedOps[] = {Op::v_min3_i32, Op::v_med3_i32, Op::v_max3_i32};
  const Op unsigned16[] = {Op::v_min3_u16, Op::v_med3_u16, Op::v_max3_u16};
  const Op signed16[] = {Op::v_min3_i16, Op::v_med3_i16, Op::v_max3_i16};
  for (int k = 0; k < 3; ++k) {
    check({unsignedOps[k], "u:uuu", three([=](U a, U b, U c) { return sorted(a, b, c, k); })});
    check(
        {signedOps[k], "u:uuu", three([=](U a, U b, U c) { return sorted((I)a, (I)b, (I)c, k); })});
    check({unsigned16[k], "s:sss", three([=](U a, U b, U c) { return sorted(a, b, c, k); }),
           Enc::VOP3, true});
    check({signed16[k], "s:sss",
           three([=](U a, U b, U c) { return sorted(s16(a), s16(b), s16(c), k); }), Enc::VOP3,
           true});
  }
  check({Op::v_mad_u32_u24, "u:uuu",
         three([](U a, U b, U c) { return (U)((uint64_t)(a & 0xffffff) * (b & 0xffffff) + c); })});
  check({Op::v_mad_i32_i24, "u:uuu",
         three([](U a, U b, U c) { return (U)((int64_t)sext(a, 24) * sext(b, 24) + c); })});
  check({Op::v_mad_u32_u16, "u:ssu", three([](U a, U b, U c) { return a * b + c; })});
  check(
      {Op::v_mad_i32_i16, "u:ssu", three([](U a, U b, U c) { return (U)(s16(a) * s16(b)) + c; })});
}

TEST(ValuInteger, SixtyFour) {
  check({Op::v_lshlrev_b64, "q:uq", [](Lane &l) { return l.b << (l.a & 63); }});
  check({Op::v_lshrrev_b64, "q:uq", [](Lane &l) { return l.b >> (l.a & 63); }});
  check(
      {Op::v_ashrrev_i64, "q:uq", [](Lane &l) { return (uint64_t)((int64_t)l.b >> (l.a & 63)); }});
  check({Op::v_mad_u64_u32, "q+:uuq", [](Lane &l) {
           const U128 r = (U128)(U)l.a * (U)l.b + l.c;
           l.carry = r >> 64 != 0;
           return (uint64_t)r;
         }});
  check({Op::v_mad_i64_i32, "q+:uuq", [](Lane &l) {
           const I128 r = (I128)(I)l.a * (I)l.b + (int64_t)l.c;
           l.carry = r != (int64_t)r;
           return (uint64_t)r;
         }});
}

TEST(ValuInteger, Sixteen) {
  check({Op::v_add_u16, "s:ss", two([](U a, U b) { return a + b; }), Enc::VOP2});
  check({Op::v_sub_u16, "s:ss", two([](U a, U b) { return a - b; }), Enc::VOP2});
  check({Op::v_subrev_u16, "s:ss", two([](U a, U b) { return b - a; }), Enc::VOP2});
  check({Op::v_mul_lo_u16, "s:ss", two([](U a, U b) { return a * b; }), Enc::VOP2});
  check({Op::v_lshlrev_b16, "s:ss", two([](U a, U b) { return b << (a & 15); }), Enc::VOP2});
  check({Op::v_lshrrev_b16, "s:ss", two([](U a, U b) { return b >> (a & 15); }), Enc::VOP2});
  check({Op::v_ashrrev_i16, "s:ss", two([](U a, U b) { return (U)(s16(b) >> (a & 15)); }),
         Enc::VOP2});
  check({Op::v_min_u16, "s:ss", two([](U a, U b) { return std::min(a, b); }), Enc::VOP2});
  check({Op::v_max_u16, "s:ss", two([](U a, U b) { return std::max(a, b); }), Enc::VOP2});
  check({Op::v_min_i16, "s:ss", two([](U a, U b) { return (U)std::min(s16(a), s16(b)); }),
         Enc::VOP2});
  check({Op::v_max_i16, "s:ss", two([](U a, U b) { return (U)std::max(s16(a), s16(b)); }),
         Enc::VOP2});
  check({Op::v_add_i16, "s:ss", two([](U a, U b) { return a + b; }), Enc::VOP3, true});
  check({Op::v_sub_i16, "s:ss", two([](U a, U b) { return a - b; }), Enc::VOP3, true});
  const auto mad = three([](U a, U b, U c) { return a * b + c; });
  check({Op::v_mad_u16, "s:sss", mad, Enc::VOP3, true});
  check({Op::v_mad_i16, "s:sss", mad, Enc::VOP3, true});
  check({Op::v_mad_legacy_u16, "s:sss", mad});
  check({Op::v_mad_legacy_i16, "s:sss", mad});
  check({Op::v_pack_b32_f16, "u:hh", two([](U a, U b) { return (a & 0xffff) | b << 16; })});
}

TEST(ValuInteger, Bytes) {
  const auto byte = [](uint64_t x, int k) { return (U)(x >> 8 * k & 0xff); };
  const auto sad = [=](uint64_t a, uint64_t b, bool masked) {
    U s = 0;
    for (int k = 0; k < 4; ++k)
      if (!(masked && byte(b, k) == 0))
        s += (U)std::abs((int)byte(a, k) - (int)byte(b, k));
    return s;
  };
  check({Op::v_sad_u8, "u:uuu", three([=](U a, U b, U c) { return sad(a, b, false) + c; })});
  check({Op::v_sad_hi_u8, "u:uuu",
         three([=](U a, U b, U c) { return (sad(a, b, false) << 16) + c; })});
  check({Op::v_msad_u8, "u:uuu", three([=](U a, U b, U c) { return sad(a, b, true) + c; })});
  check({Op::v_sad_u16, "u:uuu", three([](U a, U b, U c) {
           return (U)std::abs((int)(a & 0xffff) - (int)(b & 0xffff)) +
                  (U)std::abs((int)(a >> 16) - (int)(b >> 16)) + c;
         })});
  check({Op::v_sad_u32, "u:uuu", three([](U a, U b, U c) { return (a > b ? a - b : b - a) + c; })});
  check({Op::v_lerp_u8, "u:uuu", three([=](U a, U b, U c) {
           U r = 0;
           for (int k = 0; k < 4; ++k)
             r |= ((byte(a, k) + byte(b, k) + (byte(c, k) & 1)) >> 1) << 8 * k;
           return r;
         })});
  check({Op::v_perm_b32, "u:uuu", [=](Lane &l) {
           uint8_t in[8];
           for (int k = 0; k < 4; ++k) {
             in[k] = (uint8_t)byte(l.b, k);
             in[4 + k] = (uint8_t)byte(l.a, k);
           }
           U r = 0;
           for (int k = 0; k < 4; ++k) {
             const U s = byte(l.c, k);
             U x;
             if (s < 8)
               x = in[s];
             else if (s == 8)
               x = in[1] & 0x80 ? 255 : 0;
             else if (s == 9)
               x = in[3] & 0x80 ? 255 : 0;
             else if (s == 10)
               x = in[5] & 0x80 ? 255 : 0;
             else if (s == 11)
               x = in[7] & 0x80 ? 255 : 0;
             else
               x = s == 12 ? 0 : 255;
             r |= x << 8 * k;
           }
           return (uint64_t)r;
         }});
  for (bool masked : {false, true})
    check({masked ? Op::v_mqsad_pk_u16_u8 : Op::v_qsad_pk_u16_u8, "q:quq", [=](Lane &l) {
             uint64_t r = 0;
             for (int k = 0; k < 4; ++k)
               r |= (((l.c >> 16 * k) + sad((U)(l.a >> 8 * k), (U)l.b, masked)) & 0xffff) << 16 * k;
             return r;
           }});
}

} // namespace
} // namespace meld::test
