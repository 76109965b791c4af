// BFS: one level of breadth-first search per launch, after Rodinia. A thread per vertex; those of
// the frontier run through their edges, whose number differs from vertex to vertex.
#include "harness.h"

#include <queue>

__global__ void level(const unsigned *starts, const unsigned *edges, const int *frontier, int *next,
                      const int *visited, int *cost, unsigned n) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n && frontier[v]) {                              // divergent: branch
    for (unsigned e = starts[v]; e < starts[v + 1]; ++e) { // divergent: loop
      const unsigned to = edges[e];
      if (!visited[to]) {
        cost[to] = cost[v] + 1;
        next[to] = 1;
      }
    }
  }
}

__global__ void settle(int *frontier, int *next, int *visited, int *more, unsigned n) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n)
    return;
  frontier[v] = 0;
  if (next[v]) {
    frontier[v] = 1;
    visited[v] = 1;
    next[v] = 0;
    *more = 1;
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {3000, 60000, "vertices"});
  bench::Verdicts verdicts("bfs");
  const unsigned block = o.block ? o.block : 256, n = static_cast<unsigned>(o.size);
  bench::Random random(o.seed);
  std::vector<unsigned> starts{0}, edges;
  for (unsigned v = 0; v < n; ++v) {
    for (unsigned k = random.below(8) ? 1 + random.below(6) : random.below(40); k > 0; --k)
      edges.push_back(random.below(n));
    starts.push_back(static_cast<unsigned>(edges.size()));
  }
  std::vector<int> want(n, -1), first(n), zero(n), cost(n, -1);
  std::queue<unsigned> queue;
  queue.push(0);
  want[0] = 0;
  while (!queue.empty()) {
    const unsigned v = queue.front();
    queue.pop();
    for (unsigned e = starts[v]; e < starts[v + 1]; ++e)
      if (want[edges[e]] < 0) {
        want[edges[e]] = want[v] + 1;
        queue.push(edges[e]);
      }
  }
  first[0] = 1;
  cost[0] = 0;
  bench::DeviceBuffer<unsigned> dStarts(starts), dEdges(edges);
  bench::DeviceBuffer<int> frontier(first), next(zero), visited(first), dCost(cost), more(1);
  const dim3 grid((n + block - 1) / block), threads(block);
  for (bool go = true; go;) {
    more.upload({0});
    level<<<grid, threads>>>(dStarts.get(), dEdges.get(), frontier.get(), next.get(), visited.get(),
                             dCost.get(), n);
    settle<<<grid, threads>>>(frontier.get(), next.get(), visited.get(), more.get(), n);
    HIP_CHECK(hipDeviceSynchronize());
    go = more.download()[0] != 0;
  }
  auto got = dCost.download();
  const auto seen = visited.download();
  got.insert(got.end(), seen.begin(), seen.end());
  for (unsigned v = 0; v < n; ++v)
    want.push_back(want[v] >= 0);
  verdicts.expectEqual("vertices=" + std::to_string(n), got, want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
