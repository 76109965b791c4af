// The fast single-precision intrinsics (__sinf, __expf, ...) against MPFR within the bounds of the
// HIP math API page on its test ranges, and the explicitly rounded ones (__fadd_rn, __dmul_rn, ...)
// bit for bit. (The page gives the ulps at the largest absolute error, 6 for __expf, not the most.)
#include "ulp.h"

__global__ void evaluate(int which, const float *xs, const float *ys, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = xs[i], y = ys[i];
  float r = 0, s, c;
  switch (which) {
  case 0:
    r = __sinf(x);
    break;
  case 1:
    r = __cosf(x);
    break;
  case 2:
    r = __tanf(x);
    break;
  case 3:
    r = __expf(x);
    break;
  case 4:
    r = __exp10f(x);
    break;
  case 5:
    r = __logf(x);
    break;
  case 6:
    r = __log2f(x);
    break;
  case 7:
    r = __log10f(x);
    break;
  case 8:
    r = __powf(x, y);
    break;
  case 9:
    r = __fdividef(x, y);
    break;
  case 10:
    r = __frsqrt_rn(x);
    break;
  case 11:
    __sincosf(x, &s, &c);
    r = s;
    break;
  case 12:
    __sincosf(x, &s, &c);
    r = c;
    break;
  case 13:
    r = fdividef(x, y);
    break;
  }
  out[i] = r;
}

struct Rounded {
  float add, sub, mul, div, fma, rcp, sqrt, saturate;
  double dadd, dsub, dmul, ddiv, dfma, drcp, dsqrt;
};
__global__ void rounded(const float *xs, const float *ys, Rounded *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = xs[i], y = ys[i];
  const double dx = x * 1.1, dy = y * 1.3;
  out[i] = {__fadd_rn(x, y),      __fsub_rn(x, y),   __fmul_rn(x, y),    __fdiv_rn(x, y),
            __fmaf_rn(x, y, x),   __frcp_rn(x),      __fsqrt_rn(y * y),  __saturatef(x),
            __dadd_rn(dx, dy),    __dsub_rn(dx, dy), __dmul_rn(dx, dy),  __ddiv_rn(dx, dy),
            __fma_rn(dx, dy, dx), __drcp_rn(dx),     __dsqrt_rn(dy * dy)};
}

int main() {
  const double pi = 3.14159265;
  const Domain angle = {-pi, pi, false}, positive = {1e-6, 1e6, false}, none = {0, 1, false};
  const Domain wide = {-100, 100, false};
  const Reference divide = of(mpfr_div);
  // Relative to the result near a zero of sin, cos or log nothing is promised, but an absolute
  // error.
  checkFunctions<float>("f32",
                        {{"__sinf", 0, angle, none, 4, 0, of(mpfr_sin), 8},
                         {"__cosf", 1, angle, none, 4, 0, of(mpfr_cos), 8},
                         {"__tanf", 2, {-1.4, 1.4, false}, none, 16, 0, of(mpfr_tan), 8},
                         {"__expf", 3, {-10, 10, false}, none, 8, 0, of(mpfr_exp)},
                         {"__exp10f", 4, {-4, 4, false}, none, 18, 0, of(mpfr_exp10)},
                         {"__logf", 5, positive, none, 2, 0, of(mpfr_log), 4},
                         {"__log2f", 6, positive, none, 1.5, 0, of(mpfr_log2), 4},
                         {"__log10f", 7, positive, none, 2.5, 0, of(mpfr_log10), 4},
                         {"__powf", 8, {0.01, 4, false}, {-2, 2, false}, 16, 0, of(mpfr_pow)},
                         {"__fdividef", 9, wide, {0.01, 100, false}, 2.5, 0, divide},
                         {"__frsqrt_rn", 10, {0.01, 100, false}, none, 1.5, 0, of(mpfr_rec_sqrt)},
                         {"__sincosf.s", 11, angle, none, 4, 0, of(mpfr_sin), 8},
                         {"__sincosf.c", 12, angle, none, 4, 0, of(mpfr_cos), 8},
                         {"fdividef", 13, wide, {0.01, 100, false}, 2.5, 0, divide}},
                        [](int which, float *x, float *y, float *out, int n) {
                          evaluate<<<(n + 127) / 128, 128>>>(which, x, y, out, n);
                        });

  const int n = 2000;
  const auto x = randomIn<float>(n, -1000, 1000, 1), y = randomIn<float>(n, -10, 10, 2);
  Device<float> deviceX(x), deviceY(y);
  Device<Rounded> out(n);
  rounded<<<(n + 127) / 128, 128>>>(deviceX, deviceY, out, n);
  std::vector<Rounded> want(n);
  for (int i = 0; i < n; ++i) {
    const float a = x[i], b = y[i];
    const double da = a * 1.1, db = b * 1.3;
    want[i] = {a + b,
               a - b,
               a * b,
               a / b,
               std::fma(a, b, a),
               1 / a,
               std::sqrt(b * b),
               a < 0   ? 0
               : a > 1 ? 1
                       : a,
               da + db,
               da - db,
               da * db,
               da / db,
               std::fma(da, db, da),
               1 / da,
               std::sqrt(db * db)};
  }
  const auto got = out.host();
  auto field = [&](const char *what, auto member) {
    using T = std::remove_reference_t<decltype(want[0].*member)>;
    std::vector<T> g(n), w(n);
    for (int i = 0; i < n; ++i)
      g[i] = got[i].*member, w[i] = want[i].*member;
    expectSame(what, g, w);
  };
  field("__fadd_rn", &Rounded::add), field("__fsub_rn", &Rounded::sub);
  field("__fmul_rn", &Rounded::mul), field("__fdiv_rn", &Rounded::div);
  field("__fmaf_rn", &Rounded::fma), field("__frcp_rn", &Rounded::rcp);
  field("__saturatef", &Rounded::saturate);
  expectNear(
      "__fsqrt_rn",
      [&] {
        std::vector<float> g;
        for (const Rounded &r : got)
          g.push_back(r.sqrt);
        return g;
      }(),
      [&] {
        std::vector<float> w;
        for (const Rounded &r : want)
          w.push_back(r.sqrt);
        return w;
      }(),
      0x1p-23, 0); // one ulp on the page
  field("__dadd_rn", &Rounded::dadd), field("__dsub_rn", &Rounded::dsub);
  field("__dmul_rn", &Rounded::dmul), field("__ddiv_rn", &Rounded::ddiv);
  field("__fma_rn", &Rounded::dfma), field("__drcp_rn", &Rounded::drcp);
  field("__dsqrt_rn", &Rounded::dsqrt);
  return verdict();
}
