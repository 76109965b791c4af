// Refuses hosts that cannot run the executor. Compiled without its instruction set, so the check
// itself runs everywhere.
#include "runtime/settings/settings.h"
#include "runtime/softgpu/device/soft_gpu.h"

#include <cpuid.h>

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

/// What `config` leaves open, from the environment.
DeviceConfig completed(DeviceConfig config) {
  const Settings settings = loadSettings().settings;
  auto complete = [](auto &field, const auto &setting) {
    if (field.empty())
      field = setting;
  };
  complete(config.timingParameters, settings.gpuTimingParams);
  // What is applied last holds.
  config.timingParameters.insert(config.timingParameters.begin(), settings.gpuTimingVaried.begin(),
                                 settings.gpuTimingVaried.end());
  complete(config.capture, settings.gpuCapture);
  complete(config.trace, settings.trace);
  complete(config.traceKernel, settings.traceKernel);
  complete(config.translate, settings.gpuTranslate);
  if (!config.translateThreshold)
    config.translateThreshold = settings.gpuTranslateThreshold;
  return config;
}

} // namespace

std::unique_ptr<Gpu> Gpu::create(const DeviceConfig &config, AddressMapper *mapper,
                                 std::string *problem) {
  if (const char *missing = missingInstructionSet()) {
    if (problem)
      *problem = std::string("the software GPU needs a host processor with ") + missing;
    return nullptr;
  }
  return makeGpu(completed(config), mapper);
}

} // namespace meld::softgpu
