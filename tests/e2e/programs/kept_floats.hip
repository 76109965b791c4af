// One side of a branch computes with a float, the other hands it on, and both do much else alike. What is handed on comes out bit by
// bit, also where arithmetic would change it: a signalling NaN, or a denormal number in a program that flushes them.
#include "check.h"

enum class Operation { sum, difference, product, quotient };

template <Operation operation, typename Float>
__global__ void handOn(const unsigned *words, const Float *floats, unsigned *out, Float *results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = words[i];
  const Float p = floats[i], q = static_cast<Float>(x >> 20);
  Float result;
  unsigned word;
  if (x & 1) {
    const unsigned a = x ^ 77, b = a / (x >> 20 | 1), c = b * a, d = c / (a >> 18 | 1);
    if constexpr (operation == Operation::sum)
      result = p + q;
    else if constexpr (operation == Operation::difference)
      result = p - q;
    else if constexpr (operation == Operation::product)
      result = q * p;
    else
      result = p / q;
    word = d % (b | 1);
  } else {
    const unsigned a = x ^ 99, b = a / (x >> 20 | 1), c = b * a, d = c / (a >> 18 | 1);
    result = p;
    word = d % (b | 1);
  }
  out[i] = word;
  results[i] = result;
}

/// An ordinary number, a denormal one, a signalling NaN, a zero with a sign, each with some bits of the lane's own.
template <typename Float, typename Bits> Float special(unsigned i) {
  constexpr int mantissa = sizeof(Float) == 8 ? 52 : sizeof(Float) == 4 ? 23 : 10;
  constexpr Bits sign = Bits(Bits(1) << (sizeof(Bits) * 8 - 1)),
                 infinity = Bits((sign - 1) >> mantissa << mantissa);
  const Bits own = Bits(1 + i % 200),
             all[] = {Bits(infinity / 2 + own), own, Bits(infinity + own), sign};
  Float result;
  std::memcpy(&result, &all[i % 4], sizeof result);
  return result;
}

template <Operation operation, typename Float, typename Bits> void run(const char *what) {
  constexpr unsigned n = 256;
  Random random(7);
  std::vector<unsigned> words(n);
  std::vector<Float> floats(n), results(n);
  for (unsigned i = 0; i < n; ++i) {
    words[i] = static_cast<unsigned>(random.next());
    floats[i] = special<Float, Bits>(i);
  }
  unsigned *in = nullptr, *out = nullptr;
  Float *from = nullptr, *to = nullptr;
  HIP(hipMalloc(&in, n * sizeof *in));
  HIP(hipMalloc(&out, n * sizeof *out));
  HIP(hipMalloc(&from, n * sizeof *from));
  HIP(hipMalloc(&to, n * sizeof *to));
  HIP(hipMemcpy(in, words.data(), n * sizeof *in, hipMemcpyHostToDevice));
  HIP(hipMemcpy(from, floats.data(), n * sizeof *from, hipMemcpyHostToDevice));
  handOn<operation, Float><<<n / 64, 64>>>(in, from, out, to);
  HIP(hipGetLastError());
  HIP(hipMemcpy(results.data(), to, n * sizeof *to, hipMemcpyDeviceToHost));
  unsigned wrong = 0, handedOn = 0;
  for (unsigned i = 0; i < n; ++i)
    if (!(words[i] & 1)) {
      ++handedOn;
      wrong += std::memcmp(&results[i], &floats[i], sizeof(Float)) != 0;
    }
  if (wrong)
    std::printf("%s: %u of %u floats that are handed on are not the same\n", what, wrong, handedOn);
  EXPECT(!wrong && handedOn > n / 4);
  for (void *memory : {static_cast<void *>(in), static_cast<void *>(out), static_cast<void *>(from),
                       static_cast<void *>(to)})
    HIP(hipFree(memory));
}

int main() {
  run<Operation::sum, float, uint32_t>("float +");
  run<Operation::difference, float, uint32_t>("float -");
  run<Operation::product, float, uint32_t>("float *");
  run<Operation::quotient, float, uint32_t>("float /");
  run<Operation::sum, double, uint64_t>("double +");
  run<Operation::product, double, uint64_t>("double *");
  run<Operation::sum, _Float16, uint16_t>("half +");
  run<Operation::product, _Float16, uint16_t>("half *");
  return verdict();
}
