// N-body with a cutoff: close pairs interact by a steep repulsion, others by a smooth attraction,
// far ones not at all. Positions are read in tiles through LDS; which arm a pair takes differs from
// thread to thread.
#include "harness.h"

constexpr unsigned tile = 64;

struct Body {
  float x, y, z, mass;
};

__device__ inline void interact(const Body &a, const Body &b, float *force) {
  const float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
  const float square = dx * dx + dy * dy + dz * dz + 0.001f;
  if (square < 0.09f) { // divergent: branch
    const float inverse = 1 / square;
    const float strength = a.mass * b.mass * inverse * (1 - 0.05f * inverse);
    force[0] += strength * dx;
    force[1] += strength * dy;
    force[2] += strength * dz;
  } else if (square < 0.64f) { // divergent: branch
    const float inverse = 1 / square;
    const float strength = a.mass * b.mass * inverse * (0.8f - square);
    force[0] += strength * dx;
    force[1] += strength * dy;
    force[2] += strength * dz;
  }
}

__global__ void forces(const Body *bodies, float *out, unsigned n) {
  __shared__ Body near[tile];
  const unsigned at = blockIdx.x * tile + threadIdx.x;
  const Body mine = bodies[at];
  float force[3] = {0, 0, 0};
  for (unsigned first = 0; first < n; first += tile) {
    near[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (unsigned i = 0; i < tile; ++i)
      interact(mine, near[i], force);
    __syncthreads();
  }
  for (unsigned i = 0; i < 3; ++i)
    out[3 * at + i] = force[i];
}

/// The force of b on a, added up in double.
static void pull(const Body &a, const Body &b, double *force) {
  const double d[3] = {double(b.x) - a.x, double(b.y) - a.y, double(b.z) - a.z};
  const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.001;
  double shape = 0;
  if (square < 0.64)
    shape = square < 0.09 ? 1 - 0.05 / square : 0.8 - square;
  for (int i = 0; i < 3; ++i)
    force[i] += d[i] * shape / square * a.mass * b.mass;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {256, 2048, "bodies"});
  bench::Verdicts verdicts("nbody");
  const unsigned n = static_cast<unsigned>(o.sizeInMultiplesOf(tile));
  bench::Random random(o.seed);
  std::vector<Body> bodies(n);
  for (Body &b : bodies)
    b = {random.unit(), random.unit(), random.unit(), 0.5f + random.unit()};
  std::vector<double> want(3 * n);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned k = 0; k < n; ++k)
      pull(bodies[i], bodies[k], &want[3 * i]);
  bench::DeviceBuffer<Body> dBodies(bodies);
  bench::DeviceBuffer<float> out(3 * n);
  forces<<<dim3(n / tile), dim3(tile)>>>(dBodies.get(), out.get(), n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectNear("n=" + std::to_string(n), out.download(),
                      std::vector<float>(want.begin(), want.end()), 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
