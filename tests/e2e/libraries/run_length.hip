// rocPRIM run-length encoding: all runs, and only those longer than one.
#include "check.h"
#include <rocprim/rocprim.hpp>

int main() {
  const size_t n = 25000;
  std::vector<int> values;
  for (unsigned x = 1; values.size() < n; x = x * 1664525u + 1013904223u)
    values.insert(values.end(), std::min<size_t>(1 + (x >> 29) * (x >> 27 & 3), n - values.size()),
                  int(x >> 20 & 3));
  std::vector<int> unique;
  std::vector<unsigned> lengths, longLengths, longOffsets;
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i; end < n && values[end] == values[i];)
      ++end;
    unique.push_back(values[i]);
    lengths.push_back(unsigned(end - i));
    if (end - i > 1) {
      longOffsets.push_back(unsigned(i));
      longLengths.push_back(unsigned(end - i));
    }
  }

  Device<int> in(values), keys(n);
  Device<unsigned> counts(n), offsets(n), runs(1);
  withStorage([&](void *s, size_t &b) {
    return rocprim::run_length_encode(s, b, in.get(), unsigned(n), keys.get(), counts.get(),
                                      runs.get());
  });
  EXPECT(runs.first() == unique.size());
  expectSame("keys", keys.host(unique.size()), unique);
  expectSame("lengths", counts.host(unique.size()), lengths);
  withStorage([&](void *s, size_t &b) {
    return rocprim::run_length_encode_non_trivial_runs(s, b, in.get(), unsigned(n), offsets.get(),
                                                       counts.get(), runs.get());
  });
  EXPECT(runs.first() == longOffsets.size());
  expectSame("offsets of long runs", offsets.host(longOffsets.size()), longOffsets);
  expectSame("lengths of long runs", counts.host(longOffsets.size()), longLengths);
  return verdict();
}
