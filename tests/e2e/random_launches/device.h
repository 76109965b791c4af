// What the kernels share: which work-item one is, its own bytes in memory, how values are mixed.
#pragma once

#include "arguments.h"

/// Number of the work-item in the whole grid, whatever its dimensions.
__device__ inline unsigned item() {
  const unsigned group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  return group * (blockDim.x * blockDim.y * blockDim.z) + thread;
}
__device__ inline unsigned mix(unsigned x, unsigned y) {
  x = (x ^ y) * 0x9e3779b1u;
  return x ^ x >> 15;
}
/// Of the work-item's own span, from any byte on.
template <class T> __device__ T load(const unsigned char *p, unsigned i, unsigned at = 0) {
  T value;
  __builtin_memcpy(&value, p + kSpan * i + at, sizeof value);
  return value;
}
template <class T> __device__ void store(unsigned char *p, unsigned i, unsigned at, T value) {
  __builtin_memcpy(p + kSpan * i + at, &value, sizeof value);
}
__device__ inline unsigned get(const unsigned *p, unsigned i, unsigned k = 0) {
  return p[kSpan / 4 * i + k];
}
__device__ inline void put(unsigned *p, unsigned i, unsigned value, unsigned k = 0) {
  p[kSpan / 4 * i + k] = value;
}
__device__ inline unsigned bitsOf(float x) { return __builtin_bit_cast(unsigned, x); }
__device__ inline unsigned bitsOf(double x) {
  const auto bits = __builtin_bit_cast(unsigned long long, x);
  return static_cast<unsigned>(bits) ^ static_cast<unsigned>(bits >> 32);
}
