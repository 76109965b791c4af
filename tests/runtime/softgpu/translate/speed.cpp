// Million wave instructions per second on one core, interpreted and translated, counters on.
//   translate-speed [gfx900|gfx90a|gfx942|gfx1030|gfx1030w64]
#include "tests/runtime/softgpu/execute/test_code.h"

#include "runtime/softgpu/translate/tier.h"

#include <chrono>
#include <cstdio>
#include <functional>

using namespace meld::softgpu;
using namespace meld::softgpu::test;

namespace {

struct Kernel {
  const char *name;
  std::function<DispatchResult(Gpu &, const TestCode &)> run;
};

double rate(Gpu &gpu, const TestCode &code, const Kernel &k) {
  using Clock = std::chrono::steady_clock;
  k.run(gpu, code); // warm: decoded, translated
  double best = 0;
  const auto begin = Clock::now();
  do {
    const auto from = Clock::now();
    const DispatchResult r = k.run(gpu, code);
    const double seconds = std::chrono::duration<double>(Clock::now() - from).count();
    if (r.code != DispatchCode::ok) {
      std::printf("%s: %s\n", k.name, r.message.c_str());
      return 0;
    }
    best = std::max(best, double(r.counters.total()) / seconds / 1e6);
  } while (std::chrono::duration<double>(Clock::now() - begin).count() < 0.5);
  return best;
}

} // namespace

int main(int argc, char **argv) {
  const std::string target = argc > 1 ? argv[1] : "gfx90a";
  const std::string only = argc > 2 ? argv[2] : "";
  TestCode code(std::string(MELD_TRANSLATE_KERNELS) + "/speed-" + target + ".hsaco");
  std::vector<uint32_t> big(1 << 20), index(1 << 16), out(1 << 16);
  std::vector<float> x(1 << 20, 1.5f), y(1 << 20, 0.5f), a(128 * 128, 1.25f), b = a, c = a;
  std::vector<double> d(1 << 14);
  uint32_t seed = 1;
  for (auto &v : big)
    v = seed = seed * 1664525 + 1013904223;
  for (auto &v : index)
    v = (seed = seed * 1664525 + 1013904223) >> 16;
  const Kernel kernels[] = {
      {"aluMix",
       [&](Gpu &g, const TestCode &o) {
         return launch(g, o, "aluMix", {1 << 14}, {256}, Args(out.data(), 200u, 0.001f));
       }},
      {"doubles",
       [&](Gpu &g, const TestCode &o) {
         return launch(g, o, "doubles", {1 << 14}, {256}, Args(d.data(), 200u));
       }},
      {"saxpy",
       [&](Gpu &g, const TestCode &o) {
         return launch(g, o, "saxpy", {1 << 11}, {256},
                       Args(x.data(), y.data(), 0.5f, 1u << 16, 1u << 11));
       }},
      {"gather",
       [&](Gpu &g, const TestCode &o) {
         return launch(g, o, "gather", {1 << 14}, {256},
                       Args(index.data(), big.data(), out.data(), 32u));
       }},
      {"bitonic",
       [&](Gpu &g, const TestCode &o) {
         return launch(g, o, "bitonic", {1 << 16}, {256}, Args(big.data()));
       }},
      {"gemm",
       [&](Gpu &g, const TestCode &o) {
         return launch(g, o, "gemm", {128 * 128}, {256}, Args(a.data(), b.data(), c.data(), 128u));
       }},
      {"collatz",
       [&](Gpu &g, const TestCode &o) {
         return launch(g, o, "collatz", {1 << 14}, {256}, Args(out.data()));
       }},
  };
  std::printf("%-10s %12s %12s   %s\n", "kernel", "interpreted", "translated",
              "M wave instructions/s");
  for (const Kernel &k : kernels) {
    if (!only.empty() && only != k.name)
      continue;
    double rates[2];
    for (int translated = 0; translated < 2; ++translated) {
      DeviceConfig config = testConfig(target.substr(0, target.find('w')), 1);
      config.translate = translated ? "always" : "off";
      auto gpu = Gpu::create(config);
      rates[translated] = rate(*gpu, code, k);
    }
    std::printf("%-10s %12.0f %12.0f   x%.2f\n", k.name, rates[0], rates[1], rates[1] / rates[0]);
  }
  const auto s = translate::tierStatistics();
  std::printf("%llu units, %llu instructions, %.1f %% without a handler, %.3f ms per instruction\n",
              (unsigned long long)s.units, (unsigned long long)s.instructions,
              100.0 * double(s.covered) / double(s.instructions ? s.instructions : 1),
              1e3 * s.seconds / double(s.instructions ? s.instructions : 1));
}
