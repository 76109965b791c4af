#include "bench/runner/compile_time.h"

#include "bench/runner/cases.h"
#include "bench/runner/geomean.h"
#include "bench/runner/shell.h"
#include "bench/runner/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace meld::bench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct Times {
  double passes = std::numeric_limits<double>::infinity();  ///< milliseconds, one run of them
  double codegen = std::numeric_limits<double>::infinity(); ///< milliseconds, one run of it
  double ours = std::numeric_limits<double>::infinity();    ///< the whole compile
  double plain = std::numeric_limits<double>::infinity();   ///< the same without our passes
  unsigned rounds = 0;                                      ///< how often the optimiser ran
  bool ok() const { return std::isfinite(passes) && codegen > 0 && plain > 0 && ours > 0; }
  double share() const { return passes / codegen; }
  double ratio() const { return ours / plain; }
};

/// `timings` of one compile; null when there are none.
json timingsOf(const Paths &paths, const fs::path &file, bool plain) {
  const fs::path object = paths.scratch / ("compile-time." + std::to_string(getpid()) + ".co");
  const std::string output =
      outputOf(std::string("env MELD_COMPILE_BUDGET_MS=0 ") + (plain ? "MELD_PASSES=none " : "") +
               quoted(paths.meld.string()) + " compile " + quoted(file.string()) + " -o " +
               quoted(object.string()) + " --format json 2>/dev/null");
  fs::remove(object);
  const json data = json::parse(output, nullptr, /*allow_exceptions=*/false);
  if (data.is_discarded() || data.value("verdict", "failed") == "failed" ||
      !data.contains("metadata") || !data["metadata"].contains("timings"))
    return nullptr;
  return data["metadata"]["timings"];
}

Times timesOf(const Paths &paths, const fs::path &file, unsigned runs) {
  Times best;
  for (unsigned run = 0; run < runs; ++run) {
    const json melded = timingsOf(paths, file, false), plain = timingsOf(paths, file, true);
    if (melded.is_null() || plain.is_null())
      return {};
    best.rounds = std::max(1u, melded.value("rounds", 1u));
    best.passes = std::min(best.passes, melded.value("firstPassesMs", 0.0));
    best.codegen = std::min(best.codegen, plain.value("codegenMs", 0.0));
    best.ours = std::min(best.ours, melded.value("cpuMs", 0.0));
    best.plain = std::min(best.plain, plain.value("cpuMs", 0.0));
  }
  return best;
}

json toJson(const Times &times) {
  return {{"passesMs", times.passes}, {"codegenMs", times.codegen}, {"share", times.share()},
          {"oursMs", times.ours},     {"plainMs", times.plain},     {"ratio", times.ratio()},
          {"rounds", times.rounds}};
}

std::string percent(double share) { return decimal(100 * share, 0); }

const char *verdict(bool holds) { return holds ? "within" : "above"; }

/// Where the kernel for one length was compiled to; empty when that failed.
fs::path armsObject(const Paths &paths, unsigned instructions) {
  const fs::path base = paths.scratch / ("arms" + std::to_string(instructions));
  const fs::path source = base.string() + ".hip", object = base.string() + ".co";
  std::ofstream(source) << armsSource(instructions);
  const std::string command =
      std::string(MELD_BENCH_HIPCC) +
      " --offload-arch=gfx90a -O3 -Xclang -fembed-bitcode=all --cuda-device-only "
      "--no-gpu-bundle-output -c " +
      quoted(source.string()) + " -o " + quoted(object.string());
  fs::remove(object);
  outputOf(command);
  return fs::exists(object) ? object : fs::path();
}

} // namespace

std::string armsSource(unsigned instructions) {
  std::string text = "#include <hip/hip_runtime.h>\n"
                     "__global__ void arms(unsigned *p, unsigned k) {\n"
                     "  unsigned *q = p + threadIdx.x, x = *q;\n"
                     "  if (threadIdx.x & 1) {\n";
  for (const char *factor : {"3", "5"}) {
    for (unsigned i = 0; i < instructions; ++i)
      text += std::string("    x ") + (i % 2 ? "^=" : "*=") + " " + (i % 10 == 0 ? factor : "k") +
              ";\n";
    text += factor[0] == '3' ? "  } else {\n" : "  }\n  *q = x;\n}\n";
  }
  return text;
}

double growthExponent(const std::vector<std::pair<double, double>> &points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (auto [x, y] : points) {
    const double lx = std::log(x), ly = std::log(y);
    n += 1;
    sx += lx;
    sy += ly;
    sxx += lx * lx;
    sxy += lx * ly;
  }
  const double spread = n * sxx - sx * sx;
  return spread > 0 ? (n * sxy - sx * sy) / spread : std::numeric_limits<double>::quiet_NaN();
}

Ratios summaryOf(const std::vector<Ratio> &ratios) {
  Ratios summary;
  Geomean mean;
  double ours = 0, plain = 0;
  for (const Ratio &one : ratios) {
    const double ratio = one.ours / one.plain;
    mean.add(ratio);
    ours += one.ours;
    plain += one.plain;
    if (ratio > summary.worst) {
      summary.worst = ratio;
      summary.worstProgram = one.program;
    }
  }
  if (!ratios.empty()) {
    summary.mean = mean.value();
    summary.ofAll = ours / plain;
  }
  return summary;
}

int runCompileTime(const Paths &paths, const CompileTimeOptions &options) {
  fs::create_directories(paths.scratch);
  const unsigned runs = options.quick ? 1 : 5;
  bool ok = true;
  auto failed = [&](const std::string &what) {
    std::fprintf(stderr, "meld-bench: %s could not be compiled\n", what.c_str());
    ok = false;
  };

  json report{{"programs", json::array()}, {"arms", json::array()}};
  Table programs({"program", "passes ms", "codegen ms", "share %", "comgr's own ms", "ours ms",
                  "ratio", "rounds", "limit"});
  std::vector<std::string> seen;
  double most = 0;
  std::vector<Ratio> ratios;
  const auto cases = casesCalled(options.only);
  if (cases.empty()) {
    std::fprintf(stderr, "meld-bench: %s\n", unknownName(options.only).c_str());
    return 1;
  }
  for (const Case &c : cases) {
    if (std::find(seen.begin(), seen.end(), c.program) != seen.end() ||
        (options.quick && seen.size() == 2))
      continue;
    seen.push_back(c.program);
    const Times times = timesOf(paths, paths.programs / c.program, runs);
    if (!times.ok()) {
      failed(c.program);
      continue;
    }
    most = std::max(most, times.share());
    ratios.push_back({c.program, times.ours, times.plain});
    programs.add({c.program, decimal(times.passes, 1), decimal(times.codegen, 1),
                  percent(times.share()), decimal(times.plain, 1), decimal(times.ours, 1),
                  decimal(times.ratio(), 2), std::to_string(times.rounds),
                  verdict(times.share() <= mostPassShare)});
    json row = toJson(times);
    row["program"] = c.program;
    row["within"] = times.share() <= mostPassShare;
    report["programs"].push_back(std::move(row));
  }

  Table arms({"instructions a side", "passes ms", "codegen ms", "share %"});
  std::vector<std::pair<double, double>> points;
  const std::vector<unsigned> lengths = options.quick
                                            ? std::vector<unsigned>{100, 200}
                                            : std::vector<unsigned>{100, 200, 500, 1000, 2000};
  for (unsigned length : lengths) {
    const fs::path object = armsObject(paths, length);
    const Times times = object.empty() ? Times() : timesOf(paths, object, runs);
    if (!times.ok()) {
      failed("the kernel with sides of " + std::to_string(length) + " instructions");
      continue;
    }
    points.push_back({length, times.passes});
    arms.add({std::to_string(length), decimal(times.passes, 1), decimal(times.codegen, 1),
              percent(times.share())});
    json row = toJson(times);
    row["instructions"] = length;
    report["arms"].push_back(std::move(row));
  }
  const Ratios summary = summaryOf(ratios);
  report["ratio"] = {{"mean", summary.mean},
                     {"worst", summary.worst},
                     {"worstProgram", summary.worstProgram},
                     {"ofAll", summary.ofAll}};
  const double exponent = growthExponent(points);
  report["mostShare"] = most;
  report["exponent"] = std::isfinite(exponent) ? json(exponent) : json(nullptr);
  const bool shareHolds = most <= mostPassShare;
  const bool growthHolds = points.size() < 2 || exponent <= mostExponent;
  report["shareHolds"] = shareHolds;
  report["growthHolds"] = growthHolds;
  ok &= options.quick || (shareHolds && growthHolds);
  if (options.json) {
    std::printf("%s\n", report.dump(2).c_str());
    return ok ? 0 : 1;
  }
  std::printf("%s\nmost: %.0f %% of code generation (limit %.0f %%: %s)\n"
              "the whole compile over comgr's own: mean %.2f (geometric), worst %.2f (%s), all "
              "programs together %.2f\n\n%s\n"
              "growth with the length of the sides: n^%.2f (limit n^%.1f: %s)\n",
              programs.text().c_str(), 100 * most, 100 * mostPassShare, verdict(shareHolds),
              summary.mean, summary.worst, summary.worstProgram.c_str(), summary.ofAll,
              arms.text().c_str(), exponent, mostExponent, verdict(growthHolds));
  if (options.quick)
    std::printf("A quick run measures once and judges nothing.\n");
  return ok ? 0 : 1;
}

} // namespace meld::bench
