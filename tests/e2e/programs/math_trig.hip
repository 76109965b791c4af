// Trigonometric and hyperbolic device functions, f32 and f64, against MPFR over the whole range of
// arguments (huge ones exercise the argument reduction).
#include "ulp.h"

MATH1(sin)
MATH1(cos)
MATH1(tan)
MATH1(sinpi)
MATH1(cospi)
MATH1(asin)
MATH1(acos)
MATH1(atan)
MATH1(sinh)
MATH1(cosh)
MATH1(tanh)
MATH1(asinh)
MATH1(acosh)
MATH1(atanh)
MATH2(atan2)

__device__ inline void both(float x, float *s, float *c) { sincosf(x, s, c); }
__device__ inline void both(double x, double *s, double *c) { sincos(x, s, c); }
__device__ inline void bothPi(float x, float *s, float *c) { sincospif(x, s, c); }
__device__ inline void bothPi(double x, double *s, double *c) { sincospi(x, s, c); }

template <class T> __global__ void evaluate(int which, const T *xs, const T *ys, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const T x = xs[i], y = ys[i];
  T r = 0, s, c;
  switch (which) {
  case 0:
    r = call_sin(x);
    break;
  case 1:
    r = call_cos(x);
    break;
  case 2:
    r = call_tan(x);
    break;
  case 3:
    r = call_sinpi(x);
    break;
  case 4:
    r = call_cospi(x);
    break;
  case 5:
    r = call_asin(x);
    break;
  case 6:
    r = call_acos(x);
    break;
  case 7:
    r = call_atan(x);
    break;
  case 8:
    r = call_sinh(x);
    break;
  case 9:
    r = call_cosh(x);
    break;
  case 10:
    r = call_tanh(x);
    break;
  case 11:
    r = call_asinh(x);
    break;
  case 12:
    r = call_acosh(x);
    break;
  case 13:
    r = call_atanh(x);
    break;
  case 14:
    r = call_atan2(x, y);
    break;
  case 15:
  case 16:
    both(x, &s, &c);
    r = which == 15 ? s : c;
    break;
  case 17:
  case 18:
    bothPi(x, &s, &c);
    r = which == 17 ? s : c;
    break;
  }
  out[i] = r;
}

template <class T> void check(const char *type) {
  const double huge = std::numeric_limits<T>::max();
  const Domain all = {-huge, huge}, small = {-100, 100}, unit = {-1, 1}, none = {0, 1};
  // The device library's sinpi and cospi do not follow IEEE 754-2019 in the sign of their zeros.
  checkFunctions<T>(type,
                    {{"sin", 0, all, none, 4, 4, of(mpfr_sin)},
                     {"sin near", 0, small, none, 4, 4, of(mpfr_sin)},
                     {"cos", 1, all, none, 4, 4, of(mpfr_cos)},
                     {"cos near", 1, small, none, 4, 4, of(mpfr_cos)},
                     {"tan", 2, all, none, 5, 5, of(mpfr_tan)},
                     {"tan near", 2, small, none, 5, 5, of(mpfr_tan)},
                     {"sinpi", 3, {-1e6, 1e6}, none, 4, 4, of(mpfr_sinpi), 0, false},
                     {"cospi", 4, {-1e6, 1e6}, none, 4, 4, of(mpfr_cospi), 0, false},
                     {"asin", 5, unit, none, 4, 4, of(mpfr_asin)},
                     {"acos", 6, unit, none, 4, 4, of(mpfr_acos)},
                     {"atan", 7, all, none, 5, 5, of(mpfr_atan)},
                     {"sinh", 8, small, none, 4, 4, of(mpfr_sinh)},
                     {"cosh", 9, small, none, 4, 4, of(mpfr_cosh)},
                     {"tanh", 10, small, none, 5, 5, of(mpfr_tanh)},
                     {"asinh", 11, all, none, 4, 4, of(mpfr_asinh)},
                     {"acosh", 12, {1, huge}, none, 4, 4, of(mpfr_acosh)},
                     {"atanh", 13, unit, none, 5, 5, of(mpfr_atanh)},
                     {"atan2", 14, all, all, 6, 6, of(mpfr_atan2)},
                     {"sincos.s", 15, all, none, 4, 4, of(mpfr_sin)},
                     {"sincos.c", 16, all, none, 4, 4, of(mpfr_cos)},
                     {"sincospi.s", 17, small, none, 4, 4, of(mpfr_sinpi), 0, false},
                     {"sincospi.c", 18, small, none, 4, 4, of(mpfr_cospi), 0, false}},
                    [](int which, T *x, T *y, T *out, int n) {
                      evaluate<T><<<(n + 127) / 128, 128>>>(which, x, y, out, n);
                    });
}

int main() {
  check<float>("f32");
  check<double>("f64");
  return verdict();
}
