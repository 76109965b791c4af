// A small application on rocPRIM: words of a text are hashed, sorted, counted by run length, and
// sorted by count; the most frequent ones are what a map on the host says.
#include "check.h"
#include <algorithm>
#include <map>
#include <rocprim/rocprim.hpp>
#include <string>

__global__ void hashWords(const char *text, const unsigned *starts, unsigned words,
                          unsigned long long *hashes) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= words)
    return;
  unsigned long long hash = 14695981039346656037ULL;
  for (const char *c = text + starts[at]; *c != ' '; ++c)
    hash = (hash ^ static_cast<unsigned char>(*c)) * 1099511628211ULL;
  hashes[at] = hash;
}

int main() {
  std::string text;
  std::vector<unsigned> starts;
  std::map<std::string, unsigned> counts;
  for (unsigned x = 77, i = 0; i < 6000; ++i) {
    x = x * 1664525u + 1013904223u;
    std::string word = "w";
    for (unsigned rest = (x >> 20) * (x >> 24) / 700; rest; rest /= 7)
      word += char('a' + rest % 7);
    starts.push_back(unsigned(text.size()));
    text += word + ' ';
    ++counts[word];
  }
  const unsigned n = unsigned(starts.size());
  Device<char> chars(std::vector<char>(text.begin(), text.end()));
  Device<unsigned> start(starts), lengths(n), sortedLengths(n), runs(1);
  Device<unsigned long long> hashes(n), sorted(n), unique(n), byCount(n);
  hashWords<<<(n + 255) / 256, 256>>>(chars.get(), start.get(), n, hashes.get());
  HIP(hipGetLastError());
  withStorage([&](void *s, size_t &b) {
    return rocprim::radix_sort_keys(s, b, hashes.get(), sorted.get(), n);
  });
  withStorage([&](void *s, size_t &b) {
    return rocprim::run_length_encode(s, b, sorted.get(), n, unique.get(), lengths.get(),
                                      runs.get());
  });
  EXPECT(runs.first() == counts.size());
  withStorage([&](void *s, size_t &b) {
    return rocprim::radix_sort_pairs_desc(s, b, lengths.get(), sortedLengths.get(), unique.get(),
                                          byCount.get(), runs.first());
  });
  std::vector<unsigned> want;
  for (const auto &[word, count] : counts)
    want.push_back(count);
  std::sort(want.rbegin(), want.rend());
  expectSame("counts", sortedLengths.host(counts.size()), want);
  return verdict();
}
