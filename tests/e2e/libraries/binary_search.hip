// rocPRIM searches in a sorted sequence: membership, lower and upper bounds.
#include "check.h"
#include <algorithm>
#include <rocprim/rocprim.hpp>

int main() {
  auto hay = randomIntegers<int>(4000, 0, 9000, 71);
  std::sort(hay.begin(), hay.end());
  const auto needles = randomIntegers<int>(7001, -10, 9010, 72);
  Device<int> sorted(hay), wanted(needles);
  Device<unsigned> low(needles.size()), high(needles.size()), found(needles.size());
  withStorage([&](void *s, size_t &b) {
    return rocprim::lower_bound(s, b, sorted.get(), wanted.get(), low.get(), hay.size(),
                                needles.size(), rocprim::less<int>());
  });
  withStorage([&](void *s, size_t &b) {
    return rocprim::upper_bound(s, b, sorted.get(), wanted.get(), high.get(), hay.size(),
                                needles.size(), rocprim::less<int>());
  });
  withStorage([&](void *s, size_t &b) {
    return rocprim::binary_search(s, b, sorted.get(), wanted.get(), found.get(), hay.size(),
                                  needles.size(), rocprim::less<int>());
  });
  std::vector<unsigned> wantLow, wantHigh, wantFound;
  for (int needle : needles) {
    const auto range = std::equal_range(hay.begin(), hay.end(), needle);
    wantLow.push_back(unsigned(range.first - hay.begin()));
    wantHigh.push_back(unsigned(range.second - hay.begin()));
    wantFound.push_back(range.first != range.second);
  }
  expectSame("lower bound", low.host(), wantLow);
  expectSame("upper bound", high.host(), wantHigh);
  expectSame("found", found.host(), wantFound);
  return verdict();
}
