// Device math functions against MPFR: every function of a program is evaluated by one kernel over
// edge values and random arguments, for float and double, and its distance to the exact value in
// units of the last place (of the result's type, subnormal results included) is held to a bound.
//
// Bounds are those of the HIP math API page where it gives one for the function's whole range, and
// of the OpenCL C specification's table (which the device library implements) elsewhere. A zero
// must have the exact zero's sign, a NaN must be expected, a result past the largest finite value
// must be an infinity unless the bound reaches back. NaN payloads are not compared.
#pragma once

#include "check.h"

#include <functional>
#include <limits>
#include <mpfr.h>

/// An MPFR number of 240 bits; exponents far beyond double's.
class Exact {
public:
  Exact() { mpfr_init2(value_, 240); }
  explicit Exact(double v) : Exact() { mpfr_set_d(value_, v, MPFR_RNDN); }
  Exact(const Exact &other) : Exact() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Exact &operator=(const Exact &other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Exact() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

private:
  mpfr_t value_;
};

using Reference = std::function<void(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y)>;

/// Distance of `got` from `exact` in ulps of T; infinite where got is of the wrong kind.
template <class T> double ulpError(T got, const Exact &exact) {
  using Limits = std::numeric_limits<T>;
  const double wrong = std::numeric_limits<double>::infinity();
  if (mpfr_nan_p(exact.get()))
    return std::isnan(got) ? 0 : wrong;
  if (std::isnan(got))
    return wrong;
  if (mpfr_zero_p(exact.get()))
    return got == 0 && std::signbit(got) == !!mpfr_signbit(exact.get()) ? 0 : wrong;
  if (mpfr_inf_p(exact.get()))
    return std::isinf(got) && (got > 0) == (mpfr_sgn(exact.get()) > 0) ? 0 : wrong;
  long exponent = std::min<long>(mpfr_get_exp(exact.get()), Limits::max_exponent);
  exponent = std::max<long>(exponent, Limits::min_exponent) - Limits::digits;
  Exact difference;
  if (std::isinf(got)) { // stands for the first value past the largest finite one
    mpfr_set_ui_2exp(difference.get(), 1, Limits::max_exponent, MPFR_RNDN);
    if (got < 0)
      mpfr_neg(difference.get(), difference.get(), MPFR_RNDN);
    if ((got > 0) == (mpfr_sgn(exact.get()) > 0) && mpfr_cmpabs(exact.get(), difference.get()) >= 0)
      return 0;
  } else
    mpfr_set_d(difference.get(), got, MPFR_RNDN);
  mpfr_sub(difference.get(), difference.get(), exact.get(), MPFR_RNDN);
  mpfr_mul_2si(difference.get(), difference.get(), -exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference.get(), MPFR_RNDN));
}

/// Where a function is tried: uniform and log-uniform arguments in [low, high]; edges outside too.
struct Domain {
  double low, high;
  bool edges = true;
};

template <class T> std::vector<T> arguments(Domain d, size_t count, uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  if (d.edges)
    for (T v : {T(0),
                T(0.5),
                T(1),
                T(1.5),
                T(2),
                T(3),
                T(10),
                T(0.1),
                T(0.25),
                T(1e-5),
                T(3.14159265),
                T(1.57079633),
                T(0.7853981634),
                Limits::denorm_min(),
                Limits::min(),
                Limits::epsilon(),
                std::nextafter(T(1), T(0)),
                std::nextafter(T(1), T(2)),
                std::nextafter(Limits::min(), T(0)),
                Limits::max(),
                Limits::infinity(),
                Limits::quiet_NaN(),
                T(88.7),
                T(127.5),
                T(1e10),
                T(16777217)}) {
      values.push_back(v);
      values.push_back(-v);
    }
  Random random(seed);
  const double low = std::max(d.low, double(-Limits::max()));
  const double high = std::min(d.high, double(Limits::max()));
  const double most = std::max(std::fabs(low), std::fabs(high));
  const double least = std::max(low > 0 ? low : 0, double(Limits::denorm_min()));
  while (values.size() < count) {
    const double share = random.in(0, 1);
    values.push_back(T(low * (1 - share) + high * share));
    const double v =
        std::exp2(random.in(std::log2(least), std::log2(most))) * (random.next() & 1 ? -1 : 1);
    if (v >= low && v <= high)
      values.push_back(T(v));
  }
  values.resize(count);
  return values;
}

/// One function under test. `which` selects it in the program's kernel.
struct Function {
  const char *name;
  int which;
  Domain x, y;
  double bound32, bound64;
  Reference reference;
  /// absolute error allowed as well: for functions with zeros at irrational points
  double absolute = 0;
  bool signOfZero = true;
};

/// `launch(which, x, y, out, n)` runs the program's kernel. Prints the worst error per function.
template <class T, class Launch>
void checkFunctions(const char *type, const std::vector<Function> &functions, Launch &&launch,
                    size_t count = 640) {
  for (const Function &f : functions) {
    const double bound = sizeof(T) == 4 ? f.bound32 : f.bound64;
    const auto x = arguments<T>(f.x, count, f.which * 2 + 1),
               y0 = arguments<T>(f.y, count, f.which * 2 + 2);
    std::vector<T> y(count);
    for (size_t i = 0; i < count; ++i) // every edge meets every edge sooner or later
      y[i] = y0[(i * 53 + 11 * (i / 52)) % count];
    Device<T> dx(x), dy(y), out(count);
    launch(f.which, dx.get(), dy.get(), out.get(), int(count));
    const auto got = out.host();
    double worst = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) {
      Exact ex(x[i]), ey(y[i]), exact;
      f.reference(exact.get(), ex.get(), ey.get());
      double error = ulpError(got[i], exact);
      if (!f.signOfZero && got[i] == 0 && mpfr_zero_p(exact.get()))
        error = 0;
      if (error <= bound) {
        worst = std::max(worst, error);
        continue;
      }
      if (f.absolute && std::fabs(double(got[i]) - mpfr_get_d(exact.get(), MPFR_RNDN)) <=
                            f.absolute * std::numeric_limits<T>::epsilon())
        continue;
      if (wrong++ < 3)
        std::printf("%s %s(%.17g, %.17g) is %.17g, expected %.17g: %.3g ulp, bound %g\n", type,
                    f.name, double(x[i]), double(y[i]), double(got[i]),
                    mpfr_get_d(exact.get(), MPFR_RNDN), error, bound);
    }
    if (wrong) {
      std::printf("%s %s: %zu of %zu past the bound\n", type, f.name, wrong, count);
      ++failures;
    } else
      std::printf("%-6s %-14s worst %.3f ulp of %g\n", type, f.name, worst, bound);
  }
}

/// A reference that is one MPFR function of one argument, or of two.
inline Reference of(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  return [f](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr) { f(out, x, MPFR_RNDN); };
}
inline Reference of(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)) {
  return [f](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y) { f(out, x, y, MPFR_RNDN); };
}

/// Both spellings of a function, chosen by type: sinf for float, sin for double.
#define MATH1(name)                                                                                \
  __device__ inline float call_##name(float x) { return name##f(x); }                              \
  __device__ inline double call_##name(double x) { return name(x); }
#define MATH2(name)                                                                                \
  __device__ inline float call_##name(float x, float y) { return name##f(x, y); }                  \
  __device__ inline double call_##name(double x, double y) { return name(x, y); }
