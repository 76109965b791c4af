// Speed of the software GPU by class of kernel: million wave instructions per second on one core,
// counters on, for each way to execute.
//
//   class       interpreter    timing    translated
//   alu               171.0      12.9         640.2
//
// Processors that run waves of 32 and of 64 lanes are two targets. --relative adds how fast lanes are
// beside another target's in the same run: waves of half the lanes at the same rate are 0.5.
//
// Each number is the median of several runs of at least --seconds altogether, in processor time. Runs
// of two targets take turns, and what one is beside the other is the median of such pairs: a machine
// that others use is twice as fast at one time as at another.
#include "bench/executor/loader.h"

#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/translate/tier.h"

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

/// What a processor runs, and its device for each way.
struct Subject {
  bench::LoadedKernels kernels;
  unsigned waveSize = 64;
  std::vector<std::unique_ptr<Gpu>> gpus;
};

struct Speed {
  double rate = 0;      ///< million wave instructions of the first subject per second
  double lanes = 0;     ///< instructions of its lanes per second, over the second subject's
  double workItems = 0; ///< and work-items
};

double median(std::vector<double> x) {
  std::ranges::nth_element(x, x.begin() + ptrdiff_t(x.size() / 2));
  return x[x.size() / 2];
}

/// `seconds` for each subject.
Result<Speed> speed(const std::vector<Subject> &subjects, size_t way, const Class &c,
                    std::vector<uint32_t> &data, double seconds) {
  std::vector<double> times, ratios;
  double spent = 0, instructions[2] = {};
  for (int run = 0; run < 3 || (spent < seconds * double(subjects.size()) && run < 1000); ++run) {
    double took[2] = {};
    for (size_t s = 0; s < subjects.size(); ++s) {
      for (size_t k = 0; k < data.size(); ++k)
        data[k] = uint32_t(k * 2654435761u);
      const double start = processorSeconds();
      auto result =
          subjects[s].kernels.run(*subjects[s].gpus[way], c.kernel, c.items, data.data(), c.n);
      took[s] = processorSeconds() - start;
      if (!result)
        return tl::unexpected(result.error());
      instructions[s] = double(result->counters.total());
    }
    if (run == 0)
      continue; // decodes, translates
    spent += took[0] + took[1];
    times.push_back(took[0]);
    ratios.push_back(took[1] / took[0]);
  }
  Speed result{instructions[0] / median(times) / 1e6};
  if (subjects.size() > 1) {
    result.workItems = median(ratios);
    result.lanes = result.workItems * instructions[0] * subjects[0].waveSize /
                   (instructions[1] * subjects[1].waveSize);
  }
  return result;
}

/// `name` is a processor's, with -wave64 for the larger waves of one that has two sizes.
Result<Subject> prepare(const std::string &name, const std::string &onlyWay) {
  constexpr std::string_view wide = "-wave64";
  const bool isWide = name.ends_with(wide);
  const auto t = isa::targetFromName(name.substr(0, name.size() - (isWide ? wide.size() : 0)));
  if (!t)
    return fail(ErrorCode::notFound, "no processor " + name);
  auto kernels =
      bench::LoadedKernels::load(std::string(MELD_BENCH_KERNELS) + "/kernels-" + name + ".hsaco");
  if (!kernels)
    return tl::unexpected(kernels.error());
  Subject s{std::move(*kernels), isWide ? 64 : isa::traitsOf(*t).waveSize, {}};
  for (const Way &way : kWays) {
    if (!onlyWay.empty() && onlyWay != way.name)
      continue;
    DeviceConfig c;
    c.target = *t;
    c.hostThreads = 1;
    way.set(c);
    std::string problem;
    s.gpus.push_back(Gpu::create(c, nullptr, &problem));
    if (!s.gpus.back())
      return fail(ErrorCode::internal, problem);
  }
  return s;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Speed of the software GPU, in million wave instructions per second and core"};
  std::string target = "gfx90a", relative, only, onlyWay;
  double seconds = 0.5;
  app.add_option("--target", target,
                 "Processor: gfx900, gfx90a, gfx1030, gfx1100, or either with -wave64")
      ->capture_default_str();
  app.add_option("--relative", relative,
                 "Beside this processor: lanes' instructions and work-items per second");
  app.add_option("--seconds", seconds, "Time per number")->capture_default_str();
  std::vector<std::string> classes, ways;
  for (const Class &c : kClasses)
    classes.push_back(c.kernel);
  for (const Way &way : kWays)
    ways.push_back(way.name);
  app.add_option("--class", only, "Only this class")->check(CLI::IsMember(classes));
  app.add_option("--way", onlyWay, "Only this way to execute")->check(CLI::IsMember(ways));
  CLI11_PARSE(app, argc, argv);

  std::vector<Subject> subjects; // the target and what it is beside
  for (const std::string &name : {target, relative}) {
    if (name.empty())
      continue;
    auto subject = prepare(name, onlyWay);
    if (!subject) {
      std::fprintf(stderr, "meld-bench-executor: %s\n", subject.error().message.c_str());
      return 1;
    }
    subjects.push_back(std::move(*subject));
  }
  std::printf("%s, one core, counters on: million wave instructions per second\n", target.c_str());
  if (!relative.empty())
    std::printf("(beside %s: instructions of a lane, work-items, per second)\n", relative.c_str());
  std::printf("%-10s", "class");
  for (const Way &way : kWays)
    if (onlyWay.empty() || onlyWay == way.name)
      std::printf(relative.empty() ? "  %12s" : "  %12s             ", way.name);
  std::printf("\n");
  std::vector<uint32_t> data((1 << 20) + 64);
  for (const Class &c : kClasses) {
    if (!only.empty() && only != c.kernel)
      continue;
    std::printf("%-10s", c.kernel);
    for (size_t way = 0; way < subjects[0].gpus.size(); ++way) {
      const auto s = speed(subjects, way, c, data, seconds);
      if (!s) {
        std::fprintf(stderr, "\nmeld-bench-executor: %s: %s\n", c.kernel,
                     s.error().message.c_str());
        return 1;
      }
      std::printf("  %12.1f", s->rate);
      if (!relative.empty())
        std::printf(" (%4.2f, %4.2f)", s->lanes, s->workItems);
      std::fflush(stdout);
    }
    std::printf("  %s\n", c.what);
  }
  const bool translates = onlyWay.empty() || onlyWay == "translated";
  if (translates && translate::tierStatistics().units == 0) {
    std::fprintf(
        stderr,
        "meld-bench-executor: nothing was translated: the last column is the interpreter's\n");
    return 1;
  }
  return 0;
}
