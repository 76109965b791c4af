// 64-bit integer operations: shifts and the 32x32+64 multiply-adds. "Vega" ISA manual,
// chapter 12.10; "MI300" ISA, 12.11.
#include "runtime/softgpu/valu/fast.h"

namespace meld::softgpu::valu {

using isa::Op;
using enum Ty;

namespace {

/// 64-bit arithmetic shift right, which AVX2 lacks.
MELD_INLINE U64 sar64(U64 x, U64 n) {
  const U64 sign = splat64(1ull << 63);
  const U64 m = (U64)_mm256_srlv_epi64((__m256i)sign, (__m256i)n);
  return ((U64)_mm256_srlv_epi64((__m256i)x, (__m256i)n) ^ m) - m;
}

using Mad = Sig<b64, b32, b32, b64>;

template <bool Signed> MELD_INLINE U64 product(U64 a, U64 b) {
  return Signed ? (U64)_mm256_mul_epi32((__m256i)a, (__m256i)b)
                : (U64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
}
/// Carry (unsigned) or overflow (signed) of a + b = r, in the sign bits.
template <bool Signed> MELD_INLINE U64 overflow(U64 a, U64 b, U64 r) {
  return Signed ? (a ^ r) & (b ^ r) : (a & b) | ((a | b) & ~r);
}

template <bool Signed, bool Clamp, class Sources>
MELD_INLINE uint32_t madChunk(const Sources &s, unsigned c, U32 &lo, U32 &hi) {
  const U32 a = s.s0.low(c), b = s.s1.low(c), cl = s.s2.low(c), ch = s.s2.high(c), zero{};
  const U64 p0 = product<Signed>(unpackLo(a, zero), unpackLo(b, zero));
  const U64 p1 = product<Signed>(unpackHi(a, zero), unpackHi(b, zero));
  const U64 c0 = unpackLo(cl, ch), c1 = unpackHi(cl, ch);
  U64 r0 = p0 + c0, r1 = p1 + c1;
  const U64 o0 = overflow<Signed>(p0, c0, r0), o1 = overflow<Signed>(p1, c1, r1);
  if (Clamp) {
    const U64 max = splat64(~0ull >> 1);
    const U64 l0 = Signed ? max ^ sar64(c0, splat64(63)) : splat64(~0ull);
    const U64 l1 = Signed ? max ^ sar64(c1, splat64(63)) : splat64(~0ull);
    r0 = select(o0, l0, r0);
    r1 = select(o1, l1, r1);
  }
  lo = joinLow(r0, r1);
  hi = joinHigh(r0, r1);
  return bitsOf(joinHigh(o0, o1));
}

template <bool Signed, bool Clamp> void rowMad(RowCtx &ctx) {
  const RowSources<Mad> src(ctx);
  uint64_t bits = 0;
  for (unsigned c = 0; c < kChunks; ++c) {
    U32 lo, hi;
    bits |= (uint64_t)madChunk<Signed, Clamp>(src, c, lo, hi) << (8 * c);
    store(ctx.dst + 8 * c, lo);
    store(ctx.dst + 64 + 8 * c, hi);
  }
  ctx.maskOut = bits;
}
template <bool Signed, unsigned Kinds> const ExecInst *fastMad(const ExecInst *i, Wave &w) {
  if (__builtin_expect(w.mode & Mode::gprIdxEn, 0))
    return slowValu(i, w);
  const uint64_t exec = w.exec();
  const FastSources<Mad, Kinds> src(i, w);
  uint32_t *d = w.v[i->dst].u;
  uint64_t bits = 0;
  if (const unsigned n = fullChunks(exec); __builtin_expect(n != 0, 1)) {
#pragma GCC unroll 2
    for (unsigned c = 0; c < n; ++c) {
      U32 lo, hi;
      bits |= (uint64_t)madChunk<Signed, false>(src, c, lo, hi) << (8 * c);
      store(d + 8 * c, lo);
      store(d + 64 + 8 * c, hi);
    }
    w.setMask(i->sdst, bits);
    return following(i);
  }
#pragma GCC unroll 1
  for (unsigned c = 0; c < kChunks; ++c) {
    const U32 m = maskOf((uint32_t)(exec >> (8 * c)));
    U32 lo, hi;
    bits |= (uint64_t)madChunk<Signed, false>(src, c, lo, hi) << (8 * c);
    store(d + 8 * c, select(m, lo, load(d + 8 * c)));
    store(d + 64 + 8 * c, select(m, hi, load(d + 64 + 8 * c)));
  }
  w.setMask(i->sdst, bits & exec);
  return following(i);
}
template <bool Signed> OpInfo mad() {
  OpInfo info = infoOf<Mad>(kCarryOut);
  info.row = rowMad<Signed, false>;
  info.rowClamp = rowMad<Signed, true>;
  info.fastMod = fastMad<Signed, kAny>;
  info.fast[1] = chainedValu<fastMad<Signed, 1>>;
  info.fast[2] = chainedValu<fastMad<Signed, 2>>;
  info.fast[3] = chainedValu<fastMad<Signed, 3>>;
  info.fast[5] = chainedValu<fastMad<Signed, 5>>;
  info.fast[6] = chainedValu<fastMad<Signed, 6>>;
  info.fast[7] = chainedValu<fastMad<Signed, 7>>;
  return info;
}

} // namespace

void addInteger64(OpTable &t) {
  using Shift = Sig<b64, b32, b64>;
  t[Op::v_lshlrev_b64] =
      vec<Shift,
          [](U64 n, U64 x) { return (U64)_mm256_sllv_epi64((__m256i)x, (__m256i)(n & 63ull)); }, 0,
          hot>();
  t[Op::v_lshrrev_b64] =
      vec<Shift,
          [](U64 n, U64 x) { return (U64)_mm256_srlv_epi64((__m256i)x, (__m256i)(n & 63ull)); }, 0,
          hot>();
  t[Op::v_ashrrev_i64] = vec<Shift, [](U64 n, U64 x) { return sar64(x, n & 63ull); }, 0, hot>();
  // Shift counts above 4 are not supported and count as 0.
  t[Op::v_lshl_add_u64] = vec<Sig<b64, b64, b32, b64>,
                              [](U64 x, U64 n, U64 add) {
                                const U64 low = n & 7ull;
                                const U64 count = low & (U64)(low < splat64(5));
                                return (U64)_mm256_sllv_epi64((__m256i)x, (__m256i)count) + add;
                              },
                              0, hot>();
  t[Op::v_mov_b64] = vec<Sig<b64, b64>, [](U64 x) { return x; }, 0, hot>();
  t[Op::v_mad_u64_u32] = mad<false>();
  t[Op::v_mad_i64_i32] = mad<true>();
}

} // namespace meld::softgpu::valu
