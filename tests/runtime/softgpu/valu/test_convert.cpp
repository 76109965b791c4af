// Conversions between integers and floats: saturation, NaN, rounding modes.
#include "tests/runtime/softgpu/valu/harness.h"
#include "tests/runtime/softgpu/valu/softfloat.h"

#include <gtest/gtest.h>

#include <cmath>

namespace meld::test {
namespace {

using namespace softgpu;

uint32_t modeWith(unsigned rounding) { return kDefaultMode | rounding | rounding << 2; }

/// Truncates (or floors) to an integer and saturates; NaN gives 0.
int64_t toInteger(Format f, uint64_t x, int64_t min, int64_t max, bool floors = false) {
  if (f.isNan(x))
    return 0;
  const bool negative = x & f.sign();
  if (f.isInf(x))
    return negative ? min : max;
  const Exact e = unpack(f, x);
  if (e.m != 0 && 127 - 60 < e.e) // far beyond any integer
    return negative ? min : max;
  __int128 v;
  if (e.e >= 0) {
    if (e.e > 60)
      return negative ? min : max;
    v = (__int128)e.m << e.e;
  } else {
    const int s = e.e < -126 ? 126 : -e.e;
    v = (__int128)(e.m >> s);
    const bool rest = e.m & (((unsigned __int128)1 << s) - 1);
    if (floors && negative && rest)
      v += 1;
  }
  if (negative)
    v = -v;
  return v < min ? min : v > max ? max : (int64_t)v;
}
double valueOf(Format f, uint64_t x) { // finite
  const Exact e = unpack(f, x);
  const double v = std::ldexp((double)(uint64_t)e.m, e.e);
  return e.negative ? -v : v;
}
uint32_t low(int64_t x) { return (uint32_t)x; }

TEST(ValuConvert, ToInteger) {
  for (unsigned r = 0; r < 4; ++r) {
    const uint32_t mode = modeWith(r);
    check({Op::v_cvt_i32_f32, "u:f",
           [](Lane &l) { return low(toInteger(kSingle, l.a, INT32_MIN, INT32_MAX)); }, Enc::VOP1,
           false, mode});
    check({Op::v_cvt_u32_f32, "u:f",
           [](Lane &l) { return low(toInteger(kSingle, l.a, 0, UINT32_MAX)); }, Enc::VOP1, false,
           mode});
    check({Op::v_cvt_i32_f64, "u:d",
           [](Lane &l) { return low(toInteger(kDouble, l.a, INT32_MIN, INT32_MAX)); }, Enc::VOP1,
           false, mode});
    check({Op::v_cvt_u32_f64, "u:d",
           [](Lane &l) { return low(toInteger(kDouble, l.a, 0, UINT32_MAX)); }, Enc::VOP1, false,
           mode});
    check({Op::v_cvt_i16_f16, "s:h",
           [](Lane &l) { return low(toInteger(kHalf, l.a, -32768, 32767)); }, Enc::VOP1, false,
           mode});
    check({Op::v_cvt_u16_f16, "s:h", [](Lane &l) { return low(toInteger(kHalf, l.a, 0, 65535)); },
           Enc::VOP1, false, mode});
    check({Op::v_cvt_flr_i32_f32, "u:f",
           [](Lane &l) { return low(toInteger(kSingle, l.a, INT32_MIN, INT32_MAX, true)); },
           Enc::VOP1, false, mode});
    check({Op::v_cvt_rpi_i32_f32, "u:f",
           [](Lane &l) {
             if (kSingle.isNan(l.a) || kSingle.isInf(l.a))
               return low(toInteger(kSingle, l.a, INT32_MIN, INT32_MAX));
             const long double v = std::floor((long double)valueOf(kSingle, l.a) + 0.5L);
             return (uint32_t)(v < -2147483648.0L  ? INT32_MIN
                               : v > 2147483647.0L ? INT32_MAX
                                                   : (int32_t)v);
           },
           Enc::VOP1, false, mode});
  }
}

TEST(ValuConvert, FromInteger) {
  for (unsigned r = 0; r < 4; ++r) {
    const uint32_t mode = modeWith(r);
    const auto from = [=](Format f, auto value) {
      return [=](Lane &l) { return fromInteger(f, (int64_t)value(l.a), (Rounding)r); };
    };
    check({Op::v_cvt_f32_i32, "f:u", from(kSingle, [](uint64_t x) { return (int32_t)x; }),
           Enc::VOP1, false, mode});
    check({Op::v_cvt_f32_u32, "f:u", from(kSingle, [](uint64_t x) { return (uint32_t)x; }),
           Enc::VOP1, false, mode});
    check({Op::v_cvt_f64_i32, "d:u", from(kDouble, [](uint64_t x) { return (int32_t)x; }),
           Enc::VOP1, false, mode});
    check({Op::v_cvt_f64_u32, "d:u", from(kDouble, [](uint64_t x) { return (uint32_t)x; }),
           Enc::VOP1, false, mode});
    check({Op::v_cvt_f16_i16, "h:s", from(kHalf, [](uint64_t x) { return (int16_t)x; }), Enc::VOP1,
           false, mode});
    check({Op::v_cvt_f16_u16, "h:s", from(kHalf, [](uint64_t x) { return (uint16_t)x; }), Enc::VOP1,
           false, mode});
  }
  check({Op::v_cvt_f32_ubyte0, "f:u",
         [](Lane &l) { return fromInteger(kSingle, l.a & 255, toNearest); }, Enc::VOP1});
  check({Op::v_cvt_f32_ubyte1, "f:u",
         [](Lane &l) { return fromInteger(kSingle, l.a >> 8 & 255, toNearest); }, Enc::VOP1});
  check({Op::v_cvt_f32_ubyte2, "f:u",
         [](Lane &l) { return fromInteger(kSingle, l.a >> 16 & 255, toNearest); }, Enc::VOP1});
  check({Op::v_cvt_f32_ubyte3, "f:u",
         [](Lane &l) { return fromInteger(kSingle, l.a >> 24 & 255, toNearest); }, Enc::VOP1});
  check({Op::v_cvt_off_f32_i4, "f:u",
         [](Lane &l) {
           Exact e; // the signed nibble over 16
           const int n = (int)(l.a & 15) - (l.a & 8 ? 16 : 0);
           e.negative = n < 0;
           e.m = (unsigned)std::abs(n);
           e.e = -4;
           return round(kSingle, e, toNearest);
         },
         Enc::VOP1});
}

TEST(ValuConvert, BetweenFloats) {
  for (unsigned r = 0; r < 4; ++r) {
    const uint32_t mode = modeWith(r);
    check({Op::v_cvt_f16_f32, "h:f",
           [=](Lane &l) { return convert(kSingle, kHalf, l.a, (Rounding)r); }, Enc::VOP1, false,
           mode});
    check({Op::v_cvt_f32_f64, "f:d",
           [=](Lane &l) { return convert(kDouble, kSingle, l.a, (Rounding)r); }, Enc::VOP1, false,
           mode});
    check({Op::v_cvt_f64_f32, "d:f",
           [=](Lane &l) { return convert(kSingle, kDouble, l.a, (Rounding)r); }, Enc::VOP1, false,
           mode});
    check({Op::v_cvt_f32_f16, "f:h",
           [=](Lane &l) { return convert(kHalf, kSingle, l.a, (Rounding)r); }, Enc::VOP1, false,
           mode});
    check({Op::v_cvt_pkrtz_f16_f32, "u:ff",
           [=](Lane &l) {
             return convert(kSingle, kHalf, l.a, toZero) | convert(kSingle, kHalf, l.b, toZero)
                                                               << 16;
           },
           Enc::VOP3, false, mode});
  }
  // Denormals of source and destination by their own MODE fields.
  const uint32_t single = kDefaultMode & ~0x30u, other = kDefaultMode & ~0xc0u;
  check({Op::v_cvt_f64_f32, "d:f",
         [](Lane &l) { return convert(kSingle, kDouble, flushDenormal(kSingle, l.a), toNearest); },
         Enc::VOP1, false, single});
  check({Op::v_cvt_f32_f64, "f:d",
         [](Lane &l) { return flushDenormal(kSingle, convert(kDouble, kSingle, l.a, toNearest)); },
         Enc::VOP1, false, single});
  check({Op::v_cvt_f16_f32, "h:f",
         [](Lane &l) { return flushDenormal(kHalf, convert(kSingle, kHalf, l.a, toNearest)); },
         Enc::VOP1, false, other});
}

TEST(ValuConvert, Packed) {
  const auto pack = [](int64_t a, int64_t b) {
    return (uint64_t)(((uint32_t)a & 0xffff) | (uint32_t)b << 16);
  };
  const auto clampTo = [](int64_t x, int64_t lo, int64_t hi) {
    return x < lo ? lo : x > hi ? hi : x;
  };
  check({Op::v_cvt_pk_u16_u32, "u:uu", [=](Lane &l) {
           return pack(clampTo((int64_t)l.a, 0, 65535), clampTo((int64_t)l.b, 0, 65535));
         }});
  check({Op::v_cvt_pk_i16_i32, "u:uu", [=](Lane &l) {
           return pack(clampTo((int32_t)l.a, -32768, 32767), clampTo((int32_t)l.b, -32768, 32767));
         }});
  const auto bytes = [=](Lane &l) {
    return (uint64_t)(clampTo((int16_t)l.a, 0, 255) | clampTo((int16_t)(l.a >> 16), 0, 255) << 8);
  };
  // A dword; on GFX11, where the manual has 16 bits for the result, see ValuGfx1100.
  for (Target target : {Target::gfx90a, Target::gfx1030, Target::gfx1030w64})
    check({Op::v_sat_pk_u8_i16, "u:u", bytes, Enc::VOP1, false, kDefaultMode, {}, target, false});
  const auto norm = [=](Format f, uint64_t x, double scale, double lo) -> int64_t {
    if (f.isNan(x))
      return 0;
    const double v = f.isInf(x) ? (x & f.sign() ? -2.0 : 2.0) : valueOf(f, x);
    const double y = v < lo ? lo : v > 1.0 ? 1.0 : v;
    return std::llrint(y * scale);
  };
  check({Op::v_cvt_pknorm_i16_f32, "u:ff", [=](Lane &l) {
           return pack(norm(kSingle, l.a, 32767, -1), norm(kSingle, l.b, 32767, -1));
         }});
  check({Op::v_cvt_pknorm_u16_f32, "u:ff", [=](Lane &l) {
           return pack(norm(kSingle, l.a, 65535, 0), norm(kSingle, l.b, 65535, 0));
         }});
  check({Op::v_cvt_pknorm_i16_f16, "u:hh",
         [=](Lane &l) { return pack(norm(kHalf, l.a, 32767, -1), norm(kHalf, l.b, 32767, -1)); }});
  check({Op::v_cvt_pknorm_u16_f16, "u:hh",
         [=](Lane &l) { return pack(norm(kHalf, l.a, 65535, 0), norm(kHalf, l.b, 65535, 0)); }});
  check({Op::v_cvt_norm_i16_f16, "s:h",
         [=](Lane &l) { return (uint64_t)norm(kHalf, l.a, 32767, -1); }, Enc::VOP1});
  check({Op::v_cvt_norm_u16_f16, "s:h",
         [=](Lane &l) { return (uint64_t)norm(kHalf, l.a, 65535, 0); }, Enc::VOP1});
  check({Op::v_cvt_pk_u8_f32, "u:fuu", [=](Lane &l) {
           const uint64_t at = 8 * (l.b & 3), x = (uint64_t)toInteger(kSingle, l.a, 0, 255);
           return (l.c & ~(255ull << at)) | x << at;
         }});
}

} // namespace
} // namespace meld::test
