// Locks between workgroups: a spin lock by compare-and-swap, a ticket lock (fair: the order of
// service is the order of tickets), and one lock per bucket held by single lanes of diverged waves.
#include "check.h"

#include <algorithm>

struct State {
  unsigned lock, next, serving;
  unsigned counter, order[64];
  unsigned long long product;
};

__global__ void spin(State *s, int rounds) {
  if (threadIdx.x != 0)
    return;
  for (int r = 0; r < rounds; ++r) {
    while (atomicCAS(&s->lock, 0u, 1u) != 0)
      __builtin_amdgcn_s_sleep(1);
    __threadfence();
    // not atomic: only the lock protects these two
    volatile State *v = s;
    v->counter = v->counter + 1;
    v->product = v->product * 3 + v->counter;
    __threadfence();
    atomicExch(&s->lock, 0u);
  }
}

__global__ void ticket(State *s) {
  if (threadIdx.x != 0)
    return;
  const unsigned mine = atomicAdd(&s->next, 1u);
  while (__hip_atomic_load(&s->serving, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != mine)
    __builtin_amdgcn_s_sleep(1);
  volatile State *v = s;
  v->order[v->counter] = mine;
  v->counter = v->counter + 1;
  __hip_atomic_store(&s->serving, mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

/// Every lane must lock a bucket; lanes of one wave may want the same one. The lock is taken and
/// released inside one iteration and the wave leaves the loop together: where lanes left one by
/// one, the compiler may move the critical section behind the loop, and lockstep lanes wait
/// forever.
__global__ void buckets(int *locks, int *counts, int *sums, const int *keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int b = keys[i] % 16;
  bool done = false;
  while (__ballot(!done))
    if (!done && atomicCAS(&locks[b], 0, 1) == 0) {
      __threadfence();
      volatile int *c = counts, *s = sums;
      c[b] = c[b] + 1;
      s[b] = s[b] * 2 % 1000003 + 1; // depends on how many came, not on who
      __threadfence();
      atomicExch(&locks[b], 0);
      done = true;
    }
}

int main() {
  const int blocks = 24, rounds = 10;
  Device<State> state(std::vector<State>(1));
  HIP(hipMemset(state, 0, sizeof(State)));
  spin<<<blocks, 64>>>(state, rounds);
  unsigned long long product = 0;
  for (unsigned long long c = 1; c <= blocks * rounds; ++c)
    product = product * 3 + c;
  State got = state.host()[0];
  EXPECT(got.counter == blocks * rounds && got.product == product && got.lock == 0);

  HIP(hipMemset(state, 0, sizeof(State)));
  ticket<<<blocks, 64>>>(state);
  got = state.host()[0];
  EXPECT(got.counter == blocks && got.serving == blocks && got.next == blocks);
  for (unsigned i = 0; i < blocks; ++i)
    EXPECT(got.order[i] == i);

  const int n = 500;
  const auto keys = randomBelow<int>(n, 1000, 3);
  const std::vector<int> zero(16, 0);
  Device<int> locks(zero), counts(zero), sums(zero), input(keys);
  buckets<<<4, 128>>>(locks, counts, sums, input, n);
  std::vector<int> wantCounts(16, 0), wantSums(16, 0);
  for (int k : keys) {
    ++wantCounts[k % 16];
    wantSums[k % 16] = wantSums[k % 16] * 2 % 1000003 + 1;
  }
  expectSame("counts", counts.host(), wantCounts);
  expectSame("sums", sums.host(), wantSums);
  return verdict();
}
