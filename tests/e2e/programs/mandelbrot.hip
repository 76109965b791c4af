// Escape times of the Mandelbrot and a Julia set, f32 and f64: loops whose length differs per lane.
// Bit for bit: no contraction on either side.
#include "check.h"

template <class T> __host__ __device__ int escape(T x, T y, T cx, T cy, int most) {
  int i = 0;
  for (; i < most && x * x + y * y <= 4; ++i) {
    const T t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  return i;
}
template <class T> __global__ void mandelbrot(int *out, int w, int h, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = escape(T(0), T(0), T(x) * 3 / w - 2, T(y) * 2 / h - 1, most);
}
template <class T> __global__ void julia(int *out, int w, int h, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = escape(T(x) * 4 / w - 2, T(y) * 3 / h - T(1.5), T(-0.8), T(0.156), most);
}

template <class T> static void check(const char *type) {
  const int w = 70, h = 50, most = 200;
  const dim3 grid((w + 15) / 16, (h + 7) / 8), block(16, 8);
  Device<int> set(w * h), other(w * h);
  mandelbrot<T><<<grid, block>>>(set, w, h, most);
  julia<T><<<grid, block>>>(other, w, h, most);
  std::vector<int> want(w * h), wantOther(w * h);
  int inside = 0;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      want[y * w + x] = escape(T(0), T(0), T(x) * 3 / w - 2, T(y) * 2 / h - 1, most);
      wantOther[y * w + x] =
          escape(T(x) * 4 / w - 2, T(y) * 3 / h - T(1.5), T(-0.8), T(0.156), most);
      inside += want[y * w + x] == most;
    }
  EXPECT(inside > w * h / 5 && inside < w * h / 3); // the set's area is 1.507 of 6
  expectSame(type, set.host(), want);
  expectSame(type, other.host(), wantOther);
}

int main() {
  check<float>("f32");
  check<double>("f64");
  return verdict();
}
