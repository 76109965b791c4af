// Speed of the software GPU by class of kernel: million wave instructions per second on one core,
// counters on, for each way to execute.
//
//   class       interpreter    timing    translated
//   alu               171.0      12.9         640.2
//
// Each number is the median of several runs of at least --seconds altogether, in processor time.
#include "bench/executor/loader.h"

#include "runtime/softgpu/isa/decoder.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>

namespace {

using namespace meld;
using namespace meld::softgpu;

struct Class {
  const char *kernel;
  uint32_t items, n;
  const char *what;
};
constexpr Class kClasses[] = {
    {"alu", 4096, 400, "32-bit integer and float, full EXEC"},
    {"f64", 4096, 400, "double precision"},
    {"linear", 16384, 40, "memory, neighbouring lanes"},
    {"strided", 4096, 60, "memory, two lanes to a line"},
    {"mixed", 4096, 60, "memory, rows in and columns out"},
    {"gather", 4096, 60, "memory, every lane at random in 4 MiB"},
    {"lds", 4096, 200, "LDS and barriers"},
    {"divergent", 4096, 1, "divergent loop and branch"},
    {"scratch", 4096, 100, "private array in scratch memory"},
    {"scalar", 4096, 400, "scalar unit and scalar loads"},
};

struct Way {
  const char *name;
  void (*set)(DeviceConfig &);
};
constexpr Way kWays[] = {
    {"interpreter", [](DeviceConfig &c) { c.translate = "off"; }},
    {"timing", [](DeviceConfig &c) { c.timing = true; }},
    {"translated", [](DeviceConfig &c) { c.translate = "always"; }},
};

/// Processor time of the process: others on the machine do not count.
double processorSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

Result<double> speed(const bench::LoadedKernels &kernels, Gpu &gpu, const Class &c,
                     std::vector<uint32_t> &data, double seconds) {
  std::vector<double> rates;
  double spent = 0;
  for (int run = 0; run < 3 || (spent < seconds && run < 1000); ++run) {
    for (size_t k = 0; k < data.size(); ++k)
      data[k] = uint32_t(k * 2654435761u);
    const double start = processorSeconds();
    auto result = kernels.run(gpu, c.kernel, c.items, data.data(), c.n);
    const double t = processorSeconds() - start;
    if (!result)
      return tl::unexpected(result.error());
    if (run == 0)
      continue; // decodes, translates
    spent += t;
    rates.push_back(double(result->counters.total()) / t / 1e6);
  }
  std::ranges::nth_element(rates, rates.begin() + ptrdiff_t(rates.size() / 2));
  return rates[rates.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Speed of the software GPU, in million wave instructions per second and core"};
  std::string target = "gfx90a", only, onlyWay;
  double seconds = 0.5;
  app.add_option("--target", target, "Processor: gfx900 or gfx90a")->capture_default_str();
  app.add_option("--seconds", seconds, "Time per number")->capture_default_str();
  std::vector<std::string> classes, ways;
  for (const Class &c : kClasses)
    classes.push_back(c.kernel);
  for (const Way &way : kWays)
    ways.push_back(way.name);
  app.add_option("--class", only, "Only this class")->check(CLI::IsMember(classes));
  app.add_option("--way", onlyWay, "Only this way to execute")->check(CLI::IsMember(ways));
  CLI11_PARSE(app, argc, argv);

  const auto t = isa::targetFromName(target);
  auto kernels =
      bench::LoadedKernels::load(std::string(MELD_BENCH_KERNELS) + "/kernels-" + target + ".hsaco");
  if (!t || !kernels) {
    std::fprintf(stderr, "meld-bench-executor: %s\n",
                 t ? kernels.error().message.c_str() : ("no processor " + target).c_str());
    return 1;
  }
  std::vector<std::unique_ptr<Gpu>> gpus;
  std::printf("%s, one core, counters on: million wave instructions per second\n%-10s",
              target.c_str(), "class");
  for (const Way &way : kWays) {
    if (!onlyWay.empty() && onlyWay != way.name)
      continue;
    DeviceConfig c;
    c.target = *t;
    c.hostThreads = 1;
    way.set(c);
    std::string problem;
    gpus.push_back(Gpu::create(c, nullptr, &problem));
    if (!gpus.back()) {
      std::fprintf(stderr, "meld-bench-executor: %s\n", problem.c_str());
      return 1;
    }
    std::printf("  %12s", way.name);
  }
  std::printf("\n");
  std::vector<uint32_t> data((1 << 20) + 64);
  for (const Class &c : kClasses) {
    if (!only.empty() && only != c.kernel)
      continue;
    std::printf("%-10s", c.kernel);
    for (const auto &gpu : gpus) {
      auto rate = speed(*kernels, *gpu, c, data, seconds);
      if (!rate) {
        std::fprintf(stderr, "\nmeld-bench-executor: %s: %s\n", c.kernel,
                     rate.error().message.c_str());
        return 1;
      }
      std::printf("  %12.1f", *rate);
      std::fflush(stdout);
    }
    std::printf("  %s\n", c.what);
  }
  return 0;
}
