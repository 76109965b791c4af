// What goes wrong at run time when a wave's common work is done once too eagerly, executed: every
// kernel is compiled with all of scalarization forced (hazards.test) and compared with the host.
#include "tests/e2e/programs/check.h"

// A copy for waves that agree, with nobody there to agree: waves behind `n` run guarded code with
// EXEC empty, and `key` leads nowhere.
__global__ void keyed(const int *table, const int *keys, int *out, int n, int key) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(n)) {
    const int k = keys[i];
    int r = -1;
    if (k == key)
      r = table[k] * k + table[k + 1] * (k ^ 5);
    out[i] = r;
  }
}

// One address for the wave, written by a thread of another wave before the barrier.
__global__ void handedOver(int *a, int *out, int v) {
  if (threadIdx.x == blockDim.x - 1)
    a[blockIdx.x] = v + static_cast<int>(blockIdx.x);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = a[blockIdx.x];
}

// Loaded, overwritten, loaded again: the first value must not stay.
__global__ void overwritten(int *a, int *out) {
  const int before = a[blockIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    a[blockIdx.x] = before * 3 + 1;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = a[blockIdx.x] - before;
}

// Stores through another name of the memory that is loaded.
__global__ void aliased(int *a, int *b, int *out) {
  b[threadIdx.x] = static_cast<int>(threadIdx.x) + 7;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = a[5];
}

__global__ void ownAnswers(int *counter, volatile int *clock, int *out) {
  const int ticket = atomicAdd(counter, 1);
  out[ticket] = ticket + *clock;
}

// Uniform values inside divergent code and behind a loop that lanes leave one by one.
__global__ void behindTheLoop(const int *table, const int *rounds, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = 0, sum = 0;
  for (; k < rounds[i]; ++k)
    sum += table[k];
  if (threadIdx.x & 1)
    sum += table[blockIdx.x];
  out[i] = sum * 100 + table[k];
}

// Waves that stay together through a guard and a loop with two ways out, that part at any of them,
// that come in parts, and that are not there at all.
__global__ void parting(const int *table, const int *rounds, int *out, int n, int limit) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int sum = 0, left = 0;
  if (i < n) {
    for (int k = 0; k < rounds[i]; ++k) {
      const int v = table[k & 63] ^ k;
      if (sum + v > limit + (i & 1)) {
        left = table[v & 63];
        break;
      }
      out[i] = sum; // keeps the two ways out apart
      sum += v & 1 ? v * 4 : v;
    }
  }
  __syncthreads();
  out[i] = sum * 1000 + left;
}

// A size taken for granted, launched with others.
__global__ void sizeOf64(int *out, unsigned n) {
  const unsigned i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    atomicAdd(&out[i], static_cast<int>(i) + 1);
}

int main() {
  std::vector<int> table(64);
  for (int i = 0; i < 64; ++i)
    table[i] = i * i + 3;
  Device<int> dTable(table);

  // Waves that agree, that do not, that have nobody; workgroups of whole and of broken waves.
  for (unsigned block : {64u, 256u, 96u, 33u})
    for (int n : {1, 64, 70, 500})
      for (int key : {9, 1 << 28}) {
        std::vector<int> keys(n), want(n);
        for (int i = 0; i < n; ++i) {
          keys[i] = i < 128 || i % 3 == 0 ? 9 : i % 60;
          want[i] = keys[i] == key ? table[9] * 9 + table[10] * (9 ^ 5) : -1;
        }
        Device<int> dKeys(keys), out(n);
        keyed<<<(n + block - 1) / block + 2, block>>>(dTable, dKeys, out, n, key);
        expectSame("keyed", out.host(), want);
      }

  for (unsigned block : {256u, 100u}) {
    const int blocks = 3;
    std::vector<int> first(blocks, 4), given(blocks * block), changed(given.size()),
        sevens(given.size(), 12);
    for (size_t i = 0; i < given.size(); ++i) {
      given[i] = 40 + static_cast<int>(i / block);
      changed[i] = 4 * 3 + 1 - 4;
    }
    Device<int> a(first), b(first), same(std::vector<int>(block, 0)), out(given.size());
    handedOver<<<blocks, block>>>(a, out, 40);
    expectSame("handed over", out.host(), given);
    overwritten<<<blocks, block>>>(b, out);
    expectSame("overwritten", out.host(), changed);
    aliased<<<blocks, block>>>(same, same, out);
    expectSame("aliased", out.host(), sevens);

    Device<int> counter(std::vector<int>{0}), clock(std::vector<int>{1000});
    ownAnswers<<<blocks, block>>>(counter, clock, out);
    std::vector<int> tickets(given.size());
    for (size_t i = 0; i < tickets.size(); ++i)
      tickets[i] = static_cast<int>(i) + 1000;
    expectSame("own answers", out.host(), tickets);

    std::vector<int> rounds(given.size()), sums(given.size());
    for (size_t i = 0; i < rounds.size(); ++i) {
      rounds[i] = static_cast<int>(i * 7 % 23);
      int sum = 0;
      for (int k = 0; k < rounds[i]; ++k)
        sum += table[k];
      sum += (i % block) & 1 ? table[i / block] : 0;
      sums[i] = sum * 100 + table[rounds[i]];
    }
    Device<int> dRounds(rounds);
    behindTheLoop<<<blocks, block>>>(dTable, dRounds, out);
    expectSame("behind the loop", out.host(), sums);
  }

  for (unsigned block : {64u, 96u, 33u})
    for (int n : {1, 64, 200, 300})
      for (int limit : {0, 700, 1 << 20})
        for (int shape = 0; shape < 3; ++shape) {
          const int blocks = (300 + static_cast<int>(block) - 1) / static_cast<int>(block);
          std::vector<int> rounds(static_cast<size_t>(blocks) * block), want(rounds.size());
          for (size_t i = 0; i < rounds.size(); ++i) {
            rounds[i] = shape == 0   ? 20
                        : shape == 1 ? static_cast<int>(i / 64 * 5)
                                     : static_cast<int>(i * 7 % 23);
            int sum = 0, left = 0;
            for (int k = 0; static_cast<int>(i) < n && k < rounds[i]; ++k) {
              const int v = table[static_cast<size_t>(k & 63)] ^ k;
              if (sum + v > limit + static_cast<int>(i & 1)) {
                left = table[static_cast<size_t>(v & 63)];
                break;
              }
              sum += v & 1 ? v * 4 : v;
            }
            want[i] = sum * 1000 + left;
          }
          Device<int> dRounds(rounds), out(rounds.size());
          parting<<<blocks, block>>>(dTable, dRounds, out, n, limit);
          expectSame("parting", out.host(), want);
        }

  for (unsigned block : {64u, 32u, 100u, 256u}) {
    const unsigned n = 700, blocks = 9;
    std::vector<int> want(n, 0);
    for (unsigned g = 0; g < blocks; ++g)
      for (unsigned t = 0; t < block; ++t)
        if (g * 64 + t < n)
          want[g * 64 + t] += static_cast<int>(g * 64 + t) + 1;
    Device<int> out(std::vector<int>(n, 0));
    sizeOf64<<<blocks, block>>>(out, n);
    expectSame("size taken for granted", out.host(), want);
  }
  return verdict();
}
