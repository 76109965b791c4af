// A field solver whose stencil's order and grid are told at run time: one step of the wave equation
// in two dimensions on periodic rows, with finite differences of any even order up to 16.
//   helped   order 4 on the same grid
//   source   the same, written into the source
//   other    another order and another grid at each launch
#include "harness.h"

struct Solver {
  int width, height, order; ///< neighbours on each side: order / 2
  float factor;
  float weights[9];
};

__host__ __device__ inline Solver solverOf(int width, int height, int order) {
  // Fornberg's weights of the second derivative, orders 2 to 8; further ones are even averages.
  constexpr float table[4][5] = {{-2, 1},
                                 {-5.0f / 2, 4.0f / 3, -1.0f / 12},
                                 {-49.0f / 18, 3.0f / 2, -3.0f / 20, 1.0f / 90},
                                 {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560}};
  Solver s{width, height, order, 0.05f, {}};
  for (int k = 0; k <= order / 2; ++k)
    s.weights[k] = order <= 8 ? table[order / 2 - 1][k] : 1.0f / static_cast<float>(1 + k * order);
  return s;
}

__host__ __device__ inline float stepped(const float *now, const float *before, const Solver &s,
                                         int at) {
  const int x = at % s.width, y = at / s.width;
  float sum = 2 * s.weights[0] * now[at];
  for (int k = 1; k <= s.order / 2; ++k) {
    const int left = (x - k + s.width) % s.width, right = (x + k) % s.width;
    const int up = (y - k + s.height) % s.height, down = (y + k) % s.height;
    sum += s.weights[k] * (now[y * s.width + left] + now[y * s.width + right] +
                           now[up * s.width + x] + now[down * s.width + x]);
  }
  return 2 * now[at] - before[at] + s.factor * sum;
}

constexpr int kWidth = 96;

__global__ void solve(const float *now, const float *before, float *next, Solver solver) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < solver.width * solver.height)
    next[at] = stepped(now, before, solver, at);
}

template <int height>
__global__ void solveKnown(const float *now, const float *before, float *next) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < kWidth * height)
    next[at] = stepped(now, before, solverOf(kWidth, height, 4), at);
}

static int program(int argc, char **argv) {
  // Rows of 96 points; the source knows both sizes.
  constexpr int small = 64, large = 1152;
  const auto o =
      bench::Options::parse(argc, argv, {small, large, "rows"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("field_solver");
  const unsigned block = o.block ? o.block : 64;
  const int rows = static_cast<int>(o.size);
  if (o.pattern == "source" && rows != small && rows != large) {
    verdicts.fail(o.pattern, "the source knows the sizes small and large");
    return verdicts.exitCode();
  }
  static int runs = 0;
  bench::Random random(o.seed);
  const size_t points = o.size * kWidth;
  std::vector<float> now(points), before(points), next(points);
  for (size_t i = 0; i < points; ++i)
    now[i] = before[i] = random.unit();
  bench::DeviceBuffer<float> dNow(now), dBefore(before), dNext(next);
  float *buffers[3] = {dNow.get(), dBefore.get(), dNext.get()};
  for (int launch = 0; launch < 4; ++launch, ++runs) {
    const bool other = o.pattern == "other";
    const int width = other ? kWidth - runs % 7 : kWidth, order = other ? 2 + runs % 8 * 2 : 4;
    const Solver solver = solverOf(width, rows, order);
    const dim3 groups(static_cast<unsigned>(width * rows + static_cast<int>(block) - 1) / block);
    if (o.pattern != "source")
      solve<<<groups, dim3(block)>>>(buffers[0], buffers[1], buffers[2], solver);
    else if (rows == small)
      solveKnown<small><<<groups, dim3(block)>>>(buffers[0], buffers[1], buffers[2]);
    else
      solveKnown<large><<<groups, dim3(block)>>>(buffers[0], buffers[1], buffers[2]);
    HIP_CHECK(hipGetLastError());
    for (int at = 0; at < width * rows; ++at)
      next[static_cast<size_t>(at)] = stepped(now.data(), before.data(), solver, at);
    now.swap(before);
    now.swap(next);
    float *const oldest = buffers[1];
    buffers[1] = buffers[0];
    buffers[0] = buffers[2];
    buffers[2] = oldest;
  }
  std::vector<float> got(points);
  HIP_CHECK(hipMemcpy(got.data(), buffers[0], 4 * points, hipMemcpyDeviceToHost));
  verdicts.expectNear(o.pattern, got, now, 1e-3);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
