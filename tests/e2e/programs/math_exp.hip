// Exponentials, logarithms, powers and roots, f32 and f64, against MPFR.
#include "ulp.h"

MATH1(exp)
MATH1(exp2)
MATH1(exp10)
MATH1(expm1)
MATH1(log)
MATH1(log2)
MATH1(log10)
MATH1(log1p)
MATH1(sqrt)
MATH1(rsqrt)
MATH1(cbrt)
MATH1(rcbrt)
MATH2(pow)
MATH2(hypot)
MATH2(rhypot)

__device__ inline float power(float x, int n) { return powif(x, n); }
__device__ inline double power(double x, int n) { return powi(x, n); }
__device__ inline float norm3(float a, float b, float c) { return norm3df(a, b, c); }
__device__ inline double norm3(double a, double b, double c) { return norm3d(a, b, c); }
__device__ inline float norm4(float a, float b, float c, float d) { return norm4df(a, b, c, d); }
__device__ inline double norm4(double a, double b, double c, double d) {
  return norm4d(a, b, c, d);
}
__device__ inline float rnorm3(float a, float b, float c) { return rnorm3df(a, b, c); }
__device__ inline double rnorm3(double a, double b, double c) { return rnorm3d(a, b, c); }
__device__ inline float rnorm4(float a, float b, float c, float d) { return rnorm4df(a, b, c, d); }
__device__ inline double rnorm4(double a, double b, double c, double d) {
  return rnorm4d(a, b, c, d);
}

template <class T> __global__ void evaluate(int which, const T *xs, const T *ys, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const T x = xs[i], y = ys[i];
  T r = 0;
  switch (which) {
  case 0:
    r = call_exp(x);
    break;
  case 1:
    r = call_exp2(x);
    break;
  case 2:
    r = call_exp10(x);
    break;
  case 3:
    r = call_expm1(x);
    break;
  case 4:
    r = call_log(x);
    break;
  case 5:
    r = call_log2(x);
    break;
  case 6:
    r = call_log10(x);
    break;
  case 7:
    r = call_log1p(x);
    break;
  case 8:
    r = call_sqrt(x);
    break;
  case 9:
    r = call_rsqrt(x);
    break;
  case 10:
    r = call_cbrt(x);
    break;
  case 11:
    r = call_rcbrt(x);
    break;
  case 12:
    r = call_pow(x, y);
    break;
  case 13:
    r = call_hypot(x, y);
    break;
  case 14:
    r = call_rhypot(x, y);
    break;
  case 15:
    r = power(x, int(y));
    break;
  case 16:
    r = norm3(x, y, x);
    break;
  case 17:
    r = norm4(x, y, y, x);
    break;
  case 18:
    r = rnorm3(x, y, x);
    break;
  case 19:
    r = rnorm4(x, y, y, x);
    break;
  }
  out[i] = r;
}

/// sqrt(a x^2 + b y^2), or its inverse.
static Reference norm(int a, int b, bool inverse) {
  return [=](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y) {
    Exact xx, yy;
    if (mpfr_inf_p(x) || mpfr_inf_p(y)) { // an infinity wins over NaN, as in hypot
      mpfr_set_inf(out, 1);
    } else {
      mpfr_sqr(xx.get(), x, MPFR_RNDN);
      mpfr_sqr(yy.get(), y, MPFR_RNDN);
      mpfr_mul_si(xx.get(), xx.get(), a, MPFR_RNDN);
      mpfr_mul_si(yy.get(), yy.get(), b, MPFR_RNDN);
      mpfr_add(out, xx.get(), yy.get(), MPFR_RNDN);
      mpfr_sqrt(out, out, MPFR_RNDN);
    }
    if (inverse)
      mpfr_ui_div(out, 1, out, MPFR_RNDN);
  };
}

template <class T> void check(const char *type) {
  const double huge = std::numeric_limits<T>::max();
  const bool f32 = sizeof(T) == 4;
  const Domain all = {-huge, huge}, positive = {0, huge}, none = {0, 1};
  const Domain natural = f32 ? Domain{-105, 90} : Domain{-750, 712};
  const Domain binary = f32 ? Domain{-152, 130} : Domain{-1080, 1026};
  const Domain decimal = f32 ? Domain{-46, 39} : Domain{-325, 309};
  const Reference rcbrt = [](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr) {
    mpfr_cbrt(out, x, MPFR_RNDN);
    mpfr_ui_div(out, 1, out, MPFR_RNDN);
  };
  const Reference pown = [](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y) {
    mpfr_pow_si(out, x, mpfr_get_si(y, MPFR_RNDZ), MPFR_RNDN);
  };
  const Reference rsqrt = [](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr) {
    mpfr_rec_sqrt(out, x, MPFR_RNDN);
    if (mpfr_zero_p(x)) // IEEE 754: rsqrt(-0) = -inf, MPFR says +inf
      mpfr_copysign(out, out, x, MPFR_RNDN);
  };
  // expm1f(-0) and log1p(-0) are +0 in the device library.
  checkFunctions<T>(type,
                    {{"exp", 0, natural, none, 3, 3, of(mpfr_exp)},
                     {"exp2", 1, binary, none, 3, 3, of(mpfr_exp2)},
                     {"exp10", 2, decimal, none, 3, 3, of(mpfr_exp10)},
                     {"expm1", 3, natural, none, 3, 3, of(mpfr_expm1), 0, false},
                     {"log", 4, positive, none, 3, 3, of(mpfr_log)},
                     {"log2", 5, positive, none, 3, 3, of(mpfr_log2)},
                     {"log10", 6, positive, none, 3, 3, of(mpfr_log10)},
                     {"log1p", 7, {-1, huge}, none, 2, 2, of(mpfr_log1p), 0, false},
                     {"log near 1", 4, {0.5, 2}, none, 3, 3, of(mpfr_log)},
                     {"sqrt", 8, positive, none, 0.5, 0.5, of(mpfr_sqrt)},
                     {"rsqrt", 9, positive, none, 2, 2, rsqrt},
                     {"cbrt", 10, all, none, 2, 2, of(mpfr_cbrt)},
                     {"rcbrt", 11, all, none, 3, 3, rcbrt},
                     {"pow", 12, {0, 20}, {-40, 40}, 16, 16, of(mpfr_pow)},
                     {"pow negative", 12, {-8, 8}, {-9, 9}, 16, 16, of(mpfr_pow)},
                     {"hypot", 13, all, all, 4, 4, of(mpfr_hypot)},
                     {"rhypot", 14, {-1e5, 1e5}, {-1e5, 1e5}, 4, 4, norm(1, 1, true)},
                     {"powi", 15, {-8, 8, false}, {-30, 30, false}, 16, 16, pown},
                     {"norm3d", 16, {-1e5, 1e5}, {-1e5, 1e5}, 4, 4, norm(2, 1, false)},
                     {"norm4d", 17, {-1e5, 1e5}, {-1e5, 1e5}, 4, 4, norm(2, 2, false)},
                     {"rnorm3d", 18, {-1e5, 1e5}, {-1e5, 1e5}, 4, 4, norm(2, 1, true)},
                     {"rnorm4d", 19, {-1e5, 1e5}, {-1e5, 1e5}, 4, 4, norm(2, 2, true)}},
                    [](int which, T *x, T *y, T *out, int n) {
                      evaluate<T><<<(n + 127) / 128, 128>>>(which, x, y, out, n);
                    });
}

int main() {
  check<float>("f32");
  check<double>("f64");
  return verdict();
}
