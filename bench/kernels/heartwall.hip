// Heartwall-like tracking, after Rodinia: for every point of interest a block slides a template
// over a search window, each thread scores some offsets by summed absolute differences, and the
// best offset is found by a reduction with ties to the first.
#include "harness.h"

constexpr int patch = 8, window = 16, offsets = window * window, threads = 128;

__global__ void track(const unsigned char *frame, const unsigned char *patches, const int *points,
                      int *found, int width) {
  __shared__ int best[threads], where[threads];
  const int t = threadIdx.x, p = blockIdx.x;
  const int px = points[2 * p], py = points[2 * p + 1];
  int least = 0x7fffffff, at = 0;
  for (int offset = t; offset < offsets; offset += threads) {
    const int ox = offset % window, oy = offset / window;
    int score = 0;
    for (int y = 0; y < patch; ++y) {
      for (int x = 0; x < patch; ++x) {
        const int difference = int(frame[(py + oy + y) * width + px + ox + x]) -
                               int(patches[(p * patch + y) * patch + x]);
        score += difference < 0 ? -difference : difference;
      }
      if (score >= least)
        break; // cannot win any more
    }
    if (score < least) {
      least = score;
      at = offset;
    }
  }
  best[t] = least;
  where[t] = at;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (t < step &&
        (best[t + step] < best[t] || (best[t + step] == best[t] && where[t + step] < where[t]))) {
      best[t] = best[t + step];
      where[t] = where[t + step];
    }
    __syncthreads();
  }
  if (t == 0) {
    found[2 * p] = where[0];
    found[2 * p + 1] = best[0];
  }
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {12, 384, "points"});
  bench::Verdicts verdicts("heartwall");
  const int width = 128, count = static_cast<int>(o.size);
  bench::Random random(o.seed);
  std::vector<unsigned char> frame(width * width), patches(count * patch * patch);
  for (auto &v : frame)
    v = static_cast<unsigned char>(random.below(256));
  std::vector<int> points, want;
  for (int p = 0; p < count; ++p) {
    const int px = static_cast<int>(random.below(width - window - patch)),
              py = static_cast<int>(random.below(width - window - patch));
    points.insert(points.end(), {px, py});
    const int hidden = static_cast<int>(random.below(offsets)); // a noisy copy is to be found there
    for (int y = 0; y < patch; ++y)
      for (int x = 0; x < patch; ++x)
        patches[(p * patch + y) * patch + x] = static_cast<unsigned char>(
            frame[(py + hidden / window + y) * width + px + hidden % window + x] ^
            random.below(16));
    int least = 0x7fffffff, at = 0;
    for (int offset = 0; offset < offsets; ++offset) {
      int score = 0;
      for (int y = 0; y < patch; ++y)
        for (int x = 0; x < patch; ++x)
          score +=
              std::abs(int(frame[(py + offset / window + y) * width + px + offset % window + x]) -
                       int(patches[(p * patch + y) * patch + x]));
      if (score < least) {
        least = score;
        at = offset;
      }
    }
    want.insert(want.end(), {at, least});
  }
  bench::DeviceBuffer<unsigned char> dFrame(frame), dPatches(patches);
  bench::DeviceBuffer<int> dPoints(points), found(2 * count);
  track<<<dim3(count), dim3(threads)>>>(dFrame.get(), dPatches.get(), dPoints.get(), found.get(),
                                        width);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("points=" + std::to_string(count), found.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
