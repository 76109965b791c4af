// The seven-point Laplacian in double precision, step by step as AMD's lab notes "Finite difference
// method - Laplacian" parts 1 to 4 go: several rows per thread, loads in ascending order of address,
// launch bounds, non-temporal stores, and, for planes that the L2 cannot hold three of, other blocks,
// another order of blocks, and a launch for each part of the domain. A row of the grid is contiguous;
// blocks of 256 threads lie along it.
#include "bench/pairs/pair.h"

namespace {

struct Grid {
  int nx, ny, nz;
  double x, y, z, centre; ///< weights of the neighbours in each direction, and of the point
};

constexpr int row = 512, wideRow = 1024;

template <bool Streamed> __device__ void store(double *to, double value) {
  if constexpr (Streamed)
    __builtin_nontemporal_store(value, to);
  else
    *to = value;
}

// One point a thread; the formula as it is written.
template <bool Streamed> __global__ void point(double *out, const double *in, Grid g) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x, j = threadIdx.y + blockIdx.y * blockDim.y,
            k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || j == 0 || k == 0 || i >= g.nx - 1 || j >= g.ny - 1 || k >= g.nz - 1)
    return;
  const int plane = g.nx * g.ny;
  const size_t at = i + size_t(g.nx) * j + size_t(plane) * k;
  store<Streamed>(out + at, in[at] * g.centre + (in[at - 1] + in[at + 1]) * g.x +
                                (in[at - g.nx] + in[at + g.nx]) * g.y +
                                (in[at - plane] + in[at + plane]) * g.z);
}

template <int Rows, bool Streamed>
__device__ void storeRows(double *out, const double (&sum)[Rows], size_t at, int j, const Grid &g) {
#pragma unroll
  for (int n = 0; n < Rows; ++n)
    if (j + n > 0 && j + n < g.ny - 1)
      store<Streamed>(out + at + n * g.nx, sum[n]);
}

// Several rows a thread; each row's neighbours in the order of the formula.
template <int Rows> __global__ void tiled(double *out, const double *in, Grid g) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x,
            j = Rows * (threadIdx.y + blockIdx.y * blockDim.y),
            k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || k == 0 || i >= g.nx - 1 || k >= g.nz - 1)
    return;
  const int plane = g.nx * g.ny;
  const size_t at = i + size_t(g.nx) * j + size_t(plane) * k;
  double sum[Rows] = {};
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    const double *here = in + at + n * g.nx;
    const double middle = *here;
    sum[n] += middle * g.centre + (here[-1] + here[1]) * g.x;
    if (n == 0)
      sum[n] += here[-g.nx] * g.y;
    else
      sum[n - 1] += middle * g.y;
    if (n == Rows - 1)
      sum[n] += here[g.nx] * g.y;
    else
      sum[n + 1] += middle * g.y;
    sum[n] += (here[-plane] + here[plane]) * g.z;
  }
  storeRows<Rows, false>(out, sum, at, j, g);
}

// The same, from the lowest address to the highest: the plane below, the row before, the rows, the
// row behind, the plane above. Columns: blocks go through y and z before x.
template <int Rows, int Bound, bool Streamed, bool Columns = false>
__global__ __launch_bounds__(Bound) void ascending(double *out, const double *in, Grid g,
                                                   int firstRow) {
  const int bx = Columns ? blockIdx.z : blockIdx.x, by = Columns ? blockIdx.x : blockIdx.y,
            bz = Columns ? blockIdx.y : blockIdx.z;
  const int i = threadIdx.x + bx * blockDim.x,
            j = firstRow + Rows * (threadIdx.y + by * blockDim.y),
            k = threadIdx.z + bz * blockDim.z;
  if (i == 0 || k == 0 || i >= g.nx - 1 || k >= g.nz - 1)
    return;
  const int plane = g.nx * g.ny;
  const size_t at = i + size_t(g.nx) * j + size_t(plane) * k;
  double sum[Rows] = {};
#pragma unroll
  for (int n = 0; n < Rows; ++n)
    sum[n] += in[at - plane + n * g.nx] * g.z;
  sum[0] += j > 0 ? in[at - g.nx] * g.y : 0;
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    const double *here = in + at + n * g.nx;
    sum[n] += here[-1] * g.x;
    const double middle = *here;
    sum[n] += middle * g.centre;
    sum[n] += here[1] * g.x;
    if (n > 0)
      sum[n - 1] += middle * g.y;
    if (n < Rows - 1)
      sum[n + 1] += middle * g.y;
  }
  sum[Rows - 1] += j < g.ny - Rows ? in[at + Rows * g.nx] * g.y : 0;
#pragma unroll
  for (int n = 0; n < Rows; ++n)
    sum[n] += in[at + plane + n * g.nx] * g.z;
  storeRows<Rows, Streamed>(out, sum, at, j, g);
}

std::vector<double> reference(const std::vector<double> &in, std::vector<double> out,
                              const Grid &g) {
  const size_t plane = size_t(g.nx) * g.ny;
  for (int k = 1; k < g.nz - 1; ++k)
    for (int j = 1; j < g.ny - 1; ++j)
      for (int i = 1; i < g.nx - 1; ++i) {
        const size_t at = i + size_t(g.nx) * j + plane * k;
        out[at] = in[at] * g.centre + (in[at - 1] + in[at + 1]) * g.x +
                  (in[at - g.nx] + in[at + g.nx]) * g.y + (in[at - plane] + in[at + plane]) * g.z;
      }
  return out;
}

} // namespace

int main(int argc, char **argv) {
  const bench::Side side(
      argc, argv,
      {"point", "point-stream", "tiled8", "ascending1", "ascending8", "ascending16", "bounded16",
       "streamed8", "wide", "wide-blocks", "wide-columns", "wide-split"},
      {{"rows", 64, "rows of a plane, of 512 points (wide: 1024)"}, {"planes", 10, "planes"}});
  const bool wide = side.name().rfind("wide", 0) == 0;
  const Grid g{wide ? wideRow : row, int(side["rows"]), int(side["planes"]), 1.5, 0.75, 0.5, -5.5};
  if (g.ny % 32) {
    std::fprintf(stderr, "laplacian: rows has to be a multiple of 32\n");
    return 2;
  }
  const auto in = bench::unitNumbers<double>(size_t(g.nx) * g.ny * g.nz);
  const std::vector<double> nothing(in.size(), 0.25);
  bench::DeviceBuffer<double> dIn(in), dOut(nothing);
  double *out = dOut.get();
  const double *data = dIn.get();
  const unsigned along = g.nx / 256, ny = g.ny, nz = g.nz;
  const dim3 block(256);
  if (side.is("point"))
    point<false><<<dim3(along, ny, nz), block>>>(out, data, g);
  else if (side.is("point-stream"))
    point<true><<<dim3(along, ny, nz), block>>>(out, data, g);
  else if (side.is("tiled8"))
    tiled<8><<<dim3(along, ny / 8, nz), block>>>(out, data, g);
  else if (side.is("ascending1"))
    ascending<1, 1024, false><<<dim3(along, ny, nz), block>>>(out, data, g, 0);
  else if (side.is("ascending8"))
    ascending<8, 1024, false><<<dim3(along, ny / 8, nz), block>>>(out, data, g, 0);
  else if (side.is("ascending16"))
    ascending<16, 1024, false><<<dim3(along, ny / 16, nz), block>>>(out, data, g, 0);
  else if (side.is("bounded16"))
    ascending<16, 256, false><<<dim3(along, ny / 16, nz), block>>>(out, data, g, 0);
  else if (side.is("streamed8") || side.is("wide"))
    ascending<8, 256, true><<<dim3(along, ny / 8, nz), block>>>(out, data, g, 0);
  else if (side.is("wide-blocks"))
    ascending<8, 1024, true>
        <<<dim3(g.nx / 128, ny / 8, (nz + 7) / 8), dim3(128, 1, 8)>>>(out, data, g, 0);
  else if (side.is("wide-columns"))
    ascending<8, 256, true, true><<<dim3(ny / 8, nz, along), block>>>(out, data, g, 0);
  else
    for (unsigned part = 0; part < 4; ++part)
      ascending<8, 256, true>
          <<<dim3(along, ny / 32, nz), block>>>(out, data, g, int(part * ny / 4));
  bench::finish();
  bench::Verdicts verdicts("laplacian");
  verdicts.expectNear(side.name(), dOut.download(), reference(in, nothing, g), 1e-12);
  return verdicts.exitCode();
}
