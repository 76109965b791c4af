// Kernels of many shapes whose arguments decide what they do. Whatever the arguments are, what a
// kernel does is defined: loops are bounded, divisors are looked at, null pointers are not followed.
#pragma once

#include "structures.h"

// ---- scalars

extern "C" __global__ void options(unsigned *to, const unsigned *from, unsigned n, unsigned order,
                                   unsigned flags, bool first, bool second, uint8_t mode,
                                   int16_t shift) {
  const unsigned i = item();
  if (i >= n && n > 8)
    return;
  unsigned x = get(to, i) + n;
  for (unsigned k = 0; k < order && k < 12; ++k)
    x = mix(x, from ? get(from, i, k & 3) : k);
  if (flags & 1)
    x += first ? x << (shift & 7) : x >> 3;
  if (flags & 0x80000000)
    x = mix(x, 0x55);
  if (second && i % 3 == 1)
    x ^= flags;
  if (mode == 3)
    x = ~x;
  else if (mode > 100)
    x += shift;
  put(to, i, x);
}

extern "C" __global__ void wide(unsigned *to, uint64_t mode, int64_t limit, bool on, double scale) {
  const unsigned i = item();
  unsigned x = get(to, i);
  switch (mode) { // which of them may be told by the upper half alone
  case 1:
    x = mix(x, 1);
    break;
  case 1ull << 32:
    x = mix(x, 2) + i;
    break;
  case 2ull << 32:
    for (int k = 0; k < 5; ++k)
      x = mix(x, k);
    break;
  case ~0ull:
    x = 7;
    break;
  default:
    x += 11;
  }
  for (int64_t k = 0; k < limit && k < 9; ++k)
    x = mix(x, static_cast<unsigned>(k));
  if (on && scale > 1.5)
    x ^= 0xff00;
  put(to, i, x, 1);
}

extern "C" __global__ void divisors(unsigned *to, int d, unsigned u, int64_t l, uint8_t b) {
  const unsigned i = item();
  unsigned x = get(to, i);
  const int s = static_cast<int>(x);
  if (d != 0 && d != -1)
    x += static_cast<unsigned>(s / d) * 3 + static_cast<unsigned>(s % d);
  if (u)
    x ^= x / u + (x * 5) % u;
  if (l > 0)
    x += static_cast<unsigned>((int64_t{s} << 20) / l);
  x += b ? (x >> 4) % b : 1;
  put(to, i, x);
}

extern "C" __global__ void loops(unsigned *to, int from, int until, int step, unsigned steps,
                                 unsigned stride) {
  const unsigned i = item();
  unsigned x = get(to, i), count = 0;
  for (int k = from; k < until && count < 16; ++count) {
    x = mix(x, static_cast<unsigned>(k));
    k = static_cast<int>(static_cast<unsigned>(k) + static_cast<unsigned>(step));
  }
  for (unsigned a = 0; a < steps && a < 6; ++a)
    for (unsigned b = i % 3; b < (stride & 7); b += 1 + (stride >> 30))
      x += mix(a * stride, b);
  put(to, i, x);
  put(to, i, count, 2);
}

extern "C" __global__ void floats(unsigned *to, float a, float b, double c, _Float16 h,
                                  bool fused) {
  const unsigned i = item();
  const float data = static_cast<float>(static_cast<int>(get(to, i) % 2001) - 1000) / 8;
  float x = data;
  if (a != a)
    x += 17;
  else if (__builtin_signbit(a))
    x -= a;
  else if (a > 3)
    x *= 0.5f;
  x = fused ? __builtin_fmaf(x, b, 3.f) : x * b + a;
  if (b == 0)
    x = data < 0 ? 1.f / b : -x;
  double y = x;
  if (c > 1)
    y = c * y - a;
  else if (c == c)
    y = y > c ? y : c;
  const float g = static_cast<float>(h);
  if (g < 1e-5f && g > 0)
    y += 1;
  else if (!(g <= 65504))
    y = -y;
  // Which NaN is not for the source to say.
  put(to, i, x != x ? 0x7fc00000 : bitsOf(x));
  put(to, i, y != y ? 0x7ff80000 : bitsOf(y), 1);
}

/// Neighbours that look alike, of which every second decides: a comparison at the wrong place may hold.
extern "C" __global__ void choices(unsigned *to, Choice a, Choice b, Choice c, Choice d) {
  const unsigned i = item();
  unsigned x = get(to, i);
  x += a.bit;
  for (unsigned k = 0; k < b.bit * 3 && k < 5; ++k)
    x = mix(x, k + 9);
  x += c.bit;
  if (d.bit)
    x = i & 2 ? ~x : mix(x, 4);
  put(to, i, x);
}

// ---- pointers

extern "C" __global__ void nulls(unsigned *to, const unsigned *a, const unsigned *b, bool swap) {
  const unsigned i = item();
  unsigned x = get(to, i);
  if (a)
    x = mix(x, get(a, i, swap ? 1 : 0));
  if (b && a != b)
    x += get(b, i) * 3;
  put(to, i, x, 1);
  if (a) // which may be the target
    x ^= get(a, i, 1);
  put(to, i, x);
}

struct View {
  const unsigned *data;
  unsigned stride;
  bool on;
};
template <> inline std::vector<Field> fieldsOf<View>() {
  return {FIELD(View, data), FIELD(View, stride), FIELD(View, on)};
}
extern "C" __global__ void views(unsigned *to, View a, View b) {
  const unsigned i = item();
  unsigned x = get(to, i);
  for (const View &v : {a, b})
    if (v.data && v.on)
      for (unsigned k = 0; k < (v.stride & 3); ++k)
        x = mix(x, get(v.data, i, k));
  put(to, i, x);
}

/// Reads and writes in turns, at any byte; target and sources may overlap.
extern "C" __global__ void overlap(unsigned *target, unsigned char *a, unsigned char *b,
                                   unsigned order, uint8_t kind) {
  const unsigned i = item();
  auto *to = reinterpret_cast<unsigned char *>(target);
  unsigned x = load<unsigned>(to, i);
  for (unsigned k = 0; k < order && k < 4; ++k) {
    if (a)
      x = mix(x, load<unsigned>(a, i, k));
    store(to, i, 2 * k, x);
    if (b && kind == 1)
      store(b, i, k, static_cast<unsigned short>(x));
    else if (b && kind == 2)
      store(b, i, 1, static_cast<uint64_t>(x) << 13);
    else if (b)
      x += load<unsigned char>(b, i, k);
  }
  store(to, i, 0, x + (a ? load<unsigned short>(a, i, 3) : 0u));
}

// ---- work-groups

extern "C" __global__ void grids(unsigned *to, unsigned mode) {
  const unsigned i = item();
  unsigned x = get(to, i);
  for (unsigned k = 0; k < blockDim.x && k < 20; k += 1 + blockDim.y)
    x = mix(x, k);
  if (blockDim.x == 64 && mode != 2)
    x += threadIdx.x & 32 ? threadIdx.z : gridDim.x;
  if (threadIdx.y + 1 == blockDim.y && mode == 1)
    x = ~x;
  put(to, i, x);
}

/// The launch's grid strides over as many spans as an argument says; a row's work-items alone do.
extern "C" __global__ void strides(unsigned *to, const unsigned *mask, unsigned n, uint8_t most) {
  if (blockIdx.y | blockIdx.z | threadIdx.y | threadIdx.z)
    return;
  const unsigned end = (n & 1 ? n >> 1 : most) % (kItems + 1);
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < end; i += gridDim.x * blockDim.x) {
    unsigned x = mix(get(to, i), i);
    if (mask != nullptr && (get(mask, i) & 3) == 0)
      continue;
    if (!mask)
      x += gridDim.y;
    put(to, i, x);
  }
}

extern "C" __global__ void shared(unsigned *to, unsigned rounds, bool reverse, uint8_t distance) {
  __shared__ unsigned values[kItems];
  __shared__ unsigned sum;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned i = item();
  unsigned x = get(to, i);
  if (t == 0)
    sum = 0;
  __syncthreads();
  for (unsigned k = 0; k < rounds && k < 3; ++k) {
    values[t] = x;
    __syncthreads();
    x = mix(x, values[reverse ? threads - 1 - t : (t + distance) % threads]);
    __syncthreads();
  }
  if (distance == 2)
    atomicAdd(&sum, x & 0xff);
  __syncthreads();
  put(to, i, x + sum);
}

extern "C" __global__ void dynamic(unsigned *to, unsigned mode, int from) {
  extern __shared__ unsigned own[];
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned i = item();
  own[t] = get(to, i);
  __syncthreads();
  unsigned x = own[threads - 1 - t];
  if (mode == 1)
    for (int k = from; k < 4 && k > -4; ++k)
      x = mix(x, own[(t + static_cast<unsigned>(k & 3)) % threads]);
  put(to, i, x);
}

extern "C" __global__ void waves(unsigned *to, unsigned flags, int lane, bool on) {
  const unsigned i = item();
  unsigned x = get(to, i);
  if (flags & 2)
    x += static_cast<unsigned>(__popcll(__ballot(x & 4)));
  if (on) {
    if (x % 3 == 0)
      x = mix(x, flags);
    else
      x = mix(x, 7) + 1;
  }
  if (lane > 0 && blockDim.x % 2 == 0) // whose neighbours are there
    x ^= __shfl_xor(x, 1);
  put(to, i, x);
}

/// The last work-group may be smaller than `width`, with hipExtModuleLaunchKernel.
extern "C" __global__ void ragged(unsigned *to, Width width, unsigned mode) {
  const unsigned i = blockIdx.x * width.items + threadIdx.x;
  unsigned x = mix(get(to, i), blockDim.x);
  for (unsigned k = 0; k < blockDim.x && k < 70; k += 16)
    x = mix(x, k);
  if (mode == 2 && threadIdx.x + 1 == blockDim.x)
    x = 99;
  put(to, i, x);
}

inline std::vector<Kernel> allKernels() {
#define KERNEL(name) describe(#name, &name)
  return {KERNEL(options), KERNEL(wide),    KERNEL(divisors), KERNEL(loops),
          KERNEL(floats),  KERNEL(nested),  KERNEL(functor),  KERNEL(lambda),
          KERNEL(table),   KERNEL(packed),  KERNEL(bits),     KERNEL(large),
          KERNEL(many),    KERNEL(nulls),   KERNEL(views),    KERNEL(overlap),
          KERNEL(grids),   KERNEL(strides), KERNEL(shared),   describe("dynamic", &dynamic, true),
          KERNEL(waves),   KERNEL(ragged),  KERNEL(choices)};
#undef KERNEL
}
