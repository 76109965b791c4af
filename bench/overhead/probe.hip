// What a HIP process pays, measured from inside: `probe CODE_OBJECT` prints nanoseconds,
//   load N      hipModuleLoadData and hipModuleGetFunction of the object, for the first time in this process
//   launch N    one launch of an empty kernel, the median of many, without waiting for it
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <hip/hip_runtime.h>
#include <iterator>
#include <vector>

static __global__ void warm() {}

using Clock = std::chrono::steady_clock;
static long since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

int main(int argc, char **argv) {
  std::ifstream in(argc > 1 ? argv[1] : "", std::ios::binary);
  std::vector<char> object{std::istreambuf_iterator<char>(in), {}};
  // Everything that is paid once: the runtime, the device, the first code object.
  warm<<<1, 64>>>();
  if (object.empty() || hipDeviceSynchronize() != hipSuccess)
    return 1;
  hipModule_t module;
  hipFunction_t function;
  const auto start = Clock::now();
  if (hipModuleLoadData(&module, object.data()) || hipModuleGetFunction(&function, module, "empty"))
    return 1;
  const long load = since(start);
  std::vector<long> launches;
  for (int i = 0; i < 400; ++i) {
    const auto begin = Clock::now();
    if (hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr))
      return 1;
    launches.push_back(since(begin));
    if (i % 20 == 19 && hipDeviceSynchronize())
      return 1;
  }
  std::nth_element(launches.begin(), launches.begin() + 200, launches.end());
  std::printf("load %ld\nlaunch %ld\n", load, launches[200]);
}
