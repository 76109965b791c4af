// An open-addressing hash table in global memory: concurrent inserts by compare-and-swap with
// duplicate keys (values are summed), look-ups with hits and misses, deletions by tombstone, at 80
// % load; a cuckoo table of 64-bit entries exchanged atomically. Reference: std::unordered_map.
#include "check.h"

#include <unordered_map>

constexpr unsigned empty = 0xffffffff, tomb = 0xfffffffe, capacity = 2048;

__host__ __device__ unsigned hashOf(unsigned k) {
  k ^= k >> 16, k *= 0x85ebca6b, k ^= k >> 13, k *= 0xc2b2ae35;
  return k ^ k >> 16;
}
__global__ void insert(unsigned *keys, unsigned *values, const unsigned *newKeys,
                       const unsigned *newValues, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned key = newKeys[i];
  for (unsigned at = hashOf(key) % capacity;; at = (at + 1) % capacity) {
    const unsigned old = atomicCAS(&keys[at], empty, key);
    if (old == empty || old == key) {
      atomicAdd(&values[at], newValues[i]);
      return;
    }
  }
}
__global__ void find(const unsigned *keys, const unsigned *values, const unsigned *wanted,
                     unsigned *found, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned at = hashOf(wanted[i]) % capacity;
  while (keys[at] != empty && keys[at] != wanted[i])
    at = (at + 1) % capacity;
  found[i] = keys[at] == empty ? 0xdead : values[at];
}
__global__ void erase(unsigned *keys, const unsigned *unwanted, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (unsigned at = hashOf(unwanted[i]) % capacity; keys[at] != empty; at = (at + 1) % capacity)
    if (keys[at] == unwanted[i]) {
      keys[at] = tomb;
      return;
    }
}

constexpr unsigned long long none = ~0ull;
__host__ __device__ unsigned place(unsigned key, int which) {
  return (hashOf(key ^ (which ? 0x9e3779b9 : 0)) % 512) + (which ? 512 : 0);
}
__global__ void cuckoo(unsigned long long *slots, const unsigned *keys, int *lost, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long entry = (unsigned long long)keys[i] << 32 | (keys[i] * 3);
  unsigned at = place(keys[i], 0);
  for (int hop = 0; hop < 100; ++hop) {
    entry = atomicExch(&slots[at], entry);
    if (entry == none)
      return;
    const unsigned key = unsigned(entry >> 32); // thrown out: to its other place
    at = at == place(key, 0) ? place(key, 1) : place(key, 0);
  }
  atomicAdd(lost, 1);
}

int main() {
  const int n = 4000, distinct = 1600;
  Random random(1);
  std::vector<unsigned> pool(distinct), keys(n), values(n), wanted(3000);
  for (unsigned &k : pool)
    k = unsigned(random.next()) & 0x7fffffff;
  std::unordered_map<unsigned, unsigned> reference;
  for (int i = 0; i < n; ++i) {
    keys[i] = pool[random.below(distinct)];
    values[i] = random.below(1000);
    reference[keys[i]] += values[i];
  }
  for (unsigned &w : wanted)
    w = random.below(3) ? pool[random.below(distinct)] : unsigned(random.next()) & 0x7fffffff;
  Device<unsigned> table(std::vector<unsigned>(capacity, empty)),
      sums(std::vector<unsigned>(capacity, 0)), dKeys(keys), dValues(values), dWanted(wanted),
      found(wanted.size());
  auto look = [&](const char *what) {
    find<<<12, 256>>>(table, sums, dWanted, found, int(wanted.size()));
    std::vector<unsigned> want;
    for (unsigned w : wanted)
      want.push_back(reference.count(w) ? reference[w] : 0xdead);
    expectSame(what, found.host(), want);
  };
  insert<<<(n + 255) / 256, 256>>>(table, sums, dKeys, dValues, n);
  look("after inserting");
  std::vector<unsigned> unwanted(pool.begin(), pool.begin() + 500);
  Device<unsigned> dUnwanted(unwanted);
  erase<<<2, 256>>>(table, dUnwanted, 500);
  for (unsigned u : unwanted)
    reference.erase(u);
  look("after erasing");

  std::vector<unsigned> few;
  for (unsigned k = 0; k < 350; ++k)
    few.push_back(k * 2654435761u >> 1);
  Device<unsigned long long> slots(std::vector<unsigned long long>(1024, none));
  Device<unsigned> dFew(few);
  Device<int> lost(std::vector<int>{0});
  cuckoo<<<6, 64>>>(slots, dFew, lost, 350);
  EXPECT(lost.host()[0] == 0);
  const auto all = slots.host();
  for (unsigned k : few) {
    const unsigned long long entry = (unsigned long long)k << 32 | (k * 3);
    EXPECT(all[place(k, 0)] == entry || all[place(k, 1)] == entry);
  }
  return verdict();
}
