// Scoped atomics and memory order: __hip_atomic operations at wavefront, workgroup, agent and
// system scope, HIP's _system forms on host memory, and message passing with release and acquire
// inside a workgroup, between workgroups, and between device and host.
#include "check.h"

#include <atomic>
#include <thread>

template <int scope> __device__ void count(unsigned *cells, unsigned v) {
  __hip_atomic_fetch_add(&cells[0], v, __ATOMIC_RELAXED, scope);
  __hip_atomic_fetch_max(&cells[1], v, __ATOMIC_ACQ_REL, scope);
  __hip_atomic_fetch_xor(&cells[2], v, __ATOMIC_SEQ_CST, scope);
  __hip_atomic_fetch_or(&cells[3], 1u << (v & 31), __ATOMIC_RELEASE, scope);
  unsigned expected = __hip_atomic_load(&cells[4], __ATOMIC_RELAXED, scope);
  while (!__hip_atomic_compare_exchange_strong(&cells[4], &expected, expected + 2 * v + 1,
                                               __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE, scope)) {
  }
}
__global__ void scopes(unsigned *cells) {
  const unsigned v = threadIdx.x + 1;
  if (blockIdx.x == 0) {
    if (threadIdx.x < 64)
      count<__HIP_MEMORY_SCOPE_WAVEFRONT>(cells, v);
    count<__HIP_MEMORY_SCOPE_WORKGROUP>(cells + 8, v);
  }
  count<__HIP_MEMORY_SCOPE_AGENT>(cells + 16, v);
  count<__HIP_MEMORY_SCOPE_SYSTEM>(cells + 24, v);
}

__global__ void systemForms(unsigned *host, int *hostInt, float *hostFloat) {
  const unsigned v = threadIdx.x + 1;
  atomicAdd_system(&host[0], v);
  atomicMax_system(&host[1], v);
  atomicMin_system(&hostInt[0], -int(v));
  atomicAnd_system(&host[2], ~(1u << (v & 31)));
  atomicOr_system(&host[3], 1u << (v & 31));
  atomicXor_system(&host[4], v * 77);
  atomicAdd_system(&hostFloat[0], 0.25f * v);
  unsigned old = host[5], seen;
  do {
    seen = old;
    old = atomicCAS_system(&host[5], seen, seen + 3);
  } while (old != seen);
}

/// Block b waits for block b - 1's flag, then adds to its data: a chain through global memory.
__global__ void chain(int *data, int *flags) {
  const int b = blockIdx.x, t = threadIdx.x, width = blockDim.x;
  if (b > 0) {
    if (t == 0)
      while (__hip_atomic_load(&flags[b - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
        __builtin_amdgcn_s_sleep(1);
    __syncthreads();
  }
  data[b * width + t] = (b ? data[(b - 1) * width + (t + 1) % width] : t) + 1;
  __threadfence();
  __syncthreads();
  if (t == 0)
    __hip_atomic_store(&flags[b], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

/// The device answers each of the host's questions while it runs.
__global__ void converse(unsigned *question, unsigned *answer, unsigned rounds) {
  for (unsigned r = 1; r <= rounds; ++r) {
    unsigned q;
    while (((q = __hip_atomic_load(question, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM)) >> 16) !=
           r)
      __builtin_amdgcn_s_sleep(1);
    __hip_atomic_store(answer, r << 16 | ((q & 0xffff) * 3 & 0xffff), __ATOMIC_RELEASE,
                       __HIP_MEMORY_SCOPE_SYSTEM);
  }
}

int main() {
  const unsigned blocks = 5, threads = 192;
  Device<unsigned> cells(std::vector<unsigned>(32, 0));
  scopes<<<blocks, threads>>>(cells);
  std::vector<unsigned> want(32, 0);
  auto fold = [&](unsigned at, unsigned copies, unsigned n) {
    for (unsigned c = 0; c < copies; ++c)
      for (unsigned v = 1; v <= n; ++v) {
        want[at] += v;
        want[at + 1] = std::max(want[at + 1], v);
        want[at + 2] ^= v;
        want[at + 3] |= 1u << (v & 31);
        want[at + 4] += 2 * v + 1;
      }
  };
  fold(0, 1, 64), fold(8, 1, threads), fold(16, blocks, threads), fold(24, blocks, threads);
  expectSame("scopes", cells.host(), want);

  unsigned *host;
  HIP(hipHostMalloc(&host, 4096, hipHostMallocCoherent));
  std::memset(host, 0, 4096);
  host[2] = ~0u;
  int *hostInt = reinterpret_cast<int *>(host + 16);
  float *hostFloat = reinterpret_cast<float *>(host + 32);
  systemForms<<<3, 64>>>(host, hostInt, hostFloat);
  HIP(hipDeviceSynchronize());
  EXPECT(host[0] == 3 * 65 * 32 && host[1] == 64 && hostInt[0] == -64);
  EXPECT(host[2] == 0 && host[3] == ~0u && host[5] == 3 * 3 * 64);
  unsigned mixed = 0;
  for (unsigned v = 1; v <= 64; ++v)
    mixed ^= v * 77;
  EXPECT(host[4] == mixed && hostFloat[0] == 0.25f * 3 * 65 * 32);

  const int links = 24, width = 128;
  Device<int> data(links * width), flags(std::vector<int>(links, 0));
  chain<<<links, width>>>(data, flags);
  std::vector<int> chained(links * width);
  for (int b = 0; b < links; ++b)
    for (int t = 0; t < width; ++t)
      chained[b * width + t] = (b ? chained[(b - 1) * width + (t + 1) % width] : t) + 1;
  expectSame("chain of workgroups", data.host(), chained);

  host[0] = host[64] = 0;
  auto *question = reinterpret_cast<std::atomic<unsigned> *>(host);
  auto *answer = reinterpret_cast<std::atomic<unsigned> *>(host + 64);
  converse<<<1, 1>>>(host, host + 64, 20);
  for (unsigned r = 1; r <= 20; ++r) {
    question->store(r << 16 | (r * 991 & 0xffff), std::memory_order_release);
    unsigned a;
    while (((a = answer->load(std::memory_order_acquire)) >> 16) != r)
      std::this_thread::yield();
    EXPECT((a & 0xffff) == (r * 991 * 3 & 0xffff));
  }
  HIP(hipDeviceSynchronize());
  HIP(hipHostFree(host));
  return verdict();
}
