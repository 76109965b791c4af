// Collision detection: every thread tests one pair of shapes, circle or box against circle or box.
// The four tests share most of their arithmetic, and neighbours in a wave run different ones.
#include "harness.h"

struct Shape {
  int box; ///< 0: circle with radius a; 1: axis-aligned box with half sides a, b
  int x, y, a, b;
};

__device__ inline int clampTo(int v, int low, int high) {
  return v < low ? low : v > high ? high : v;
}

/// Integers: 0 when apart, else 1 + the squared depth in some measure of the test.
__device__ inline int collide(const Shape &p, const Shape &q) {
  const int dx = q.x - p.x, dy = q.y - p.y;
  if (!p.box && !q.box) {
    const int reach = p.a + q.a, square = dx * dx + dy * dy;
    return square < reach * reach ? 1 + reach * reach - square : 0;
  }
  if (!p.box) {
    const int nx = clampTo(-dx, -q.a, q.a), ny = clampTo(-dy, -q.b, q.b);
    const int ex = -dx - nx, ey = -dy - ny, square = ex * ex + ey * ey;
    return square < p.a * p.a ? 1 + p.a * p.a - square : 0;
  }
  if (!q.box) {
    const int nx = clampTo(dx, -p.a, p.a), ny = clampTo(dy, -p.b, p.b);
    const int ex = dx - nx, ey = dy - ny, square = ex * ex + ey * ey;
    return square < q.a * q.a ? 1 + q.a * q.a - square : 0;
  }
  const int ox = p.a + q.a - (dx < 0 ? -dx : dx), oy = p.b + q.b - (dy < 0 ? -dy : dy);
  return ox > 0 && oy > 0 ? 1 + ox * oy : 0;
}

__global__ void test(const Shape *shapes, const int *pairs, int *out, int count) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < count)
    out[at] = collide(shapes[pairs[2 * at]], shapes[pairs[2 * at + 1]]);
}

/// By other means: the distance of the centres, less what a box reaches on each axis, against what
/// the circles reach. Between two boxes the overlap counts.
static int reference(const Shape &p, const Shape &q) {
  const long dx = std::labs(q.x - p.x), dy = std::labs(q.y - p.y);
  if (p.box && q.box) {
    const long width = p.a + q.a - dx, height = p.b + q.b - dy;
    return width > 0 && height > 0 ? static_cast<int>(1 + width * height) : 0;
  }
  const Shape &box = p.box ? p : q;
  const long outX = std::max(0L, dx - (box.box ? box.a : 0)),
             outY = std::max(0L, dy - (box.box ? box.b : 0));
  const long reach = (p.box ? 0 : p.a) + (q.box ? 0 : q.a);
  const long depth = reach * reach - outX * outX - outY * outY;
  return depth > 0 ? static_cast<int>(1 + depth) : 0;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {4096, 262144, "pairs"});
  bench::Verdicts verdicts("collision");
  const unsigned block = o.block ? o.block : 128;
  const int count = static_cast<int>(o.size), bodies = 300;
  bench::Random random(o.seed);
  std::vector<Shape> shapes;
  for (int i = 0; i < bodies; ++i)
    shapes.push_back({static_cast<int>(random.below(2)), static_cast<int>(random.below(400)),
                      static_cast<int>(random.below(400)), 10 + static_cast<int>(random.below(60)),
                      10 + static_cast<int>(random.below(60))});
  std::vector<int> pairs, want;
  for (int i = 0; i < count; ++i) {
    pairs.push_back(static_cast<int>(random.below(bodies)));
    pairs.push_back(static_cast<int>(random.below(bodies)));
    want.push_back(reference(shapes[static_cast<size_t>(pairs[2 * i])],
                             shapes[static_cast<size_t>(pairs[2 * i + 1])]));
  }
  bench::DeviceBuffer<Shape> dShapes(shapes);
  bench::DeviceBuffer<int> dPairs(pairs), out(want.size());
  test<<<dim3((count + block - 1) / block), dim3(block)>>>(dShapes.get(), dPairs.get(), out.get(),
                                                           count);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("pairs=" + std::to_string(count), out.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
