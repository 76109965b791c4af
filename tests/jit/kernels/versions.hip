// Kernels that are worth melding, each with what its version must find in the original object or
// cannot do without it.
#include <cstdio>
#include <hip/hip_runtime.h>

__device__ unsigned counted;
__device__ unsigned histogram[1000];
__constant__ unsigned addend;
__managed__ unsigned shared = 5;
template <class T> struct OfType {
  static __device__ T member;
};
template <class T> __device__ T OfType<T>::member = 3;
__device__ const unsigned squares[64] = {0, 1, 4, 9, 16, 25};
static __device__ unsigned readOnly[4] = {2, 3, 5, 7};
static __device__ unsigned hidden;
__device__ unsigned *pointerTo = &counted;
__device__ const char *const names[] = {"odd", "even"};

#define TWO_ARMS                                                                                   \
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                              \
  unsigned n = z[i] | 1;                                                                           \
  if (i & 1)                                                                                       \
    y[2 * i] = (y[2 * i] % n + 17) % (n + 2);                                                      \
  else                                                                                             \
    y[3 * i] = (y[3 * i] % n + 35) % (n + 4);

extern "C" __global__ void plain(unsigned *y, const unsigned *z) { TWO_ARMS }

extern "C" __global__ void variables(unsigned *y, const unsigned *z) {
  __shared__ unsigned near[64];
  near[threadIdx.x & 63] = z[threadIdx.x];
  __syncthreads();
  TWO_ARMS
  atomicAdd(&counted, addend + near[(i + 1) & 63]);
  histogram[i % 1000] += squares[i & 63] + readOnly[i & 3];
  if (i == 0)
    ++shared;
  OfType<unsigned>::member += *pointerTo;
}

extern "C" __global__ void writesHidden(unsigned *y, const unsigned *z) {
  TWO_ARMS
  hidden = n;
}

extern "C" __global__ void readsHidden(unsigned *y, const unsigned *z) {
  TWO_ARMS
  y[i] += hidden;
}

extern "C" __global__ void hasStatic(unsigned *y, const unsigned *z) {
  static __device__ unsigned launches;
  TWO_ARMS
  atomicAdd(&launches, n);
}

extern "C" __global__ void keepsAddress(unsigned *y, const unsigned *z, const unsigned **out) {
  TWO_ARMS
  out[i] = squares + n;
}

extern "C" __global__ void prints(unsigned *y, const unsigned *z) {
  TWO_ARMS
  if (n == 77)
    printf("%u is %s\n", n, names[n & 1]);
}

__device__ unsigned increment(unsigned v) { return v + 1; }
__device__ unsigned twice(unsigned v) { return v * 2; }
using Function = unsigned (*)(unsigned);
__device__ Function functions[2] = {increment, twice};

extern "C" __global__ void callsPointer(unsigned *y, const unsigned *z) {
  TWO_ARMS
  y[i] = functions[n & 1](n);
}

extern "C" __global__ void storesFunction(unsigned *y, const unsigned *z, Function *out) {
  TWO_ARMS
  *out = n > 3 ? increment : twice;
}

struct Shape {
  __device__ virtual unsigned area(unsigned v) { return v; }
};

extern "C" __global__ void callsVirtual(unsigned *y, const unsigned *z, Shape *shape) {
  TWO_ARMS
  y[i] = shape->area(n);
}

extern "C" __global__ void allocates(unsigned *y, const unsigned *z, void **out) {
  TWO_ARMS
  out[i] = malloc(n);
}

// Two products and two sums, which the compiler may fuse.
extern "C" __global__ void rounds(float *y, const float *x, float a, float b) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (v > 0)
    y[i] = ((v * a + b) * v + a) * v + b;
  else
    y[i] = ((v * b + a) * v + b) * v - a;
}
