// What the programs built on rocPRIM, rocRAND and hipRAND share beyond the checks of all programs:
// temporary storage, and random integers of any range.
#pragma once

#include "tests/e2e/programs/check.h"

#include <random>

/// rocPRIM's calling convention: asked twice, first for the size of its temporary storage.
template <typename Call> void withStorage(Call &&call) {
  size_t bytes = 0;
  HIP(call(static_cast<void *>(nullptr), bytes));
  Device<char> storage(bytes);
  HIP(call(static_cast<void *>(storage.get()), bytes));
  HIP(hipDeviceSynchronize());
}

/// From `low` to `high`, both included.
template <typename T> std::vector<T> randomIntegers(size_t count, T low, T high, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_int_distribution<long long> pick(low, high);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(pick(engine));
  return values;
}
