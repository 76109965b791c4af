// Chains of multiply-add, as clpeak measures peak rates: 32-bit integers, the same with the 24-bit
// multiply, floats, and floats in pairs. x = y * x + y and y = x * y + x in turns.
#include "bench/pairs/pair.h"

namespace {

constexpr unsigned threads = 256;
using Float2 = float __attribute__((ext_vector_type(2)));

// The 24-bit multiply takes the low 24 bits, with their sign.
[[maybe_unused]] __host__ __device__ inline int low24(int a) {
  return static_cast<int>(unsigned(a) << 8) >> 8;
}

struct Int32 {
  using Type = int;
  static constexpr unsigned steps = 1024;
  static __host__ __device__ int start(int) { return 3; }
  static __host__ __device__ int own(int lane) { return lane; }
  static __host__ __device__ int madd(int a, int b, int c) {
    return int(unsigned(a) * unsigned(b) + unsigned(c));
  }
  static __host__ __device__ int total(int v) { return v; }
};
struct Int24 : Int32 {
  static __host__ __device__ int madd(int a, int b, int c) {
#ifdef __HIP_DEVICE_COMPILE__
    return int(unsigned(__mul24(a, b)) + unsigned(c));
#else
    return int(unsigned(low24(a)) * unsigned(low24(b)) + unsigned(c));
#endif
  }
};
// Small numbers: nothing leaves the range in 2,048 steps.
struct Float1 {
  using Type = float;
  static constexpr unsigned steps = 2048;
  static __host__ __device__ float start(int) { return 1e-6f; }
  static __host__ __device__ float own(int lane) { return 1e-8f * float(lane + 1); }
  static __host__ __device__ float madd(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  static __host__ __device__ float total(float v) { return v; }
};
struct Float2s {
  using Type = Float2;
  static constexpr unsigned steps = 1024;
  static __host__ __device__ Float2 start(int) { return Float2{1e-6f, 2e-6f}; }
  static __host__ __device__ Float2 own(int lane) {
    return Float2{1e-8f * float(lane + 1), 1e-8f * float(lane + 1)};
  }
  static __host__ __device__ Float2 madd(Float2 a, Float2 b, Float2 c) { return a * b + c; }
  static __host__ __device__ float total(Float2 v) { return v[0] + v[1]; }
};

template <class Kind> __host__ __device__ auto chain(int lane) {
  typename Kind::Type x = Kind::start(lane), y = Kind::own(lane);
  for (unsigned i = 0; i < Kind::steps / 16; ++i)
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
      x = Kind::madd(y, x, y);
      y = Kind::madd(x, y, x);
    }
  return Kind::total(y);
}

template <class Kind, class T> __global__ void compute(T *out) {
  out[blockIdx.x * threads + threadIdx.x] = chain<Kind>(int(threadIdx.x));
}

template <class Kind, class T> int run(const bench::Side &side) {
  const unsigned blocks = side.count("blocks");
  bench::DeviceBuffer<T> out(size_t(blocks) * threads);
  compute<Kind, T><<<blocks, threads>>>(out.get());
  bench::finish();
  std::vector<T> want(size_t(blocks) * threads);
  for (size_t i = 0; i < want.size(); ++i)
    want[i] = i < threads ? chain<Kind>(int(i)) : want[i - threads];
  bench::Verdicts verdicts("rates");
  auto got = out.download();
  if constexpr (std::is_same_v<T, float>) {
    for (auto *values : {&got, &want})
      for (float &value : *values)
        value *= 1e6f; // about 1: the tolerance is relative from there on
    verdicts.expectNear(side.name(), got, want, 1e-4);
  } else {
    verdicts.expectEqual(side.name(), got, want);
  }
  return verdicts.exitCode();
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"int32", "int24", "float1", "float2"},
                         {{"blocks", 16, "of 256 threads"}});
  if (side.is("int32"))
    return run<Int32, int>(side);
  if (side.is("int24"))
    return run<Int24, int>(side);
  if (side.is("float1"))
    return run<Float1, float>(side);
  return run<Float2s, float>(side);
}
