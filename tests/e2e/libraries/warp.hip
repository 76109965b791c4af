// rocPRIM inside a wave: reduce, scan and sort over logical warps of 8, 16, 32 and, where waves are
// as large, 64 threads.
#include "check.h"
#include <algorithm>
#include <numeric>
#include <rocprim/rocprim.hpp>

constexpr unsigned threads = 256;

template <unsigned width>
__global__ void perWarp(const int *in, int *sums, int *scans, int *sorted) {
  using Reduce = rocprim::warp_reduce<int, width, true>;
  using Scan = rocprim::warp_scan<int, width>;
  using Sort = rocprim::warp_sort<int, width>;
  __shared__ typename Reduce::storage_type reduce[threads / width];
  __shared__ typename Scan::storage_type scan[threads / width];
  const unsigned warp = threadIdx.x / width, at = blockIdx.x * threads + threadIdx.x;
  const int mine = in[at];
  Reduce().reduce(mine, sums[at], reduce[warp]);
  Scan().exclusive_scan(mine, scans[at], 100, scan[warp]);
  int key = mine;
  Sort().sort(key);
  sorted[at] = key;
}

template <unsigned width> void check() {
  const unsigned n = 5 * threads;
  auto values = randomIntegers<int>(n, -99, 99, width);
  Device<int> in(values), sums(n), scans(n), sorted(n);
  perWarp<width><<<n / threads, threads>>>(in.get(), sums.get(), scans.get(), sorted.get());
  HIP(hipDeviceSynchronize());
  std::vector<int> wantSums(n), wantScans(n), wantSorted(values);
  for (unsigned i = 0; i < n; i += width) {
    const auto first = values.begin() + i;
    std::fill_n(wantSums.begin() + i, width, std::accumulate(first, first + width, 0));
    std::exclusive_scan(first, first + width, wantScans.begin() + i, 100);
    std::sort(wantSorted.begin() + i, wantSorted.begin() + i + width);
  }
  expectSame("sums", sums.host(), wantSums);
  expectSame("scans", scans.host(), wantScans);
  expectSame("sorted", sorted.host(), wantSorted);
}

int main() {
  check<8>();
  check<16>();
  check<32>();
  if (waveSize() == 64)
    check<64>();
  return verdict();
}
