// A particle push whose options are told at run time, as in particle-in-cell codes: fields that are
// given as formulas of the position (a small stack machine), external fields, radiation reaction.
// A run uses few of them; the code of all is in the kernel, and so are its registers and its stack.
//   helped   none of the options, always the same charge and mass
//   source   the same with the options written into the source
//   other    all of the options, with another formula and another time step at each launch
#include "harness.h"

#include <cmath>

enum Code : unsigned char { constant, coordinate, add, multiply, bump };

struct Formula {
  int length;
  unsigned char codes[12], places[12];
  float constants[4];
};

struct PushOptions {
  int formulas, external, radiation, substeps;
  float charge, mass, step, damping;
  float fields[6];
  Formula formula[2];
};

__host__ __device__ inline float evaluate(const Formula &f, float x, float y, float z) {
  float stack[8] = {};
  int top = 0;
  const float position[3] = {x, y, z};
  for (int i = 0; i < f.length; ++i)
    switch (f.codes[i]) {
    case constant:
      stack[top++ & 7] = f.constants[f.places[i] & 3];
      break;
    case coordinate:
      stack[top++ & 7] = position[f.places[i] % 3];
      break;
    case add:
      --top;
      stack[(top - 1) & 7] += stack[top & 7];
      break;
    case multiply:
      --top;
      stack[(top - 1) & 7] *= stack[top & 7];
      break;
    default:
      stack[(top - 1) & 7] = 1 / (1 + stack[(top - 1) & 7] * stack[(top - 1) & 7]);
    }
  return stack[0];
}

/// Position and velocity of one particle: a rotation about the magnetic field between two halves of
/// the electric field's kick.
__host__ __device__ inline void push(float *particle, const PushOptions &o) {
  float x = particle[0], y = particle[1], z = particle[2];
  float u = particle[3], v = particle[4], w = particle[5];
  for (int s = 0; s < o.substeps; ++s) {
    float ex = 0.1f * x, ey = -0.1f * y, ez = 0, bx = 0, by = 0, bz = 1;
    if (o.formulas) {
      ez += evaluate(o.formula[0], x, y, z);
      bx += evaluate(o.formula[1], x, y, z);
    }
    if (o.external) {
      ex += o.fields[0] + o.fields[1] * z;
      ey += o.fields[2] * x * y;
      by += o.fields[3] + o.fields[4] * x + o.fields[5] * x * x;
    }
    const float half = 0.5f * o.step * o.charge / o.mass;
    u += half * ex;
    v += half * ey;
    w += half * ez;
    const float tx = half * bx, ty = half * by, tz = half * bz;
    const float scale = 2 / (1 + tx * tx + ty * ty + tz * tz);
    const float pu = u + v * tz - w * ty, pv = v + w * tx - u * tz, pw = w + u * ty - v * tx;
    u += scale * (pv * tz - pw * ty) + half * ex;
    v += scale * (pw * tx - pu * tz) + half * ey;
    w += scale * (pu * ty - pv * tx) + half * ez;
    if (o.radiation) {
      const float speed = u * u + v * v + w * w;
      float loss = 0;
      for (int i = 1; i <= o.radiation; ++i)
        loss += o.damping * speed / static_cast<float>(i * i);
      const float keep = 1 / (1 + loss * o.step);
      u *= keep;
      v *= keep;
      w *= keep;
    }
    x += o.step * u;
    y += o.step * v;
    z += o.step * w;
  }
  particle[0] = x;
  particle[1] = y;
  particle[2] = z;
  particle[3] = u;
  particle[4] = v;
  particle[5] = w;
}

__host__ __device__ inline PushOptions plainOptions() {
  PushOptions o{};
  o.substeps = 4;
  o.charge = -1;
  o.mass = 1;
  o.step = 0.01f;
  return o;
}

template <bool inSource> __global__ void pushAll(float *particles, int count, PushOptions options) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= count)
    return;
  float particle[6];
  for (int k = 0; k < 6; ++k)
    particle[k] = particles[k * count + at];
  push(particle, inSource ? plainOptions() : options);
  for (int k = 0; k < 6; ++k)
    particles[k * count + at] = particle[k];
}

static PushOptions optionsOf(const std::string &pattern, int launch) {
  PushOptions o = plainOptions();
  if (pattern != "other")
    return o;
  o.formulas = o.external = 1;
  o.radiation = 3 + launch % 3;
  o.substeps = 2 + launch % 2;
  o.step = 0.01f + 0.001f * static_cast<float>(launch % 7);
  o.damping = 0.01f * static_cast<float>(1 + launch % 9);
  for (int k = 0; k < 6; ++k)
    o.fields[k] = 0.05f * static_cast<float>(k + launch % 5);
  const Formula formula = {6,
                           {coordinate, constant, multiply, coordinate, add, bump},
                           {0, 1, 0, 1, 0, 0},
                           {0.5f, 0.25f + 0.01f * static_cast<float>(launch % 11)}};
  o.formula[0] = o.formula[1] = formula;
  o.formula[1].places[0] = 2;
  return o;
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {4096, 106496, "particles"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("particle_push");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size);
  static int runs = 0;
  bench::Random random(o.seed);
  std::vector<float> state(6 * o.size);
  for (float &value : state)
    value = 2 * random.unit() - 1;
  bench::DeviceBuffer<float> particles(state);
  for (int launch = 0; launch < 4; ++launch) {
    const PushOptions options = optionsOf(o.pattern, runs++);
    const auto kernel = o.pattern == "source" ? pushAll<true> : pushAll<false>;
    kernel<<<dim3((count + block - 1) / block), dim3(block)>>>(particles.get(), count, options);
    HIP_CHECK(hipGetLastError());
    for (size_t i = 0; i < o.size; ++i) {
      float particle[6];
      for (size_t k = 0; k < 6; ++k)
        particle[k] = state[k * o.size + i];
      push(particle, options);
      for (size_t k = 0; k < 6; ++k)
        state[k * o.size + i] = particle[k];
    }
  }
  verdicts.expectNear(o.pattern, particles.download(), state, 1e-4);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
