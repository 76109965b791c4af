// Workgroups that feed each other while they run: a bounded ring between producing and consuming
// workgroups (both full and empty waits happen), and a work queue that workgroups refill
// themselves.
#include "check.h"

#include <algorithm>

constexpr unsigned ringSize = 8;
struct Ring {
  unsigned head, tail;      // tickets taken by producers and consumers
  unsigned stamp[ringSize]; // 2k: free for round k, 2k + 1: filled in round k
  unsigned value[ringSize];
};

__global__ void exchange(Ring *ring, unsigned *out, unsigned items, unsigned producers) {
  if (threadIdx.x != 0)
    return;
  const bool producing = blockIdx.x < producers;
  for (;;) {
    const unsigned ticket = atomicAdd(producing ? &ring->head : &ring->tail, 1u);
    if (ticket >= items)
      return;
    const unsigned slot = ticket % ringSize, round = ticket / ringSize;
    const unsigned wanted = 2 * round + (producing ? 0 : 1);
    while (__hip_atomic_load(&ring->stamp[slot], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) !=
           wanted)
      __builtin_amdgcn_s_sleep(1);
    if (producing)
      ring->value[slot] = ticket * ticket + 7;
    else
      out[ticket] = ring->value[slot];
    __hip_atomic_store(&ring->stamp[slot], wanted + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}

struct Queue {
  unsigned head, tail, pending;
};
/// Items n > 1 put n/2 and (n-1)/2 back: the number of leaves and the sum are known. A slot is
/// filled when it is not zero.
__global__ void divide(Queue *q, unsigned *slots, unsigned *leaves, unsigned *processed) {
  if (threadIdx.x != 0)
    return;
  while (__hip_atomic_load(&q->pending, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != 0) {
    const unsigned head = __hip_atomic_load(&q->head, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    const unsigned tail = __hip_atomic_load(&q->tail, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (head == tail || atomicCAS(&q->head, head, head + 1) != head) {
      __builtin_amdgcn_s_sleep(1);
      continue;
    }
    unsigned item;
    while ((item = __hip_atomic_load(&slots[head], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) ==
           0)
      __builtin_amdgcn_s_sleep(1);
    atomicAdd(processed, item);
    if (item > 1) {
      const unsigned children[2] = {item / 2, (item - 1) / 2};
      for (unsigned child : children)
        if (child) {
          atomicAdd(&q->pending, 1u);
          const unsigned at = atomicAdd(&q->tail, 1u);
          __hip_atomic_store(&slots[at], child, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        }
    } else
      atomicAdd(leaves, 1u);
    __hip_atomic_fetch_add(&q->pending, ~0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}

static void tally(unsigned n, unsigned &nodes, unsigned &leaves, unsigned &sum) {
  if (!n)
    return;
  ++nodes, sum += n, leaves += n == 1;
  if (n > 1)
    tally(n / 2, nodes, leaves, sum), tally((n - 1) / 2, nodes, leaves, sum);
}

int main() {
  const unsigned items = 300;
  for (unsigned producers : {1u, 5u}) {
    Device<Ring> ring(1);
    Ring start = {};
    HIP(hipMemcpy(ring, &start, sizeof start, hipMemcpyHostToDevice));
    // a filled slot of round k is stamped 2k + 1, and freed to 2k + 2 = 2 (k + 1)
    Device<unsigned> out(items);
    exchange<<<producers + 4, 64>>>(ring, out, items, producers);
    std::vector<unsigned> want(items);
    for (unsigned i = 0; i < items; ++i)
      want[i] = i * i + 7;
    expectSame("ring", out.host(), want);
  }

  unsigned nodes = 0, leaves = 0, sum = 0;
  tally(600, nodes, leaves, sum);
  std::vector<unsigned> slots(nodes + 8, 0);
  slots[0] = 600;
  Device<unsigned> deviceSlots(slots), counts(std::vector<unsigned>{0, 0});
  Device<Queue> queue(std::vector<Queue>{{0, 1, 1}});
  divide<<<6, 64>>>(queue, deviceSlots, counts, counts.get() + 1);
  expectSame("queue", counts.host(), {leaves, sum});
  EXPECT(queue.host()[0].tail == nodes);
  return verdict();
}
