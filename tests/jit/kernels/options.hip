// Kernels with options, for versions that are made for what launches have in common. Offsets of the
// arguments are in the tests.
#include <hip/hip_runtime.h>

struct Field {
  int kind; // 0: none
  float strength;
};

struct Options {
  bool absorbs;
  int order;
  Field field;
  unsigned pitch;
  float scale;
};

// data at 0, n at 8, options at 12: absorbs 12, order 16, kind 20, strength 24, pitch 28, scale 32
extern "C" __global__ void push(float *data, int n, Options options) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = data[i];
  for (int k = 0; k < options.order; ++k)
    x = x * 0.5f + data[i + k * options.pitch];
  if (options.field.kind == 1)
    x += options.field.strength * x * x;
  else if (options.field.kind == 2)
    x -= options.field.strength / x;
  if (options.absorbs && x < 0)
    x = 0;
  data[i] = x * options.scale;
}

// The same through a functor that a template takes by value, as libraries of loops do.
template <class Body> __global__ void forEach(unsigned count, Body body) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    body(i);
}

struct Scale {
  unsigned *data;
  unsigned divisor;
  int mode;
  __device__ void operator()(unsigned i) const {
    if (mode == 1)
      data[i] = data[i] / divisor;
    else if (mode == 2)
      data[i] = data[i] % divisor;
    else
      data[i] = i;
  }
};
// count at 0, body at 8: data 8, divisor 16, mode 20
template __global__ void forEach<Scale>(unsigned, Scale);

// The order of Taylor terms: each exponential would be a constant once the loop is unrolled.
// data at 0, terms at 8
extern "C" __global__ void weights(float *data, int terms) {
  float sum = data[threadIdx.x];
  for (int k = 0; k < terms; ++k)
    sum += __builtin_amdgcn_rcpf(float(k + 1));
  data[threadIdx.x] = sum;
}

// A product of which one factor is known before the loop is taken off. data at 0, factor at 8,
// steps at 12
struct Damping {
  float factor;
  int steps;
};
extern "C" __global__ void damped(float *data, Damping d) {
  float x = data[threadIdx.x];
  for (int i = 0; i < d.steps; ++i)
    x -= d.factor * data[threadIdx.x + 64 * i];
  data[threadIdx.x] = x;
}

// data at 0, addend at 8
extern "C" __global__ void adds(int *data, int addend) { data[threadIdx.x] += addend; }

// Every lane takes each blockDim.x-th: the shape of the work-group is the step. data at 0
extern "C" __global__ void strided(int *data) {
  int sum = 0;
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
    sum += data[i];
  data[threadIdx.x] = sum;
}

// The grid covers n once, and the loop goes round once. data at 0, n at 8
extern "C" __global__ void gridStrided(float *data, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    data[i] = data[i] * 0.5f + 1;
}

// data at 0, mask at 8, weights at 16
extern "C" __global__ void masked(float *data, const int *mask, const float *weights) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mask && mask[i] == 0)
    return;
  data[i] = weights ? data[i] * weights[i] : data[i] + 1;
}

// Two registers are swapped, in one block with a call only where the order is known to be neither 2 nor 3.
// data at 0, order at 8
__device__ __attribute__((noinline)) void note(unsigned *data) { asm volatile("" ::"v"(data)); }

extern "C" __global__ void swaps(unsigned *data, int order) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = data[i], high = data[i + 1];
  note(data);
  if (order == 2)
    for (unsigned k = 0; k < low; ++k)
      data[2 * i + k] = high / (low + k);
  else if (order == 3)
    data[2 * i] = high / (low | 3);
  asm volatile("v_swap_b32 %0, %1" : "+v"(low), "+v"(high));
  data[i] = low;
  data[i + 1] = high;
}
