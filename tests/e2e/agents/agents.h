// What the programs for several devices share: who the devices are, and a kernel with a branch that
// is worth melding, together with its answer from the host.
#pragma once

#include "tests/e2e/programs/check.h"

#include <functional>
#include <string>
#include <vector>

/// What MELD_GPU asks for, in order.
inline std::vector<std::string> wantedDevices() {
  const char *list = std::getenv("MELD_GPU");
  std::vector<std::string> names(1);
  for (const char *c = list ? list : "gfx90a"; *c; ++c)
    if (*c == ',')
      names.emplace_back();
    else
      names.back() += *c;
  return names;
}

/// Every device in turn, as the current one.
inline void onEach(const std::function<void(int)> &work) {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    HIP(hipSetDevice(device));
    work(device);
  }
  HIP(hipSetDevice(0));
}

/// The processor that device code was compiled for: 0x90a, 0x900.
inline int processorOf(const std::string &name) {
  return static_cast<int>(std::strtol(name.c_str() + 3, nullptr, 16));
}
__device__ inline int compiledFor() {
#if defined(__gfx90a__)
  return 0x90a;
#elif defined(__gfx900__)
  return 0x900;
#elif defined(__HIP_DEVICE_COMPILE__)
#error "built for gfx90a and gfx900"
#else
  return 0;
#endif
}

/// What both sides of the branch have in common, between beginnings and ends of their own.
__host__ __device__ inline uint32_t mix(uint32_t v) {
  for (int i = 0; i < 4; ++i) {
    v = (v ^ (v >> 15)) * 0x2c1b3c6du;
    v = (v ^ (v >> 12)) * 0x297a2d39u + 11;
    v ^= v << 7;
  }
  return v;
}
__host__ __device__ inline uint32_t sides(uint32_t v, uint32_t salt) {
  uint32_t r;
  if (v & 1)
    r = mix(v + salt) ^ 0x55555555u;
  else
    r = mix(v * 3 - salt) + 12345;
  return r;
}
