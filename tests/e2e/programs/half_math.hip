// Half precision (f16) and bfloat16. Arithmetic and conversions bit for bit against a host
// reference that rounds exact double results itself (round to nearest even, subnormals included);
// functions within 2 ulp; packed pairs; comparisons with NaN; all 65536 bit patterns converted.
// (hsin is left out: clang 15 compiles ROCm 5.2.3's to code that gives NaN for every finite
// argument.)
#include "check.h"

#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>

/// `value` rounded to a format with `digits` significant bits and smallest exponent `lowest` (the
/// weight of the last bit of subnormals), overflow at 2^top.
static double roundTo(double value, int digits, int lowest, int top) {
  if (!std::isfinite(value) || value == 0)
    return value;
  const int last = std::max(std::ilogb(value) - digits + 1, lowest);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  return std::fabs(rounded) >= std::ldexp(1, top) ? std::copysign(INFINITY, value) : rounded;
}
static double toHalf(double v) { return roundTo(v, 11, -24, 16); }
static double toBfloat(double v) { return roundTo(v, 8, -133, 128); }

static double halfValue(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double v = exponent == 31 ? (mantissa ? NAN : INFINITY)
                   : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                  : std::ldexp(mantissa, -24);
  return bits & 0x8000 ? -v : v;
}

__global__ void widen(float *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned short bits = i;
  out[i] = __half2float(__ushort_as_half(bits));
}

constexpr int arithmeticCount = 9, functionCount = 9;
__global__ void halves(const float *xs, const float *ys, const float *zs, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const __half x = __float2half(xs[i]), y = __float2half(ys[i]), z = __float2half(zs[i]);
  float *o = out + i * (arithmeticCount + functionCount);
  o[0] = __half2float(x);
  o[1] = __half2float(__hadd(x, y));
  o[2] = __half2float(__hsub(x, y));
  o[3] = __half2float(__hmul(x, y));
  o[4] = __half2float(__hfma(x, y, z));
  o[5] = __half2float(__hdiv(x, y));
  o[6] = __heq(x, y) + 2 * __hlt(x, y) + 4 * __hle(x, y) + 8 * __hgt(x, y) + 16 * __hge(x, y);
  const __half2 a = __halves2half2(x, y), b = __halves2half2(z, x);
  const __half2 sum = __hfma2(a, b, __hadd2(a, b));
  o[7] = __low2float(sum);
  o[8] = __high2float(sum);
  o += arithmeticCount;
  const __half positive = __habs(x), small = __hmul(y, __float2half(0.05f));
  o[0] = __half2float(hsqrt(positive));
  o[1] = __half2float(hrsqrt(positive));
  o[2] = __half2float(hlog(positive));
  o[3] = __half2float(hlog2(positive));
  o[4] = __half2float(hexp(small));
  o[5] = __half2float(hexp2(small));
  o[6] = __half2float(hcos(small));
  o[7] = __half2float(hfloor(x));
  o[8] = __half2float(hrint(x));
}

__global__ void bfloats(const float *xs, const float *ys, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const hip_bfloat16 x(xs[i]), y(ys[i]);
  float *o = out + i * 5;
  o[0] = float(x);
  o[1] = float(x + y);
  o[2] = float(x * y);
  o[3] = float(x / y);
  o[4] = float(x - y);
}

static bool same(float got, double want) {
  return (std::isnan(got) && std::isnan(want)) ||
         (got == want && std::signbit(got) == std::signbit(want));
}

int main() {
  Device<float> all(65536);
  widen<<<256, 256>>>(all);
  const auto widened = all.host();
  int wrong = 0;
  for (unsigned i = 0; i < 65536; ++i)
    wrong += !same(widened[i], halfValue(uint16_t(i)));
  EXPECT(wrong == 0);

  std::vector<float> x, y, z;
  Random random(5);
  for (int i = 0; i < 6000; ++i) {
    x.push_back(float(halfValue(uint16_t(random.next()))));
    y.push_back(float(halfValue(uint16_t(random.next()))));
    z.push_back(float(halfValue(uint16_t(random.next()))));
    x.push_back(float(random.in(-70000, 70000))); // beyond the range, and needs rounding
    y.push_back(float(random.in(-1, 1) * std::exp2(random.in(-28, 4))));
    z.push_back(float(random.in(-4, 4)));
  }
  const int n = int(x.size()), width = arithmeticCount + functionCount;
  Device<float> dx(x), dy(y), dz(z), out(size_t(n) * width), bf(size_t(n) * 5);
  halves<<<(n + 127) / 128, 128>>>(dx, dy, dz, out, n);
  bfloats<<<(n + 127) / 128, 128>>>(dx, dy, bf, n);
  const auto got = out.host(), gotBfloat = bf.host();
  int complaints = 0;
  auto complain = [&](const char *what, int f, int i, double g, double w) {
    if (complaints++ < 10)
      std::printf("%s %d of (%g, %g, %g): %.9g, expected %.9g\n", what, f, x[i], y[i], z[i], g, w);
  };
  for (int i = 0; i < n; ++i) {
    const double a = toHalf(x[i]), b = toHalf(y[i]), c = toHalf(z[i]);
    // 53 bits hold sums and products of 11-bit values; the fused sum may need more, in long double
    auto fused = [](double p, double q, double r) { return toHalf(double(std::fmal(p, q, r))); };
    const double low = fused(a, c, toHalf(a + c)), high = fused(b, a, toHalf(b + a));
    const double want[arithmeticCount] = {
        a,
        toHalf(a + b),
        toHalf(a - b),
        toHalf(a * b),
        fused(a, b, c),
        toHalf(a / b),
        double((a == b) + 2 * (a < b) + 4 * (a <= b) + 8 * (a > b) + 16 * (a >= b)),
        low,
        high};
    for (int f = 0; f < arithmeticCount; ++f)
      if (!same(got[size_t(i) * width + f], want[f]))
        complain("half", f, i, got[size_t(i) * width + f], want[f]);
    const double p = std::fabs(a), s = toHalf(b * toHalf(0.05f));
    const double functions[functionCount] = {std::sqrt(p), 1 / std::sqrt(p), std::log(p),
                                             std::log2(p), std::exp(s),      std::exp2(s),
                                             std::cos(s),  std::floor(a),    std::nearbyint(a)};
    for (int f = 0; f < functionCount; ++f) {
      const double g = got[size_t(i) * width + arithmeticCount + f], w = functions[f];
      const double ulp = std::ldexp(1, std::max(w == 0 ? -99 : std::ilogb(w) - 10, -24));
      if (f >= 7 ? !same(float(g), w)
                 : !(toHalf(w) == g || (std::isnan(g) && std::isnan(w)) ||
                     std::fabs(g - w) <= 2 * ulp))
        complain("function", f, i, g, w);
    }
    const double ba = toBfloat(x[i]), bb = toBfloat(y[i]);
    const double wantBfloat[5] = {ba, toBfloat(float(ba) + float(bb)),
                                  toBfloat(float(ba) * float(bb)), toBfloat(float(ba) / float(bb)),
                                  toBfloat(float(ba) - float(bb))};
    for (int f = 0; f < 5; ++f)
      if (!same(gotBfloat[size_t(i) * 5 + f], wantBfloat[f]))
        complain("bfloat", f, i, gotBfloat[size_t(i) * 5 + f], wantBfloat[f]);
  }
  EXPECT(complaints == 0);
  return verdict();
}
