// PageRank, pulled by vertex, several vertices a thread: every vertex adds what those that point to
// it give away. Page et al., "The PageRank citation ranking" (1999). "skewed" has numbers of incoming
// edges by a power law (1 to 512), "balanced" ten at every vertex.
#include "nests.h"

__global__ void rankNest(const unsigned *starts, const unsigned *sources, const float *given,
                         const float *outgoing, float *next, unsigned vertices) {
  for (unsigned v = blockIdx.x * blockDim.x + threadIdx.x; v < vertices;
       v += gridDim.x * blockDim.x) {
    float sum = 0;
    for (unsigned e = starts[v], end = starts[v + 1]; e < end; ++e) // divergent: loop
      sum += given[sources[e]];
    next[v] = (0.15f + 0.85f * sum) * outgoing[v];
  }
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {16384, 131072, "vertices"}, {"skewed", "balanced"});
  bench::Verdicts verdicts("rank_nest");
  const unsigned block = o.block ? o.block : 128, n = static_cast<unsigned>(o.size), rounds = 3;
  bench::Random random(o.seed);
  const bench::Rows graph(random, n, n, o.pattern == "skewed", 512, 10);
  std::vector<unsigned> degree(n, 0);
  for (const unsigned source : graph.entries)
    ++degree[source];
  std::vector<float> outgoing(n), first(n);
  std::vector<double> rank(n, 1.0);
  for (unsigned v = 0; v < n; ++v)
    first[v] = outgoing[v] = 1.0f / static_cast<float>(std::max(1u, degree[v]));
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<double> next(n, 0.15);
    for (unsigned v = 0; v < n; ++v)
      for (unsigned e = graph.starts[v]; e < graph.starts[v + 1]; ++e)
        next[v] += 0.85 * rank[graph.entries[e]] / std::max(1u, degree[graph.entries[e]]);
    rank = next;
  }
  std::vector<float> want(n);
  for (unsigned v = 0; v < n; ++v)
    want[v] = static_cast<float>(rank[v] / std::max(1u, degree[v]));
  bench::DeviceBuffer<unsigned> starts(graph.starts), sources(graph.entries);
  bench::DeviceBuffer<float> a(first), b(n), out(outgoing);
  for (unsigned round = 0; round < rounds; ++round)
    rankNest<<<dim3(bench::groupsFor(n, block, 16)), dim3(block)>>>(
        starts.get(), sources.get(), round % 2 ? b.get() : a.get(), out.get(),
        round % 2 ? a.get() : b.get(), n);
  bench::finish();
  verdicts.expectNear("vertices=" + std::to_string(n) + " pattern=" + o.pattern,
                      (rounds % 2 ? b : a).download(), want, 1e-4);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
