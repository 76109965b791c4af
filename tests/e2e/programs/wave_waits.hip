// Threads of one wave that wait for each other: locks taken on both sides of a branch, in cases of
// a switch, and in the ways of an else-if; flags that one if sets and the next waits for. A wave
// runs one side after the other, so each of these ends; were their code brought together, they
// would not. Waiting is done in every way that HIP knows. What hangs is named after a while, and
// the program ends.
#include "check.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

constexpr unsigned hangSeconds = 45;

/// The critical sections: alike, so that joining them would pay.
template <unsigned A> __device__ __forceinline__ unsigned work(unsigned x, unsigned n) {
  x = (x * A + 7) / n;
  x = (x ^ 0x5555u) / (n + A);
  x = (x + A) * (x + 3);
  return x / (n + 2) + A;
}
template <unsigned A> unsigned workOnHost(unsigned x, unsigned n) {
  x = (x * A + 7) / n;
  x = (x ^ 0x5555u) / (n + A);
  x = (x + A) * (x + 3);
  return x / (n + 2) + A;
}

struct Memory {
  unsigned lock, flag, value, order[4], seen, messages[64];
};

// --- ways to take and give back -----------------------------------------------------------------

struct Inline {
  template <int Way> static __device__ __forceinline__ void take(Memory *m) {
    while (atomicCAS(&m->lock, 0u, 1u) != 0) {
    }
    __threadfence();
  }
  // Each way in its own words: the compiler itself brings together what is the same at the end of
  // both sides.
  template <int Way> static __device__ __forceinline__ void give(Memory *m) {
    __threadfence();
    if (Way == 0)
      atomicSub(&m->lock, 1u);
    else
      atomicExch(&m->lock, 0u);
  }
};

__device__ __attribute__((noinline)) bool tryTake(unsigned *lock) {
  return atomicCAS(lock, 0u, 1u) == 0;
}
struct Called : Inline {
  template <int Way> static __device__ __forceinline__ void take(Memory *m) {
    while (!tryTake(&m->lock)) {
    }
    __threadfence();
  }
};

struct Counting : Inline { // an intrinsic of the target
  template <int Way> static __device__ __forceinline__ void take(Memory *m) {
    while (__builtin_amdgcn_atomic_inc32(&m->lock, 0xfffffffeu, __ATOMIC_RELAXED, "agent") != 0) {
    }
    __threadfence();
  }
};

struct Asleep { // another value in each way: the same first try would be made in front of both
  template <int Way> static __device__ __forceinline__ void take(Memory *m) {
    while (__hip_atomic_exchange(&m->lock, Way + 1u, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
      __builtin_amdgcn_s_sleep(1);
  }
  template <int Way> static __device__ __forceinline__ void give(Memory *m) {
    if (Way == 0)
      __hip_atomic_fetch_add(&m->lock, ~0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    else
      __hip_atomic_store(&m->lock, 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
};

struct ByVolatile : Inline { // looks before it leaps
  template <int Way> static __device__ __forceinline__ void take(Memory *m) {
    volatile unsigned *lock = &m->lock;
    do {
      while (*lock != 0) {
      }
    } while (atomicCAS(&m->lock, 0u, 1u) != 0);
    __threadfence();
  }
};

struct ByFence : Inline { // an ordinary load with a fence, as old programs have it
  template <int Way> static __device__ __forceinline__ void take(Memory *m) {
    do {
      while (__builtin_nontemporal_load(&m->lock) != 0)
        __threadfence();
    } while (atomicCAS(&m->lock, 0u, 1u) != 0);
    __threadfence();
  }
};

struct ByAssembly : Inline {
  template <int Way> static __device__ __forceinline__ void take(Memory *m) {
    unsigned found;
    do {
#if defined(__gfx940__) || defined(__gfx942__) || defined(__gfx950__) // caches by scope there
      asm volatile("global_load_dword %0, %1, off sc0 sc1\n\ts_waitcnt vmcnt(0)"
#elif defined(__GFX12__)
      asm volatile("global_load_b32 %0, %1, off scope:SCOPE_DEV\n\ts_wait_loadcnt 0x0"
#else
      asm volatile("global_load_dword %0, %1, off glc\n\ts_waitcnt vmcnt(0)"
#endif
                   : "=v"(found)
                   : "v"(&m->lock)
                   : "memory");
    } while (found != 0 || atomicCAS(&m->lock, 0u, 1u) != 0);
    __threadfence();
  }
};

// --- both sides take the lock -------------------------------------------------------------------

template <class Lock> __global__ void twoSides(Memory *m, unsigned n) {
  const unsigned t = threadIdx.x;
  if (t < 2) {
    if (t == 0) {
      Lock::template take<0>(m);
      m->value += work<3>(5, n);
      Lock::template give<0>(m);
    } else {
      Lock::template take<1>(m);
      m->value += work<5>(9, n);
      Lock::template give<1>(m);
    }
  }
}

template <class Lock> __global__ void elseIf(Memory *m, unsigned n) {
  const unsigned t = threadIdx.x;
  if (t == 4) {
    Lock::template take<0>(m);
    m->value += work<3>(5, n);
    Lock::template give<0>(m);
  } else if (t == 9) {
    Lock::template take<1>(m);
    m->value += work<5>(9, n);
    Lock::template give<1>(m);
  } else if (t == 11) {
    m->order[0] = work<7>(t, n);
    __hip_atomic_store(&m->order[1], work<9>(t, n), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
}

template <class Lock> __global__ void cases(Memory *m, const unsigned *kind, unsigned n) {
  switch (kind[threadIdx.x]) {
  case 1:
    Lock::template take<0>(m);
    m->value += work<3>(5, n);
    Lock::template give<0>(m);
    break;
  case 2:
    Lock::template take<1>(m);
    m->value += work<5>(9, n);
    Lock::template give<1>(m);
    break;
  case 5:
    m->order[0] = work<7>(11, n);
    break;
  case 7:
    m->order[1] = work<9>(11, n);
    break;
  }
}

/// Each way ends by itself, in front of what the others still do.
template <class Lock> __global__ void earlyExits(Memory *m, unsigned n) {
  const unsigned t = threadIdx.x;
  if (t == 0) {
    Lock::template take<0>(m);
    m->value += work<3>(5, n);
    Lock::template give<0>(m);
    return;
  }
  if (t == 1) {
    Lock::template take<1>(m);
    m->value += work<5>(9, n);
    Lock::template give<1>(m);
    return;
  }
  m->messages[t] = work<7>(t, n);
}

/// The release within the round, and all leave together: any number of threads of a side may want
/// it.
template <class Lock> __global__ void untilDone(Memory *m, unsigned n) {
  const unsigned t = threadIdx.x;
  bool done = false;
  if (t & 1) {
    while (__ballot(!done))
      if (!done && atomicCAS(&m->lock, 0u, 1u) == 0) {
        __threadfence();
        volatile unsigned *value = &m->value;
        *value = *value + work<3>(5, n);
        __threadfence();
        atomicSub(&m->lock, 1u);
        done = true;
      }
  } else {
    while (__ballot(!done))
      if (!done && atomicCAS(&m->lock, 0u, 1u) == 0) {
        __threadfence();
        volatile unsigned *value = &m->value;
        *value = *value + work<5>(9, n);
        __threadfence();
        atomicExch(&m->lock, 0u);
        done = true;
      }
  }
}

/// A cycle with two entries.
__global__ void twoEntries(Memory *m, const unsigned *kind, unsigned n) {
  const unsigned t = threadIdx.x;
  if (t >= 2)
    return;
  unsigned rounds = 0;
  if (t == 0) {
    if (kind[t] == 3)
      goto second;
  first:
    if (atomicCAS(&m->lock, 0u, 1u) == 0)
      goto in;
  second:
    ++rounds;
    if (__hip_atomic_load(&m->lock, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == n + 70)
      m->order[3] = rounds;
    goto first;
  in:
    __threadfence();
    m->value += work<3>(5, n);
    __threadfence();
    atomicSub(&m->lock, 1u);
  } else {
    while (atomicCAS(&m->lock, 0u, 1u) != 0) {
    }
    __threadfence();
    m->value += work<5>(9, n);
    __threadfence();
    atomicExch(&m->lock, 0u);
  }
}

// --- one if sets what the next waits for --------------------------------------------------------

__global__ void setThenWait(Memory *m, const unsigned *kind, unsigned n) {
  const unsigned t = threadIdx.x, v = kind[t];
  if (v < 7) {
    m->messages[t] = work<3>(t, n);
    __threadfence();
    __hip_atomic_store(&m->flag, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
  if (v > 6) {
    while (__hip_atomic_load(&m->flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {
    }
    __threadfence();
    m->messages[t] = work<5>(m->messages[0], n);
  }
}

/// Gives up after a while: it must find the flag all the same.
__global__ void setThenLook(Memory *m, const unsigned *kind, unsigned n) {
  const unsigned t = threadIdx.x, v = kind[t];
  if (v < 7) {
    m->messages[t] = work<3>(t, n);
    __hip_atomic_store(&m->flag, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  if (v > 6) {
    unsigned seen = 0;
    for (int i = 0; i < 100 && !seen; ++i)
      seen = __hip_atomic_load(&m->flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
    m->messages[t] = seen ? work<5>(m->messages[0], n) : 0;
  }
}

/// In LDS, without a loop.
__global__ void messageInLds(Memory *m, const unsigned *kind, unsigned n) {
  __shared__ volatile unsigned box[64];
  const unsigned t = threadIdx.x, v = kind[t];
  box[t] = 0;
  if (v < 7)
    box[t] = work<3>(t, n);
  if (v > 6)
    m->messages[t] = work<5>(box[0], n);
  if (v < 7)
    m->messages[t] = box[t];
}

/// By functions that are called and touch no other lane: nothing says that they have to stay in
/// order but what they do.
__device__ __attribute__((noinline)) void put(unsigned *at, unsigned value) {
  __hip_atomic_store(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ __attribute__((noinline)) unsigned get(const unsigned *at) {
  return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__global__ void messageByCalls(Memory *m, const unsigned *kind, unsigned n) {
  const unsigned t = threadIdx.x, v = kind[t];
  if (v < 7)
    put(m->messages + t, work<3>(t, n));
  if (v > 6)
    put(m->messages + t, work<5>(get(m->messages), n));
}

/// By ordinary accesses, with fences beside them.
__global__ void messageByFence(Memory *m, const unsigned *kind, unsigned n) {
  const unsigned t = threadIdx.x, v = kind[t];
  if (v < 7)
    m->messages[t] = work<3>(t, n);
  __threadfence();
  if (v > 6)
    m->messages[t] = work<5>(m->messages[0], n);
}
__global__ void messageByFences(Memory *m, const unsigned *kind, unsigned n) {
  __shared__ unsigned box[64];
  const unsigned t = threadIdx.x, v = kind[t];
  if (v < 7) {
    box[t] = work<3>(t, n);
    __threadfence_block();
  }
  if (v > 6) {
    __threadfence_block();
    box[t] = work<5>(box[0], n);
  }
  m->messages[t] = box[t];
}

/// By a count of those who have written, whose result the others ask for.
__global__ void messageByCount(Memory *m, const unsigned *kind, unsigned n) {
  const unsigned t = threadIdx.x, v = kind[t];
  if (v < 7) {
    m->messages[t] = work<3>(t, n);
    __hip_atomic_fetch_add(&m->value, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  if (v > 6) {
    const unsigned done =
        __hip_atomic_fetch_add(&m->value, 0u, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP);
    m->messages[t] = done == 7 ? work<5>(m->messages[0], n) : 0;
  }
}

/// A case that falls through has a fence at its end; the one behind reads what it has written.
__global__ void caseBehindFence(Memory *m, const unsigned *kind, unsigned n) {
  __shared__ unsigned box[64];
  const unsigned t = threadIdx.x, v = kind[t];
  switch (v < 7 ? 1 : v < 20 ? 2 : v < 25 ? 3 : 0) {
  case 1:
    box[t] = work<3>(t, n);
    __threadfence_block();
    [[fallthrough]];
  case 2:
    m->messages[t] = work<5>(box[0], n);
    break;
  case 3:
    m->messages[t] = work<7>(t, n);
    break;
  default:
    m->messages[t] = work<9>(t, n);
  }
}

/// Both sides use the same words, one after the other, in whichever order.
__global__ void scratchOfBothSides(Memory *m, const unsigned *kind, unsigned n) {
  __shared__ volatile unsigned box[64];
  const unsigned t = threadIdx.x, v = kind[t];
  if (v & 1) {
    box[t / 2] = work<3>(t, n);
    m->messages[t] = work<5>(box[0], n);
  } else {
    box[t / 2] = work<7>(t, n);
    m->messages[t] = work<9>(box[0], n);
  }
}

/// A workgroup waits for the one before it with some of its threads, and hands on with others: a
/// look-back. The hand-over is in front of the wait in every wave.
__global__ void lookBack(unsigned *sums, unsigned *ready, const unsigned *kind, unsigned n) {
  const unsigned v = kind[threadIdx.x], group = blockIdx.x;
  if (v < 7) {
    sums[2 * group] = work<3>(group, n);
    __hip_atomic_store(&ready[group], 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  if (v > 6) {
    unsigned sum = 0;
    for (unsigned other = 0; other <= group; ++other) {
      while (__hip_atomic_load(&ready[other], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
        __builtin_amdgcn_s_sleep(1);
      sum += __hip_atomic_load(&sums[2 * other], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    sums[2 * group + 1] = sum;
  }
}

/// A barrier of two waves made by hand; the first wave's other threads have work, too.
__global__ void handMade(Memory *m, const unsigned *kind, unsigned n) {
  __shared__ unsigned arrived;
  const unsigned t = threadIdx.x, v = kind[t % warpSize];
  if (t == 0)
    __hip_atomic_store(&arrived, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  if (v < 7) {
    m->messages[8 * (t / warpSize) + v] = work<3>(t, n);
    __hip_atomic_fetch_add(&arrived, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  if (v > 6) {
    while (__hip_atomic_load(&arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) != 14) {
    }
    if (v < 30)
      m->messages[v + 9] = work<5>(m->messages[0] + m->messages[8], n);
  }
}

// --- the host -----------------------------------------------------------------------------------

__global__ void nothing() {}

static const char *running = "", *part = "";
static void hung(int) {
  const char *parts[] = {running, " ", part, ": threads of a wave wait for each other\nFAIL\n"};
  for (const char *text : parts)
    (void)!write(STDOUT_FILENO, text, strlen(text));
  _exit(1);
}

template <class Launch> Memory run(const char *name, const char *kernel, Launch launch) {
  running = name;
  part = kernel;
  Device<Memory> memory(std::vector<Memory>(1));
  HIP(hipMemset(memory, 0, sizeof(Memory)));
  alarm(hangSeconds);
  launch(memory.get());
  const Memory after = memory.first();
  alarm(0);
  return after;
}

template <class Lock> void locks(const char *name, const unsigned *kind, unsigned n) {
  const unsigned both = workOnHost<3>(5, n) + workOnHost<5>(9, n);
  auto expect = [&](const Memory &m) { EXPECT(m.value == both && m.lock == 0); };
  expect(run(name, "twoSides", [&](Memory *m) { twoSides<Lock><<<1, 64>>>(m, n); }));
  Memory m = run(name, "elseIf", [&](Memory *m) { elseIf<Lock><<<1, 64>>>(m, n); });
  expect(m);
  EXPECT(m.order[0] == workOnHost<7>(11, n) && m.order[1] == workOnHost<9>(11, n));
  m = run(name, "cases", [&](Memory *m) { cases<Lock><<<1, 64>>>(m, kind, n); });
  expect(m);
  EXPECT(m.order[0] == workOnHost<7>(11, n) && m.order[1] == workOnHost<9>(11, n));
  m = run(name, "earlyExits", [&](Memory *m) { earlyExits<Lock><<<1, 64>>>(m, n); });
  expect(m);
  for (unsigned t = 2; t < 64; ++t)
    EXPECT(m.messages[t] == workOnHost<7>(t, n));
}

static void flags(const unsigned *kind, const std::vector<unsigned> &onHost, unsigned n) {
  const unsigned first = workOnHost<3>(0, n), lanes = waveSize(); // one wave, two by hand
  auto expect = [&](const Memory &m) {
    for (unsigned t = 0; t < lanes; ++t)
      EXPECT(m.messages[t] == (onHost[t] < 7 ? workOnHost<3>(t, n) : workOnHost<5>(first, n)));
  };
  expect(run("set, then wait", "", [&](Memory *m) { setThenWait<<<1, lanes>>>(m, kind, n); }));
  expect(run("set, then look", "", [&](Memory *m) { setThenLook<<<1, lanes>>>(m, kind, n); }));
  expect(run("message in LDS", "", [&](Memory *m) { messageInLds<<<1, lanes>>>(m, kind, n); }));
  expect(run("message by calls", "", [&](Memory *m) { messageByCalls<<<1, lanes>>>(m, kind, n); }));
  expect(
      run("message by a fence", "", [&](Memory *m) { messageByFence<<<1, lanes>>>(m, kind, n); }));
  expect(
      run("message by fences", "", [&](Memory *m) { messageByFences<<<1, lanes>>>(m, kind, n); }));
  expect(
      run("message by a count", "", [&](Memory *m) { messageByCount<<<1, lanes>>>(m, kind, n); }));
  const Memory fallen = run("a case behind a fence", "",
                            [&](Memory *m) { caseBehindFence<<<1, lanes>>>(m, kind, n); });
  const Memory scratch = run("scratch of both sides", "",
                             [&](Memory *m) { scratchOfBothSides<<<1, lanes>>>(m, kind, n); });
  const unsigned odd = workOnHost<5>(workOnHost<3>(1, n), n),
                 even = workOnHost<9>(workOnHost<7>(0, n), n);
  for (unsigned t = 0; t < lanes; ++t) {
    EXPECT(fallen.messages[t] == (t < 20   ? workOnHost<5>(first, n)
                                  : t < 25 ? workOnHost<7>(t, n)
                                           : workOnHost<9>(t, n)));
    EXPECT(scratch.messages[t] == (t & 1 ? odd : even));
  }
  const Memory m =
      run("barrier by hand", "", [&](Memory *m) { handMade<<<1, 2 * lanes>>>(m, kind, n); });
  const unsigned two = workOnHost<3>(0, n) + workOnHost<3>(lanes, n);
  for (unsigned v = 7; v < 30; ++v)
    EXPECT(m.messages[v + 9] == workOnHost<5>(two, n));
}

int main() {
  nothing<<<1, 1>>>(); // what the first launch takes does not count
  HIP(hipDeviceSynchronize());
  signal(SIGALRM, hung);
  const unsigned n = 3;
  std::vector<unsigned> onHost(64);
  for (unsigned t = 0; t < 64; ++t)
    onHost[t] = t;
  Device<unsigned> kind(onHost);
  locks<Inline>("inline", kind, n);
  locks<Called>("called", kind, n);
  locks<Counting>("counting", kind, n);
  locks<Asleep>("asleep", kind, n);
  locks<ByVolatile>("volatile", kind, n);
  locks<ByFence>("fence", kind, n);
  locks<ByAssembly>("assembly", kind, n);
  Memory m = run("until done", "", [&](Memory *m) { untilDone<Inline><<<1, 64>>>(m, n); });
  EXPECT(m.value == 32 * (workOnHost<3>(5, n) + workOnHost<5>(9, n)));
  m = run("two entries", "", [&](Memory *m) { twoEntries<<<1, 64>>>(m, kind, n); });
  EXPECT(m.value == workOnHost<3>(5, n) + workOnHost<5>(9, n));
  flags(kind, onHost, n);

  constexpr unsigned groups = 8;
  const std::vector<unsigned> none(2 * groups);
  Device<unsigned> sums(none), ready(none);
  const unsigned lanes = waveSize();
  (void)run("look-back", "", [&](Memory *) { lookBack<<<groups, lanes>>>(sums, ready, kind, n); });
  const auto got = sums.host();
  for (unsigned g = 0, sum = 0; g < groups; ++g) {
    sum += workOnHost<3>(g, n);
    EXPECT(got[2 * g + 1] == sum);
  }
  return verdict();
}
