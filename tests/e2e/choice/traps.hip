// A program that has set its floating-point state before it comes to the GPU:
//   traps    divisions by zero, invalid operations and overflows are to end it (feenableexcept)
//   upward   it rounds up (fesetround)
//   flush    denormals are zero, as with -ffast-math at the link
// The kernel has two sides alike, and values that a compiler finds out: log(0), 1 / 0, the root of -1, and exponentials
// whose last bit depends on the rounding.
// traps STATE LAUNCHES
#include "tests/e2e/choice/side.h"
#include "tests/e2e/programs/check.h"

#include <cfenv>
#include <string>
#include <xmmintrin.h>

constexpr unsigned kThreads = 256, kGroups = 16, kCount = kThreads * kGroups, kValues = 12;

__device__ __forceinline__ float zero() { return 0.0f; }

extern "C" __global__ void traps(const unsigned *key, unsigned *data, float *values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = data[i];
  if (key[i] & 1) {
    ODD_SIDE(x)
  } else {
    EVEN_SIDE(x)
  }
  data[i] = x;
  if (i != 0)
    return;
  const float z = zero();
  const float found[kValues] = {__builtin_log2f(z),          1.0f / z,
                                __builtin_sqrtf(z - 1.0f),   __builtin_exp2f(z + 300.0f),
                                __builtin_exp2f(z + 0.1f),   __builtin_exp2f(z + 0.3f),
                                __builtin_exp2f(z + 0.7f),   __builtin_log2f(z + 0.3f),
                                __builtin_log2f(z + 7.0f),   __builtin_exp2f(z - 140.0f),
                                __builtin_log2f(z + 1e-41f), logf(z + 3.0f)};
  for (unsigned k = 0; k < kValues; ++k)
    values[k] = found[k];
}

int main(int argc, char **argv) {
  const std::string state = argc > 1 ? argv[1] : "";
  const int launches = argc > 2 ? std::atoi(argv[2]) : 60;
  if (state == "traps")
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
  else if (state == "upward")
    std::fesetround(FE_UPWARD);
  else if (state == "flush")
    _mm_setcsr(_mm_getcsr() | 0x8040);
  const unsigned before = _mm_getcsr() & ~0x3fu;
  const std::vector<unsigned> keys = randomBelow<unsigned>(kCount, 1000, 1);
  const std::vector<unsigned> data = randomBelow<unsigned>(kCount, 1u << 30, 2);
  unsigned *key, *x;
  float *values;
  HIP(hipMalloc(&key, 4 * kCount));
  HIP(hipMalloc(&x, 4 * kCount));
  HIP(hipMalloc(&values, 4 * kValues));
  HIP(hipMemcpy(key, keys.data(), 4 * kCount, hipMemcpyHostToDevice));
  HIP(hipMemcpy(x, data.data(), 4 * kCount, hipMemcpyHostToDevice));
  for (int i = 0; i < launches; ++i)
    traps<<<kGroups, kThreads>>>(key, x, values);
  HIP(hipDeviceSynchronize());
  std::vector<unsigned> got(kCount), bits(kValues);
  HIP(hipMemcpy(got.data(), x, 4 * kCount, hipMemcpyDeviceToHost));
  HIP(hipMemcpy(bits.data(), values, 4 * kValues, hipMemcpyDeviceToHost));
  unsigned wrong = 0;
  for (unsigned i = 0; i < kCount; ++i) {
    unsigned want = data[i];
    for (int l = 0; l < launches; ++l)
      want = sideOf(want, keys[i] & 1);
    wrong += want != got[i];
  }
  EXPECT(wrong == 0);
  EXPECT((_mm_getcsr() & ~0x3fu) == before);
  for (const unsigned value : bits)
    std::printf("%08x ", value);
  std::puts(failures ? "FAIL" : "PASS");
  return failures != 0;
}
