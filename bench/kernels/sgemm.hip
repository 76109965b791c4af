// SGEMM: tiled matrix product, after Parboil. Everything but the data is the same in all threads:
// loop counters, tile addresses, bounds.
#include "harness.h"

constexpr unsigned edge = 16;

__global__ void sgemm(const float *a, const float *b, float *c, unsigned n, unsigned depth) {
  __shared__ float left[edge][edge], right[edge][edge];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned row = blockIdx.y * edge + ty, column = blockIdx.x * edge + tx;
  float sum = 0;
  for (unsigned k = 0; k < depth; k += edge) {
    left[ty][tx] = a[row * depth + k + tx];
    right[ty][tx] = b[(k + ty) * n + column];
    __syncthreads();
    for (unsigned i = 0; i < edge; ++i)
      sum += left[ty][i] * right[i][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {64, 512, "rows and columns"});
  bench::Verdicts verdicts("sgemm");
  const unsigned n = static_cast<unsigned>(o.sizeInMultiplesOf(edge)), depth = 48;
  bench::Random random(o.seed);
  std::vector<float> a(n * depth), b(depth * n), want(n * n);
  for (float &x : a)
    x = random.unit() - 0.5f;
  for (float &x : b)
    x = random.unit() - 0.5f;
  for (unsigned y = 0; y < n; ++y)
    for (unsigned x = 0; x < n; ++x) {
      double sum = 0;
      for (unsigned k = 0; k < depth; ++k)
        sum += double(a[y * depth + k]) * b[k * n + x];
      want[y * n + x] = static_cast<float>(sum);
    }
  bench::DeviceBuffer<float> dA(a), dB(b), dC(n * n);
  sgemm<<<dim3(n / edge, n / edge), dim3(edge, edge)>>>(dA.get(), dB.get(), dC.get(), n, depth);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectNear("n=" + std::to_string(n), dC.download(), want, 1e-5);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
