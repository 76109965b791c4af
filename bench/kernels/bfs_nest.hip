// Breadth-first search by vertex, several vertices a thread: those of the frontier go through their
// neighbours. Harish and Narayanan, "Accelerating large graph algorithms on the GPU using CUDA" (HiPC
// 2007). "skewed" has degrees by a power law (1 to 256), "balanced" eight edges at every vertex.
#include "nests.h"

#include <deque>

__global__ void bfsNest(const unsigned *starts, const unsigned *edges, int *levels, unsigned *more,
                        unsigned vertices, int level) {
  unsigned found = 0;
  for (unsigned v = blockIdx.x * blockDim.x + threadIdx.x; v < vertices;
       v += gridDim.x * blockDim.x) {
    if (levels[v] != level) // divergent: branch
      continue;
    for (unsigned e = starts[v], end = starts[v + 1]; e < end; ++e) // divergent: loop
      if (levels[edges[e]] < 0) {
        levels[edges[e]] = level + 1; // whoever else writes, writes the same
        ++found;
      }
  }
  if (found)
    *more = 1;
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {16384, 131072, "vertices"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("bfs_nest");
  const unsigned block = o.block ? o.block : 128, n = static_cast<unsigned>(o.size);
  bench::Random random(o.seed);
  const bench::Rows graph(random, n, n, o.pattern == "skewed", 256, 8);
  std::vector<int> want(n, -1), levels(n, -1);
  std::deque<unsigned> queue{0};
  want[0] = levels[0] = 0;
  for (; !queue.empty(); queue.pop_front())
    for (unsigned e = graph.starts[queue.front()]; e < graph.starts[queue.front() + 1]; ++e)
      if (const unsigned to = graph.entries[e]; want[to] < 0) {
        want[to] = want[queue.front()] + 1;
        queue.push_back(to);
      }
  bench::DeviceBuffer<unsigned> starts(graph.starts), edges(graph.entries), more(1);
  bench::DeviceBuffer<int> dLevels(levels);
  for (int level = 0, goesOn = 1; goesOn; ++level) {
    more.upload({0});
    bfsNest<<<dim3(bench::groupsFor(n, block, 16)), dim3(block)>>>(
        starts.get(), edges.get(), dLevels.get(), more.get(), n, level);
    bench::finish();
    goesOn = static_cast<int>(more.download()[0]);
  }
  verdicts.expectEqual("vertices=" + std::to_string(n) + " pattern=" + o.pattern,
                       dLevels.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
