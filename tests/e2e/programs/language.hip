// C++ in kernels: lambdas captured by value and passed in, variadic templates, constexpr if, large
// structs as arguments, bit fields and unions, switches with many cases and fallthrough, goto,
// nested loops with break and continue, 64-bit indices, three-dimensional grids, inline assembly.
#include "check.h"

#include <utility>

template <class F> __global__ void each(F f, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = f(i);
}

struct Big {
  int table[512]; // 2 KiB in the kernel's arguments
  short tail[7];
};
__global__ void bigArgument(Big big, int scale, int *out) {
  const int t = threadIdx.x;
  out[t] = big.table[t * 13 % 512] * scale + big.tail[t % 7];
}

template <class... T> __host__ __device__ int sumOf(T... v) { return (0 + ... + int(v)); }
template <int... k> __host__ __device__ int polynomial(int x, std::integer_sequence<int, k...>) {
  int r = 0;
  ((r = r * x + k), ...);
  return r;
}

struct Fields {
  unsigned a : 3, b : 11, c : 18;
  signed d : 5;
};
union Cast {
  float f;
  struct {
    unsigned mantissa : 23, exponent : 8, sign : 1;
  } parts;
};

__host__ __device__ int control(int i) {
  int r = i;
  switch (i % 11) {
  case 0:
    r += 5;
    [[fallthrough]];
  case 1:
    r *= 3;
    break;
  case 2:
  case 7:
    for (int k = 0; k < i % 5; ++k) {
      if (k == 3)
        break;
      if ((r + k) % 2)
        continue;
      r += k * 10;
    }
    break;
  case 4:
    goto done;
  case 9:
    while (true) {
      r = r * 7 + 1;
      for (int k = 0; k < 3; ++k)
        if ((r >> k) % 5 == 2)
          goto done;
      if (r > 1 << 20)
        break;
    }
    break;
  default:
    r = -r;
    do
      r += 3;
    while (r < 0);
  }
  r ^= 0x55;
done:
  Fields f = {};
  f.a = r, f.b = r >> 2, f.c = r * 5, f.d = r;
  Cast c;
  c.f = float(i) + 0.5f;
  return r * 31 + int(f.a) + int(f.b) * 3 + int(f.c) * 7 + f.d + int(c.parts.exponent) +
         int(c.parts.mantissa >> 9);
}

__global__ void grid3(unsigned *out) {
  const dim3 g = gridDim, b = blockDim;
  const unsigned x = blockIdx.x * b.x + threadIdx.x, y = blockIdx.y * b.y + threadIdx.y,
                 z = blockIdx.z * b.z + threadIdx.z;
  const size_t at = (size_t(z) * g.y * b.y + y) * g.x * b.x + x;
  out[at] = x | y << 10 | z << 20;
}
__global__ void assembly(const unsigned *in, unsigned *out) {
  unsigned r, s;
  asm volatile("v_alignbit_b32 %0, %1, %1, 7" : "=v"(r) : "v"(in[threadIdx.x]));
  asm volatile("v_bfe_u32 %0, %1, 4, 9" : "=v"(s) : "v"(r));
  out[threadIdx.x] = r + s;
}

int main() {
  const int n = 1000, blocks = 4;
  Device<int> out(n);
  std::vector<int> want(n);
  const int offset = 17, scales[4] = {2, 3, 5, 7};
  auto lambda = [=] __host__ __device__(int i) { return scales[i % 4] * i + offset; };
  each<<<blocks, 256>>>(lambda, out, n);
  for (int i = 0; i < n; ++i)
    want[i] = lambda(i);
  expectSame("lambda", out.host(), want);
  each<<<blocks, 256>>>([] __device__(int i) { return control(i); }, out, n);
  for (int i = 0; i < n; ++i)
    want[i] = control(i);
  expectSame("control flow", out.host(), want);
  each<<<blocks, 256>>>(
      [] __device__(int i) {
        return sumOf(i, 2.9f, short(i * 3), 'a') +
               polynomial(i % 9, std::integer_sequence<int, 3, 1, 4, 1, 5>());
      },
      out, n);
  for (int i = 0; i < n; ++i) {
    const int x = i % 9;
    want[i] = i + 2 + short(i * 3) + 'a' + (((3 * x + 1) * x + 4) * x + 1) * x + 5;
  }
  expectSame("packs", out.host(), want);

  Big big;
  for (int i = 0; i < 512; ++i)
    big.table[i] = i * i;
  for (int i = 0; i < 7; ++i)
    big.tail[i] = short(-i);
  Device<int> few(300);
  bigArgument<<<1, 300>>>(big, 3, few);
  std::vector<int> wantFew(300);
  for (int t = 0; t < 300; ++t)
    wantFew[t] = big.table[t * 13 % 512] * 3 + big.tail[t % 7];
  expectSame("big argument", few.host(), wantFew);

  const dim3 grid(3, 4, 5), block(4, 2, 3);
  Device<unsigned> cells(12 * 8 * 15);
  grid3<<<grid, block>>>(cells);
  std::vector<unsigned> wantCells;
  for (unsigned z = 0; z < 15; ++z)
    for (unsigned y = 0; y < 8; ++y)
      for (unsigned x = 0; x < 12; ++x)
        wantCells.push_back(x | y << 10 | z << 20);
  expectSame("three dimensions", cells.host(), wantCells);

  Random random(1);
  std::vector<unsigned> words(64), wantWords;
  for (unsigned &w : words) {
    w = unsigned(random.next());
    const unsigned r = w >> 7 | w << 25;
    wantWords.push_back(r + (r >> 4 & 511));
  }
  Device<unsigned> dWords(words), result(64);
  assembly<<<1, 64>>>(dWords, result);
  expectSame("assembly", result.host(), wantWords);
  return verdict();
}
