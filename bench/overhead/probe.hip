// What a HIP process pays, measured from inside: `probe CODE_OBJECT ANOTHER` prints nanoseconds,
//   load N      hipModuleLoadData and hipModuleGetFunction of the object, for the first time in this process
//   launch N    one launch of an empty kernel, the median of many, without waiting for it
//   changing N  the same of a kernel with 256 bytes of arguments that are others at each launch
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <hip/hip_runtime.h>
#include <iterator>
#include <vector>

static __global__ void warm() {}

struct Options {
  unsigned rounds[60], mode, order;
  double scale;
};

/// Options decide about branches and loops, so that a version that knows them is another one.
static __global__ void optional(unsigned *to, Options o) {
  unsigned x = threadIdx.x;
  for (unsigned k = 0; k < o.order; ++k)
    x = x * 1664525u + o.rounds[k % 60];
  if (o.mode > 2)
    for (unsigned k = 0; k < 60; ++k)
      if (o.rounds[k] & 1)
        x ^= x << k % 8;
  to[threadIdx.x] = o.scale > 1 ? x : ~x;
}

using Clock = std::chrono::steady_clock;
static long since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// The median of many, in nanoseconds; negative: a call failed.
template <class Launch> static long median(Launch launch) {
  std::vector<long> launches;
  for (unsigned i = 0; i < 400; ++i) {
    const auto begin = Clock::now();
    if (launch(i) != hipSuccess)
      return -1;
    launches.push_back(since(begin));
    if (i % 20 == 19 && hipDeviceSynchronize())
      return -1;
  }
  std::nth_element(launches.begin(), launches.begin() + 200, launches.end());
  return launches[200];
}

static std::vector<char> contents(const char *file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int main(int argc, char **argv) {
  const std::vector<char> object = contents(argc > 1 ? argv[1] : "");
  const std::vector<char> another = contents(argc > 2 ? argv[2] : "");
  // Everything that is paid once: the runtime, the device, the first code object of the program and the
  // first module.
  warm<<<1, 64>>>();
  hipModule_t first;
  if (object.empty() || another.empty() || hipDeviceSynchronize() != hipSuccess ||
      hipModuleLoadData(&first, another.data()) != hipSuccess)
    return 1;
  hipModule_t module;
  hipFunction_t function;
  const auto start = Clock::now();
  if (hipModuleLoadData(&module, object.data()) || hipModuleGetFunction(&function, module, "empty"))
    return 1;
  const long load = since(start);
  const long launch = median([&](unsigned) {
    return hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr);
  });
  unsigned *to = nullptr;
  if (hipMalloc(&to, 4 * 64))
    return 1;
  Options o{};
  void *arguments[] = {&to, &o};
  const long changing = median([&](unsigned i) {
    for (unsigned &round : o.rounds)
      round = round * 22695477 + i + 1;
    o.mode = i;
    o.order = i % 7;
    o.scale = i;
    return hipLaunchKernel(reinterpret_cast<const void *>(optional), dim3(1), dim3(64), arguments,
                           0, nullptr);
  });
  if (launch < 0 || changing < 0)
    return 1;
  std::printf("load %ld\nlaunch %ld\nchanging %ld\n", load, launch, changing);
}
