// The reductions of CUDA Freshman 3.4: in global memory, a block sums its part in place.
// neighbored: the threads whose id is a multiple of 2 * stride work, spread over all waves.
// neighbored-less: the first threads work, so whole waves fall out. interleaved: the stride
// shrinks, neighbours read neighbours.
#include "harness.h"

__global__ void reduceNeighbored(int *data, int *sums) {
  const unsigned tid = threadIdx.x;
  int *mine = data + blockIdx.x * blockDim.x;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0)
      mine[tid] += mine[tid + stride];
    __syncthreads();
  }
  if (tid == 0)
    sums[blockIdx.x] = mine[0];
}

__global__ void reduceNeighboredLess(int *data, int *sums) {
  const unsigned tid = threadIdx.x;
  int *mine = data + blockIdx.x * blockDim.x;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned index = 2 * stride * tid;
    if (index < blockDim.x)
      mine[index] += mine[index + stride];
    __syncthreads();
  }
  if (tid == 0)
    sums[blockIdx.x] = mine[0];
}

__global__ void reduceInterleaved(int *data, int *sums) {
  const unsigned tid = threadIdx.x;
  int *mine = data + blockIdx.x * blockDim.x;
  for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (tid < stride)
      mine[tid] += mine[tid + stride];
    __syncthreads();
  }
  if (tid == 0)
    sums[blockIdx.x] = mine[0];
}

int main(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv);
  bench::Verdicts verdicts("reduction");
  const unsigned block = o.block ? o.block : 256;
  const size_t blocks = (o.size ? o.size : 16384) / block;
  bench::Random random(o.seed);
  std::vector<int> data(blocks * block), want(blocks);
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<int>(random.below(1000));
    want[i / block] += data[i];
  }
  const auto run = [&](const char *name, void (*kernel)(int *, int *)) {
    if (o.pattern != "random" && o.pattern != name)
      return;
    bench::DeviceBuffer<int> in(data), sums(blocks);
    kernel<<<dim3(static_cast<unsigned>(blocks)), dim3(block)>>>(in.get(), sums.get());
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    verdicts.expectEqual(name, sums.download(), want);
  };
  run("neighbored", reduceNeighbored);
  run("neighbored-less", reduceNeighboredLess);
  run("interleaved", reduceInterleaved);
  return verdicts.exitCode();
}
