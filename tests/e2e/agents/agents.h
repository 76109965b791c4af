// What the programs for several devices share: who the devices are, and a kernel with a branch that
// is worth melding, together with its answer from the host.
#pragma once

#include "tests/e2e/programs/check.h"

#include <functional>
#include <map>
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

/// Five launches of the branch on the current device, compared with the host's answer.
inline constexpr uint32_t n = 1024;
static __global__ void branchy(uint32_t *x, uint32_t salt) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = sides(x[i], salt);
}
inline bool branchyIsRight(hipStream_t stream, uint32_t seed) {
  std::vector<uint32_t> values = randomBelow<uint32_t>(n, ~0u, seed);
  uint32_t *x = nullptr;
  HIP(hipMalloc(&x, n * 4));
  HIP(hipMemcpyAsync(x, values.data(), n * 4, hipMemcpyHostToDevice, stream));
  for (uint32_t round = 0; round < 5; ++round)
    branchy<<<n / 256, 256, 0, stream>>>(x, round);
  std::vector<uint32_t> back(n);
  HIP(hipMemcpyAsync(back.data(), x, n * 4, hipMemcpyDeviceToHost, stream));
  HIP(hipStreamSynchronize(stream));
  HIP(hipFree(x));
  for (uint32_t round = 0; round < 5; ++round)
    for (uint32_t &v : values)
      v = sides(v, round);
  return back == values;
}

inline std::vector<int> counting(size_t size, int first = 0) {
  std::vector<int> values(size);
  for (size_t i = 0; i < size; ++i)
    values[i] = first + static_cast<int>(i);
  return values;
}

using Parts = std::map<std::string, void (*)()>;

/// Runs the parts that the command line names: "PASS name" or "FAIL name" for each.
inline int runParts(int argc, char **argv, const Parts &parts) {
  for (int i = 1; i < argc; ++i) {
    const auto part = parts.find(argv[i]);
    if (part == parts.end()) {
      std::printf("no part %s\n", argv[i]);
      return 2;
    }
    const int before = failures;
    part->second();
    std::printf("%s %s\n", failures == before ? "PASS" : "FAIL", argv[i]);
    std::fflush(stdout);
  }
  return failures != 0;
}
