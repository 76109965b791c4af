#include "tests/runtime/softgpu/valu/softfloat.h"

#include <initializer_list>
#include <utility>

namespace meld::test {

namespace {
int topBit(unsigned __int128 m) {
  const uint64_t hi = (uint64_t)(m >> 64), lo = (uint64_t)m;
  return hi ? 127 - __builtin_clzll(hi) : lo ? 63 - __builtin_clzll(lo) : -1;
}
} // namespace

Exact unpack(Format f, uint64_t x) {
  const int e = (int)(f.magnitude(x) >> f.mantissaBits);
  const uint64_t m = x & ((1ull << f.mantissaBits) - 1);
  Exact r;
  r.negative = x & f.sign();
  r.m = e ? m | 1ull << f.mantissaBits : m;
  r.e = (e ? e : 1) - f.bias() - f.mantissaBits;
  return r;
}

uint64_t round(Format f, const Exact &x, Rounding r) {
  const uint64_t sign = x.negative ? f.sign() : 0;
  if (x.m == 0)
    return sign; // callers never pass a lone sticky
  // Exponent of the unit in the last place the format offers for this magnitude.
  const int lowest = 1 - f.bias() - f.mantissaBits;
  int ulp = topBit(x.m) + x.e - f.mantissaBits;
  if (ulp < lowest)
    ulp = lowest;
  uint64_t kept;
  int compareHalf; // rest against half an ulp: -1 below, 0 equal, 1 above
  bool inexact;
  const int drop = ulp - x.e;
  if (drop <= 0) {
    kept = (uint64_t)(x.m << -drop);
    inexact = x.sticky;
    compareHalf = -1;
  } else if (drop > 127) {
    kept = 0;
    inexact = true;
    compareHalf = -1;
  } else {
    kept = (uint64_t)(x.m >> drop);
    const unsigned __int128 rest = x.m & (((unsigned __int128)1 << drop) - 1);
    const unsigned __int128 half = (unsigned __int128)1 << (drop - 1);
    inexact = rest != 0 || x.sticky;
    compareHalf = rest > half ? 1 : rest < half ? -1 : x.sticky ? 1 : 0;
  }
  bool up = false;
  switch (r) {
  case toNearest:
    up = compareHalf > 0 || (compareHalf == 0 && (kept & 1));
    break;
  case toPlusInf:
    up = inexact && !x.negative;
    break;
  case toMinusInf:
    up = inexact && x.negative;
    break;
  case toZero:
    break;
  }
  kept += up;
  if (kept == 2ull << f.mantissaBits) {
    kept >>= 1;
    ++ulp;
  }
  if (kept < 1ull << f.mantissaBits)
    return sign | kept; // denormal (or zero)
  const int e = ulp + f.mantissaBits + f.bias();
  if (e >= f.maxExponent()) {
    const bool toInfinity =
        r == toNearest || (r == toPlusInf && !x.negative) || (r == toMinusInf && x.negative);
    return sign | (toInfinity ? f.infinity() : f.infinity() - 1);
  }
  return sign | (uint64_t)e << f.mantissaBits | (kept & ((1ull << f.mantissaBits) - 1));
}

namespace {

Exact add(Exact a, Exact b, bool &cancelled) {
  cancelled = false;
  if (a.m == 0)
    return b;
  if (b.m == 0)
    return a;
  // Bring both to the top with three spare bits, then to the larger one's scale.
  const auto raise = [](Exact &x) {
    const int s = 123 - topBit(x.m);
    x.m <<= s;
    x.e -= s;
  };
  raise(a);
  raise(b);
  if (a.e < b.e)
    std::swap(a, b);
  const int shift = a.e - b.e;
  bool sticky = false;
  if (shift > 126) {
    sticky = b.m != 0;
    b.m = 0;
  } else if (shift) {
    sticky = (b.m & (((unsigned __int128)1 << shift) - 1)) != 0;
    b.m >>= shift;
  }
  Exact r = a;
  if (a.negative == b.negative) {
    r.m = a.m + b.m;
  } else if (a.m > b.m || (a.m == b.m && !sticky)) {
    r.m = a.m - b.m - (sticky ? 1 : 0); // borrow for the part of b that fell off
  } else {
    r.m = b.m - a.m;
    r.negative = b.negative;
  }
  r.sticky = sticky;
  cancelled = r.m == 0 && !sticky;
  return r;
}

} // namespace

uint64_t fmaExact(Format f, uint64_t a, uint64_t b, uint64_t c, Rounding r) {
  for (uint64_t x : {a, b, c})
    if (f.isNan(x))
      return x | f.quietBit();
  const bool productSign = ((a ^ b) & f.sign()) != 0;
  if ((f.isInf(a) && f.isZero(b)) || (f.isZero(a) && f.isInf(b)))
    return f.nan();
  if (f.isInf(a) || f.isInf(b)) {
    if (f.isInf(c) && ((c & f.sign()) != 0) != productSign)
      return f.nan();
    return (productSign ? f.sign() : 0) | f.infinity();
  }
  if (f.isInf(c))
    return c;
  Exact x = unpack(f, a), y = unpack(f, b), z = unpack(f, c), p;
  p.negative = productSign;
  p.m = x.m * y.m;
  p.e = x.e + y.e;
  if (p.m == 0 && z.m == 0)
    return p.negative == z.negative ? (p.negative ? f.sign() : 0) : r == toMinusInf ? f.sign() : 0;
  bool cancelled;
  const Exact s = add(p, z, cancelled);
  if (cancelled)
    return r == toMinusInf ? f.sign() : 0;
  return round(f, s, r);
}

uint64_t mulExact(Format f, uint64_t a, uint64_t b, Rounding r) {
  // Adding a zero of the product's sign changes nothing.
  return fmaExact(f, a, b, (a ^ b) & f.sign(), r);
}
uint64_t addExact(Format f, uint64_t a, uint64_t b, Rounding r) {
  if (f.isNan(a))
    return a | f.quietBit();
  return fmaExact(f, a, (uint64_t)f.bias() << f.mantissaBits, b, r);
}

uint64_t convert(Format from, Format to, uint64_t x, Rounding r) {
  const uint64_t sign = x & from.sign() ? to.sign() : 0;
  if (from.isInf(x))
    return sign | to.infinity();
  if (from.isNan(x)) {
    const uint64_t payload = x & ((1ull << from.mantissaBits) - 1);
    const int shift = to.mantissaBits - from.mantissaBits;
    return sign | to.nan() | (shift >= 0 ? payload << shift : payload >> -shift);
  }
  if (from.isZero(x))
    return sign;
  return round(to, unpack(from, x), r);
}

uint64_t fromInteger(Format f, int64_t x, Rounding r) {
  Exact e;
  e.negative = x < 0;
  e.m = x < 0 ? (unsigned __int128)-(__int128)x : (unsigned __int128)x;
  return x == 0 ? 0 : round(f, e, r);
}

uint64_t flushDenormal(Format f, uint64_t x) { return f.isDenormal(x) ? x & f.sign() : x; }

} // namespace meld::test
