// The two OpenCL examples of Timofeev's "Scalarization across threads" (2016) in HIP. uniform: in
// the loop everything but in1[tid % n] is the same in all threads, the constant table's loads too.
// divergent: the trip count is the thread id, so after the loop idx differs between threads
// although each step computes it from values that are equal in all threads still running.
#include "harness.h"

__global__ void uniformSlice(const int *in1, const int *__restrict__ in2, int *out, int n) {
  const int tid = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = 1; i < n; ++i)
    out[tid] = in1[tid % n] + in2[i] / in2[n % i];
}

__global__ void divergentSlice(const int *in, int *out, int n) {
  int idx = 0;
  const int tid = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = 0; i < tid; ++i)
    if (i % n)
      idx += i;
  out[tid] = in[idx % 1024];
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {256, 2048, "threads"}, {"both", "uniform", "divergent"});
  bench::Verdicts verdicts("slices");
  const unsigned block = o.block ? o.block : 64;
  const size_t threads = o.sizeInMultiplesOf(block);
  const int n = 24;
  const std::string label = " threads=" + std::to_string(threads);
  bench::Random random(o.seed);
  std::vector<int> in(1024), want(threads);
  for (int &x : in)
    x = 1 + static_cast<int>(random.below(1000));
  bench::DeviceBuffer<int> a(in), b(in), out(threads);
  const dim3 grid(static_cast<unsigned>(threads / block));
  if (o.pattern != "divergent") {
    uniformSlice<<<grid, dim3(block)>>>(a.get(), b.get(), out.get(), n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    for (size_t t = 0; t < threads; ++t)
      want[t] = in[t % n] + in[n - 1] / in[n % (n - 1)];
    verdicts.expectEqual("uniform" + label, out.download(), want);
  }
  if (o.pattern != "uniform") {
    divergentSlice<<<grid, dim3(block)>>>(a.get(), out.get(), n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    for (size_t t = 0; t < threads; ++t) {
      int idx = 0;
      for (int i = 0; i < static_cast<int>(t); ++i)
        idx += i % n ? i : 0;
      want[t] = in[static_cast<size_t>(idx % 1024)];
    }
    verdicts.expectEqual("divergent" + label, out.download(), want);
  }
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
