// rocPRIM histograms: even bins, bins of any width, three of four interleaved channels.
#include "check.h"
#include <rocprim/rocprim.hpp>

int main() {
  const size_t n = 30000;
  const auto values = randomIntegers<int>(n, -50, 349, 51);
  Device<int> in(values);
  {
    const unsigned bins = 30;
    Device<unsigned> out(bins);
    withStorage([&](void *s, size_t &b) {
      return rocprim::histogram_even(s, b, in.get(), unsigned(n), out.get(), bins + 1, 0, 300);
    });
    std::vector<unsigned> want(bins);
    for (int value : values)
      if (value >= 0 && value < 300)
        ++want[value / 10];
    expectSame("even bins", out.host(), want);
  }
  {
    const std::vector<int> levels{-40, -39, 0, 1, 64, 300};
    Device<int> level(levels);
    Device<unsigned> out(levels.size() - 1);
    withStorage([&](void *s, size_t &b) {
      return rocprim::histogram_range(s, b, in.get(), unsigned(n), out.get(),
                                      unsigned(levels.size()), level.get());
    });
    std::vector<unsigned> want(levels.size() - 1);
    for (int value : values)
      for (size_t i = 0; i + 1 < levels.size(); ++i)
        want[i] += value >= levels[i] && value < levels[i + 1];
    expectSame("bins of any width", out.host(), want);
  }
  {
    const auto pixels = randomIntegers<unsigned char>(4 * 5000, 0, 255, 52);
    Device<unsigned char> image(pixels);
    Device<unsigned> r(256), g(64), a(16);
    unsigned *out[3] = {r.get(), g.get(), a.get()};
    unsigned levels[3] = {257, 65, 17};
    int low[3] = {0, 0, 0}, high[3] = {256, 256, 256};
    withStorage([&](void *s, size_t &b) {
      return rocprim::multi_histogram_even<4, 3>(s, b, image.get(), 5000u, out, levels, low, high);
    });
    std::vector<unsigned> wantR(256), wantG(64), wantA(16);
    for (size_t i = 0; i < pixels.size(); i += 4) {
      ++wantR[pixels[i]];
      ++wantG[pixels[i + 1] / 4];
      ++wantA[pixels[i + 2] / 16];
    }
    expectSame("first channel", r.host(), wantR);
    expectSame("second channel", g.host(), wantG);
    expectSame("third channel", a.host(), wantA);
  }
  return verdict();
}
