// Calls that are not inlined: recursion (Ackermann, Fibonacci, mutual, a quicksort on a private
// array), function pointers chosen per thread, tables of them in constant memory, virtual functions
// of objects built on the device.
#include "check.h"

#include <algorithm>

using Operation = int (*)(int, int);

__host__ __device__ __attribute__((noinline)) int opAdd(int a, int b) { return a + b; }
__host__ __device__ __attribute__((noinline)) int opMul(int a, int b) { return a * b; }
__host__ __device__ __attribute__((noinline)) int opMix(int a, int b) { return (a ^ b) - (a & 7); }
__host__ __device__ __attribute__((noinline)) int opLoop(int a, int b) {
  int r = a;
  for (int i = 0; i < (b & 7); ++i)
    r = r * 5 + i;
  return r;
}
__device__ Operation table[4] = {opAdd, opMul, opMix, opLoop};

__global__ void dispatch(const int *a, const int *b, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  // lanes of one wave call different functions, then some of them call again
  int r = table[a[i] & 3](a[i], b[i]);
  if (b[i] & 1)
    r = table[(r >> 2) & 3](r, i);
  out[i] = r;
}

__host__ __device__ __attribute__((noinline)) unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__host__ __device__ bool isOdd(unsigned n);
__host__ __device__ __attribute__((noinline)) bool isEven(unsigned n) {
  return n == 0 || isOdd(n - 1);
}
__host__ __device__ __attribute__((noinline)) bool isOdd(unsigned n) {
  return n != 0 && isEven(n - 1);
}
__host__ __device__ __attribute__((noinline)) unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void recurse(unsigned *out) {
  const unsigned t = threadIdx.x;
  out[t] = ackermann(t % 3, t % 5) * 1000000 + fibonacci(t % 12) * 10 + isEven(t % 20);
}

__device__ __attribute__((noinline)) void quicksort(int *a, int low, int high) {
  if (low >= high)
    return;
  const int pivot = a[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot)
      ++i;
    while (a[j] > pivot)
      --j;
    if (i <= j) {
      const int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  quicksort(a, low, j);
  quicksort(a, i, high);
}
__global__ void sortPrivate(int *data) {
  int mine[24];
  for (int i = 0; i < 24; ++i)
    mine[i] = data[threadIdx.x * 24 + i];
  quicksort(mine, 0, 23);
  for (int i = 0; i < 24; ++i)
    data[threadIdx.x * 24 + i] = mine[i];
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
  __device__ virtual ~Shape() {}
};
struct Circle : Shape {
  float r;
  __device__ explicit Circle(float v) : r(v) {}
  __device__ float area() const override { return 3.0f * r * r; }
};
struct Box : Shape {
  float w, h;
  __device__ Box(float a, float b) : w(a), h(b) {}
  __device__ float area() const override { return w * h; }
  __device__ int corners() const override { return 4; }
};
struct Half : Box {
  using Box::Box;
  __device__ float area() const override { return Box::area() / 2; }
  __device__ int corners() const override { return 3; }
};
__global__ void shapes(float *out) {
  const unsigned t = threadIdx.x;
  Shape *s = t % 3 == 0   ? static_cast<Shape *>(new Circle(t))
             : t % 3 == 1 ? new Box(t, 2)
                          : new Half(t, 5);
  out[t] = s->area() + 0.25f * s->corners();
  delete s;
}

int main() {
  const int n = 1000;
  const auto a = randomBelow<int>(n, 10000, 1), b = randomBelow<int>(n, 10000, 2);
  const Operation host[4] = {opAdd, opMul, opMix, opLoop};
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    int r = host[a[i] & 3](a[i], b[i]);
    if (b[i] & 1)
      r = host[(r >> 2) & 3](r, i);
    want[i] = r;
  }
  Device<int> da(a), db(b), out(n);
  dispatch<<<4, 256>>>(da, db, out, n);
  expectSame("function pointers", out.host(), want);

  Device<unsigned> results(128);
  recurse<<<1, 128>>>(results);
  std::vector<unsigned> values(128);
  for (unsigned t = 0; t < 128; ++t)
    values[t] = ackermann(t % 3, t % 5) * 1000000 + fibonacci(t % 12) * 10 + (t % 20 % 2 == 0);
  expectSame("recursion", results.host(), values);

  auto lists = randomBelow<int>(64 * 24, 500, 3);
  Device<int> deviceLists(lists);
  sortPrivate<<<1, 64>>>(deviceLists);
  for (int t = 0; t < 64; ++t)
    std::sort(lists.begin() + t * 24, lists.begin() + (t + 1) * 24);
  expectSame("quicksort", deviceLists.host(), lists);

  Device<float> areas(100);
  shapes<<<1, 100>>>(areas);
  std::vector<float> wantAreas(100);
  for (int t = 0; t < 100; ++t)
    wantAreas[t] = t % 3 == 0 ? 3.0f * t * t : t % 3 == 1 ? t * 2.0f + 1 : t * 5.0f / 2 + 0.75f;
  expectSame("virtual functions", areas.host(), wantAreas);
  return verdict();
}
