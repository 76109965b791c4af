// A kernel of which the host knows how often each side of its branches and each round of its loop runs,
// by waves and by lanes. It prints that for the test to compare with a profile.
#include "tests/e2e/programs/check.h"

#include <algorithm>

constexpr unsigned wave = 64, block = 128, threads = 10 * block, elements = threads - 100;

// Called twice: what is inlined is counted as one.
__device__ unsigned mixed(unsigned x, bool side) {
  if (side) {
    for (unsigned i = 0; i < 3; ++i)
      x = (x ^ (x >> 7)) * 0x85ebca6bu + i;
  } else {
    for (unsigned i = 0; i < 5; ++i)
      x = (x ^ (x << 5)) * 0xc2b2ae35u - i;
  }
  return x;
}

__global__ void counted(const unsigned *kinds, const unsigned *trips, unsigned *out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned kind = kinds[i];
  unsigned x = mixed(i, kind & 1);
  x = mixed(x, kind & 2);
  if (kind & 4) // without an else
    for (unsigned k = 0; k < 4; ++k)
      x = x * 1664525u + (x >> 9) + k;
  for (unsigned r = 0; r < trips[i]; ++r)
    x = x * 69069u + (x >> 11) + r;
  out[i] = x;
}

// Waves in which all of those that are there say yes, or no, or some of each; lanes that do.
struct Sides {
  unsigned executions = 0, both = 0, yes = 0, lanes = 0;
  template <class Says> void add(unsigned first, unsigned last, Says says) {
    unsigned count = 0;
    for (unsigned i = first; i < last; ++i)
      count += says(i);
    executions += 1;
    both += count && count < last - first;
    yes += count;
    lanes += last - first;
  }
  void print(const char *name) const {
    std::printf("%s executions %u both %u yes %u lanes %u\n", name, executions, both, yes, lanes);
  }
};

int main() {
  Random random(7);
  std::vector<unsigned> kinds(elements), trips(elements), out(elements);
  for (unsigned i = 0; i < elements; ++i) {
    // Every third wave agrees on each of the bits, or does not.
    for (unsigned bit = 0; bit < 3; ++bit) {
      const unsigned how = (i / wave + bit) % 3;
      kinds[i] |= (how == 2 ? random.below(2) : how) << bit;
    }
    trips[i] = random.below(10) == 0 ? random.below(40) : random.below(3);
  }
  Sides helper, single, guard;
  unsigned long long rounds = 0, laneRounds = 0;
  unsigned waves = 0;
  for (unsigned first = 0; first < threads; first += wave) {
    const unsigned last = std::min(first + wave, elements);
    guard.add(first, first + wave, [&](unsigned i) { return i < elements; });
    if (first >= elements)
      continue;
    helper.add(first, last, [&](unsigned i) { return kinds[i] & 1; });
    helper.add(first, last, [&](unsigned i) { return kinds[i] >> 1 & 1; });
    single.add(first, last, [&](unsigned i) { return kinds[i] >> 2 & 1; });
    ++waves;
    unsigned most = 0;
    for (unsigned i = first; i < last; ++i) {
      most = std::max(most, trips[i]);
      laneRounds += trips[i];
    }
    rounds += most;
  }
  helper.print("helper");
  single.print("single");
  guard.print("guard");
  std::printf("loop entries %u laneEntries %u rounds %llu laneRounds %llu\n", waves, elements,
              rounds, laneRounds);
  unsigned *deviceKinds, *deviceTrips, *deviceOut;
  HIP(hipMalloc(&deviceKinds, elements * sizeof(unsigned)));
  HIP(hipMalloc(&deviceTrips, elements * sizeof(unsigned)));
  HIP(hipMalloc(&deviceOut, elements * sizeof(unsigned)));
  HIP(hipMemcpy(deviceKinds, kinds.data(), elements * sizeof(unsigned), hipMemcpyHostToDevice));
  HIP(hipMemcpy(deviceTrips, trips.data(), elements * sizeof(unsigned), hipMemcpyHostToDevice));
  counted<<<threads / block, block>>>(deviceKinds, deviceTrips, deviceOut, elements);
  HIP(hipMemcpy(out.data(), deviceOut, elements * sizeof(unsigned), hipMemcpyDeviceToHost));
  for (unsigned i = 0; i < elements; ++i) {
    unsigned x = i;
    for (unsigned bit = 0; bit < 2; ++bit)
      if (kinds[i] >> bit & 1)
        for (unsigned k = 0; k < 3; ++k)
          x = (x ^ (x >> 7)) * 0x85ebca6bu + k;
      else
        for (unsigned k = 0; k < 5; ++k)
          x = (x ^ (x << 5)) * 0xc2b2ae35u - k;
    if (kinds[i] & 4)
      for (unsigned k = 0; k < 4; ++k)
        x = x * 1664525u + (x >> 9) + k;
    for (unsigned r = 0; r < trips[i]; ++r)
      x = x * 69069u + (x >> 11) + r;
    EXPECT(out[i] == x);
  }
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
