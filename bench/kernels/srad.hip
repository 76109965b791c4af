// SRAD: one step of speckle-reducing anisotropic diffusion. A tile in LDS; cells at the tile's
// edges and corners take their neighbours from global memory, in a chain of nine else-ifs whose
// arms differ only in addresses.
#include "harness.h"

template <unsigned Edge>
__global__ void srad(const float *image, float *out, unsigned n, float lambda) {
  __shared__ float tile[Edge][Edge];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned x = blockIdx.x * Edge + tx, y = blockIdx.y * Edge + ty;
  const unsigned xw = x > 0 ? x - 1 : 0, xe = x + 1 < n ? x + 1 : n - 1;
  const unsigned yn = y > 0 ? y - 1 : 0, ys = y + 1 < n ? y + 1 : n - 1;
  tile[ty][tx] = image[y * n + x];
  __syncthreads();
  const float centre = tile[ty][tx];
  float north, south, west, east;
  if (ty == 0 && tx == 0) {
    north = image[yn * n + x], south = tile[ty + 1][tx], west = image[y * n + xw],
    east = tile[ty][tx + 1];
  } else if (ty == 0 && tx == Edge - 1) {
    north = image[yn * n + x], south = tile[ty + 1][tx], west = tile[ty][tx - 1],
    east = image[y * n + xe];
  } else if (ty == Edge - 1 && tx == Edge - 1) {
    north = tile[ty - 1][tx], south = image[ys * n + x], west = tile[ty][tx - 1],
    east = image[y * n + xe];
  } else if (ty == Edge - 1 && tx == 0) {
    north = tile[ty - 1][tx], south = image[ys * n + x], west = image[y * n + xw],
    east = tile[ty][tx + 1];
  } else if (ty == 0) {
    north = image[yn * n + x], south = tile[ty + 1][tx], west = tile[ty][tx - 1],
    east = tile[ty][tx + 1];
  } else if (tx == Edge - 1) {
    north = tile[ty - 1][tx], south = tile[ty + 1][tx], west = tile[ty][tx - 1],
    east = image[y * n + xe];
  } else if (ty == Edge - 1) {
    north = tile[ty - 1][tx], south = image[ys * n + x], west = tile[ty][tx - 1],
    east = tile[ty][tx + 1];
  } else if (tx == 0) {
    north = tile[ty - 1][tx], south = tile[ty + 1][tx], west = image[y * n + xw],
    east = tile[ty][tx + 1];
  } else {
    north = tile[ty - 1][tx], south = tile[ty + 1][tx], west = tile[ty][tx - 1],
    east = tile[ty][tx + 1];
  }
  const float dn = north - centre, ds = south - centre, dw = west - centre, de = east - centre;
  const float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (centre * centre);
  const float l = (dn + ds + dw + de) / centre;
  const float num = 0.5f * g2 - 0.0625f * (l * l), den = 1.0f + 0.25f * l;
  const float q = num / (den * den);
  float c = 1.0f / (1.0f + (q - 0.05f) / (0.05f * 1.05f));
  if (c < 0)
    c = 0;
  else if (c > 1)
    c = 1;
  out[y * n + x] = centre + 0.25f * lambda * c * (dn + ds + dw + de);
}

template <unsigned Edge> void run(const bench::Options &o, bench::Verdicts &verdicts) {
  if (o.block && o.block != Edge)
    return;
  const unsigned n = static_cast<unsigned>(o.sizeInMultiplesOf(32));
  bench::Random random(o.seed);
  std::vector<float> image(n * n);
  for (float &v : image)
    v = 1.0f + random.unit();
  bench::DeviceBuffer<float> dImage(image), dOut(n * n);
  const float lambda = 0.5f;
  srad<Edge><<<dim3(n / Edge, n / Edge), dim3(Edge, Edge)>>>(dImage.get(), dOut.get(), n, lambda);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  std::vector<double> want(n * n);
  auto at = [&](int y, int x) {
    const int e = static_cast<int>(n) - 1;
    y = y < 0 ? 0 : y > e ? e : y, x = x < 0 ? 0 : x > e ? e : x;
    return static_cast<double>(image[static_cast<unsigned>(y) * n + static_cast<unsigned>(x)]);
  };
  for (int y = 0; y < static_cast<int>(n); ++y)
    for (int x = 0; x < static_cast<int>(n); ++x) {
      const double c0 = at(y, x), dn = at(y - 1, x) - c0, ds = at(y + 1, x) - c0,
                   dw = at(y, x - 1) - c0, de = at(y, x + 1) - c0;
      const double g2 = (dn * dn + ds * ds + dw * dw + de * de) / (c0 * c0),
                   l = (dn + ds + dw + de) / c0;
      const double num = 0.5 * g2 - 0.0625 * l * l, den = 1 + 0.25 * l, q = num / (den * den);
      double c = 1 / (1 + (q - 0.05) / (0.05 * 1.05));
      c = c < 0 ? 0 : c > 1 ? 1 : c;
      want[static_cast<unsigned>(y) * n + static_cast<unsigned>(x)] =
          c0 + 0.25 * 0.5 * c * (dn + ds + dw + de);
    }
  const auto got = dOut.download();
  verdicts.expectNear("n=" + std::to_string(n) + " block=" + std::to_string(Edge) + "x" +
                          std::to_string(Edge),
                      std::vector<double>(got.begin(), got.end()), want, 1e-4);
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {64, 512, "rows and columns"});
  bench::Verdicts verdicts("srad");
  run<16>(o, verdicts);
  run<32>(o, verdicts);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
