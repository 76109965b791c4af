// Ways in which device code arrives and things it may hold. One per name on the command line; "PASS name" or
// "FAIL name". Every answer is computed on the host, too.
#include "tests/shim/arrivals.h"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <hip/hip_cooperative_groups.h>
#include <hip/hiprtc.h>
#include <map>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

// HIP finds variables by name: not in the unnamed namespace.
__device__ int counter = 7;
__device__ int hostsOwn = 5; // no kernel uses it: it is there for the host alone
__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};

namespace {

void check(hipError_t error, const char *what) {
  if (error == hipSuccess)
    return;
  std::printf("FAIL %s: %s\n", what, hipGetErrorString(error));
  std::fflush(stdout);
  _exit(1);
}
#define CHECK(call) check(call, #call)

constexpr int n = 256;

/// Device array of n ints, 0 .. n-1 at first.
struct Array {
  int *device = nullptr;
  std::vector<int> host = std::vector<int>(n);
  Array() {
    for (int i = 0; i < n; ++i)
      host[i] = i;
    CHECK(hipMalloc(&device, n * sizeof(int)));
    CHECK(hipMemcpy(device, host.data(), n * sizeof(int), hipMemcpyHostToDevice));
  }
  ~Array() { (void)hipFree(device); }
  bool is(const std::function<int(int)> &expected) {
    CHECK(hipMemcpy(host.data(), device, n * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
      if (host[i] != expected(i))
        return false;
    return true;
  }
};

__global__ void branches(int *x) {
  int v = x[threadIdx.x];
  x[threadIdx.x] = v & 1 ? v * 3 + 1 : v * 5 - 2;
}
int branchesHost(int v) { return v & 1 ? v * 3 + 1 : v * 5 - 2; }

/// Keeps the parity of the lane's element, so that forty launches are easy to foresee.
__global__ void addOne(int *x, int stream) {
  int v = x[threadIdx.x];
  x[threadIdx.x] = threadIdx.x & 1 ? v + stream + 3 : v + stream + 5;
}

__global__ void globals(int *x) {
  x[threadIdx.x] += table[threadIdx.x & 7];
  atomicAdd(&counter, 1);
}

__global__ void dynamicLds(int *x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__device__ __attribute__((noinline)) int twice(int v) { return 2 * v; }
__device__ __attribute__((noinline)) int minus(int v) { return -v; }
__global__ void pointers(int *x) {
  int (*f)(int) = x[threadIdx.x] & 4 ? twice : minus;
  x[threadIdx.x] = f(x[threadIdx.x]);
}

__device__ __attribute__((noinline)) int fibonacci(int v) {
  return v < 2 ? v : fibonacci(v - 1) + fibonacci(v - 2);
}
__global__ void recursion(int *x) { x[threadIdx.x] = fibonacci(x[threadIdx.x] & 7); }

__global__ void speak() {
  if (threadIdx.x == 3)
    printf("hello from thread %d\n", (int)threadIdx.x);
}

__global__ void cooperative(int *x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] += 1;
  cooperative_groups::this_grid().sync();
  if (!threadIdx.x)
    x[blockIdx.x * blockDim.x] += x[((blockIdx.x + 1) % gridDim.x) * blockDim.x + 1];
}

bool runBranches() {
  Array a;
  branches<<<1, n>>>(a.device);
  CHECK(hipGetLastError());
  return a.is(branchesHost);
}

bool runModule(const void *image, const char *file) {
  hipModule_t module;
  hipFunction_t function;
  CHECK(image ? hipModuleLoadData(&module, image) : hipModuleLoad(&module, file));
  CHECK(hipModuleGetFunction(&function, module, "moduleKernel"));
  Array a;
  void *arguments[] = {&a.device};
  CHECK(hipModuleLaunchKernel(function, 1, 1, 1, n, 1, 1, 0, 0, arguments, nullptr));
  bool ok = a.is([](int v) { return v & 1 ? v + 10 : v * v; });
  CHECK(hipModuleUnload(module));
  return ok;
}

std::string folder(const char *self) {
  std::string path = self;
  return path.substr(0, path.rfind('/') + 1);
}

std::vector<char> slurp(const std::string &path) {
  std::vector<char> bytes;
  FILE *f = std::fopen(path.c_str(), "rb");
  if (!f)
    return bytes;
  for (int c; (c = std::fgetc(f)) != EOF;)
    bytes.push_back(c);
  std::fclose(f);
  return bytes;
}

bool runInChild(const std::function<bool()> &work) {
  pid_t child = fork();
  if (!child)
    _exit(work() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0;
}

bool runLibrary(const std::string &path, bool close) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto work = library ? reinterpret_cast<bool (*)()>(dlsym(library, "libraryWork")) : nullptr;
  bool ok = work && work();
  return ok && (!close || dlclose(library) == 0);
}

/// Launches that overlap: four streams, each with its own array, forty launches each.
bool streams() {
  hipStream_t all[4];
  Array arrays[4];
  for (hipStream_t &stream : all)
    CHECK(hipStreamCreate(&stream));
  for (int round = 0; round < 40; ++round)
    for (int s = 0; s < 4; ++s)
      addOne<<<1, n, 0, all[s]>>>(arrays[s].device, s);
  CHECK(hipDeviceSynchronize());
  bool ok = true;
  for (int s = 0; s < 4; ++s) {
    ok &= arrays[s].is([s](int v) { return v + 40 * (v & 1 ? s + 3 : s + 5); });
    CHECK(hipStreamDestroy(all[s]));
  }
  return ok;
}

/// For hiprtc: the device's processor, its features left open.
const char *archOption() {
  static const std::string option = [] {
    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    const std::string name = properties.gcnArchName;
    return "--offload-arch=" + name.substr(0, name.find(':'));
  }();
  return option.c_str();
}

bool hiprtc() {
  const char *source = "#warning \"on purpose\"\n"
                       "extern \"C\" __global__ void moduleKernel(int *x) {\n"
                       "  int v = x[threadIdx.x]; x[threadIdx.x] = v & 1 ? v + ADD : v * v; }\n";
  hiprtcProgram program;
  if (hiprtcCreateProgram(&program, source, "k.hip", 0, nullptr, nullptr) != HIPRTC_SUCCESS)
    return false;
  const char *options[] = {archOption(), "-O2", "-DADD=10"};
  if (hiprtcCompileProgram(program, 3, options) != HIPRTC_SUCCESS)
    return false;
  size_t size = 0;
  hiprtcGetProgramLogSize(program, &size);
  std::string log(size, '\0');
  hiprtcGetProgramLog(program, log.data());
  // Is compared; the name of a temporary folder stands before it.
  std::printf("%s\n", log.substr(std::min(log.find("warning:"), log.size())).c_str());
  hiprtcGetCodeSize(program, &size);
  std::vector<char> code(size);
  hiprtcGetCode(program, code.data());
  hiprtcDestroyProgram(&program);
  return runModule(code.data(), nullptr);
}

/// Device libraries inside, and a branch to meld: hiprtc links those behind the embedded bitcode.
bool hiprtcMath() {
  const char *source = "extern \"C\" __global__ void mathKernel(float *x) {\n"
                       "  float v = x[threadIdx.x];\n"
                       "  if (threadIdx.x & 1) v = sinf(v) * expf(v) + powf(v, 1.5f);\n"
                       "  else v = sinf(v + 1.0f) * expf(v) - powf(v, 2.5f);\n"
                       "  x[threadIdx.x] = v; }\n";
  hiprtcProgram program;
  if (hiprtcCreateProgram(&program, source, "m.hip", 0, nullptr, nullptr) != HIPRTC_SUCCESS)
    return false;
  const char *options[] = {archOption()};
  if (hiprtcCompileProgram(program, 1, options) != HIPRTC_SUCCESS)
    return false;
  size_t size = 0;
  hiprtcGetCodeSize(program, &size);
  std::vector<char> code(size);
  hiprtcGetCode(program, code.data());
  hiprtcDestroyProgram(&program);
  hipModule_t module;
  hipFunction_t function;
  CHECK(hipModuleLoadDataEx(&module, code.data(), 0, nullptr, nullptr));
  CHECK(hipModuleGetFunction(&function, module, "mathKernel"));
  float host[64], *device;
  for (int i = 0; i < 64; ++i)
    host[i] = 0.25f + 0.03f * i;
  CHECK(hipMalloc(&device, sizeof(host)));
  CHECK(hipMemcpy(device, host, sizeof(host), hipMemcpyHostToDevice));
  void *arguments[] = {&device};
  CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, arguments, nullptr));
  CHECK(hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost));
  CHECK(hipModuleUnload(module));
  for (int i = 0; i < 64; ++i) {
    double v = double(0.25f + 0.03f * i);
    double expected = i & 1 ? std::sin(v) * std::exp(v) + std::pow(v, 1.5)
                            : std::sin(v + 1) * std::exp(v) - std::pow(v, 2.5);
    if (std::abs(host[i] - expected) > 1e-4)
      return false;
  }
  return true;
}

bool hiprtcErrors() {
  hiprtcProgram program;
  hiprtcCreateProgram(&program, "#error \"on purpose\"\n", "k.hip", 0, nullptr, nullptr);
  const char *options[] = {archOption()};
  bool refused = hiprtcCompileProgram(program, 1, options) == HIPRTC_ERROR_COMPILATION;
  size_t size = 0;
  hiprtcGetProgramLogSize(program, &size);
  std::string log(size, '\0');
  hiprtcGetProgramLog(program, log.data());
  hiprtcDestroyProgram(&program);
  // Once, and nothing of an option that the user never gave.
  size_t first = log.find("error: \"on purpose\"");
  return refused && first != std::string::npos &&
         log.find("error: \"on purpose\"", first + 1) == std::string::npos &&
         log.find("embed") == std::string::npos;
}

bool graph() {
  Array a;
  hipStream_t stream;
  hipGraph_t captured;
  hipGraphExec_t ready;
  CHECK(hipStreamCreate(&stream));
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  branches<<<1, n, 0, stream>>>(a.device);
  CHECK(hipStreamEndCapture(stream, &captured));
  CHECK(hipGraphInstantiate(&ready, captured, nullptr, nullptr, 0));
  CHECK(hipGraphLaunch(ready, stream));
  CHECK(hipStreamSynchronize(stream));
  CHECK(hipStreamDestroy(stream));
  return a.is(branchesHost);
}

bool threads() {
  std::atomic<int> good{0};
  std::vector<std::thread> all;
  for (int t = 0; t < 6; ++t)
    all.emplace_back([&] {
      hipStream_t stream;
      CHECK(hipStreamCreate(&stream));
      Array a;
      branches<<<1, n, 0, stream>>>(a.device);
      CHECK(hipStreamSynchronize(stream));
      good += a.is(branchesHost);
      CHECK(hipStreamDestroy(stream));
    });
  for (std::thread &t : all)
    t.join();
  return good == 6;
}

bool globalsTest() {
  Array a;
  int start = 100, value = 0;
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(counter), &start, sizeof(start)));
  globals<<<1, n>>>(a.device);
  CHECK(hipDeviceSynchronize());
  CHECK(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof(value)));
  int own = 0, changed = 9;
  CHECK(hipMemcpyFromSymbol(&own, HIP_SYMBOL(hostsOwn), sizeof(own)));
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(hostsOwn), &changed, sizeof(changed)));
  CHECK(hipMemcpyFromSymbol(&changed, HIP_SYMBOL(hostsOwn), sizeof(changed)));
  return value == 100 + n && own == 5 && changed == 9 &&
         a.is([](int v) { return v + (v & 7) + 1; });
}

bool initialValues() {
  int value = 0;
  CHECK(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof(value)));
  return value == 7;
}

bool cooperativeTest() {
  Array a;
  void *arguments[] = {&a.device};
  CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void *>(cooperative), 4, 64, arguments, 0,
                                   nullptr));
  return a.is([](int v) { return v % 64 ? v + 1 : v + 1 + ((v / 64 + 1) % 4) * 64 + 2; });
}

template <class Launch> bool simple(Launch launch, const std::function<int(int)> &expected) {
  Array a;
  launch(a.device);
  CHECK(hipGetLastError());
  return a.is(expected);
}

int fibonacciHost(int v) { return v < 2 ? v : fibonacciHost(v - 1) + fibonacciHost(v - 2); }

} // namespace

int main(int argc, char **argv) {
  const std::string here = folder(argv[0]);
  const std::map<std::string, std::function<bool()>> tests = {
      {"static", runBranches},
      {"secondUnit", [] { return secondUnit(); }},
      {"moduleFile", [&] { return runModule(nullptr, (here + "arrivals_module.hsaco").c_str()); }},
      {"moduleData",
       [&] { return runModule(slurp(here + "arrivals_module.hsaco").data(), nullptr); }},
      {"moduleTwice",
       [&] {
         return runModule(nullptr, (here + "arrivals_module.hsaco").c_str()) &&
                runModule(nullptr, (here + "arrivals_module.hsaco").c_str());
       }},
      {"library", [&] { return runLibrary(here + "libarrivals.so", false); }},
      {"libraryTwice", // its code object goes with the library, and comes again
       [&] {
         return runLibrary(here + "libplugin.so", true) && runLibrary(here + "libplugin.so", true);
       }},
      {"streams", streams},
      {"hiprtc", hiprtc},
      {"hiprtcMath", hiprtcMath},
      {"hiprtcErrors", hiprtcErrors},
      {"globals", globalsTest},
      {"initialValues", initialValues},
      {"dynamicLds",
       [] {
         return simple([](int *x) { dynamicLds<<<1, n, n * sizeof(int)>>>(x); },
                       [](int v) { return n - 1 - v; });
       }},
      {"pointers",
       [] {
         return simple([](int *x) { pointers<<<1, n>>>(x); },
                       [](int v) { return v & 4 ? 2 * v : -v; });
       }},
      {"recursion",
       [] {
         return simple([](int *x) { recursion<<<1, n>>>(x); },
                       [](int v) { return fibonacciHost(v & 7); });
       }},
      {"printf",
       [] {
         speak<<<1, 64>>>();
         return hipDeviceSynchronize() == hipSuccess;
       }},
      {"cooperative", cooperativeTest},
      {"graph", graph},
      {"threads", threads},
      {"forkBefore", [] { return runInChild(runBranches) && runBranches(); }},
      {"forkAfter",
       [] { return runBranches() && runInChild([] { return true; }) && runBranches(); }},
      {"exec",
       [&] {
         return runBranches() &&
                std::system(("'" + std::string(argv[0]) + "' static > /dev/null").c_str()) == 0;
       }},
      {"exitFromThread",
       [] {
         std::thread([] {
           bool ok = runBranches(); // HIP needs to know a thread that ends the process
           std::printf("%s exitFromThread\n", ok ? "PASS" : "FAIL");
           std::exit(!ok);
         }).join();
         return false;
       }},
  };
  if (argc < 2) {
    for (const auto &[name, work] : tests)
      std::printf("%s\n", name.c_str());
    return 0;
  }
  bool good = true;
  for (int i = 1; i < argc; ++i) {
    auto test = tests.find(argv[i]);
    bool ok = test != tests.end() && test->second();
    std::printf("%s %s\n", ok ? "PASS" : "FAIL", argv[i]);
    good &= ok;
  }
  return !good;
}
