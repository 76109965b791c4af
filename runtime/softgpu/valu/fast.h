// Makes row functions and specialised handlers out of one lambda per operation.
//
//   t[Op::v_add_u32] = vec<Sig<b32, b32, b32>, [](U32 a, U32 b) { return a + b; }>();
//
// A lambda works on one vector: U32/I32/F32 (eight lanes) when no operand is 64 bits wide,
// otherwise U64/I64/F64 (four lanes; 32-bit sources arrive zero-extended, 32-bit results leave in
// the low dwords). 16-bit sources arrive zero-extended (b16), sign-extended (i16) or widened to f32
// (f16). All sources of a chunk are read before its results are written, so any register overlap is
// safe.
#pragma once

#include "runtime/softgpu/execute/chain.h"
#include "runtime/softgpu/valu/lanes.h"
#include "runtime/softgpu/valu/op_info.h"

#include <tuple>
#include <type_traits>
#include <utility>

namespace meld::softgpu::valu {

template <Ty D, Ty... S> struct Sig {
  static constexpr Ty dst = D;
  static constexpr unsigned num = sizeof...(S);
  static constexpr Ty src[num ? num : 1] = {S...};
  static constexpr bool wide = ((dwordsOf(S) == 2 && S != Ty::mask) || ...) || dwordsOf(D) == 2;
  static constexpr bool f32 = ((S == Ty::f32) || ...) || D == Ty::f32;
  static constexpr bool f64 =
      ((S == Ty::f64 || S == Ty::f16) || ...) || D == Ty::f64 || D == Ty::f16;
};

/// MODE bits that must have their usual value for the fast way, and that value.
template <class S, unsigned Flags> struct Gate {
  static constexpr bool fp = !(Flags & kNoFlush);
  static constexpr uint32_t mask = Mode::gprIdxEn | (fp && S::f32 ? 0x33u : 0u) |
                                   (fp && S::f64 ? 0xccu : 0u) |
                                   (S::dst == Ty::f16 ? uint32_t(Mode::fp16Ovfl) : 0u) |
                                   (Flags & kIeee ? uint32_t(Mode::ieee) : 0u);
  static constexpr uint32_t want = (fp && S::f32 ? 0x30u : 0u) | (fp && S::f64 ? 0xc0u : 0u) |
                                   (Flags & kIeee ? uint32_t(Mode::ieee) : 0u);
};

template <class> struct LambdaArgs;
template <class C, class R, class... A> struct LambdaArgs<R (C::*)(A...) const> {
  template <unsigned K> using arg = std::tuple_element_t<K, std::tuple<A...>>;
  using result = R;
};
template <auto F>
using ArgsOf = LambdaArgs<decltype(&std::remove_cvref_t<decltype(F)>::operator())>;

/// Raw dwords -> what the lambda takes.
template <Ty T, class P> MELD_INLINE P decode(U32 x) {
  if constexpr (T == Ty::f16 && std::is_same_v<P, U32>)
    return x & 0xffffu; // the operation wants the bits
  else if constexpr (T == Ty::f16)
    return (P)widenHalf(x);
  else if constexpr (T == Ty::b16)
    return (P)(x & 0xffffu);
  else if constexpr (T == Ty::i16)
    return (P)((I32)(x << 16) >> 16);
  else
    return (P)x;
}
template <Ty T, class R> MELD_INLINE U32 encode(R x) {
  if constexpr (T == Ty::f16 && std::is_same_v<R, F32>)
    return narrowHalf(x);
  else if constexpr (is16(T))
    return (U32)x & 0xffffu;
  else
    return (U32)x;
}

// --- operand access
// --------------------------------------------------------------------------------

MELD_INLINE uint64_t scalarOf(const ExecInst *i, const Wave &w, unsigned k, bool wide) {
  const unsigned slot = i->src[k];
  if (slot == kImmSlot)
    return i->imm[k];
  return wide ? w.s64(slot) : w.s[slot];
}

template <Ty T, bool Vgpr> struct Source {
  static constexpr bool two = dwordsOf(T) == 2;
  const uint32_t *p = nullptr;
  U32 lo{}, hi{};
  MELD_INLINE Source(const ExecInst *i, const Wave &w, unsigned k) {
    if constexpr (Vgpr) {
      p = w.v[i->src[k]].u;
    } else {
      const uint64_t x = scalarOf(i, w, k, two);
      lo = splat((uint32_t)x);
      if (two)
        hi = splat((uint32_t)(x >> 32));
    }
  }
  MELD_INLINE U32 low(unsigned c) const { return Vgpr ? load(p + 8 * c) : lo; }
  MELD_INLINE U32 high(unsigned c) const {
    if constexpr (!two)
      return U32{};
    else
      return Vgpr ? load(p + 64 + 8 * c) : hi;
  }
};
template <bool Vgpr> struct Source<Ty::mask, Vgpr> {
  uint64_t bits;
  MELD_INLINE Source(const ExecInst *i, const Wave &w, unsigned k)
      : bits(scalarOf(i, w, k, true)) {}
  MELD_INLINE U32 low(unsigned c) const { return maskOf((uint32_t)(bits >> (8 * c))); }
  MELD_INLINE U32 high(unsigned) const { return U32{}; }
};

/// Any kind of source, with neg/abs: a stride of 0 repeats a broadcast chunk.
template <Ty T> struct AnySource {
  static constexpr bool two = dwordsOf(T) == 2;
  alignas(32) uint32_t buffer[2][8];
  const uint32_t *p, *q;
  unsigned stride;
  U32 keep, flip;
  MELD_INLINE AnySource(const ExecInst *i, const Wave &w, unsigned k) {
    if (i->flags & (srcVgpr0 << k)) {
      p = w.v[i->src[k]].u;
      q = p + 64;
      stride = 8;
    } else {
      const uint64_t x = scalarOf(i, w, k, two);
      store(buffer[0], splat((uint32_t)x));
      store(buffer[1], splat((uint32_t)(x >> 32)));
      p = buffer[0];
      q = buffer[1];
      stride = 0;
    }
    if constexpr (isFloat(T) || T == Ty::m32) {
      constexpr uint32_t sign = is16(T) ? 0x8000u : 0x80000000u;
      keep = splat(i->inst->abs >> k & 1 ? ~sign : ~0u);
      flip = splat(i->inst->neg >> k & 1 ? sign : 0u);
    }
  }
  MELD_INLINE U32 modify(U32 x) const {
    if constexpr (isFloat(T) || T == Ty::m32)
      return (x & keep) ^ flip;
    else
      return x;
  }
  MELD_INLINE U32 low(unsigned c) const {
    return two ? load(p + stride * c) : modify(load(p + stride * c));
  }
  MELD_INLINE U32 high(unsigned c) const { return two ? modify(load(q + stride * c)) : U32{}; }
};
template <> struct AnySource<Ty::mask> : Source<Ty::mask, false> {
  using Source<Ty::mask, false>::Source;
};

/// A row prepared by the slow way.
template <Ty T> struct RowSource {
  const uint32_t *p;
  uint64_t bits;
  MELD_INLINE RowSource(const RowCtx &c, unsigned k) : p(c.src[k]), bits(c.mask) {}
  MELD_INLINE U32 low(unsigned c) const {
    if constexpr (T == Ty::mask)
      return maskOf((uint32_t)(bits >> (8 * c)));
    else
      return load(p + 8 * c);
  }
  MELD_INLINE U32 high(unsigned c) const { return dwordsOf(T) == 2 ? load(p + 64 + 8 * c) : U32{}; }
};

inline constexpr unsigned kAny = 8; ///< kind mask: AnySource for every source

template <Ty T, unsigned Kinds, unsigned K>
using SourceFor = std::conditional_t<Kinds == kAny, AnySource<T>, Source<T, (Kinds >> K & 1) != 0>>;

struct NoSource {
  template <class A, class B> MELD_INLINE NoSource(const A &, const B &, unsigned = 0) {}
};
template <class S, unsigned K> constexpr Ty tyOf() {
  if constexpr (K < S::num)
    return S::src[K];
  else
    return Ty::none;
}

/// The sources of one instruction, built in place (AnySource points into itself).
template <class S, unsigned Kinds> struct FastSources {
  std::conditional_t<(S::num > 0), SourceFor<tyOf<S, 0>(), Kinds, 0>, NoSource> s0;
  std::conditional_t<(S::num > 1), SourceFor<tyOf<S, 1>(), Kinds, 1>, NoSource> s1;
  std::conditional_t<(S::num > 2), SourceFor<tyOf<S, 2>(), Kinds, 2>, NoSource> s2;
  MELD_INLINE FastSources(const ExecInst *i, const Wave &w)
      : s0(i, w, 0), s1(i, w, 1), s2(i, w, 2) {}
};
template <class S> struct RowSources {
  std::conditional_t<(S::num > 0), RowSource<tyOf<S, 0>()>, NoSource> s0;
  std::conditional_t<(S::num > 1), RowSource<tyOf<S, 1>()>, NoSource> s1;
  std::conditional_t<(S::num > 2), RowSource<tyOf<S, 2>()>, NoSource> s2;
  MELD_INLINE explicit RowSources(const RowCtx &c) : s0(c, 0), s1(c, 1), s2(c, 2) {}
};

// --- one chunk
// -------------------------------------------------------------------------------------

template <class R> struct Halves {
  R a, b;
};

template <auto F, unsigned Flags, class... X> MELD_INLINE auto apply(X... x) {
  auto r = F(x...);
  if constexpr ((Flags & kNan) != 0) {
    if (__builtin_expect(any(unordered(r, r)), 0))
      r = fixNan(r, x...);
  }
  return r;
}

/// Eight lanes of a 32-bit operation.
template <class S, auto F, unsigned Flags, class Sources>
MELD_INLINE auto chunk32(const Sources &s, unsigned c) {
  using A = ArgsOf<F>;
  if constexpr (S::num == 1) {
    return apply<F, Flags>(decode<tyOf<S, 0>(), typename A::template arg<0>>(s.s0.low(c)));
  } else if constexpr (S::num == 2) {
    return apply<F, Flags>(decode<tyOf<S, 0>(), typename A::template arg<0>>(s.s0.low(c)),
                           decode<tyOf<S, 1>(), typename A::template arg<1>>(s.s1.low(c)));
  } else {
    return apply<F, Flags>(decode<tyOf<S, 0>(), typename A::template arg<0>>(s.s0.low(c)),
                           decode<tyOf<S, 1>(), typename A::template arg<1>>(s.s1.low(c)),
                           decode<tyOf<S, 2>(), typename A::template arg<2>>(s.s2.low(c)));
  }
}

/// Eight lanes of a 64-bit operation.
template <class S, auto F, unsigned Flags, class Sources>
MELD_INLINE auto chunk64(const Sources &s, unsigned c) {
  using A = ArgsOf<F>;
  using P0 = typename A::template arg<0>;
  const U32 l0 = s.s0.low(c), h0 = s.s0.high(c);
  if constexpr (S::num == 1) {
    return Halves<typename A::result>{apply<F, Flags>((P0)unpackLo(l0, h0)),
                                      apply<F, Flags>((P0)unpackHi(l0, h0))};
  } else {
    using P1 = typename A::template arg<1>;
    const U32 l1 = s.s1.low(c), h1 = s.s1.high(c);
    if constexpr (S::num == 2) {
      return Halves<typename A::result>{
          apply<F, Flags>((P0)unpackLo(l0, h0), (P1)unpackLo(l1, h1)),
          apply<F, Flags>((P0)unpackHi(l0, h0), (P1)unpackHi(l1, h1))};
    } else {
      using P2 = typename A::template arg<2>;
      const U32 l2 = s.s2.low(c), h2 = s.s2.high(c);
      return Halves<typename A::result>{
          apply<F, Flags>((P0)unpackLo(l0, h0), (P1)unpackLo(l1, h1), (P2)unpackLo(l2, h2)),
          apply<F, Flags>((P0)unpackHi(l0, h0), (P1)unpackHi(l1, h1), (P2)unpackHi(l2, h2))};
    }
  }
}

template <class S, class R> MELD_INLINE void storeWide(uint32_t *d, const Halves<R> &r) {
  store(d, joinLow((U64)r.a, (U64)r.b));
  if constexpr (dwordsOf(S::dst) == 2)
    store(d + 64, joinHigh((U64)r.a, (U64)r.b));
}
template <class S, class R> MELD_INLINE void storeWide(uint32_t *d, const Halves<R> &r, U32 m) {
  store(d, select(m, joinLow((U64)r.a, (U64)r.b), load(d)));
  if constexpr (dwordsOf(S::dst) == 2)
    store(d + 64, select(m, joinHigh((U64)r.a, (U64)r.b), load(d + 64)));
}

// --- row function
// ----------------------------------------------------------------------------------

template <class S, auto F, unsigned Flags> void rowVec(RowCtx &ctx) {
  const RowSources<S> src(ctx);
#pragma GCC unroll 1
  for (unsigned c = 0; c < kChunks; ++c) {
    if constexpr (S::wide)
      storeWide<S>(ctx.dst + 8 * c, chunk64<S, F, Flags>(src, c));
    else
      store(ctx.dst + 8 * c, encode<S::dst>(chunk32<S, F, Flags>(src, c)));
  }
}

// --- fast handler
// ----------------------------------------------------------------------------------

/// How many chunks an EXEC spans that has all lanes of a wave of 64 or 32 on. 0: some are off.
MELD_INLINE unsigned fullChunks(uint64_t exec) {
  return exec == kFullExec ? kChunks : exec == kLowExec ? kChunks / 2 : 0;
}

/// The destination's dwords of one chunk: with kPreserveHigh, 16-bit results leave the other half.
template <class S, auto F, unsigned Flags, class Sources>
MELD_INLINE U32 resultChunk(const Sources &src, unsigned c, const uint32_t *old) {
  const U32 r = encode<S::dst>(chunk32<S, F, Flags>(src, c));
  if constexpr ((Flags & kPreserveHigh) && is16(S::dst))
    return r | (load(old) & 0xffff0000u);
  else
    return r;
}

template <class S, auto F, unsigned Flags, unsigned Kinds>
const ExecInst *fastVec(const ExecInst *i, Wave &w) {
  using G = Gate<S, Flags>;
  if (__builtin_expect((w.mode & G::mask) != G::want, 0))
    return slowValu(i, w);
  const uint64_t exec = w.exec();
  const FastSources<S, Kinds> src(i, w);
  uint32_t *d = w.v[i->dst].u;
  if (const unsigned n = fullChunks(exec); __builtin_expect(n != 0, 1)) {
    if constexpr (S::wide) {
#pragma GCC unroll 2
      for (unsigned c = 0; c < n; ++c)
        storeWide<S>(d + 8 * c, chunk64<S, F, Flags>(src, c));
    } else {
#pragma GCC unroll 1
      for (unsigned first = 0; first < n; first += kChunks / 2)
#pragma GCC unroll 4
        for (unsigned c = first; c < first + kChunks / 2; ++c)
          store(d + 8 * c, resultChunk<S, F, Flags>(src, c, d + 8 * c));
    }
    return following(i);
  }
  uint64_t left = exec;
#pragma GCC unroll 1
  for (unsigned c = 0; left; ++c, left >>= 8) {
    if (!(left & 0xff))
      continue;
    const U32 m = maskOf((uint32_t)left);
    if constexpr (S::wide)
      storeWide<S>(d + 8 * c, chunk64<S, F, Flags>(src, c), m);
    else
      store(d + 8 * c, select(m, resultChunk<S, F, Flags>(src, c, d + 8 * c), load(d + 8 * c)));
  }
  return following(i);
}

/// How much code to make for an operation.
enum Speed : unsigned {
  rowOnly, ///< only the row function
  normal,  ///< one handler for all kinds of sources
  hot,     ///< a handler for each combination of VGPR and scalar sources
};

template <class S> OpInfo infoOf(unsigned flags) {
  OpInfo info;
  info.dst = S::dst;
  info.numSrc = S::num;
  for (unsigned k = 0; k < S::num; ++k)
    info.src[k] = S::src[k];
  info.flags = static_cast<uint16_t>(flags);
  return info;
}

template <class S, auto F, unsigned Flags = 0, Speed Sp = normal> OpInfo vec() {
  OpInfo info = infoOf<S>(Flags);
  info.row = rowVec<S, F, Flags>;
  if constexpr (Sp != rowOnly)
    info.fastMod = fastVec<S, F, Flags, kAny>;
  if constexpr (Sp != rowOnly && is16(S::dst))
    info.fastKeep = fastVec<S, F, Flags | kPreserveHigh, kAny>;
  if constexpr (Sp == hot && S::num == 1) {
    info.fast[0] = chainedValu<fastVec<S, F, Flags, 0>>;
    info.fast[1] = chainedValu<fastVec<S, F, Flags, 1>>;
  } else if constexpr (Sp == hot && S::num == 2) {
    info.fast[1] = chainedValu<fastVec<S, F, Flags, 1>>;
    info.fast[2] = chainedValu<fastVec<S, F, Flags, 2>>;
    info.fast[3] = chainedValu<fastVec<S, F, Flags, 3>>;
  } else if constexpr (Sp == hot && S::num == 3) {
    if constexpr (S::src[2] == Ty::mask) {
      info.fast[1] = chainedValu<fastVec<S, F, Flags, 1>>;
      info.fast[2] = chainedValu<fastVec<S, F, Flags, 2>>;
      info.fast[3] = chainedValu<fastVec<S, F, Flags, 3>>;
    } else {
      info.fast[3] = chainedValu<fastVec<S, F, Flags, 3>>;
      info.fast[5] = chainedValu<fastVec<S, F, Flags, 5>>;
      info.fast[6] = chainedValu<fastVec<S, F, Flags, 6>>;
      info.fast[7] = chainedValu<fastVec<S, F, Flags, 7>>;
    }
  }
  return info;
}

// --- operations with a lane mask as result
// ----------------------------------------------------------

/// Lambdas of comparisons give a mask vector (all ones = true) of the width they work on. All lanes
/// of `chunks` chunks, which are 4 or 8.
template <class S, auto F, class Sources>
MELD_INLINE uint64_t compareRow(const Sources &src, unsigned chunks) {
  uint64_t bits = 0;
#pragma GCC unroll 1
  for (unsigned first = 0; first < chunks; first += kChunks / 2)
#pragma GCC unroll 4
    for (unsigned c = first; c < first + kChunks / 2; ++c) {
      U32 m;
      if constexpr (S::wide) {
        const auto h = chunk64<S, F, 0>(src, c);
        m = joinHigh((U64)h.a, (U64)h.b);
      } else {
        m = (U32)chunk32<S, F, 0>(src, c);
      }
      bits |= (uint64_t)bitsOf(m) << (8 * c);
    }
  return bits;
}
template <class S, auto F> void rowCompare(RowCtx &ctx) {
  ctx.maskOut = compareRow<S, F>(RowSources<S>(ctx), kChunks);
}

template <class S, auto F, unsigned Flags, unsigned Kinds>
const ExecInst *fastCompare(const ExecInst *i, Wave &w) {
  using G = Gate<S, Flags>;
  if (__builtin_expect((w.mode & G::mask) != G::want, 0))
    return slowValu(i, w);
  const FastSources<S, Kinds> src(i, w);
  const uint64_t exec = w.exec();
  const uint64_t bits = compareRow<S, F>(src, exec >> 32 ? kChunks : kChunks / 2) & exec;
  w.setMask(i->dst, bits);
  if constexpr ((Flags & kCompareX) != 0)
    w.exec() = bits;
  return following(i);
}

template <class S, auto F, unsigned Flags, Speed Sp> OpInfo compare() {
  OpInfo info = infoOf<S>(Flags | kCompare);
  info.row = rowCompare<S, F>;
  if constexpr (Sp != rowOnly)
    info.fastMod = fastCompare<S, F, Flags, kAny>;
  if constexpr (Sp == hot) {
    info.fast[1] = chainedValu<fastCompare<S, F, Flags, 1>>;
    info.fast[2] = chainedValu<fastCompare<S, F, Flags, 2>>;
    info.fast[3] = chainedValu<fastCompare<S, F, Flags, 3>>;
  }
  return info;
}

// --- additions with carry
// ----------------------------------------------------------------------------

struct WithCarry {
  U32 value, carry; ///< the sign bits of `carry` are the carry-out
};

/// Lambdas take two U32 (and the carry-in as a mask vector when the signature has Ty::mask).
template <class S, auto F> void rowCarry(RowCtx &ctx) {
  const RowSources<S> src(ctx);
  uint64_t bits = 0;
#pragma GCC unroll 1
  for (unsigned c = 0; c < kChunks; ++c) {
    const WithCarry r = chunk32<S, F, 0>(src, c);
    store(ctx.dst + 8 * c, r.value);
    bits |= (uint64_t)bitsOf(r.carry) << (8 * c);
  }
  ctx.maskOut = bits;
}
template <class S, auto F, unsigned Kinds> const ExecInst *fastCarry(const ExecInst *i, Wave &w) {
  if (__builtin_expect(w.mode & Mode::gprIdxEn, 0))
    return slowValu(i, w);
  const uint64_t exec = w.exec();
  const FastSources<S, Kinds> src(i, w);
  uint32_t *d = w.v[i->dst].u;
  uint64_t bits = 0;
  if (const unsigned n = fullChunks(exec); __builtin_expect(n != 0, 1)) {
#pragma GCC unroll 1
    for (unsigned first = 0; first < n; first += kChunks / 2)
#pragma GCC unroll 4
      for (unsigned c = first; c < first + kChunks / 2; ++c) {
        const WithCarry r = chunk32<S, F, 0>(src, c);
        store(d + 8 * c, r.value);
        bits |= (uint64_t)bitsOf(r.carry) << (8 * c);
      }
  } else {
#pragma GCC unroll 1
    for (unsigned c = 0; c < kChunks; ++c) {
      const U32 m = maskOf((uint32_t)(exec >> (8 * c)));
      const WithCarry r = chunk32<S, F, 0>(src, c);
      store(d + 8 * c, select(m, r.value, load(d + 8 * c)));
      bits |= (uint64_t)bitsOf(r.carry & m) << (8 * c);
    }
  }
  w.setMask(i->sdst, bits);
  return following(i);
}
template <class S, auto F> OpInfo carry() {
  OpInfo info = infoOf<S>(kCarryOut);
  info.row = rowCarry<S, F>;
  info.fastMod = fastCarry<S, F, kAny>;
  info.fast[1] = chainedValu<fastCarry<S, F, 1>>;
  info.fast[2] = chainedValu<fastCarry<S, F, 2>>;
  info.fast[3] = chainedValu<fastCarry<S, F, 3>>;
  return info;
}

// --- one lane at a time
// -------------------------------------------------------------------------------

template <class S, LaneFn F> void rowLanes(RowCtx &ctx) {
  LaneCtx lc{ctx.mode, false, false};
  uint64_t out = 0;
  for (uint64_t left = ctx.exec; left; left &= left - 1) {
    const unsigned n = (unsigned)__builtin_ctzll(left);
    uint64_t x[3] = {};
    for (unsigned k = 0; k < S::num; ++k) {
      if (S::src[k] == Ty::mask)
        continue;
      x[k] = ctx.src[k][n];
      if (dwordsOf(S::src[k]) >= 2)
        x[k] |= (uint64_t)ctx.src[k][64 + n] << 32;
      else if (S::src[k] == Ty::i16)
        x[k] = (uint32_t)(int32_t)(int16_t)x[k];
      else if (is16(S::src[k]))
        x[k] &= 0xffff;
    }
    lc.maskIn = ctx.mask >> n & 1;
    lc.maskOut = false;
    const uint64_t r = F(x[0], x[1], x[2], lc);
    if (S::dst != Ty::none)
      ctx.dst[n] = is16(S::dst) ? (uint32_t)r & 0xffff : (uint32_t)r;
    if (dwordsOf(S::dst) >= 2)
      ctx.dst[64 + n] = (uint32_t)(r >> 32);
    out |= (uint64_t)lc.maskOut << n;
  }
  ctx.maskOut = out;
}
template <class S, LaneFn F> OpInfo lanes(unsigned flags = 0) {
  OpInfo info = infoOf<S>(flags);
  info.row = rowLanes<S, F>;
  return info;
}

} // namespace meld::softgpu::valu
