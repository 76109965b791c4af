// Launches of a kernel that has versions for a value of one of its arguments: pick_for_8_3 is one
// for launches whose four bytes of arguments at offset 8 are 3. Each counts the launches that it
// should not have been run in. Without a tool that plants them, the original runs.
//   random    values at random, often the same for a while
//   graph     a graph whose node gets another value between its launches
//   events    launches with events of their own
//   threads   six threads with values of their own
#include "tests/e2e/programs/check.h"

#include <hip/hip_ext.h>
#include <random>
#include <string>
#include <thread>

struct Counts {
  unsigned long long sum;
  unsigned special, wrong;
};

extern "C" __global__ void pick(Counts *counts, unsigned which, unsigned value) {
  unsigned s = 0;
  for (unsigned i = 0; i < 200 + which; ++i) { // slower
    s += value;
    asm volatile("" : "+v"(s));
  }
  if (threadIdx.x == 0)
    atomicAdd(&counts->sum, s - 200 * value);
}
#define PICK(n)                                                                                    \
  extern "C" __global__ void pick_for_8_##n(Counts *counts, unsigned which, unsigned value) {      \
    if (threadIdx.x != 0)                                                                          \
      return;                                                                                      \
    atomicAdd(&counts->special, 1);                                                                \
    if (which != n)                                                                                \
      atomicAdd(&counts->wrong, 1);                                                                \
    atomicAdd(&counts->sum, n *value);                                                             \
  }
PICK(3)
PICK(4)
PICK(5)

struct Line {
  explicit Line(unsigned seed) : random(seed) {
    HIP(hipStreamCreate(&stream));
    HIP(hipMalloc(reinterpret_cast<void **>(&counts), sizeof *counts));
    HIP(hipMemset(counts, 0, sizeof *counts));
    HIP(hipDeviceSynchronize());
  }
  void next() {
    if (random() % 8 == 0)
      which = static_cast<unsigned>(random() % 7);
    value = static_cast<unsigned>(random() % 1000);
    sum += which * value;
  }
  unsigned check() {
    HIP(hipStreamSynchronize(stream));
    Counts got;
    HIP(hipMemcpy(&got, counts, sizeof got, hipMemcpyDeviceToHost));
    EXPECT(got.wrong == 0);
    EXPECT(got.sum == sum);
    return got.special;
  }
  std::mt19937 random;
  hipStream_t stream;
  Counts *counts;
  unsigned which = 3, value = 0;
  unsigned long long sum = 0;
};

static unsigned randomly(unsigned seed, int launches) {
  Line line(seed);
  for (int i = 0; i < launches; ++i) {
    line.next();
    pick<<<1, 64, 0, line.stream>>>(line.counts, line.which, line.value);
  }
  return line.check();
}

static unsigned graph(int launches) {
  Line line(2);
  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t instance;
  HIP(hipGraphCreate(&graph, 0));
  void *arguments[] = {&line.counts, &line.which, &line.value};
  hipKernelNodeParams p{};
  p.func = reinterpret_cast<void *>(pick);
  p.gridDim = dim3(1);
  p.blockDim = dim3(64);
  p.kernelParams = arguments;
  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  HIP(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
  for (int i = 0; i < launches; ++i) {
    line.next();
    HIP(hipGraphExecKernelNodeSetParams(instance, node, &p));
    // Again with the same arguments, now and then.
    for (int times = 1 + (i % 5 == 0); times; --times)
      HIP(hipGraphLaunch(instance, line.stream));
    line.sum += i % 5 == 0 ? line.which * line.value : 0;
    HIP(hipStreamSynchronize(line.stream));
  }
  return line.check();
}

static unsigned events(int launches) {
  Line line(3);
  hipEvent_t start, stop;
  HIP(hipEventCreate(&start));
  HIP(hipEventCreate(&stop));
  for (int i = 0; i < launches; ++i) {
    line.next();
    if (i % 3)
      pick<<<1, 64, 0, line.stream>>>(line.counts, line.which, line.value);
    else
      hipExtLaunchKernelGGL(pick, dim3(1), dim3(64), 0, line.stream, start, stop, 0, line.counts,
                            line.which, line.value);
  }
  return line.check();
}

static unsigned threads(int launches) {
  std::vector<std::thread> all;
  std::vector<unsigned> special(6);
  for (unsigned t = 0; t < special.size(); ++t)
    all.emplace_back([&special, t, launches] { special[t] = randomly(10 + t, launches); });
  unsigned sum = 0;
  for (unsigned t = 0; t < special.size(); ++t) {
    all[t].join();
    sum += special[t];
  }
  return sum;
}

int main(int argc, char **argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  unsigned special = 0;
  if (part == "random")
    special = randomly(1, 4000);
  else if (part == "graph")
    special = graph(1000);
  else if (part == "events")
    special = events(2000);
  else if (part == "threads")
    special = threads(2000);
  else
    EXPECT(!"a part of this program");
  std::fprintf(stderr, "%s: %s specialised launches\n", part.c_str(), special ? "some" : "no");
  std::printf(failures ? "FAIL\n" : "PASS %s\n", part.c_str());
  return failures != 0;
}
