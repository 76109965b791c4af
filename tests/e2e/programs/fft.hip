// Radix-2 Fourier transform in LDS (Stockham), complex f32 and f64, sizes 8 to 1024, forward and
// back. Reference: the definition's sum in long double; bound: a few ulps of the norm times the
// number of passes.
#include "check.h"

#include <complex>

template <class T> struct Complex {
  T re, im;
};

template <class T> __global__ void transform(const Complex<T> *in, Complex<T> *out, int n, T sign) {
  extern __shared__ char bytes[];
  Complex<T> *a = reinterpret_cast<Complex<T> *>(bytes), *b = a + n;
  const int t = threadIdx.x, base = blockIdx.x * n, half = n / 2;
  for (int i = t; i < n; i += blockDim.x)
    a[i] = in[base + i];
  __syncthreads();
  for (int size = 1; size < n; size *= 2) {
    for (int i = t; i < half; i += blockDim.x) {
      const int k = i & (size - 1), at = 2 * i - k;
      T s, c;
      if constexpr (sizeof(T) == 4)
        sincosf(sign * T(3.14159265358979323846) * T(k) / T(size), &s, &c);
      else
        sincos(sign * T(3.14159265358979323846) * T(k) / T(size), &s, &c);
      const Complex<T> x = a[i], y = a[i + half];
      const Complex<T> w = {y.re * c - y.im * s, y.re * s + y.im * c};
      b[at] = {x.re + w.re, x.im + w.im};
      b[at + size] = {x.re - w.re, x.im - w.im};
    }
    __syncthreads();
    Complex<T> *swap = a;
    a = b;
    b = swap;
  }
  for (int i = t; i < n; i += blockDim.x)
    out[base + i] = a[i];
}

template <class T> static void check(const char *name, int n) {
  const int batch = 2;
  const auto flat = randomIn<T>(2 * n * batch, -1, 1, n);
  std::vector<Complex<T>> in(n * batch);
  std::memcpy(in.data(), flat.data(), flat.size() * sizeof(T));
  Device<Complex<T>> source(in), spectrum(n * batch), back(n * batch);
  transform<T><<<batch, 64, 2 * n * sizeof(Complex<T>)>>>(source, spectrum, n, T(-1));
  transform<T><<<batch, 64, 2 * n * sizeof(Complex<T>)>>>(spectrum, back, n, T(1));
  const auto got = spectrum.host(), again = back.host();
  std::vector<std::complex<long double>> roots(n);
  for (int i = 0; i < n; ++i)
    roots[i] = std::polar(1.0L, -2 * 3.14159265358979323846264338327950288L * i / n);
  const double bound = std::numeric_limits<T>::epsilon() * std::sqrt(n) * 4 * std::log2(n);
  double worst = 0;
  for (int b = 0; b < batch; ++b)
    for (int k = 0; k < n; ++k) {
      std::complex<long double> sum = 0;
      for (int i = 0; i < n; ++i)
        sum += std::complex<long double>(in[b * n + i].re, in[b * n + i].im) * roots[i * k % n];
      const Complex<T> &g = got[b * n + k], &r = again[b * n + k];
      worst = std::max(worst, double(std::abs(sum - std::complex<long double>(g.re, g.im))));
      // forward and back multiplies by n
      worst = std::max(
          worst, double(std::hypot(r.re / n - in[b * n + k].re, r.im / n - in[b * n + k].im)));
    }
  if (!(worst <= bound)) {
    std::printf("%s, %d points: off by %g, bound %g\n", name, n, worst, bound);
    ++failures;
  }
}

int main() {
  for (int n : {8, 64, 512}) {
    check<float>("f32", n);
    check<double>("f64", n);
  }
  check<float>("f32", 1024);
  return verdict();
}
