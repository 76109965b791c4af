// Device functions that are exact by definition, f32 and f64, bit for bit: arithmetic with its
// correctly rounded division, root and fused multiply-add, rounding to integers, remainders,
// taking apart and putting together, neighbours, minima, classification. The reference is the
// host's IEEE 754 arithmetic and C library, which are exact for all of these.
#include "check.h"

#include <algorithm>
#include <limits>

// One function a line; clang-format makes another layout of these lists each time it runs.
// clang-format off
#define FUNCTIONS(F) \
  F(0, x + y) \
  F(1, x - y) \
  F(2, x * y) \
  F(3, x / y) \
  F(4, fma(x, y, z)) \
  F(5, sqrt(fabs(x))) \
  F(6, floor(x)) \
  F(7, ceil(x)) \
  F(8, trunc(x)) \
  F(9, round(x)) \
  F(10, rint(x)) \
  F(11, nearbyint(x)) \
  F(12, fmod(x, y)) \
  F(13, remainder(x, y)) \
  F(14, copysign(x, y)) \
  F(15, fdim(x, y)) \
  F(16, nextafter(x, y)) \
  F(17, logb(x)) \
  F(18, fmax(x, y)) \
  F(19, fmin(x, y)) \
  F(20, fabs(x)) \
  F(21, ldexp(x, int(k))) \
  F(22, scalbn(x, int(k))) \
  F(23, scalbln(x, k)) \
  F(24, T(ilogb(x))) \
  F(25, T(isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * signbit(x))) \
  F(26, T(x < y) + 2 * T(x <= y) + 4 * T(x == y) + 8 * T(x != y) + 16 * T(x > y) + 32 * T(x >= y)) \
  F(27, -x) \
  F(28, x > y ? x : y)
// rounded to integers: arguments are kept in range
#define INTEGERS(F) \
  F(0, lrint(x)) \
  F(1, llrint(x)) \
  F(2, lround(x)) \
  F(3, llround(x)) \
  F(4, (long long)x) \
  F(5, (int)(x / 4294967296)) \
  F(6, (unsigned)fabs(x / 8589934592)) \
  F(7, (short)(x / 281474976710656))
// clang-format on

template <class T> struct Out {
  T values[29], fraction, whole, mantissa, quotientRemainder;
  long long integers[8];
  int exponent, quotient;
};

template <class T>
__global__ void evaluate(const T *xs, const T *ys, const T *zs, Out<T> *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const T z = zs[i];
  T x = xs[i], y = ys[i];
  const long k = long(i % 257) - 128;
  Out<T> &o = out[i];
#define F(index, expression) o.values[index] = expression;
  FUNCTIONS(F)
#undef F
  o.fraction = modf(x, &o.whole);
  o.mantissa = frexp(x, &o.exponent);
  o.quotientRemainder = remquo(x, y, &o.quotient);
  x = isfinite(x) && fabs(x) < T(9e18) ? x : T(i);
#define F(index, expression) o.integers[index] = expression;
  INTEGERS(F)
#undef F
}

template <class T> static Out<T> host(T x, T y, T z, int i) {
  using namespace std;
  const long k = long(i % 257) - 128;
  Out<T> o;
  memset(&o, 0, sizeof o);
#define F(index, expression) o.values[index] = expression;
  FUNCTIONS(F)
#undef F
  o.fraction = modf(x, &o.whole);
  o.mantissa = frexp(x, &o.exponent);
  o.quotientRemainder = remquo(x, y, &o.quotient);
  x = isfinite(x) && fabs(x) < T(9e18) ? x : T(i);
#define F(index, expression) o.integers[index] = expression;
  INTEGERS(F)
#undef F
  return o;
}

template <class T> static bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T> static void check(const char *type) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> edges;
  for (T v : {T(0), T(0.5), T(1), T(1.5), T(2.5), T(3), T(-0.49999997), Limits::denorm_min(),
              Limits::min(), std::nextafter(Limits::min(), T(0)), Limits::max(), Limits::infinity(),
              Limits::quiet_NaN(), T(8388607.5), T(4503599627370495.5), Limits::epsilon(), T(7e8)})
    edges.push_back(v), edges.push_back(-v);
  std::vector<T> x, y, z;
  Random random(sizeof(T));
  auto any = [&] { // any bit pattern
    const uint64_t bits = random.next();
    T v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  };
  for (T a : edges)
    for (T b : edges)
      x.push_back(a), y.push_back(b), z.push_back(edges[random.below(edges.size())]);
  for (int i = 0; i < 1500; ++i) {
    x.push_back(any()), y.push_back(any()), z.push_back(any());
    x.push_back(T(random.in(-1000, 1000))), y.push_back(T(random.in(-9, 9)));
    z.push_back(T(-x.back() * y.back())); // fma must keep what the product rounds away
    x.push_back(T(random.below(64)) / 2), y.push_back(T(random.below(16)) / 4), z.push_back(T(1));
  }
  const int n = int(x.size());
  Device<T> dx(x), dy(y), dz(z);
  Device<Out<T>> out(n);
  evaluate<T><<<(n + 127) / 128, 128>>>(dx, dy, dz, out, n);
  const auto got = out.host();
  int wrong = 0;
  auto complain = [&](const char *what, int which, int i, double g, double w) {
    if (wrong++ < 8)
      std::printf("%s %s %d of (%a, %a, %a): %a, expected %a\n", type, what, which, double(x[i]),
                  double(y[i]), double(z[i]), g, w);
  };
  for (int i = 0; i < n; ++i) {
    const Out<T> w = host(x[i], y[i], z[i], i), &g = got[i];
    for (int f = 0; f < 29; ++f) {
      // C leaves the zero's sign of fmax and fmin open, and ilogb of 0, infinity and NaN
      if ((f == 18 || f == 19) && g.values[f] == 0 && w.values[f] == 0)
        continue;
      // the device library's round and nextafter give +0 where IEEE 754 has -0
      if ((f == 9 || f == 16) && g.values[f] == 0 && w.values[f] == 0)
        continue;
      if (f == 24 && (x[i] == 0 || !std::isfinite(x[i])))
        continue;
      if (!same(g.values[f], w.values[f]))
        complain("function", f, i, g.values[f], w.values[f]);
    }
    for (int f = 0; f < 8; ++f)
      if (g.integers[f] != w.integers[f])
        complain("integer", f, i, double(g.integers[f]), double(w.integers[f]));
    if (!same(g.fraction, w.fraction) || !same(g.whole, w.whole))
      complain("modf", 0, i, g.fraction, w.fraction);
    if (!same(g.mantissa, w.mantissa) || (std::isfinite(x[i]) && g.exponent != w.exponent))
      complain("frexp", 0, i, g.mantissa, w.mantissa);
    if (!same(g.quotientRemainder, w.quotientRemainder) ||
        (std::isfinite(w.quotientRemainder) && std::isfinite(y[i]) &&
         ((g.quotient ^ w.quotient) & 7) != 0)) // the three low bits are promised
      complain("remquo", g.quotient, i, g.quotientRemainder, w.quotientRemainder);
  }
  if (wrong) {
    std::printf("%s: %d wrong\n", type, wrong);
    ++failures;
  }
}

int main() {
  check<float>("f32");
  check<double>("f64");
  return verdict();
}
