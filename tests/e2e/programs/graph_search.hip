// Graphs in CSR form: breadth-first search by frontiers (edges of a vertex by one thread and by a
// whole wave), topological order of a DAG by Kahn's algorithm, connected components by label
// propagation with atomicMin. References: the sequential algorithms.
#include "check.h"

#include <algorithm>
#include <numeric>
#include <queue>

struct Graph {
  std::vector<int> offsets, targets;
  int size() const { return int(offsets.size()) - 1; }
};

static Graph fromEdges(int n, std::vector<std::pair<int, int>> edges) {
  std::sort(edges.begin(), edges.end());
  Graph g;
  g.offsets.assign(n + 1, 0);
  for (auto &[from, to] : edges) {
    ++g.offsets[from + 1];
    g.targets.push_back(to);
  }
  std::partial_sum(g.offsets.begin(), g.offsets.end(), g.offsets.begin());
  return g;
}

__global__ void expandByThread(const int *offsets, const int *targets, const int *frontier,
                               int size, int *next, int *nextSize, int *depth, int level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size)
    return;
  const int v = frontier[i];
  for (int e = offsets[v]; e < offsets[v + 1]; ++e)
    if (atomicCAS(&depth[targets[e]], -1, level) == -1)
      next[atomicAdd(nextSize, 1)] = targets[e];
}
__global__ void expandByWave(const int *offsets, const int *targets, const int *frontier, int size,
                             int *next, int *nextSize, int *depth, int level) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  if (i >= size)
    return;
  const int v = frontier[i];
  for (int e = offsets[v] + threadIdx.x % warpSize; e < offsets[v + 1]; e += warpSize)
    if (atomicCAS(&depth[targets[e]], -1, level) == -1)
      next[atomicAdd(nextSize, 1)] = targets[e];
}
__global__ void removeSources(const int *offsets, const int *targets, const int *ready, int size,
                              int *next, int *nextSize, int *degrees) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    for (int e = offsets[ready[i]]; e < offsets[ready[i] + 1]; ++e)
      if (atomicSub(&degrees[targets[e]], 1) == 1)
        next[atomicAdd(nextSize, 1)] = targets[e];
}
__global__ void propagate(const int *offsets, const int *targets, int *label, int *changed, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n)
    for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
      const int mine = label[v];
      if (atomicMin(&label[targets[e]], mine) > mine)
        *changed = 1;
    }
}

static std::vector<int> sequentialDepths(const Graph &g) {
  std::vector<int> depth(g.size(), -1);
  std::queue<int> q;
  depth[0] = 0;
  for (q.push(0); !q.empty(); q.pop())
    for (int e = g.offsets[q.front()]; e < g.offsets[q.front() + 1]; ++e)
      if (depth[g.targets[e]] < 0) {
        depth[g.targets[e]] = depth[q.front()] + 1;
        q.push(g.targets[e]);
      }
  return depth;
}

int main() {
  const int n = 700;
  Random random(1);
  std::vector<std::pair<int, int>> edges, dag;
  for (int e = 0; e < 1500; ++e) // a few hubs, most vertices with few edges, some unreachable
    edges.push_back({int(random.below(1 + random.below(n))), int(random.below(n))});
  for (int e = 0; e < 120; ++e)
    edges.push_back({3, int(random.below(n))});
  const Graph g = fromEdges(n, edges);
  Device<int> offsets(g.offsets), targets(g.targets), size(1);
  for (bool byWave : {false, true}) {
    std::vector<int> depths(n, -1);
    depths[0] = 0;
    Device<int> depth(depths), a(n), b(n);
    int count = 1, level = 0, *frontier = a, *next = b;
    HIP(hipMemset(frontier, 0, sizeof(int)));
    while (count) {
      HIP(hipMemset(size, 0, sizeof(int)));
      ++level;
      if (byWave)
        expandByWave<<<(count * waveSize() + 255) / 256, 256>>>(offsets, targets, frontier, count,
                                                                next, size, depth, level);
      else
        expandByThread<<<(count + 255) / 256, 256>>>(offsets, targets, frontier, count, next, size,
                                                     depth, level);
      count = size.host()[0];
      std::swap(frontier, next);
    }
    expectSame("depths", depth.host(), sequentialDepths(g));
  }

  for (int e = 0; e < 2000; ++e) {
    const int x = int(random.below(n)), y = int(random.below(n));
    if (x != y) // vertex v has rank v * 37 mod n: edges go up in rank
      dag.push_back(x * 37 % n < y * 37 % n ? std::pair(x, y) : std::pair(y, x));
  }
  const Graph d = fromEdges(n, dag);
  std::vector<int> degrees(n, 0), sources, position(n, -1);
  for (int t : d.targets)
    ++degrees[t];
  for (int v = 0; v < n; ++v)
    if (!degrees[v])
      sources.push_back(v);
  Device<int> dagOffsets(d.offsets), dagTargets(d.targets), degree(degrees), ready(n), next(n);
  int placed = 0;
  while (!sources.empty()) {
    for (int v : sources)
      position[v] = placed++;
    HIP(hipMemcpy(ready, sources.data(), sources.size() * 4, hipMemcpyHostToDevice));
    HIP(hipMemset(size, 0, sizeof(int)));
    removeSources<<<(int(sources.size()) + 63) / 64, 64>>>(dagOffsets, dagTargets, ready,
                                                           int(sources.size()), next, size, degree);
    const int count = size.host()[0];
    sources = next.host();
    sources.resize(count);
  }
  EXPECT(placed == n);
  for (auto &[from, to] : dag)
    if (position[from] < 0 || position[from] >= position[to])
      ++failures;

  auto both = edges;
  both.resize(500); // sparse: many components
  for (int e = 0; e < 500; ++e)
    both.push_back({both[e].second, both[e].first});
  const Graph u = fromEdges(n, both);
  std::vector<int> label(n), want(n, -1);
  std::iota(label.begin(), label.end(), 0);
  Device<int> uOffsets(u.offsets), uTargets(u.targets), labels(label), changed(1);
  do {
    HIP(hipMemset(changed, 0, sizeof(int)));
    propagate<<<(n + 255) / 256, 256>>>(uOffsets, uTargets, labels, changed, n);
  } while (changed.host()[0]);
  for (int v = 0; v < n; ++v)
    if (want[v] < 0) {
      std::vector<int> stack = {v};
      want[v] = v;
      while (!stack.empty()) {
        const int x = stack.back();
        stack.pop_back();
        for (int e = u.offsets[x]; e < u.offsets[x + 1]; ++e)
          if (want[u.targets[e]] < 0) {
            want[u.targets[e]] = v;
            stack.push_back(u.targets[e]);
          }
      }
    }
  expectSame("components", labels.host(), want);
  return verdict();
}
