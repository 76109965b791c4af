// A loop over cells through a functor that is passed by value, as portability layers do (a policy
// with bounds and a chunk, views with run-time extents and strides, a functor with the solver's
// switches): one update of an advected field on a three-dimensional mesh.
//   helped   second order without a limiter, no sources, one field, a mesh of 64 x 24 cells a layer
//   source   the same, written into the source
//   other    other switches and another mesh at each launch
#include "harness.h"

struct View { ///< three dimensions, any strides
  float *data;
  int extents[3], strides[3];
  __host__ __device__ float &operator()(int i, int j, int k) const {
    return data[i * strides[0] + j * strides[1] + k * strides[2]];
  }
};

struct Range {
  int begin, end, chunk; ///< cells that a work-item takes one behind the other
};

struct Scheme {
  int order, limiter; ///< of the reconstruction, 1 to 3; 0 none, 1 minmod, 2 of van Leer
  int cylindrical, sources, fields;
};

struct Advect {
  Scheme scheme;
  float courant, rate;
  View from, to; ///< the fields lie one behind the other in the last dimension

  __host__ __device__ float slope(float left, float middle, float right) const {
    const float a = middle - left, b = right - middle;
    if (scheme.limiter == 1)
      return a * b <= 0 ? 0 : (a * a < b * b ? a : b);
    if (scheme.limiter == 2)
      return a * b <= 0 ? 0 : 2 * a * b / (a + b);
    return scheme.order == 3 ? (a + 2 * b) * (1.0f / 3) : 0.5f * (a + b);
  }
  __host__ __device__ float flux(int i, int j, int k) const {
    const int n = from.extents[0], left = i == 0 ? n - 1 : i - 1;
    const float upwind = from(left, j, k);
    if (scheme.order == 1)
      return upwind;
    const int further = left == 0 ? n - 1 : left - 1;
    return upwind + 0.5f * (1 - courant) * slope(from(further, j, k), upwind, from(i, j, k));
  }
  __host__ __device__ void operator()(int cell) const {
    const int n0 = from.extents[0], n1 = from.extents[1];
    const int layers = from.extents[2] / scheme.fields;
    const int i = cell % n0, j = cell / n0 % n1, layer = cell / (n0 * n1);
    for (int f = 0; f < scheme.fields; ++f) {
      const int k = f * layers + layer;
      float change = courant * (flux(i, j, k) - flux(i + 1 == n0 ? 0 : i + 1, j, k));
      if (scheme.cylindrical)
        change *= (static_cast<float>(i) + 0.5f) / (static_cast<float>(i) + 1);
      if (scheme.sources)
        change += rate * from(i, j, k) * (1 - from(i, j, k));
      to(i, j, k) = from(i, j, k) + change;
    }
  }
};

/// What is launched: the policy and the functor, in one structure.
template <class Functor> struct ParallelFor {
  Functor functor;
  Range range;
  __device__ void run() const {
    const int item = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int items = static_cast<int>(gridDim.x * blockDim.x);
    for (int first = range.begin + item * range.chunk; first < range.end;
         first += items * range.chunk)
      for (int cell = first; cell < first + range.chunk && cell < range.end; ++cell)
        functor(cell);
  }
};

template <class Driver> __global__ void launchByValue(Driver driver) { driver.run(); }

constexpr int mesh[2] = {64, 24};
__host__ __device__ inline Scheme plainScheme() { return {2, 0, 0, 0, 1}; }
inline __host__ __device__ View viewOf(float *data, int n0, int n1, int n2) {
  return {data, {n0, n1, n2}, {1, n0, n0 * n1}};
}

/// The same functor with what is known written into the source.
template <int layers> struct AdvectKnown {
  float *from, *to;
  float courant;
  __device__ void operator()(int cell) const {
    Advect{plainScheme(), courant, 0, viewOf(from, mesh[0], mesh[1], layers),
           viewOf(to, mesh[0], mesh[1], layers)}(cell);
  }
};

template <int layers> static void runKnown(float *from, float *to, float courant, unsigned block) {
  constexpr int cells = mesh[0] * mesh[1] * layers;
  launchByValue<<<dim3((cells + block - 1) / block), dim3(block)>>>(
      ParallelFor<AdvectKnown<layers>>{{from, to, courant}, {0, cells, 1}});
}

static int program(int argc, char **argv) {
  constexpr int small = 4, large = 72; // the source knows both
  const auto o =
      bench::Options::parse(argc, argv, {small, large, "layers"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("functor");
  const unsigned block = o.block ? o.block : 64;
  const int layers = static_cast<int>(o.size);
  if (o.pattern == "source" && layers != small && layers != large) {
    verdicts.fail(o.pattern, "the source knows the sizes small and large");
    return verdicts.exitCode();
  }
  static int runs = 0;
  bench::Random random(o.seed);
  std::vector<float> field(static_cast<size_t>(mesh[0] * mesh[1] * 3) * o.size), next(field.size());
  for (float &value : field)
    value = random.unit();
  bench::DeviceBuffer<float> a(field), b(next);
  float *from = a.get(), *to = b.get();
  for (int launch = 0; launch < 4; ++launch, ++runs) {
    const bool other = o.pattern == "other";
    Scheme scheme = plainScheme();
    if (other)
      scheme = {1 + runs % 3, runs / 2 % 3, runs % 2, runs / 3 % 2, 1 + runs % 3};
    const int n0 = mesh[0] - (other ? runs % 9 : 0), n1 = mesh[1] - (other ? runs % 4 : 0);
    const float courant = 0.3f + 0.01f * static_cast<float>(runs % 30);
    const int cells = n0 * n1 * layers, chunk = other ? 1 + runs % 2 : 1;
    const auto made = [&](float *in, float *out) {
      return Advect{scheme, courant, 0.01f, viewOf(in, n0, n1, layers * scheme.fields),
                    viewOf(out, n0, n1, layers * scheme.fields)};
    };
    if (o.pattern != "source")
      launchByValue<<<dim3((static_cast<unsigned>(cells) + block - 1) / block), dim3(block)>>>(
          ParallelFor<Advect>{made(from, to), {0, cells, chunk}});
    else if (layers == small)
      runKnown<small>(from, to, courant, block);
    else
      runKnown<large>(from, to, courant, block);
    HIP_CHECK(hipGetLastError());
    const Advect host = made(field.data(), next.data());
    for (int cell = 0; cell < cells; ++cell)
      host(cell);
    field.swap(next);
    std::swap(from, to);
  }
  std::vector<float> got(field.size());
  HIP_CHECK(hipMemcpy(got.data(), from, 4 * got.size(), hipMemcpyDeviceToHost));
  verdicts.expectNear(o.pattern, got, field, 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
