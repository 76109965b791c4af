// A two-arm diamond: both arms do the same dozen operations on different arrays and constants.
#include "harness.h"

__device__ inline unsigned mix(unsigned v, unsigned salt, unsigned k) {
  v = v * k + salt;
  v ^= v >> 13;
  v = v * 0x5bd1e995u + (salt << 3);
  v ^= v >> 15;
  v += (v << 5) ^ k;
  return v;
}

__global__ void diamond(const unsigned *left, const unsigned *right, unsigned *out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if ((left[i] ^ right[i]) & 1)
    out[i] = mix(left[i], 0x1234567u, 0x9e3779b1u);
  else
    out[i] = mix(right[i], 0x7654321u, 0x85ebca77u);
}

/// The same in numbers below 2^32, with products and remainders for shifts and masks.
static unsigned reference(uint64_t v, uint64_t salt, uint64_t k) {
  const uint64_t word = uint64_t(1) << 32;
  v = (v * k + salt) % word;
  v ^= v / 8192;
  v = (v * 1540483477 + salt * 8) % word;
  v ^= v / 32768;
  return static_cast<unsigned>((v + (v * 32 % word ^ k)) % word);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {30011, 1000003, "elements"});
  bench::Verdicts verdicts("diamond");
  const unsigned n = static_cast<unsigned>(o.size);
  const unsigned block = o.block ? o.block : 256;
  bench::Random random(o.seed);
  std::vector<unsigned> left(n), right(n), want(n);
  for (unsigned i = 0; i < n; ++i) {
    left[i] = static_cast<unsigned>(random.next());
    right[i] = static_cast<unsigned>(random.next());
    want[i] = left[i] % 2 != right[i] % 2 ? reference(left[i], 0x1234567, 0x9e3779b1)
                                          : reference(right[i], 0x7654321, 0x85ebca77);
  }
  bench::DeviceBuffer<unsigned> dLeft(left), dRight(right), dOut(n);
  diamond<<<dim3((n + block - 1) / block), dim3(block)>>>(dLeft.get(), dRight.get(), dOut.get(), n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("n=" + std::to_string(n) + " block=" + std::to_string(block),
                       dOut.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
