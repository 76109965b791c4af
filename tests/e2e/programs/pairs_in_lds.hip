// Elements of LDS and their partners: sorting networks with barriers and, within one wave, without,
// Walsh transforms, and buckets that neighbours merge from the front and from the back, one of them
// only if it has one. Reference: std::sort, and the transform on the host.
#include "check.h"

#include <algorithm>
#include <type_traits>

constexpr unsigned sorters = 256, bucket = 16;
// Code for devices has waves of a size of its own; LDS is declared for the largest.
constexpr unsigned aWave = 0, largest = 64;

// Handed over within a wave without a barrier, as old programs do. That another thread stores in between is nothing that the
// language knows: LLVM 17 keeps in a register what a thread has read, unless it is volatile.
#if __clang_major__ >= 17
template <class T> using HandedOver = volatile T;
#else
template <class T> using HandedOver = T;
#endif

template <unsigned Threads, bool Barriers, class T> __global__ void bitonic(T *values) {
  const unsigned threads = Threads == aWave ? warpSize : Threads;
  __shared__ std::conditional_t<Barriers, T, HandedOver<T>>
      shared[Threads == aWave ? largest : Threads];
  const unsigned t = threadIdx.x;
  shared[t] = values[blockIdx.x * threads + t];
  if (Barriers)
    __syncthreads();
#pragma unroll
  for (unsigned k = 2; k <= threads; k *= 2)
#pragma unroll
    for (unsigned j = k / 2; j > 0; j /= 2) {
      const unsigned partner = t ^ j;
      if (partner > t) {
        const T a = shared[t], b = shared[partner];
        if ((t & k) == 0 ? b < a : a < b) {
          shared[t] = b;
          shared[partner] = a;
        }
      }
      if (Barriers)
        __syncthreads();
    }
  values[blockIdx.x * threads + t] = shared[t];
}

/// One wave, which hands values over without a barrier.
__global__ void walsh(int *values) {
  const unsigned wave = warpSize;
  __shared__ HandedOver<int> shared[largest];
  const unsigned t = threadIdx.x;
  shared[t] = values[blockIdx.x * wave + t];
#pragma unroll
  for (unsigned k = 1; k < wave; k *= 2)
    if (!(t & k)) {
      const int a = shared[t], b = shared[t ^ k];
      shared[t] = a + b;
      shared[t ^ k] = a - b;
    }
  values[blockIdx.x * wave + t] = shared[t];
}

/// The lower half of two sorted buckets, or the upper one from the back.
template <class T> __device__ void mergeLow(const T *left, const T *right, T *half) {
  int i = 0, j = 0;
  for (unsigned k = 0; k < bucket; ++k)
    if (left[i] <= right[j])
      half[k] = left[i++];
    else
      half[k] = right[j++];
}
template <class T> __device__ void mergeHigh(const T *left, const T *right, T *half) {
  int i = bucket - 1, j = bucket - 1;
  for (int k = bucket - 1; k >= 0; --k)
    if (right[i] >= left[j])
      half[k] = right[i--];
    else
      half[k] = left[j--];
}

template <class T> __global__ void mergeBuckets(T *values) {
  const unsigned wave = warpSize;
  __shared__ T data[largest * bucket], half[largest * bucket];
  const unsigned t = threadIdx.x, last = wave - 1;
  T *mine = data + t * bucket, *out = half + t * bucket;
  for (unsigned i = 0; i < bucket; ++i)
    mine[i] = values[(blockIdx.x * wave + t) * bucket + i];
  __syncthreads();
  for (unsigned round = 0; round < wave / 2; ++round) {
    if ((t & 1) == 0)
      mergeLow(mine, mine + bucket, out);
    else
      mergeHigh(mine - bucket, mine, out);
    __syncthreads();
    for (unsigned i = 0; i < bucket; ++i)
      mine[i] = out[i];
    __syncthreads();
    if ((t & 1) && t < last)
      mergeLow(mine, mine + bucket, out);
    else if (t > 0 && t < last)
      mergeHigh(mine - bucket, mine, out);
    __syncthreads();
    for (unsigned i = 0; i < bucket; ++i)
      mine[i] = out[i];
    __syncthreads();
  }
  for (unsigned i = 0; i < bucket; ++i)
    values[(blockIdx.x * wave + t) * bucket + i] = mine[i];
}

template <class T>
void sortedBy(const char *what, void (*kernel)(T *), unsigned threads, unsigned each,
              bool inBuckets = false) {
  constexpr unsigned blocks = 4;
  std::vector<T> values = randomBelow<T>(blocks * each, 1000000, each);
  for (size_t i = 0; i < values.size(); i += 3)
    values[i] = T(0) - values[i]; // below zero, and large where there is no sign
  if (inBuckets)
    for (size_t i = 0; i < values.size(); i += bucket)
      std::sort(values.begin() + long(i), values.begin() + long(i + bucket));
  Device<T> device(values);
  kernel<<<blocks, threads>>>(device);
  for (unsigned b = 0; b < blocks; ++b)
    std::sort(values.begin() + long(b * each), values.begin() + long((b + 1) * each));
  expectSame(what, device.host(), values);
}

int main() {
  const unsigned wave = waveSize();
  sortedBy<int>("barriers, int", bitonic<sorters, true, int>, sorters, sorters);
  sortedBy<double>("barriers, double", bitonic<sorters, true, double>, sorters, sorters);
  sortedBy<short>("barriers, short", bitonic<sorters, true, short>, sorters, sorters);
  sortedBy<int>("one wave", bitonic<aWave, true, int>, wave, wave);
  sortedBy<int>("one wave without barriers", bitonic<aWave, false, int>, wave, wave);
  sortedBy<unsigned>("the same, unsigned", bitonic<aWave, false, unsigned>, wave, wave);
  sortedBy<int>("merged, int", mergeBuckets<int>, wave, wave * bucket, true);
  sortedBy<unsigned>("merged, unsigned", mergeBuckets<unsigned>, wave, wave * bucket, true);
  sortedBy<short>("merged, short", mergeBuckets<short>, wave, wave * bucket, true);
  sortedBy<float>("merged, float", mergeBuckets<float>, wave, wave * bucket, true);

  std::vector<int> values = randomBelow<int>(4 * wave, 1000, 7);
  Device<int> device(values);
  walsh<<<4, wave>>>(device);
  for (unsigned k = 1; k < wave; k *= 2)
    for (size_t i = 0; i < values.size(); ++i)
      if (!(i & k)) {
        const int a = values[i], b = values[i ^ k];
        values[i] = a + b;
        values[i ^ k] = a - b;
      }
  expectSame("Walsh transform", device.host(), values);
  return verdict();
}
