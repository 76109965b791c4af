// Cooperative groups: the thread block in three dimensions, tiles of 4 threads to a wave with
// their shuffles, a tile of a tile, coalesced threads inside a branch.
#include "check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

struct Ranks {
  unsigned rank, size, x, y, z, group;
};
__global__ void blockRanks(Ranks *out) {
  cg::thread_block block = cg::this_thread_block();
  const dim3 index = block.thread_index(), group = block.group_index();
  const unsigned flat = (group.z * gridDim.y + group.y) * gridDim.x + group.x;
  out[flat * block.size() + block.thread_rank()] = {
      block.thread_rank(), block.size(), index.x, index.y, index.z, flat};
}

template <unsigned size> __global__ void tileSums(const int *in, int *out) {
  if constexpr (size <= warpSize) { // a larger tile does not compile, and is not launched
    cg::thread_block block = cg::this_thread_block();
    // Not auto: the type with a parent is ambiguous in ROCm 5.7.
    const cg::thread_block_tile<size> tile(cg::tiled_partition<size>(block));
    int v = in[block.thread_rank()];
    for (unsigned d = size / 2; d; d /= 2)
      v += tile.shfl_xor(v, d);
    const int scanned = tile.shfl_up(in[block.thread_rank()], 1);
    tile.sync();
    out[block.thread_rank()] =
        v * 1000 + tile.thread_rank() * 10 + (tile.thread_rank() ? scanned % 10 : 9);
  }
}
__global__ void dynamicTiles(const int *in, int *out, unsigned size) {
  __shared__ int buffer[256];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_group tile = cg::tiled_partition(block, size);
  buffer[block.thread_rank()] = in[block.thread_rank()];
  tile.sync();
  int sum = 0;
  const unsigned base = block.thread_rank() / tile.size() * tile.size();
  for (unsigned i = 0; i < tile.size(); ++i)
    sum += buffer[base + i] * int(i + 1);
  out[block.thread_rank()] = sum + tile.thread_rank();
}
/// Lanes that take the branch get consecutive ranks: the usual aggregated atomic.
__global__ void coalesced(const int *in, int *kept, int *count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 1) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0)
      base = atomicAdd(count, int(active.size()));
    base = active.shfl(base, 0);
    kept[base + active.thread_rank()] = in[i];
  }
}

template <unsigned size> void checkTile(const std::vector<int> &in, const Device<int> &source) {
  Device<int> out(in.size());
  tileSums<size><<<1, in.size()>>>(source, out);
  std::vector<int> want(in.size());
  for (unsigned t = 0; t < in.size(); ++t) {
    int sum = 0;
    for (unsigned i = t / size * size; i < t / size * size + size; ++i)
      sum += in[i];
    want[t] = sum * 1000 + t % size * 10 + (t % size ? in[t - 1] % 10 : 9);
  }
  expectSame("tile", out.host(), want);
}

int main() {
  const dim3 grid(2, 3, 2), block(5, 4, 3);
  Device<Ranks> ranks(12 * 60);
  blockRanks<<<grid, block>>>(ranks);
  std::vector<Ranks> want;
  for (unsigned g = 0; g < 12; ++g)
    for (unsigned t = 0; t < 60; ++t)
      want.push_back({t, 60, t % 5, t / 5 % 4, t / 20, g});
  expectSame("block", ranks.host(), want);

  const auto in = randomBelow<int>(256, 100, 2);
  Device<int> source(in), out(256);
  checkTile<4>(in, source);
  checkTile<8>(in, source);
  checkTile<16>(in, source);
  checkTile<32>(in, source);
  if (waveSize() == 64)
    checkTile<64>(in, source);
  for (unsigned size : {2u, 16u, waveSize()}) {
    dynamicTiles<<<1, 256>>>(source, out, size);
    std::vector<int> sums(256);
    for (unsigned t = 0; t < 256; ++t) {
      sums[t] = t % size;
      for (unsigned i = 0; i < size; ++i)
        sums[t] += in[t / size * size + i] * int(i + 1);
    }
    expectSame("dynamic tile", out.host(), sums);
  }

  const int n = 1000;
  const auto numbers = randomBelow<int>(n, 100000, 5);
  Device<int> all(numbers), kept(n), count(std::vector<int>{0});
  coalesced<<<4, 256>>>(all, kept, count, n);
  std::vector<long long> moments(3), got(3);
  int expected = 0;
  for (int v : numbers)
    if (v % 3 == 1) {
      ++expected;
      moments[0] += v, moments[1] ^= v, moments[2] += 1ll * v * v;
    }
  EXPECT(count.host()[0] == expected);
  const auto list = kept.host();
  for (int i = 0; i < expected; ++i)
    got[0] += list[i], got[1] ^= list[i], got[2] += 1ll * list[i] * list[i];
  expectSame("coalesced", got, moments);
  return verdict();
}
