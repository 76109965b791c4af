// Stencils: a 9-point one in 2D through LDS with halo, a 7-point one in 3D marching through planes
// in registers, several steps each, with boundaries; and Jacobi's method for Poisson's equation
// until the residual is small. The first two bit for bit, the last against the discrete solution.
#include "check.h"

__global__ void blur2D(const float *in, float *out, int w, int h) {
  __shared__ float tile[18][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  auto at = [&](int i, int j) { return i < 0 || j < 0 || i >= w || j >= h ? 0.0f : in[j * w + i]; };
  tile[threadIdx.y + 1][threadIdx.x + 1] = at(x, y);
  if (threadIdx.x == 0)
    tile[threadIdx.y + 1][0] = at(x - 1, y);
  if (threadIdx.x == 31)
    tile[threadIdx.y + 1][33] = at(x + 1, y);
  if (threadIdx.y == 0)
    tile[0][threadIdx.x + 1] = at(x, y - 1);
  if (threadIdx.y == 15)
    tile[17][threadIdx.x + 1] = at(x, y + 1);
  if (threadIdx.x < 2 && threadIdx.y < 2) // the four corners
    tile[threadIdx.y * 17][threadIdx.x * 33] = at(int(blockIdx.x * 32 + threadIdx.x * 33) - 1,
                                                  int(blockIdx.y * 16 + threadIdx.y * 17) - 1);
  __syncthreads();
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      sum += tile[threadIdx.y + j][threadIdx.x + i] * (i == 1 && j == 1   ? 4.0f
                                                       : i == 1 || j == 1 ? 2.0f
                                                                          : 1.0f);
  out[y * w + x] = sum / 16;
}

__global__ void heat3D(const double *in, double *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  const bool inner = x > 0 && y > 0 && x < n - 1 && y < n - 1;
  const int plane = n * n, at = y * n + x;
  double below = in[at], here = in[at], above = in[at];
  for (int z = 0; z < n; ++z) {
    below = here, here = above;
    above = z + 1 < n ? in[(z + 1) * plane + at] : 0;
    const int i = z * plane + at;
    if (inner && z > 0 && z < n - 1)
      out[i] = here + 0.1 * (((((in[i - 1] + in[i + 1]) + in[i - n]) + in[i + n]) + below) + above -
                             6 * here);
    else
      out[i] = here;
  }
}

__global__ void jacobi(const double *f, const double *in, double *out, double *residual, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const double left = i ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
  out[i] = 0.5 * (f[i] + left + right);
  residual[i] = fabs(out[i] - in[i]);
}

static void check2D() {
  const int w = 75, h = 41;
  auto image = randomIn<float>(w * h, 0, 1, 1);
  Device<float> a(image), b(w * h);
  for (int step = 0; step < 4; ++step) {
    blur2D<<<dim3((w + 31) / 32, (h + 15) / 16), dim3(32, 16)>>>(step % 2 ? b : a, step % 2 ? a : b,
                                                                 w, h);
    auto next = image;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        float sum = 0;
        for (int j = -1; j <= 1; ++j)
          for (int i = -1; i <= 1; ++i) {
            const bool inside = x + i >= 0 && y + j >= 0 && x + i < w && y + j < h;
            const float weight = i == 0 && j == 0 ? 4.0f : i == 0 || j == 0 ? 2.0f : 1.0f;
            sum += (inside ? image[(y + j) * w + x + i] : 0.0f) * weight;
          }
        next[y * w + x] = sum / 16;
      }
    image = next;
  }
  expectSame("2D", a.host(), image);
}

static void check3D() {
  const int n = 22;
  auto body = randomIn<double>(n * n * n, -1, 1, 2);
  Device<double> a(body), b(n * n * n);
  for (int step = 0; step < 4; ++step) {
    heat3D<<<dim3(2, 3), dim3(16, 8)>>>(step % 2 ? b : a, step % 2 ? a : b, n);
    auto next = body;
    for (int z = 1; z < n - 1; ++z)
      for (int y = 1; y < n - 1; ++y)
        for (int x = 1; x < n - 1; ++x) {
          const int i = (z * n + y) * n + x;
          next[i] = body[i] + 0.1 * (((((body[i - 1] + body[i + 1]) + body[i - n]) + body[i + n]) +
                                      body[i - n * n]) +
                                     body[i + n * n] - 6 * body[i]);
        }
    body = next;
  }
  expectSame("3D", a.host(), body);
}

static void checkJacobi() {
  const int n = 24;
  std::vector<double> f(n, 1.0), exact(n);
  for (int i = 0; i < n; ++i) // -u'' = 1 on a grid: u = (i + 1)(n - i) / 2
    exact[i] = 0.5 * (i + 1) * (n - i);
  Device<double> df(f), a(std::vector<double>(n, 0)), b(n), residual(n);
  double worst = 1;
  int sweeps = 0;
  for (; sweeps < 8000 && worst > 1e-9; sweeps += 200) {
    for (int s = 0; s < 100; ++s) {
      jacobi<<<1, 64>>>(df, a, b, residual, n);
      jacobi<<<1, 64>>>(df, b, a, residual, n);
    }
    worst = 0;
    for (double r : residual.host())
      worst = std::fmax(worst, r);
  }
  EXPECT(worst <= 1e-9);
  expectNear("Jacobi", a.host(), exact, 1e-6);
}

int main() {
  check2D();
  check3D();
  checkJacobi();
  return verdict();
}
