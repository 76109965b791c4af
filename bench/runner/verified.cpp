#include "bench/runner/verified.h"

#include "bench/runner/each_case.h"
#include "bench/runner/shell.h"
#include "bench/runner/table.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace meld::bench {

namespace {

/// What one program's verification came to, summed over its kernels.
struct Verdict {
  int exitCode = -1;
  uint64_t kernels = 0, dispatches = 0, equal = 0, different = 0, notRepeatable = 0,
           notVerified = 0;
  std::string output;
};

Verdict verify(const Paths &paths, const Case &which, const std::string &size) {
  const std::string report = (paths.scratch / "verified.json").string();
  std::filesystem::create_directories(paths.scratch);
  std::filesystem::remove(report);
  std::vector<std::string> argv = {paths.meld, "verify",
                                   "--report", report,
                                   "--output", paths.scratch / "verified",
                                   "--",       paths.programs / which.program};
  argv.insert(argv.end(), which.arguments.begin(), which.arguments.end());
  if (size != "default")
    argv.insert(argv.end(), {"--size", size});
  Verdict verdict;
  verdict.exitCode = runProcess(argv, {{"MELD_COMPILE_BUDGET_MS", "0"}}, verdict.output);
  std::ifstream file(report);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded())
    return verdict;
  for (const auto &kernel : json["kernels"]) {
    ++verdict.kernels;
    verdict.dispatches += kernel.value("dispatches", uint64_t(0));
    verdict.equal += kernel.value("equal", uint64_t(0));
    verdict.different += kernel.value("different", uint64_t(0));
    verdict.notRepeatable += kernel.value("notRepeatable", uint64_t(0));
    for (const auto &[reason, count] : kernel["notVerified"].items())
      verdict.notVerified += count.get<uint64_t>();
  }
  return verdict;
}

} // namespace

int runVerified(const Paths &paths, const VerifiedOptions &options) {
  Table table({"benchmark", "result", "kernels replaced", "dispatches", "equal", "different",
               "not repeatable", "not verified"});
  bool ok = true;
  uint64_t programs = 0, equal = 0;
  const auto run = [&](const Case &which) {
    const Verdict v = verify(paths, which, options.size);
    ++programs, equal += v.equal;
    if (v.exitCode) {
      ok = false;
      std::fprintf(stderr, "\n%s: exit code %d\n%s\n", which.label.c_str(), v.exitCode,
                   v.output.c_str());
    }
    table.add({which.label, v.exitCode ? "FAIL" : "PASS", grouped(v.kernels), grouped(v.dispatches),
               grouped(v.equal), grouped(v.different), grouped(v.notRepeatable),
               grouped(v.notVerified)});
  };
  if (!forEachCase(options.only, /*every=*/false, run))
    return 1;
  std::printf("%s\n%s programs, %s dispatches equal bit for bit.\n", table.text().c_str(),
              grouped(programs).c_str(), grouped(equal).c_str());
  return ok ? 0 : 1;
}

} // namespace meld::bench
