// Second derivatives with a radius of four in single precision, one direction at a time, as AMD's
// "Seismic stencil codes" parts 1 to 3 go: rows that begin on a cache line, a window of registers
// that moves along z, vectors of two and four, and rows of y in LDS.
#include "bench/pairs/pair.h"

constexpr int radius = 4, width = 2 * radius + 1;
// Outside of the unnamed namespace: the HIP runtime looks for it by name.
__constant__ float weights[width];

namespace {

const float hostWeights[width] = {-0.0017857f, 0.0253968f, -0.2f,      1.6f,       -2.8472222f,
                                  1.6f,        -0.2f,      0.0253968f, -0.0017857f};

struct Field {
  int nx, ny, nz;  ///< points inside the margin of `radius`
  int line, plane; ///< floats from row to row and from plane to plane
  int strideOf(char direction) const {
    return direction == 'x' ? 1 : direction == 'y' ? line : plane;
  }
};

// One point a thread.
__global__ __launch_bounds__(256) void single(float *__restrict__ out, const float *__restrict__ in,
                                              Field f, int stride) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x, j = blockIdx.y, k = blockIdx.z;
  if (i >= f.nx)
    return;
  const size_t at = radius + i + size_t(f.line) * (radius + j) + size_t(f.plane) * (radius + k);
  float sum = 0;
#pragma unroll
  for (int r = 0; r < width; ++r)
    sum += in[at + (r - radius) * stride] * weights[r];
  out[at] = sum;
}

// A column of `steps` points a thread; what the next point needs, too, stays in registers.
__global__ __launch_bounds__(256) void window(float *__restrict__ out, const float *__restrict__ in,
                                              Field f, int steps) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x, j = blockIdx.y;
  if (i >= f.nx)
    return;
  const int first = blockIdx.z * steps, last = min(first + steps, f.nz);
  size_t at = radius + i + size_t(f.line) * (radius + j) + size_t(f.plane) * first;
  float held[width];
#pragma unroll
  for (int r = 0; r < width - 1; ++r, at += f.plane)
    held[r] = in[at];
  for (int k = first; k < last; ++k, at += f.plane) {
    held[width - 1] = in[at];
    float sum = 0;
#pragma unroll
    for (int r = 0; r < width; ++r)
      sum += held[r] * weights[r];
    out[at - size_t(radius) * f.plane] = sum;
#pragma unroll
    for (int r = 0; r < width - 1; ++r)
      held[r] = held[r + 1];
  }
}

template <int N> using Vector = float __attribute__((ext_vector_type(N)));

// N points of a row a thread, in vectors; blocks of 64 x 4.
template <int N>
__global__ __launch_bounds__(256) void vectorX(float *__restrict__ out,
                                               const float *__restrict__ in, Field f) {
  const int i = N * (threadIdx.x + blockIdx.x * blockDim.x),
            j = threadIdx.y + blockIdx.y * blockDim.y, k = blockIdx.z;
  if (i >= f.nx || j >= f.ny)
    return;
  const size_t at = radius + i + size_t(f.line) * (radius + j) + size_t(f.plane) * (radius + k);
  constexpr int sides = radius / N; // vectors to the left and to the right
  float near[(2 * sides + 1) * N];
#pragma unroll
  for (int v = 0; v < 2 * sides + 1; ++v) {
    const auto read = *reinterpret_cast<const Vector<N> *>(in + at + (v - sides) * N);
#pragma unroll
    for (int n = 0; n < N; ++n)
      near[v * N + n] = read[n];
  }
  Vector<N> sum = 0;
#pragma unroll
  for (int r = 0; r < width; ++r)
#pragma unroll
    for (int n = 0; n < N; ++n)
      sum[n] += near[r + n] * weights[r];
  *reinterpret_cast<Vector<N> *>(out + at) = sum;
}

template <int N>
__global__ __launch_bounds__(256) void vectorY(float *__restrict__ out,
                                               const float *__restrict__ in, Field f) {
  const int i = N * (threadIdx.x + blockIdx.x * blockDim.x),
            j = threadIdx.y + blockIdx.y * blockDim.y, k = blockIdx.z;
  if (i >= f.nx || j >= f.ny)
    return;
  const size_t at = radius + i + size_t(f.line) * (radius + j) + size_t(f.plane) * (radius + k);
  Vector<N> sum = 0;
#pragma unroll
  for (int r = 0; r < width; ++r)
    sum += *reinterpret_cast<const Vector<N> *>(in + at + (r - radius) * f.line) * weights[r];
  *reinterpret_cast<Vector<N> *>(out + at) = sum;
}

// The twelve rows that a block of 64 x 4 needs are read once, into LDS.
__global__ __launch_bounds__(256) void sharedY(float *__restrict__ out,
                                               const float *__restrict__ in, Field f) {
  using V = Vector<4>;
  constexpr int columns = 64, rows = radius;
  __shared__ V shared[columns * (rows + 2 * radius)];
  const int i = 4 * (threadIdx.x + blockIdx.x * columns), j = threadIdx.y + blockIdx.y * rows,
            k = blockIdx.z;
  const size_t at = radius + i + size_t(f.line) * (radius + j) + size_t(f.plane) * (radius + k);
  const int mine = threadIdx.x + (radius + threadIdx.y) * columns;
  const auto load = [&](int away) { return *reinterpret_cast<const V *>(in + at + away * f.line); };
  shared[mine - radius * columns] = load(-radius);
  shared[mine] = load(0);
  shared[mine + rows * columns] = load(rows);
  __syncthreads();
  if (i >= f.nx || j >= f.ny)
    return;
  V sum = 0;
#pragma unroll
  for (int r = 0; r < width; ++r)
    sum += shared[mine + (r - radius) * columns] * weights[r];
  *reinterpret_cast<V *>(out + at) = sum;
}

std::vector<float> reference(const std::vector<float> &in, std::vector<float> out, const Field &f,
                             int stride, size_t offset) {
  for (int k = 0; k < f.nz; ++k)
    for (int j = 0; j < f.ny; ++j)
      for (int i = 0; i < f.nx; ++i) {
        const size_t at =
            offset + radius + i + size_t(f.line) * (radius + j) + size_t(f.plane) * (radius + k);
        double sum = 0;
        for (int r = 0; r < width; ++r)
          sum += double(in[at + (r - radius) * stride]) * hostWeights[r];
        out[at] = float(sum);
      }
  return out;
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(
      argc, argv,
      {"x-unaligned", "x", "x2", "x4", "y-unaligned", "y", "y2", "y4", "y4-lds", "z-unaligned", "z",
       "z-window8", "z-window64"},
      {{"rows", 56, "rows of a plane, of 512 points"}, {"planes", 16, "planes"}});
  if (side["rows"] % 4) {
    std::fprintf(stderr, "seismic: rows has to be a multiple of 4\n");
    return 2;
  }
  const char direction = side.name()[0];
  const bool aligned = side.name().find("unaligned") == std::string::npos;
  Field f{512, int(side["rows"]), int(side["planes"]), 0, 0};
  f.line = f.nx + 2 * radius;
  if (aligned)
    f.line = (f.line + 63) / 64 * 64;
  f.plane = f.line * (f.ny + 2 * radius);
  const size_t offset = aligned ? 64 - radius : 0;
  // A vector may begin up to three floats before the end of the last row's margin.
  const auto in = bench::unitNumbers<float>(offset + size_t(f.plane) * (f.nz + 2 * radius) + 64);
  const std::vector<float> nothing(in.size(), 0.25f);
  bench::DeviceBuffer<float> dIn(in), dOut(nothing);
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(weights), hostWeights, sizeof hostWeights));
  float *out = dOut.get() + offset;
  const float *data = dIn.get() + offset;
  const unsigned ny = f.ny, nz = f.nz, bands = (f.ny + 3) / 4;
  const dim3 flat(256), square(64, 4);
  const auto windows = [&](unsigned steps) {
    window<<<dim3(2, ny, (nz + steps - 1) / steps), flat>>>(out, data, f, int(steps));
  };
  if (side.is("x2"))
    vectorX<2><<<dim3(4, bands, nz), square>>>(out, data, f);
  else if (side.is("x4"))
    vectorX<4><<<dim3(2, bands, nz), square>>>(out, data, f);
  else if (side.is("y2"))
    vectorY<2><<<dim3(4, bands, nz), square>>>(out, data, f);
  else if (side.is("y4"))
    vectorY<4><<<dim3(2, bands, nz), square>>>(out, data, f);
  else if (side.is("y4-lds"))
    sharedY<<<dim3(2, bands, nz), square>>>(out, data, f);
  else if (side.is("z-window8"))
    windows(8);
  else if (side.is("z-window64"))
    windows(64);
  else
    single<<<dim3(2, ny, nz), flat>>>(out, data, f, f.strideOf(direction));
  bench::finish();
  bench::Verdicts verdicts("seismic");
  verdicts.expectNear(side.name(), dOut.download(),
                      reference(in, nothing, f, f.strideOf(direction), offset), 1e-5);
  return verdicts.exitCode();
}
