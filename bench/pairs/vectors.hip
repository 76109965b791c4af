// Reading global memory in vectors of 1, 4 and 16 floats, as clpeak measures bandwidth: each thread
// adds up 16 vectors, a block apart from each other, and writes one float. Blocks of 256.
#include "bench/pairs/pair.h"

namespace {

constexpr unsigned fetches = 16, threads = 256;

template <int N> struct Of {
  using Type = float __attribute__((ext_vector_type(N)));
  static __device__ float sum(Type v) {
    float all = 0;
#pragma unroll
    for (int n = 0; n < N; ++n)
      all += v[n];
    return all;
  }
};
template <> struct Of<1> {
  using Type = float;
  static __device__ float sum(float v) { return v; }
};

template <int N> __global__ void stream(const typename Of<N>::Type *in, float *out) {
  unsigned at = blockIdx.x * threads * fetches + threadIdx.x;
  typename Of<N>::Type sum = 0;
  for (unsigned i = 0; i < fetches / 4; ++i)
#pragma unroll
    for (unsigned k = 0; k < 4; ++k, at += threads)
      sum += in[at];
  out[blockIdx.x * threads + threadIdx.x] = Of<N>::sum(sum);
}

template <int N> int run(const bench::Side &side) {
  const size_t n = side["floats"], each = size_t(N) * fetches * threads;
  if (n % each) {
    std::fprintf(stderr, "vectors: floats has to be a multiple of %zu\n", each);
    return 2;
  }
  const auto in = bench::unitNumbers<float>(n);
  const unsigned blocks = unsigned(n / each);
  std::vector<float> want(size_t(blocks) * threads, 0);
  for (size_t b = 0; b < blocks; ++b)
    for (size_t t = 0; t < threads; ++t)
      for (size_t f = 0; f < fetches; ++f)
        for (int k = 0; k < N; ++k)
          want[b * threads + t] += in[((b * fetches + f) * threads + t) * N + k];
  bench::DeviceBuffer<float> dIn(in), dOut(want.size());
  stream<N>
      <<<blocks, threads>>>(reinterpret_cast<const typename Of<N>::Type *>(dIn.get()), dOut.get());
  bench::finish();
  bench::Verdicts verdicts("vectors");
  verdicts.expectNear(side.name(), dOut.download(), want, 1e-4);
  return verdicts.exitCode();
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(argc, argv, {"float1", "float4", "float16"},
                         {{"floats", 1 << 18, "to read"}});
  return side.is("float1") ? run<1>(side) : side.is("float4") ? run<4>(side) : run<16>(side);
}
