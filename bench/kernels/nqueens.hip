// NQU: counts N-queens solutions. Each thread has a two-row prefix and searches the rest with an
// explicit stack of column masks: descend or backtrack, as its own board demands.
#include "harness.h"

constexpr int maxN = 12;

__device__ inline unsigned search(int n, unsigned cols, unsigned left, unsigned right, int row,
                                  unsigned *freeMask, unsigned *colMask, unsigned *leftMask,
                                  unsigned *rightMask, unsigned stride) {
  const unsigned full = (1u << n) - 1;
  unsigned solutions = 0;
  int depth = 0;
  colMask[0] = cols, leftMask[0] = left, rightMask[0] = right;
  freeMask[0] = full & ~(cols | left | right);
  while (depth >= 0) { // divergent: loop
    const unsigned s = static_cast<unsigned>(depth) * stride;
    const unsigned candidates = freeMask[s];
    if (candidates == 0) { // divergent: branch
      --depth;
    } else {
      const unsigned bit = candidates & (0u - candidates);
      freeMask[s] = candidates ^ bit;
      const unsigned c = colMask[s] | bit;
      if (row + depth + 1 == n) {
        ++solutions;
      } else {
        const unsigned l = (leftMask[s] | bit) << 1, r = (rightMask[s] | bit) >> 1;
        const unsigned next = s + stride;
        colMask[next] = c, leftMask[next] = l, rightMask[next] = r;
        freeMask[next] = full & ~(c | l | r);
        ++depth;
      }
    }
  }
  return solutions;
}

template <unsigned Block>
__global__ __launch_bounds__(Block) void nqueens(const uint4 *prefixes, unsigned *counts,
                                                 unsigned prefixCount, int n) {
  __shared__ unsigned stack[4][maxN][Block];
  const unsigned g = blockIdx.x * Block + threadIdx.x, t = threadIdx.x;
  if (g >= prefixCount) // divergent: branch
    return;
  const uint4 p = prefixes[g];
  counts[g] = search(n, p.x, p.y, p.z, 2, &stack[0][0][t], &stack[1][0][t], &stack[2][0][t],
                     &stack[3][0][t], Block);
}

static unsigned recurse(int n, int row, unsigned cols, unsigned left, unsigned right) {
  if (row == n)
    return 1;
  unsigned sum = 0;
  for (int x = 0; x < n; ++x) {
    const unsigned bit = 1u << x;
    if (!((cols | left | right) & bit))
      sum += recurse(n, row + 1, cols | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return sum;
}

template <unsigned Block> void run(const bench::Options &o, bench::Verdicts &verdicts) {
  if (o.block && o.block != Block)
    return;
  const int n = static_cast<int>(std::clamp<size_t>(o.size, 4, maxN));
  const unsigned full = (1u << n) - 1;
  std::vector<uint4> prefixes;
  std::vector<unsigned> want;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      const unsigned x = 1u << a, y = 1u << b;
      if (y & (x | x << 1 | x >> 1))
        continue;
      const unsigned cols = x | y, left = ((x << 1 | y) << 1) & full, right = (x >> 1 | y) >> 1;
      prefixes.push_back(uint4{cols, left, right, 0});
      want.push_back(recurse(n, 2, cols, left, right));
    }
  bench::DeviceBuffer<uint4> dPrefixes(prefixes);
  bench::DeviceBuffer<unsigned> dCounts(prefixes.size());
  const unsigned count = static_cast<unsigned>(prefixes.size());
  nqueens<Block><<<dim3((count + Block - 1) / Block), dim3(Block)>>>(dPrefixes.get(), dCounts.get(),
                                                                     count, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("n=" + std::to_string(n) + " block=" + std::to_string(Block),
                       dCounts.download(), want);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {8, 10, "queens, 4 to 12"});
  bench::Verdicts verdicts("nqueens");
  run<64>(o, verdicts);
  run<96>(o, verdicts);
  run<128>(o, verdicts);
  run<256>(o, verdicts);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
