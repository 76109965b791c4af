// What the programs built on rocPRIM, rocRAND and hipRAND share: error checks, device arrays,
// deterministic inputs, the verdict.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <random>
#include <vector>

inline int failures = 0;

#define HIP(call)                                                                                  \
  do {                                                                                             \
    const hipError_t error_ = (call);                                                              \
    if (error_ != hipSuccess) {                                                                    \
      std::printf("%s:%d: %s gave %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_));      \
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

/// The first difference is printed, the rest only counted.
template <typename T>
void expectSame(const char *what, const std::vector<T> &got, const std::vector<T> &want) {
  if (got.size() != want.size()) {
    std::printf("%s: %zu values, expected %zu\n", what, got.size(), want.size());
    ++failures;
    return;
  }
  size_t wrong = 0;
  for (size_t i = 0; i < got.size(); ++i)
    if (!(got[i] == want[i]) && wrong++ == 0)
      std::printf("%s: element %zu of %zu is wrong\n", what, i, got.size());
  if (wrong) {
    std::printf("%s: %zu of %zu wrong\n", what, wrong, got.size());
    ++failures;
  }
}

/// An array on the device, copied there from a host vector and back.
template <typename T> class Device {
public:
  explicit Device(size_t count) : count_(count) {
    HIP(hipMalloc(&data_, (count ? count : 1) * sizeof(T)));
    HIP(hipMemset(data_, 0xa5, (count ? count : 1) * sizeof(T)));
  }
  explicit Device(const std::vector<T> &values) : Device(values.size()) {
    HIP(hipMemcpy(data_, values.data(), count_ * sizeof(T), hipMemcpyHostToDevice));
  }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device() { HIP(hipFree(data_)); }

  T *get() const { return data_; }
  size_t size() const { return count_; }
  std::vector<T> host(size_t count) const {
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

/// rocPRIM's calling convention: asked twice, first for the size of its temporary storage.
template <typename Call> void withStorage(Call &&call) {
  size_t bytes = 0;
  HIP(call(static_cast<void *>(nullptr), bytes));
  Device<char> storage(bytes);
  HIP(call(static_cast<void *>(storage.get()), bytes));
  HIP(hipDeviceSynchronize());
}

template <typename T> std::vector<T> randomIntegers(size_t count, T low, T high, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_int_distribution<long long> pick(low, high);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(pick(engine));
  return values;
}

inline int verdict() {
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
