// Graphs: one captured from two streams, one built node by node (fill, kernel, copy, host), both
// launched several times, an updated kernel node, and the same work done by the host.
#include "check.h"

__global__ void scale(int *x, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * factor + i;
}
__global__ void add(const int *a, const int *b, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
}

constexpr int n = 1500, blocks = (n + 255) / 256;

static void captured() {
  hipStream_t main, side;
  HIP(hipStreamCreate(&main));
  HIP(hipStreamCreate(&side));
  hipEvent_t fork, join;
  HIP(hipEventCreate(&fork));
  HIP(hipEventCreate(&join));
  std::vector<int> a = randomBelow<int>(n, 100, 1), b = randomBelow<int>(n, 100, 2), want(n);
  Device<int> da(a), db(b), out(n);

  HIP(hipStreamBeginCapture(main, hipStreamCaptureModeGlobal));
  HIP(hipEventRecord(fork, main));
  HIP(hipStreamWaitEvent(side, fork, 0));
  scale<<<blocks, 256, 0, main>>>(da, n, 3);
  scale<<<blocks, 256, 0, side>>>(db, n, 5);
  HIP(hipEventRecord(join, side));
  HIP(hipStreamWaitEvent(main, join, 0));
  add<<<blocks, 256, 0, main>>>(da, db, out, n);
  hipGraph_t graph;
  HIP(hipStreamEndCapture(main, &graph));
  expectSame("a capture runs nothing", da.host(), a);

  size_t nodes = 0;
  HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 3);
  hipGraphExec_t exec;
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int launch = 0; launch < 3; ++launch) {
    HIP(hipGraphLaunch(exec, main));
    HIP(hipStreamSynchronize(main));
    for (int i = 0; i < n; ++i) {
      a[i] = a[i] * 3 + i;
      b[i] = b[i] * 5 + i;
      want[i] = a[i] + b[i];
    }
    expectSame("captured graph", out.host(), want);
  }
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(graph));
  HIP(hipEventDestroy(fork));
  HIP(hipEventDestroy(join));
  HIP(hipStreamDestroy(main));
  HIP(hipStreamDestroy(side));
}

static void built() {
  Device<int> x(n);
  std::vector<int> result(n, -1), want(n);
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hipGraph_t graph;
  HIP(hipGraphCreate(&graph, 0));

  hipGraphNode_t fill, kernel, copy, host;
  hipMemsetParams fillParms = {};
  fillParms.dst = x.get();
  fillParms.elementSize = 4;
  fillParms.value = 7;
  fillParms.width = n;
  fillParms.height = 1;
  HIP(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &fillParms));

  int *pointer = x.get(), count = n, factor = 11;
  void *arguments[] = {&pointer, &count, &factor};
  hipKernelNodeParams kernelParms = {};
  kernelParms.func = reinterpret_cast<void *>(scale);
  kernelParms.gridDim = dim3(blocks);
  kernelParms.blockDim = dim3(256);
  kernelParms.kernelParams = arguments;
  HIP(hipGraphAddKernelNode(&kernel, graph, &fill, 1, &kernelParms));
  HIP(hipGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, result.data(), x.get(), n * sizeof(int),
                              hipMemcpyDeviceToHost));
  int calls = 0;
  hipHostNodeParams hostParms = {};
  hostParms.fn = [](void *p) { ++*static_cast<int *>(p); };
  hostParms.userData = &calls;
  HIP(hipGraphAddHostNode(&host, graph, &copy, 1, &hostParms));

  hipGraphExec_t exec;
  HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int launch = 0; launch < 2; ++launch) {
    result.assign(n, -1);
    HIP(hipGraphLaunch(exec, stream));
    HIP(hipStreamSynchronize(stream));
    for (int i = 0; i < n; ++i)
      want[i] = 7 * 11 + i;
    expectSame("built graph", result, want);
  }
  factor = -2;
  HIP(hipGraphExecKernelNodeSetParams(exec, kernel, &kernelParms));
  HIP(hipGraphLaunch(exec, stream));
  HIP(hipStreamSynchronize(stream));
  for (int i = 0; i < n; ++i)
    want[i] = 7 * -2 + i;
  expectSame("updated kernel node", result, want);
  EXPECT(calls == 3);
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(graph));
  HIP(hipStreamDestroy(stream));
}

int main() {
  captured();
  built();
  return verdict();
}
