// The pieces of IEEE division: v_div_scale, v_div_fmas, v_div_fixup ("Vega" ISA manual, chapter 12.10).
//
// a / b = fixup(fmas(..newton on den = scale(b), num = scale(a)..), b, a). Scaling keeps every intermediate
// in range: by 2^64 (f32) or 2^128 (f64), in the direction the operands need; VCC remembers that only one of
// the two was scaled, and fmas undoes it. The manual's text gives fmas' factor as 2^32 (2^64 for f64) and
// scales a huge denominator up, which cannot give right quotients; here each factor undoes its scaling:
// the direction follows from the exponent of fmas' addend, the unscaled quotient. An overflowing quotient
// turns into a NaN in the Newton steps; fixup makes it the infinity it stands for. The test divides through
// the whole sequence and compares with the host's division.
#include "runtime/softgpu/cu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

struct F32Traits {
  using F = float;
  using B = uint32_t;
  static constexpr int man = 23, expMax = 255, farApart = 96, tiny = 23, underflow = -150, bias = 127;
  static constexpr float up = 0x1p64f, down = 0x1p-64f;
  static constexpr B quietBit = kQuiet32, nan = 0x7fc00000, invalid = 0xffc00000;
};
struct F64Traits {
  using F = double;
  using B = uint64_t;
  static constexpr int man = 52, expMax = 2047, farApart = 768, tiny = 53, underflow = -1075, bias = 1023;
  static constexpr double up = 0x1p128, down = 0x1p-128;
  static constexpr B quietBit = kQuiet64, nan = kNan64, invalid = 0xfff8000000000000;
};

template <class T> int exponentOf(typename T::B x) { return (int)(x >> T::man) & T::expMax; }
template <class T> bool isDenormal(typename T::B x) {
  return exponentOf<T>(x) == 0 && (x & ((typename T::B(1) << T::man) - 1));
}
template <class T> typename T::B magnitude(typename T::B x) { return x & (typename T::B(~typename T::B(0)) >> 1); }
template <class T> typename T::B infinity() { return typename T::B(T::expMax) << T::man; }

template <class T> uint64_t divScale(uint64_t a, uint64_t b, uint64_t c, LaneCtx &lc) {
  using B = typename T::B;
  using F = typename T::F;
  const B s0 = (B)a, s1 = (B)b, s2 = (B)c;
  const auto value = [](B x) { return __builtin_bit_cast(F, x); };
  const auto scaled = [&](F by) {
    if (magnitude<T>(s0) > infinity<T>())
      return uint64_t(s0 | T::quietBit);
    return uint64_t(__builtin_bit_cast(B, F(value(s0) * by)));
  };
  if (magnitude<T>(s1) == 0 || magnitude<T>(s2) == 0)
    return T::nan;
  // Divisions of the host with denormals on; flags are not looked at.
  volatile F num = value(s2), den = value(s1);
  const bool finite = exponentOf<T>(s1) != T::expMax && exponentOf<T>(s2) != T::expMax;
  const bool rcpDenormal = finite && isDenormal<T>(__builtin_bit_cast(B, F(F(1) / den)));
  const bool ratioDenormal = finite && isDenormal<T>(__builtin_bit_cast(B, F(num / den)));
  if (exponentOf<T>(s2) - exponentOf<T>(s1) >= T::farApart) { // quotient near the largest
    lc.maskOut = true;
    return s0 == s1 ? scaled(T::up) : s0;
  }
  if (isDenormal<T>(s1))
    return scaled(T::up);
  if (rcpDenormal && ratioDenormal) {
    lc.maskOut = true;
    return s0 == s1 ? scaled(T::down) : s0;
  }
  if (rcpDenormal)
    return scaled(T::down);
  if (ratioDenormal) {
    lc.maskOut = true;
    return s0 == s2 ? scaled(T::up) : s0;
  }
  if (exponentOf<T>(s2) <= T::tiny)
    return scaled(T::up);
  return s0;
}

template <class T> uint64_t divFmas(uint64_t a, uint64_t b, uint64_t c, LaneCtx &lc) {
  using B = typename T::B;
  using F = typename T::F;
  const F x = __builtin_bit_cast(F, (B)a), y = __builtin_bit_cast(F, (B)b), z = __builtin_bit_cast(F, (B)c);
  F r;
  if constexpr (sizeof(F) == 4)
    r = __builtin_fmaf(x, y, z);
  else
    r = __builtin_fma(x, y, z);
  if (r != r) {
    for (B s : {(B)a, (B)b, (B)c})
      if (magnitude<T>(s) > infinity<T>())
        return s | T::quietBit;
    return T::nan;
  }
  if (lc.maskIn)
    r = r * (exponentOf<T>((B)c) > T::bias ? T::up : T::down);
  return __builtin_bit_cast(B, r);
}

template <class T> uint64_t divFixup(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  using B = typename T::B;
  const B s0 = (B)a, s1 = (B)b, s2 = (B)c, signBit = ~(B(~B(0)) >> 1);
  const B sign = (s1 ^ s2) & signBit, m1 = magnitude<T>(s1), m2 = magnitude<T>(s2), inf = infinity<T>();
  if (m2 > inf)
    return s2 | T::quietBit;
  if (m1 > inf)
    return s1 | T::quietBit;
  if ((m1 == 0 && m2 == 0) || (m1 == inf && m2 == inf))
    return T::invalid;
  if (m1 == 0 || m2 == inf)
    return sign | inf;
  if (m1 == inf || m2 == 0)
    return sign;
  if (exponentOf<T>(s2) - exponentOf<T>(s1) < T::underflow)
    return sign;
  if (magnitude<T>(s0) > inf) // the Newton steps met an infinite quotient
    return sign | inf;
  return sign | magnitude<T>(s0);
}

uint64_t divFixup16(uint64_t a, uint64_t b, uint64_t c, LaneCtx &) {
  const uint32_t s0 = (uint32_t)a, s1 = (uint32_t)b, s2 = (uint32_t)c;
  const uint32_t sign = (s1 ^ s2) & 0x8000, m1 = s1 & 0x7fff, m2 = s2 & 0x7fff, inf = 0x7c00;
  if (m2 > inf)
    return s2 | 0x200;
  if (m1 > inf)
    return s1 | 0x200;
  if ((m1 == 0 && m2 == 0) || (m1 == inf && m2 == inf))
    return 0xfe00;
  if (m1 == 0 || m2 == inf)
    return sign | inf;
  if (m1 == inf || m2 == 0)
    return sign;
  if ((s0 & 0x7fff) > inf)
    return sign | inf;
  return sign | (s0 & 0x7fff);
}

} // namespace

void addDivision(OpTable &t) {
  using S32 = Sig<f32, f32, f32, f32>;
  using S64 = Sig<f64, f64, f64, f64>;
  using S16 = Sig<f16, f16, f16, f16>;
  t[Op::v_div_scale_f32] = lanes<S32, divScale<F32Traits>>(kCarryOut | kNoFlush);
  t[Op::v_div_scale_f64] = lanes<S64, divScale<F64Traits>>(kCarryOut | kNoFlush);
  t[Op::v_div_fmas_f32] = lanes<S32, divFmas<F32Traits>>(kReadVcc);
  t[Op::v_div_fmas_f64] = lanes<S64, divFmas<F64Traits>>(kReadVcc);
  t[Op::v_div_fixup_f32] = lanes<S32, divFixup<F32Traits>>();
  t[Op::v_div_fixup_f64] = lanes<S64, divFixup<F64Traits>>();
  t[Op::v_div_fixup_f16] = lanes<S16, divFixup16>(kPreserveHigh);
  t[Op::v_div_fixup_legacy_f16] = lanes<S16, divFixup16>();
}

} // namespace meld::softgpu::valu
