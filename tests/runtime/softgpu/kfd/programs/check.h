// What the HIP programs of these tests share: a check that names what failed, and the verdict.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

inline int failures = 0;

#define HIP(call)                                                                                  \
  do {                                                                                             \
    const hipError_t error_ = (call);                                                              \
    if (error_ != hipSuccess) {                                                                    \
      std::printf("%s:%d: %s gave %s\n", __FILE__, __LINE__, #call, hipGetErrorName(error_));      \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (0)

#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::printf("%s:%d: expected %s\n", __FILE__, __LINE__, #condition);                         \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (0)

inline int verdict() {
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
