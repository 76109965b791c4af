// Refuses hosts that cannot run the executor. Compiled without its instruction set, so the check
// itself runs everywhere.
#include "runtime/host/stderr.h"
#include "runtime/host/text.h"
#include "runtime/softgpu/device/soft_gpu.h"
#include "runtime/softgpu/timing/parameters.h"

#include <cpuid.h>
#include <cstdlib>

namespace meld::softgpu {

namespace {

const char *missingInstructionSet() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2"))
    return "AVX2";
  if (!__builtin_cpu_supports("fma"))
    return "FMA";
  if (!__builtin_cpu_supports("bmi2"))
    return "BMI2";
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_F16C))
    return "F16C";
  return nullptr;
#else
  return "x86-64";
#endif
}

} // namespace

std::unique_ptr<Gpu> Gpu::create(const DeviceConfig &config, AddressMapper *mapper,
                                 std::string *problem) {
  if (const char *missing = missingInstructionSet()) {
    if (problem)
      *problem = std::string("the software GPU needs a host processor with ") + missing;
    return nullptr;
  }
  DeviceConfig full = config;
  const char *env = full.timingParameters.empty() ? std::getenv("MELD_GPU_TIMING_PARAMS") : nullptr;
  if (env)
    full.timingParameters = env;
  TimingParameters parameters;
  if (const std::string bad = parameters.apply(full.timingParameters); !bad.empty()) {
    if (!env) {
      if (problem)
        *problem = "unknown or malformed timing parameter '" + bad + "'";
      return nullptr;
    }
    // A setting, and so no reason to do without a GPU.
    writeToStderr("meld-softgpu: MELD_GPU_TIMING_PARAMS: unknown or malformed timing parameter '" +
                  shown(bad) + "'; using the defaults\n");
    full.timingParameters.clear();
  }
  return makeGpu(full, mapper);
}

} // namespace meld::softgpu
