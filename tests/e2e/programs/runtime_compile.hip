// hiprtc compiles a source while the program runs; hipModule loads it, finds a kernel by its
// lowered template name and a global variable, launches with argument arrays and with a packed
// buffer. A source with an error gives a log that names the line.
#include "check.h"

#include <hip/hiprtc.h>
#include <string>
#include <unistd.h>

#define RTC(call) EXPECT((call) == HIPRTC_SUCCESS)

static const char *source = R"(
__device__ int bias;
extern "C" __global__ void affine(const int *in, int *out, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (in[i] & 1)
      out[i] = in[i] * factor + bias;
    else
      out[i] = in[i] * factor - BIAS;
  }
}
template <class T> __global__ void reverse(const T *in, T *out, int n) {
  extern __shared__ int bytes[];
  T *tile = reinterpret_cast<T *>(bytes);
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
)";

static std::vector<char> compile(std::string &lowered) {
  hiprtcProgram program;
  RTC(hiprtcCreateProgram(&program, source, "affine.hip", 0, nullptr, nullptr));
  RTC(hiprtcAddNameExpression(program, "reverse<double>"));
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  const std::string arch = std::string("--offload-arch=") + properties.gcnArchName;
  const char *options[] = {arch.c_str(), "-O3", "-DBIAS=77"};
  const hiprtcResult result = hiprtcCompileProgram(program, 3, options);
  if (result != HIPRTC_SUCCESS) {
    size_t size = 0;
    RTC(hiprtcGetProgramLogSize(program, &size));
    std::string log(size, 0);
    RTC(hiprtcGetProgramLog(program, log.data()));
    std::printf("%s\n%s\n", hiprtcGetErrorString(result), log.c_str());
    ++failures;
    return {};
  }
  const char *name = nullptr;
  RTC(hiprtcGetLoweredName(program, "reverse<double>", &name));
  lowered = name;
  size_t size = 0;
  RTC(hiprtcGetCodeSize(program, &size));
  std::vector<char> code(size);
  RTC(hiprtcGetCode(program, code.data()));
  RTC(hiprtcDestroyProgram(&program));
  return code;
}

static void brokenSource() {
  hiprtcProgram program;
  RTC(hiprtcCreateProgram(&program, "__global__ void k() {\n  undeclared = 1;\n}\n", "broken.hip",
                          0, nullptr, nullptr));
  EXPECT(hiprtcCompileProgram(program, 0, nullptr) == HIPRTC_ERROR_COMPILATION);
  size_t size = 0;
  RTC(hiprtcGetProgramLogSize(program, &size));
  std::string log(size, 0);
  RTC(hiprtcGetProgramLog(program, log.data()));
  EXPECT(log.find("undeclared") != std::string::npos);
  RTC(hiprtcDestroyProgram(&program));
}

int main() {
  std::string lowered;
  const std::vector<char> code = compile(lowered);
  if (code.empty())
    return verdict();
  hipModule_t module;
  HIP(hipModuleLoadData(&module, code.data()));
  hipFunction_t affine, reverse, missing;
  HIP(hipModuleGetFunction(&affine, module, "affine"));
  HIP(hipModuleGetFunction(&reverse, module, lowered.c_str()));
  EXPECT(hipModuleGetFunction(&missing, module, "no_such_kernel") == hipErrorNotFound);

  hipDeviceptr_t bias;
  size_t size = 0;
  HIP(hipModuleGetGlobal(&bias, &size, module, "bias"));
  EXPECT(size == sizeof(int));
  HIP(hipMemsetD32(bias, 123, 1));

  int n = 1000, factor = -3;
  std::vector<int> in(n), want(n);
  for (int i = 0; i < n; ++i) {
    in[i] = i * 7 - 300;
    want[i] = in[i] * factor + (in[i] & 1 ? 123 : -77);
  }
  Device<int> input(in), output(n), packed(n);
  int *from = input, *to = output;
  void *arguments[] = {&from, &to, &n, &factor};
  HIP(hipModuleLaunchKernel(affine, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  expectSame("argument array", output.host(), want);

  struct {
    int *in, *out;
    int n, factor;
  } buffer = {from, packed.get(), n, factor};
  size_t bytes = sizeof buffer;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  HIP(hipModuleLaunchKernel(affine, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  expectSame("packed arguments", packed.host(), want);

  const auto values = randomIn<double>(192, -1, 1, 3);
  Device<double> doubles(values), reversed(192);
  double *a = doubles, *b = reversed;
  int count = 192;
  void *reverseArguments[] = {&a, &b, &count};
  HIP(hipModuleLaunchKernel(reverse, 1, 1, 1, 192, 1, 1, 192 * 8, nullptr, reverseArguments,
                            nullptr));
  expectSame("template", reversed.host(), std::vector<double>(values.rbegin(), values.rend()));
  HIP(hipModuleUnload(module));

  // the same code object from a file
  char path[] = "/tmp/runtime_compile-XXXXXX";
  const int file = mkstemp(path);
  EXPECT(file >= 0 && write(file, code.data(), code.size()) == ssize_t(code.size()));
  HIP(hipModuleLoad(&module, path));
  HIP(hipModuleGetFunction(&reverse, module, lowered.c_str()));
  HIP(hipMemset(reversed, 0, 192 * sizeof(double)));
  HIP(hipModuleLaunchKernel(reverse, 1, 1, 1, 192, 1, 1, 192 * 8, nullptr, reverseArguments,
                            nullptr));
  expectSame("from a file", reversed.host(), std::vector<double>(values.rbegin(), values.rend()));
  HIP(hipModuleUnload(module));
  close(file);
  unlink(path);
  brokenSource();
  return verdict();
}
