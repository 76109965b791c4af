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

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {16384, 1048576, "elements"},
                                       {"all", "neighbored", "neighbored-less", "interleaved"});
  bench::Verdicts verdicts("reduction");
  const unsigned block = o.block ? o.block : 256;
  const size_t blocks = o.sizeInMultiplesOf(block) / block;
  bench::Random random(o.seed);
  std::vector<int> data(blocks * block), want(blocks);
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<int>(random.below(1000));
    want[i / block] += data[i];
  }
  // What the steps leave in place: sums of neighbours, as many as the lowest set bit of the place
  // says, or of every stride-th element with the last stride that reached the place.
  std::vector<int> neighbours(data.size()), strided(data.size());
  for (size_t i = 0; i < data.size(); ++i) {
    const size_t first = i / block * block, at = i - first, many = at ? at & -at : block;
    for (size_t k = 0; k < many; ++k)
      neighbours[i] += data[i + k];
    size_t stride = 1;
    while (stride <= at)
      stride *= 2;
    for (size_t k = at; k < block; k += stride)
      strided[i] += data[first + k];
  }
  const auto run = [&](const char *name, void (*kernel)(int *, int *),
                       const std::vector<int> &left) {
    if (o.pattern != "all" && o.pattern != name)
      return;
    bench::DeviceBuffer<int> in(data), sums(blocks);
    kernel<<<dim3(static_cast<unsigned>(blocks)), dim3(block)>>>(in.get(), sums.get());
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    auto got = sums.download(), expected = want;
    const auto inPlace = in.download();
    got.insert(got.end(), inPlace.begin(), inPlace.end());
    expected.insert(expected.end(), left.begin(), left.end());
    verdicts.expectEqual(name + (" n=" + std::to_string(data.size())), got, expected);
  };
  run("neighbored", reduceNeighbored, neighbours);
  run("neighbored-less", reduceNeighboredLess, neighbours);
  run("interleaved", reduceInterleaved, strided);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
