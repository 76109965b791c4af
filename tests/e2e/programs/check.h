// What the HIP programs of all tests share: error checks, arrays on the device, seeded inputs that
// are the same on every host, comparisons that name the first difference, the verdict.
#pragma once

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

inline int failures = 0;

/// A call that fails ends the program: nothing after it would mean anything.
#define HIP(call)                                                                                  \
  do {                                                                                             \
    const hipError_t error_ = (call);                                                              \
    if (error_ != hipSuccess) {                                                                    \
      std::printf("%s:%d: %s gave %s\nFAIL\n", __FILE__, __LINE__, #call,                          \
                  hipGetErrorName(error_));                                                        \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::printf("%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                         \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (0)

/// Lanes of a wave of the program's kernels: warpSize as host code sees it is of no device. A build for
/// waves that are not the device's own says it by -DLANES.
inline unsigned waveSize() {
#ifdef LANES
  return LANES;
#else
  int lanes = 0;
  HIP(hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0));
  return static_cast<unsigned>(lanes);
#endif
}

/// splitmix64.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(next() % bound); }
  /// [low, high), multiples of 2^-53 of the range
  double in(double low, double high) { return low + (high - low) * (next() >> 11) * 0x1p-53; }

private:
  uint64_t state_;
};

template <class T> std::vector<T> randomBelow(size_t count, uint32_t bound, uint64_t seed) {
  Random random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(random.below(bound));
  return values;
}
template <class T> std::vector<T> randomIn(size_t count, double low, double high, uint64_t seed) {
  Random random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(random.in(low, high));
  return values;
}

/// An array on the device. It starts filled with 0xa5, so that what no kernel wrote is seen.
template <class T> class Device {
public:
  explicit Device(size_t count) : count_(count) {
    const size_t bytes = (count ? count : 1) * sizeof(T);
    HIP(hipMalloc(&data_, bytes));
    HIP(hipMemset(data_, 0xa5, bytes));
    // Newer runtimes return before it is done, and non-blocking streams do not wait for it.
    HIP(hipStreamSynchronize(nullptr));
  }
  explicit Device(const std::vector<T> &values) : Device(values.size()) {
    HIP(hipMemcpy(data_, values.data(), count_ * sizeof(T), hipMemcpyHostToDevice));
  }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device() { (void)hipFree(data_); }

  operator T *() const { return data_; }
  T *get() const { return data_; }
  /// The first `count` elements. Waits for the kernels launched before; a launch that failed ends
  /// the program here.
  std::vector<T> host(size_t count) const {
    HIP(hipGetLastError());
    std::vector<T> values(count);
    HIP(hipMemcpy(values.data(), data_, count * sizeof(T), hipMemcpyDeviceToHost));
    return values;
  }
  std::vector<T> host() const { return host(count_); }
  T first() const { return host(1)[0]; }

private:
  T *data_ = nullptr;
  size_t count_;
};

/// Bit for bit.
template <class T>
void expectSame(const char *what, const std::vector<T> &got, const std::vector<T> &want) {
  if (got.size() != want.size()) {
    std::printf("%s: %zu values, expected %zu\n", what, got.size(), want.size());
    ++failures;
    return;
  }
  size_t wrong = 0;
  for (size_t i = 0; i < got.size(); ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0 && wrong++ == 0) {
      uint64_t g = 0, w = 0;
      const size_t bytes = sizeof(T) < 8 ? sizeof(T) : 8;
      std::memcpy(&g, &got[i], bytes);
      std::memcpy(&w, &want[i], bytes);
      std::printf("%s: element %zu is 0x%llx, expected 0x%llx\n", what, i,
                  static_cast<unsigned long long>(g), static_cast<unsigned long long>(w));
    }
  if (wrong) {
    std::printf("%s: %zu of %zu wrong\n", what, wrong, got.size());
    ++failures;
  }
}

/// |got - want| <= relative * max(|want|, floor) everywhere; NaN fails.
template <class T, class U>
void expectNear(const char *what, const std::vector<T> &got, const std::vector<U> &want,
                double relative, double floor = 1) {
  for (size_t i = 0; i < want.size(); ++i) {
    const double g = got.at(i), w = want[i];
    if (!(std::fabs(g - w) <= relative * std::fmax(std::fabs(w), floor))) {
      std::printf("%s: element %zu is %.17g, expected %.17g\n", what, i, g, w);
      ++failures;
      return;
    }
  }
}

inline int verdict() {
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
