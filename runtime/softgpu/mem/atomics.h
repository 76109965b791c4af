// The read-modify-write functions of atomics ("Vega", "MI200" and "RDNA 2" ISA, DS / FLAT / BUFFER
// opcode chapters).
//
// Each op is a type with T = the value's type and apply(old, data, data2, mode) = the new value.
// Rounding of float atomics is always to nearest even. f32 adds in memory (L2) flush denormals, in
// LDS they follow MODE.denormF32; f64, f16 and bf16 never flush ("MI300" ISA, 9.2). GFX12 flushes nothing
// in memory, nor where a FLAT instruction meets LDS; in LDS all but f64's sums follow MODE ("RDNA4"
// ISA, 13.2).
#pragma once

#include "runtime/softgpu/execute/wave.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <immintrin.h>
#include <type_traits>

namespace meld::softgpu::mem {

template <class F> struct FloatBits;
template <> struct FloatBits<float> {
  using U = uint32_t;
  static constexpr U quiet = 0x00400000, defaultNan = 0x7fc00000, sign = 0x80000000,
                     expMask = 0x7f800000;
};
template <> struct FloatBits<double> {
  using U = uint64_t;
  static constexpr U quiet = 1ull << 51, defaultNan = 0x7ffull << 52 | quiet, sign = 1ull << 63,
                     expMask = 0x7ffull << 52;
};

template <class F> using BitsOf = typename FloatBits<F>::U;

template <class F> F flushed(F x) {
  auto b = std::bit_cast<BitsOf<F>>(x);
  return b & FloatBits<F>::expMask ? x : std::bit_cast<F>(b & FloatBits<F>::sign);
}

/// MODE's bits that allow denormals of F as an input, and, one bit higher, as a result.
template <class F> constexpr uint32_t kAllowsDenormals = sizeof(F) == 4 ? 1 << 4 : 1 << 6;

/// a + b; NaN results as the GPU makes them: the first NaN operand quieted, else the positive
/// default NaN.
template <class F> F gpuAdd(F a, F b) {
  using B = FloatBits<F>;
  F r = a + b;
  if (r == r) [[likely]]
    return r;
  if (a != a)
    return std::bit_cast<F>(std::bit_cast<BitsOf<F>>(a) | B::quiet);
  if (b != b)
    return std::bit_cast<F>(std::bit_cast<BitsOf<F>>(b) | B::quiet);
  return std::bit_cast<F>(B::defaultNan);
}

/// IEEE minNum / maxNum: a NaN loses against a number; -0 is less than +0.
template <class F> F gpuMin(F a, F b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class F> F gpuMax(F a, F b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

/// minimumNumber and maximumNumber of IEEE 754-2019 as GFX12 has them: of two NaNs the operand's is
/// stored, quieted ("RDNA4" ISA, DS_MIN_NUM_F32).
template <class F, F (*Otherwise)(F, F)> F onlyNumber(F m, F d) {
  if (m != m && d != d)
    return std::bit_cast<F>(std::bit_cast<BitsOf<F>>(d) | FloatBits<F>::quiet);
  return Otherwise(m, d);
}

namespace rmw {
// clang-format off
template <class U> struct Swap { using T = U; static T apply(T, T d, T, uint32_t) { return d; } };
template <class U> struct Add  { using T = U; static T apply(T m, T d, T, uint32_t) { return m + d; } };
template <class U> struct Sub  { using T = U; static T apply(T m, T d, T, uint32_t) { return m - d; } };
template <class U> struct Rsub { using T = U; static T apply(T m, T d, T, uint32_t) { return d - m; } };
template <class U> struct And  { using T = U; static T apply(T m, T d, T, uint32_t) { return m & d; } };
template <class U> struct Or   { using T = U; static T apply(T m, T d, T, uint32_t) { return m | d; } };
template <class U> struct Xor  { using T = U; static T apply(T m, T d, T, uint32_t) { return m ^ d; } };
template <class U> struct Inc  { using T = U; static T apply(T m, T d, T, uint32_t) { return m >= d ? 0 : m + 1; } };
template <class U> struct Dec  { using T = U; static T apply(T m, T d, T, uint32_t) { return m == 0 || m > d ? d : m - 1; } };
template <class U> struct Umin { using T = U; static T apply(T m, T d, T, uint32_t) { return m < d ? m : d; } };
template <class U> struct Umax { using T = U; static T apply(T m, T d, T, uint32_t) { return m > d ? m : d; } };
template <class U> struct Smin { using T = U; using S = std::make_signed_t<U>;
  static T apply(T m, T d, T, uint32_t) { return S(m) < S(d) ? m : d; } };
template <class U> struct Smax { using T = U; using S = std::make_signed_t<U>;
  static T apply(T m, T d, T, uint32_t) { return S(m) > S(d) ? m : d; } };
/// data2 is the value compared with, data the new one.
template <class U> struct CmpSwap { using T = U; static T apply(T m, T d, T c, uint32_t) { return m == c ? d : m; } };
/// data = bits to clear, data2 = bits to set.
template <class U> struct Mskor { using T = U; static T apply(T m, T d, T d2, uint32_t) { return (m & ~d) | d2; } };
struct Wrap { using T = uint32_t; static T apply(T m, T d, T d2, uint32_t) { return m >= d ? m - d : m + d2; } };
// clang-format on

/// Subtraction that ends at 0 ("RDNA 2" ISA, GLOBAL_ATOMIC_CSUB).
struct SubClamped {
  using T = uint32_t;
  static T apply(T m, T d, T, uint32_t) { return m > d ? m - d : 0; }
};
/// Subtraction where it does not go below 0 ("RDNA4" ISA, DS_COND_SUB_U32).
struct CondSub {
  using T = uint32_t;
  static T apply(T m, T d, T, uint32_t) { return m >= d ? m - d : m; }
};
/// The low dword is whose turn it is: who it is adds to the high one and passes the turn on ("RDNA4" ISA,
/// GLOBAL_ATOMIC_ORDERED_ADD_B64; the largest number of a wave, a register of graphics, counts as all ones).
struct OrderedAdd {
  using T = uint64_t;
  static T apply(T m, T d, T, uint32_t) {
    if (uint32_t(m) != uint32_t(d))
      return m;
    return uint32_t(uint32_t(m) + 1) | uint64_t(uint32_t(m >> 32) + uint32_t(d >> 32)) << 32;
  }
};
/// f32 add at memory: denormals flushed.
struct AddF32 {
  using T = uint32_t;
  static T apply(T m, T d, T, uint32_t) {
    float r = gpuAdd(flushed(std::bit_cast<float>(m)), flushed(std::bit_cast<float>(d)));
    return std::bit_cast<T>(flushed(r));
  }
};
/// f32 add in LDS: denormals as MODE says.
struct LdsAddF32 {
  using T = uint32_t;
  static T apply(T m, T d, T, uint32_t mode) {
    float a = std::bit_cast<float>(m), b = std::bit_cast<float>(d);
    if (!(mode & kAllowsDenormals<float>))
      a = flushed(a), b = flushed(b);
    float r = gpuAdd(a, b);
    return std::bit_cast<T>(mode & kAllowsDenormals<float> << 1 ? r : flushed(r));
  }
};
template <class F, F (*Function)(F, F)> struct OfFloats {
  using T = BitsOf<F>;
  static T apply(T m, T d, T, uint32_t) {
    return std::bit_cast<T>(Function(std::bit_cast<F>(m), std::bit_cast<F>(d)));
  }
};
using AddF64 = OfFloats<double, gpuAdd<double>>;
template <class F> using MinF = OfFloats<F, gpuMin<F>>;
template <class F> using MaxF = OfFloats<F, gpuMax<F>>;
template <class F> using MinNumF = OfFloats<F, onlyNumber<F, gpuMin<F>>>;
template <class F> using MaxNumF = OfFloats<F, onlyNumber<F, gpuMax<F>>>;
/// f32 add that keeps denormals: GFX12's in memory.
using AddF32Kept = OfFloats<float, gpuAdd<float>>;
/// GFX12's minima and maxima in LDS: denormals are flushed first where MODE does not allow them.
template <class F, F (*Function)(F, F)> struct LdsOfFloats {
  using T = BitsOf<F>;
  static T apply(T m, T d, T, uint32_t mode) {
    F a = std::bit_cast<F>(m), b = std::bit_cast<F>(d);
    if (!(mode & kAllowsDenormals<F>))
      a = flushed(a), b = flushed(b);
    return std::bit_cast<T>(Function(a, b));
  }
};
template <class F> using LdsMinNumF = LdsOfFloats<F, onlyNumber<F, gpuMin<F>>>;
template <class F> using LdsMaxNumF = LdsOfFloats<F, onlyNumber<F, gpuMax<F>>>;
/// Compares as floats: -0 equals +0, NaN equals nothing.
template <class F> struct CmpSwapF {
  using T = BitsOf<F>;
  static T apply(T m, T d, T c, uint32_t) {
    return std::bit_cast<F>(m) == std::bit_cast<F>(c) ? d : m;
  }
};
/// Two f16 adds. An f16 sum is exact or innocuously double-rounded in f32 (24 >= 2 * 11 + 2 bits).
struct PkAddF16 {
  using T = uint32_t;
  static uint32_t half(uint32_t a, uint32_t b) {
    if ((a & 0x7fff) > 0x7c00)
      return a | 0x0200;
    if ((b & 0x7fff) > 0x7c00)
      return b | 0x0200;
    float r = _cvtsh_ss(uint16_t(a)) + _cvtsh_ss(uint16_t(b));
    return r != r ? 0x7e00u : uint32_t(_cvtss_sh(r, _MM_FROUND_TO_NEAREST_INT)) & 0xffff;
  }
  static T apply(T m, T d, T, uint32_t) {
    return half(m & 0xffff, d & 0xffff) | half(m >> 16, d >> 16) << 16;
  }
};
/// Two bf16 adds; f32 holds an exact sum or one whose second rounding does no harm (24 >= 2 * 8 + 2).
struct PkAddBf16 {
  using T = uint32_t;
  static uint32_t half(uint32_t a, uint32_t b) {
    if ((a & 0x7fff) > 0x7f80)
      return a | 0x0040;
    if ((b & 0x7fff) > 0x7f80)
      return b | 0x0040;
    const float r = std::bit_cast<float>(a << 16) + std::bit_cast<float>(b << 16);
    if (r != r)
      return 0x7fc0;
    const uint32_t bits = std::bit_cast<uint32_t>(r);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16; // to nearest even
  }
  static T apply(T m, T d, T, uint32_t) {
    return half(m & 0xffff, d & 0xffff) | half(m >> 16, d >> 16) << 16;
  }
};
/// GFX12's packed adds in LDS: denormals of either kind of 16 bits as MODE's field for f16 says.
template <class Add, uint32_t Exponent> struct LdsPkAdd {
  using T = uint32_t;
  static uint32_t flush(uint32_t x) {
    const uint32_t low = x & Exponent ? x & 0xffff : x & 0x8000;
    return low | (x & Exponent << 16 ? x & 0xffff0000 : x & 0x80000000);
  }
  static T apply(T m, T d, T, uint32_t mode) {
    if (!(mode & kAllowsDenormals<double>))
      m = flush(m), d = flush(d);
    const T r = Add::apply(m, d, 0, mode);
    return mode & kAllowsDenormals<double> << 1 ? r : flush(r);
  }
};
using LdsPkAddF16 = LdsPkAdd<PkAddF16, 0x7c00>;
using LdsPkAddBf16 = LdsPkAdd<PkAddBf16, 0x7f80>;
} // namespace rmw
} // namespace meld::softgpu::mem
