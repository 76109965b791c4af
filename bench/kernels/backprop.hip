// Backprop: the forward layer of a neural network, after Rodinia. A block of 16 by 16 threads
// multiplies 16 inputs with 256 weights, then sums each column by a tree in LDS whose steps leave
// half of the threads idle; one column of threads alone writes.
#include "harness.h"

#include <cmath>

constexpr unsigned edge = 16;

__global__ void forward(const float *input, float *weights, float *partial, unsigned hidden) {
  __shared__ float node[edge], matrix[edge][edge];
  const unsigned by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const unsigned weight = (by * edge + ty) * hidden + blockIdx.x * edge + tx;
  if (tx == 0)
    node[ty] = input[by * edge + ty];
  __syncthreads();
  matrix[ty][tx] = weights[weight] * node[ty];
  __syncthreads();
  for (unsigned step = 1; step < edge; step *= 2) {
    if (ty % (2 * step) == 0)
      matrix[ty][tx] += matrix[ty + step][tx];
    __syncthreads();
  }
  weights[weight] = matrix[ty][tx];
  if (tx == 0)
    partial[by * hidden + blockIdx.x * edge + ty] = matrix[0][ty];
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {512, 32768, "inputs"});
  bench::Verdicts verdicts("backprop");
  const unsigned inputs = static_cast<unsigned>(o.sizeInMultiplesOf(edge)), hidden = 32;
  bench::Random random(o.seed);
  std::vector<float> input(inputs), weights(inputs * hidden);
  for (float &x : input)
    x = random.unit();
  for (float &x : weights)
    x = random.unit() - 0.5f;
  // In place of each weight the tree leaves a sum: of 16 products in a tile's first row, of as many
  // below it as the row's lowest set bit says in the others.
  std::vector<float> want(inputs / edge * hidden), wantWeights(weights.size());
  for (unsigned row = 0; row < inputs; ++row)
    for (unsigned h = 0; h < hidden; ++h) {
      const unsigned ty = row % edge, many = ty ? ty & -ty : edge;
      double sum = 0;
      for (unsigned i = row; i < row + many; ++i)
        sum += double(input[i]) * weights[i * hidden + h];
      wantWeights[row * hidden + h] = static_cast<float>(sum);
      if (ty == 0)
        want[row / edge * hidden + h] = static_cast<float>(sum);
    }
  bench::DeviceBuffer<float> in(input), w(weights), partial(want.size());
  forward<<<dim3(hidden / edge, inputs / edge), dim3(edge, edge)>>>(in.get(), w.get(),
                                                                    partial.get(), hidden);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  auto got = partial.download();
  const auto gotWeights = w.download();
  got.insert(got.end(), gotWeights.begin(), gotWeights.end());
  want.insert(want.end(), wantWeights.begin(), wantWeights.end());
  verdicts.expectNear("inputs=" + std::to_string(inputs), got, want, 1e-5);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
