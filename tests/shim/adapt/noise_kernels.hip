// Kernels with planted versions (probe_tool.cpp), for noise.hip. A launch is one wave that follows a
// chain of loads: the device waits for memory, and its executor has little to do. Each version
// counts its launches in count[its number].
#include <hip/hip_runtime.h>

namespace {

struct Data {
  unsigned long long elements; ///< a bit each
  unsigned next;               ///< 0: a chain of this one place
};

__device__ void launchOf(unsigned version, unsigned *count) {
  if (threadIdx.x == 0)
    atomicAdd(count + version, 1);
}

/// The load of `at` and that it waits for: volatile ones are not answered by the L1.
__device__ unsigned follow(const Data *data, unsigned at) {
  return const_cast<const volatile unsigned *>(&data->next)[at];
}

template <unsigned Rounds> __device__ unsigned work(const Data *data) {
  unsigned at = 0;
#pragma unroll 1
  for (unsigned i = 0; i < Rounds; ++i)
    at = follow(data, at);
  return at;
}

/// All 64 elements, the set ones and the others.
__device__ unsigned all(const Data *data) { return work<64>(data); }

/// The set ones only, each for twice as long.
__device__ unsigned set(const Data *data) {
  unsigned at = 0;
#pragma unroll 1
  for (unsigned long long left = data->elements; left; left &= left - 1)
    at = follow(data, follow(data, at));
  return at;
}

} // namespace

#define KERNEL(name, version, body)                                                                \
  extern "C" __global__ void name(const Data *data, unsigned *count) {                             \
    launchOf(version + body, count);                                                               \
  }

// 3 % slower and 10 % faster: what comes before the first round takes as long as eight of them.
KERNEL(equal, 0, work<100>(data))
KERNEL(equal_variant, 1, work<100>(data))
KERNEL(slower, 0, work<100>(data))
KERNEL(slower_variant, 1, work<103>(data))
KERNEL(faster, 0, work<100>(data))
KERNEL(faster_variant, 1, work<89>(data))

KERNEL(several, 0, work<100>(data))
KERNEL(several_variant1, 1, work<100>(data))
KERNEL(several_variant2, 2, work<103>(data))
KERNEL(several_variant3, 3, work<89>(data))

KERNEL(steady, 0, all(data))
KERNEL(steady_variant, 1, set(data))
KERNEL(sparse, 0, set(data))
KERNEL(sparse_variant, 1, all(data))
