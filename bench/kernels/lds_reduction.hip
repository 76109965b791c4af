// Block sums in LDS, in the three ways of "CUDA Freshman" 3.4: neighboured, neighboured with fewer
// divergent waves, interleaved. Integer sums, so every order gives the same result.
#include "harness.h"

enum Kind { neighbored, neighboredLess, interleaved };

template <Kind K> __global__ void reduce(const unsigned *in, unsigned *out, unsigned n) {
  extern __shared__ unsigned partial[];
  const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  partial[tid] = i < n ? in[i] : 0;
  __syncthreads();
  if constexpr (K == neighbored) {
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
      if (tid % (2 * stride) == 0)
        partial[tid] += partial[tid + stride];
      __syncthreads();
    }
  } else if constexpr (K == neighboredLess) {
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
      const unsigned index = 2 * stride * tid;
      if (index < blockDim.x)
        partial[index] += partial[index + stride];
      __syncthreads();
    }
  } else {
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
      if (tid < stride)
        partial[tid] += partial[tid + stride];
      __syncthreads();
    }
  }
  if (tid == 0)
    out[blockIdx.x] = partial[0];
}

template <Kind K>
void run(const char *name, const bench::Options &o, unsigned block, bench::Verdicts &verdicts) {
  const unsigned n = static_cast<unsigned>(o.size);
  const unsigned blocks = (n + block - 1) / block;
  bench::Random random(o.seed);
  std::vector<unsigned> in(n), want(blocks, 0);
  for (unsigned i = 0; i < n; ++i) {
    in[i] = static_cast<unsigned>(random.next());
    want[i / block] += in[i];
  }
  bench::DeviceBuffer<unsigned> dIn(in), dOut(blocks);
  reduce<K><<<dim3(blocks), dim3(block), block * sizeof(unsigned)>>>(dIn.get(), dOut.get(), n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual(std::string(name) + " n=" + std::to_string(n) +
                           " block=" + std::to_string(block),
                       dOut.download(), want);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {20011, 200003, "elements"});
  bench::Verdicts verdicts("lds_reduction");
  for (unsigned block : {64u, 128u, 256u}) { // powers of two
    if (o.block && o.block != block)
      continue;
    run<neighbored>("neighbored", o, block, verdicts);
    run<neighboredLess>("neighbored-less", o, block, verdicts);
    run<interleaved>("interleaved", o, block, verdicts);
  }
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
