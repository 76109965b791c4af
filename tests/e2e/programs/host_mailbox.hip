// A kernel that runs on while the host writes what it reads. The host fills a mailbox and sets a flag; the kernel waits for
// the flag, reads the mailbox and says so; only then does the host fill it anew. No store of the kernel may touch the
// mailbox, and still it is no constant memory: each round has to read what this round's flag stands for. Also between two
// kernels that run at once. Both sides of a branch work with what was read, so that melding pays.
#include "check.h"

#include <chrono>
#include <thread>

struct Mail {
  unsigned words[4];
};

/// What one lane makes of one round's mail, here and on the host.
__host__ __device__ inline unsigned work(unsigned sum, unsigned x, unsigned first,
                                         unsigned second) {
  if (x & 1)
    return sum * 3 + ((x ^ first) * 7) / 5 + (sum >> 3) * x;
  return sum * 5 + ((x ^ sum) * 9) / 5 + (second >> 1) * x;
}

template <int scope> __device__ void await(const unsigned *flag, unsigned round) {
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, scope) < round) {
  }
}

/// The order is in the waiting itself. Of one wave.
__global__ void acquired(const Mail &mail, const unsigned *flag, unsigned *__restrict__ taken,
                         const unsigned *x, unsigned *__restrict__ out, unsigned rounds) {
  const unsigned t = threadIdx.x, mine = x[t];
  unsigned sum = 0;
  for (unsigned r = 1; r <= rounds; ++r) {
    await<__HIP_MEMORY_SCOPE_SYSTEM>(flag, r);
    sum = work(sum, mine, mail.words[0], mail.words[3]);
    __syncthreads();
    if (t == 0)
      __hip_atomic_store(taken, r, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  }
  out[t] = sum;
}

/// The order is in a fence. One thread waits for all of the workgroup.
__global__ void fenced(const Mail &mail, const volatile unsigned *flag, unsigned *taken,
                       const unsigned *x, unsigned *__restrict__ out, unsigned rounds) {
  const unsigned t = threadIdx.x, mine = x[t];
  unsigned sum = 0;
  for (unsigned r = 1; r <= rounds; ++r) {
    if (t == 0) {
      while (*flag < r) {
      }
      __threadfence_system();
    }
    __syncthreads();
    sum = work(sum, mine, mail.words[1], mail.words[2]);
    __threadfence_system();
    __syncthreads();
    if (t == 0)
      atomicAdd_system(taken, 1u);
  }
  out[t] = sum;
}

__device__ Mail shared;
__device__ unsigned sharedFlag;

__global__ void reads(const unsigned *x, unsigned *__restrict__ out, unsigned rounds) {
  const unsigned t = threadIdx.x, mine = x[t];
  unsigned sum = 0;
  for (unsigned r = 1; r <= rounds; ++r) {
    await<__HIP_MEMORY_SCOPE_AGENT>(&sharedFlag, r);
    sum = work(sum, mine, shared.words[0], shared.words[3]);
  }
  out[t] = sum;
}
__global__ void writes(Mail mail, unsigned rounds) {
  shared = mail;
  __hip_atomic_store(&sharedFlag, rounds, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

/// Launches are not held back until somebody waits for them. "Not ready" is what it then says.
static void start(hipStream_t stream) {
  HIP(hipGetLastError());
  (void)hipStreamQuery(stream);
  (void)hipGetLastError();
}

static Mail letter(unsigned round) {
  return {{round * 991, round * 7919, round * 104729, round * 1299709}};
}

int main() {
  const unsigned threads = 192, rounds = 12;
  const std::vector<unsigned> x = randomBelow<unsigned>(threads, 1u << 29, 25);
  Device<unsigned> in(x), out(threads);

  char *host;
  HIP(hipHostMalloc(&host, 4096, hipHostMallocCoherent));
  auto &mail = *reinterpret_cast<Mail *>(host);
  auto *flag = reinterpret_cast<unsigned *>(host + 256),
       *taken = reinterpret_cast<unsigned *>(host + 512);
  // `first` and `second`: the words that the kernel reads.
  auto converse = [&](const char *name, unsigned first, unsigned second, unsigned lanes,
                      auto launch) {
    std::memset(host, 0, 4096);
    launch(lanes);
    start(nullptr);
    for (unsigned r = 1; r <= rounds; ++r) {
      mail = letter(r);
      __atomic_store_n(flag, r, __ATOMIC_RELEASE);
      while (__atomic_load_n(taken, __ATOMIC_ACQUIRE) < r)
        std::this_thread::yield();
      mail = letter(1000 + r);
    }
    std::vector<unsigned> want(lanes, 0);
    for (unsigned t = 0; t < lanes; ++t)
      for (unsigned r = 1; r <= rounds; ++r)
        want[t] = work(want[t], x[t], letter(r).words[first], letter(r).words[second]);
    expectSame(name, out.host(lanes), want);
  };
  converse("acquired", 0, 3, waveSize(),
           [&](unsigned lanes) { acquired<<<1, lanes>>>(mail, flag, taken, in, out, rounds); });
  converse("fenced", 1, 2, threads,
           [&](unsigned lanes) { fenced<<<1, lanes>>>(mail, flag, taken, in, out, rounds); });

  hipStream_t readers, writers;
  HIP(hipStreamCreateWithFlags(&readers, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&writers, hipStreamNonBlocking));
  reads<<<1, threads, 0, readers>>>(in, out, rounds);
  start(readers);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  writes<<<1, 1, 0, writers>>>(letter(77), rounds);
  HIP(hipStreamSynchronize(writers));
  HIP(hipStreamSynchronize(readers));
  std::vector<unsigned> want(threads, 0);
  for (unsigned t = 0; t < threads; ++t)
    for (unsigned r = 1; r <= rounds; ++r)
      want[t] = work(want[t], x[t], letter(77).words[0], letter(77).words[3]);
  expectSame("between kernels", out.host(), want);
  HIP(hipStreamDestroy(readers));
  HIP(hipStreamDestroy(writers));
  HIP(hipHostFree(host));
  return verdict();
}
