// A filter of a picture whose radius is told at run time, with what is beyond the edge repeated,
// mirrored or black, and with or without a threshold.
//   helped   radius 2, edges repeated, no threshold
//   source   the same, written into the source
//   other    another radius, edge and threshold at each launch
#include "harness.h"

struct Filter {
  int width, height, radius, edge;
  float threshold, gain;
};

__host__ __device__ inline int inside(int x, int size, int edge) {
  if (x >= 0 && x < size)
    return x;
  if (edge == 0)
    return x < 0 ? 0 : size - 1;
  if (edge == 1)
    return x < 0 ? -x : 2 * size - 2 - x;
  return -1;
}

__host__ __device__ inline float filtered(const float *in, const float *weights, const Filter &f,
                                          int at) {
  const int x = at % f.width, y = at / f.width, across = 2 * f.radius + 1;
  float sum = 0;
  for (int dy = -f.radius; dy <= f.radius; ++dy)
    for (int dx = -f.radius; dx <= f.radius; ++dx) {
      const int sx = inside(x + dx, f.width, f.edge), sy = inside(y + dy, f.height, f.edge);
      if (sx >= 0 && sy >= 0)
        sum += weights[(dy + f.radius) * across + dx + f.radius] * in[sy * f.width + sx];
    }
  sum *= f.gain;
  if (f.threshold > 0)
    sum = sum > f.threshold ? sum : in[at];
  return sum;
}

__global__ void filter(const float *in, const float *weights, float *out, Filter how) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < how.width * how.height)
    out[at] = filtered(in, weights, how, at);
}

template <int width, int height>
__global__ void filterKnown(const float *in, const float *weights, float *out) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < width * height)
    out[at] = filtered(in, weights, {width, height, 2, 0, 0, 0.04f}, at);
}

static int program(int argc, char **argv) {
  constexpr int small = 64, large = 330;
  const auto o =
      bench::Options::parse(argc, argv, {small, large, "rows"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("image_filter");
  const unsigned block = o.block ? o.block : 64;
  const int side = static_cast<int>(o.size);
  if (o.pattern == "source" && side != small && side != large) {
    verdicts.fail(o.pattern, "the source knows the sizes small and large");
    return verdicts.exitCode();
  }
  static int runs = 0;
  bench::Random random(o.seed);
  std::vector<float> picture(o.size * o.size), weights(15 * 15), want(picture.size());
  for (float &value : picture)
    value = random.unit();
  for (float &value : weights)
    value = random.unit();
  bench::DeviceBuffer<float> in(picture), dWeights(weights), out(picture.size());
  for (int launch = 0; launch < 2; ++launch, ++runs) {
    Filter how{side, side, 2, 0, 0, 0.04f};
    if (o.pattern == "other")
      how = {side,
             side - runs % 5,
             1 + runs % 3,
             runs % 2,
             0.1f * static_cast<float>(1 + runs % 4),
             0.05f + 0.01f * static_cast<float>(runs % 9)};
    const int pixels = how.width * how.height;
    const dim3 groups((static_cast<unsigned>(pixels) + block - 1) / block);
    if (o.pattern != "source")
      filter<<<groups, dim3(block)>>>(in.get(), dWeights.get(), out.get(), how);
    else if (side == small)
      filterKnown<small, small><<<groups, dim3(block)>>>(in.get(), dWeights.get(), out.get());
    else
      filterKnown<large, large><<<groups, dim3(block)>>>(in.get(), dWeights.get(), out.get());
    HIP_CHECK(hipGetLastError());
    std::vector<float> got = out.download();
    got.resize(static_cast<size_t>(pixels));
    want.resize(static_cast<size_t>(pixels));
    for (int at = 0; at < pixels; ++at)
      want[static_cast<size_t>(at)] = filtered(picture.data(), weights.data(), how, at);
    verdicts.expectNear(o.pattern, got, want, 1e-4);
  }
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
