// rocPRIM inside a kernel, per workgroup: load, exchange, scan, reduce, sort, store.
#include "check.h"
#include <algorithm>
#include <numeric>
#include <rocprim/rocprim.hpp>

constexpr unsigned threads = 128, items = 4, tile = threads * items;

__global__ void sortTiles(const int *in, int *out) {
  using Load =
      rocprim::block_load<int, threads, items, rocprim::block_load_method::block_load_transpose>;
  using Sort = rocprim::block_radix_sort<int, threads, items>;
  using Store =
      rocprim::block_store<int, threads, items, rocprim::block_store_method::block_store_transpose>;
  __shared__ union {
    Load::storage_type load;
    Sort::storage_type sort;
    Store::storage_type store;
  } shared;
  int mine[items];
  Load().load(in + blockIdx.x * tile, mine, shared.load);
  __syncthreads();
  Sort().sort(mine, shared.sort);
  __syncthreads();
  Store().store(out + blockIdx.x * tile, mine, shared.store);
}

__global__ void scanTiles(const int *in, int *out, int *sums) {
  using Scan = rocprim::block_scan<int, threads, rocprim::block_scan_algorithm::using_warp_scan>;
  using Reduce =
      rocprim::block_reduce<int, threads, rocprim::block_reduce_algorithm::raking_reduce>;
  __shared__ Scan::storage_type scan;
  __shared__ Reduce::storage_type reduce;
  int mine[items], total = 0;
  for (unsigned i = 0; i < items; ++i)
    mine[i] = in[blockIdx.x * tile + threadIdx.x * items + i];
  int sum = 0;
  for (int value : mine)
    sum += value;
  Reduce().reduce(sum, total, reduce, rocprim::plus<int>());
  Scan().inclusive_scan(mine, mine, scan, rocprim::plus<int>());
  for (unsigned i = 0; i < items; ++i)
    out[blockIdx.x * tile + threadIdx.x * items + i] = mine[i];
  if (threadIdx.x == 0)
    sums[blockIdx.x] = total;
}

__global__ void neighbours(const int *in, int *heads, int *shifted) {
  using Flags = rocprim::block_discontinuity<int, threads>;
  __shared__ Flags::storage_type flags;
  __shared__ int shuffle[threads];
  const unsigned at = blockIdx.x * threads + threadIdx.x;
  int mine[1] = {in[at] / 100}, head[1], next = -1;
  Flags().flag_heads(head, mine, rocprim::not_equal_to<int>(), flags);
  shuffle[threadIdx.x] = in[at];
  __syncthreads();
  next = shuffle[(threadIdx.x + 3) % threads];
  heads[at] = head[0];
  shifted[at] = next;
}

int main() {
  const unsigned blocks = 9, n = blocks * tile;
  auto values = randomIntegers<int>(n, -200, 200, 91);
  Device<int> in(values), out(n), sums(blocks), heads(n), shifted(n);
  sortTiles<<<blocks, threads>>>(in.get(), out.get());
  HIP(hipDeviceSynchronize());
  auto want = values;
  for (unsigned b = 0; b < blocks; ++b)
    std::sort(want.begin() + b * tile, want.begin() + (b + 1) * tile);
  expectSame("sorted tiles", out.host(), want);

  scanTiles<<<blocks, threads>>>(in.get(), out.get(), sums.get());
  HIP(hipDeviceSynchronize());
  std::vector<int> wantSums(blocks);
  for (unsigned b = 0; b < blocks; ++b) {
    std::partial_sum(values.begin() + b * tile, values.begin() + (b + 1) * tile,
                     want.begin() + b * tile);
    wantSums[b] = want[(b + 1) * tile - 1];
  }
  expectSame("scanned tiles", out.host(), want);
  expectSame("sums of tiles", sums.host(), wantSums);

  neighbours<<<n / threads, threads>>>(in.get(), heads.get(), shifted.get());
  HIP(hipDeviceSynchronize());
  std::vector<int> wantHeads(n), wantShifted(n);
  for (unsigned i = 0; i < n; ++i) {
    const unsigned t = i % threads;
    wantHeads[i] = t == 0 || values[i] / 100 != values[i - 1] / 100;
    wantShifted[i] = values[i - t + (t + 3) % threads];
  }
  expectSame("heads", heads.host(), wantHeads);
  expectSame("rotated", shifted.host(), wantShifted);
  return verdict();
}
