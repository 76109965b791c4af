// Face-detection-like cascade: every thread tests a window against stages of rectangle features on
// an integral image and leaves at the first stage that it fails. Features have two or three
// rectangles; stage data is the same in all threads.
#include "harness.h"

constexpr int stages = 6, perStage = 5, windowEdge = 16;

struct Feature {
  int x, y, w, h, kind; ///< kind 0: left minus right, 1: top minus bottom, 2: middle against sides
  int threshold, yes, no;
};

__device__ inline int area(const int *integral, int width, int x, int y, int w, int h) {
  return integral[(y + h) * width + x + w] - integral[y * width + x + w] -
         integral[(y + h) * width + x] + integral[y * width + x];
}

__global__ void detect(const int *integral, const Feature *features, const int *bounds, int *passed,
                       int width, int columns, int rows) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= columns || y >= rows)
    return;
  int stage = 0;
  for (; stage < stages; ++stage) {
    int sum = 0;
    for (int i = 0; i < perStage; ++i) {
      const Feature &f = features[stage * perStage + i];
      const int px = x + f.x, py = y + f.y;
      int value;
      if (f.kind == 0)
        value =
            area(integral, width, px, py, f.w, f.h) - area(integral, width, px + f.w, py, f.w, f.h);
      else if (f.kind == 1)
        value =
            area(integral, width, px, py, f.w, f.h) - area(integral, width, px, py + f.h, f.w, f.h);
      else
        value = 2 * area(integral, width, px + f.w, py, f.w, f.h) -
                area(integral, width, px, py, f.w, f.h) -
                area(integral, width, px + 2 * f.w, py, f.w, f.h);
      if (value > f.threshold)
        sum += f.yes;
      else
        sum += f.no;
    }
    if (sum < bounds[stage])
      break;
  }
  passed[y * columns + x] = stage;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {144, 2000, "columns of the image"});
  bench::Verdicts verdicts("cascade");
  const int width = static_cast<int>(std::max<size_t>(o.size, 2 * windowEdge)), height = 40;
  const int columns = width - windowEdge - 1, rows = height - windowEdge - 1;
  bench::Random random(o.seed);
  std::vector<int> image(static_cast<size_t>(width * height)), integral(image.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image[static_cast<size_t>(y * width + x)] =
          static_cast<int>(random.below(64)) + (x / 7 % 2) * 60 + (y / 5 % 2) * 40;
  for (int y = 1; y < height; ++y)
    for (int x = 1; x < width; ++x)
      integral[y * width + x] = integral[(y - 1) * width + x] + integral[y * width + x - 1] -
                                integral[(y - 1) * width + x - 1] + image[(y - 1) * width + x - 1];
  std::vector<Feature> features;
  std::vector<int> bounds;
  for (int s = 0; s < stages; ++s) {
    for (int i = 0; i < perStage; ++i)
      features.push_back({static_cast<int>(random.below(4)), static_cast<int>(random.below(4)),
                          1 + static_cast<int>(random.below(4)),
                          1 + static_cast<int>(random.below(6)), static_cast<int>(random.below(3)),
                          static_cast<int>(random.below(400)) - 200,
                          static_cast<int>(random.below(10)), -static_cast<int>(random.below(10))});
    bounds.push_back(-6 + s);
  }
  std::vector<int> want;
  const auto pixels = [&](int x, int y, int w, int h) { // straight from the image
    int sum = 0;
    for (int j = y; j < y + h; ++j)
      for (int i = x; i < x + w; ++i)
        sum += image[static_cast<size_t>(j * width + i)];
    return sum;
  };
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      int stage = 0;
      for (; stage < stages; ++stage) {
        int sum = 0;
        for (int i = 0; i < perStage; ++i) {
          const Feature &f = features[static_cast<size_t>(stage * perStage + i)];
          const int a = pixels(x + f.x, y + f.y, f.w, f.h);
          const int dx = f.kind == 1 ? 0 : f.w, dy = f.kind == 1 ? f.h : 0;
          const int b = pixels(x + f.x + dx, y + f.y + dy, f.w, f.h);
          const int value =
              f.kind < 2 ? a - b : 2 * b - a - pixels(x + f.x + 2 * f.w, y + f.y, f.w, f.h);
          sum += value > f.threshold ? f.yes : f.no;
        }
        if (sum < bounds[static_cast<size_t>(stage)])
          break;
      }
      want.push_back(stage);
    }
  bench::DeviceBuffer<int> dIntegral(integral), dBounds(bounds), passed(want.size());
  bench::DeviceBuffer<Feature> dFeatures(features);
  detect<<<dim3((columns + 63) / 64, rows), dim3(64)>>>(
      dIntegral.get(), dFeatures.get(), dBounds.get(), passed.get(), width, columns, rows);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("width=" + std::to_string(width), passed.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
