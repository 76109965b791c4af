#include "bench/runner/verified.h"

#include "bench/runner/each_case.h"
#include "bench/runner/shell.h"
#include "bench/runner/specialise.h"
#include "bench/runner/table.h"
#include "jit/variant/recipes.h"

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

  void add(const Verdict &other) {
    exitCode = other.exitCode ? other.exitCode : exitCode;
    kernels += other.kernels, dispatches += other.dispatches, equal += other.equal;
    different += other.different, notRepeatable += other.notRepeatable;
    notVerified += other.notVerified;
  }
  std::vector<std::string> row(const std::string &label) const {
    return {
        label,          exitCode ? "FAIL" : "PASS", grouped(kernels),       grouped(dispatches),
        grouped(equal), grouped(different),         grouped(notRepeatable), grouped(notVerified)};
  }
};

/// So often a program does what it does before its specialised versions are verified: the 8th launch of
/// a kernel asks for a version, and a few more show others what they have in common.
constexpr const char *kRepeats = "12";

std::vector<std::string> argumentsOf(const Case &which, const std::string &size) {
  std::vector<std::string> arguments = which.arguments;
  if (size != "default")
    arguments.insert(arguments.end(), {"--size", size});
  return arguments;
}

/// Makes the specialised versions of a program. False, with what it said, where it fails.
bool specialise(const Paths &paths, const Case &which, const std::string &size,
                std::map<std::string, std::string> environment, std::string &output) {
  environment.insert({{"MELD_ADAPT", "on"}, {"MELD_SPECIALIZE", "on"}});
  std::vector<std::string> arguments = argumentsOf(which, size);
  arguments.insert(arguments.end(), {"--repeat", kRepeats});
  const Measurement run =
      measure(paths, which.program, arguments, {"specialised", false, environment}, true);
  output = run.output;
  return run.pass;
}

/// Those of the tables and, for versions, of `meld-bench specialise`.
std::vector<Case> casesToVerify(const VerifiedOptions &options) {
  std::vector<Case> cases = casesFor(options.only, /*every=*/false);
  if (options.versions)
    for (const std::string &program : specialisedPrograms())
      if (program.find(options.only) != std::string::npos)
        cases.push_back({program, {"--pattern", "helped"}, program + " helped", Set::everyday});
  return cases;
}

/// `version`: empty for what replaces kernels by default.
Verdict verify(const Paths &paths, const Case &which, const std::string &size,
               const std::string &version) {
  const std::string report = (paths.scratch / "verified.json").string();
  std::filesystem::create_directories(paths.scratch);
  std::filesystem::remove(report);
  std::vector<std::string> argv = {paths.meld, "verify",
                                   "--report", report,
                                   "--output", paths.scratch / "verified",
                                   "--",       paths.programs / which.program};
  const std::vector<std::string> arguments = argumentsOf(which, size);
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  Verdict verdict;
  std::map<std::string, std::string> environment = {{"MELD_COMPILE_BUDGET_MS", "0"}};
  if (!version.empty())
    environment["MELD_SERVE"] = version;
  if (const jit::Recipe *recipe = jit::findRecipe(version); recipe && recipe->specialized) {
    auto first = environment;
    first.erase("MELD_SERVE");
    const auto cache = paths.scratch / "verified-cache";
    std::filesystem::remove_all(cache);
    first["MELD_CACHE_DIR"] = environment["MELD_CACHE_DIR"] = cache.string();
    if (!specialise(paths, which, size, first, verdict.output))
      return verdict;
  }
  verdict.exitCode = runProcess(argv, environment, verdict.output);
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
  std::vector<std::string> versions = {""};
  if (options.versions) {
    versions.clear();
    for (const jit::Recipe &recipe : jit::recipes)
      versions.emplace_back(recipe.name);
  }
  const std::vector<Case> cases = casesToVerify(options);
  Table table({options.versions ? "version" : "benchmark", "result", "kernels replaced",
               "dispatches", "equal", "different", "not repeatable", "not verified"});
  Verdict all;
  all.exitCode = 0;
  uint64_t programs = 0;
  for (const std::string &version : versions) {
    Verdict sum;
    sum.exitCode = 0;
    const auto run = [&](const Case &which) {
      tellProgress(which.label + (version.empty() ? "" : " as " + version));
      const Verdict v = verify(paths, which, options.size, version);
      ++programs;
      sum.add(v);
      if (v.exitCode)
        std::fprintf(stderr, "\n%s%s%s: exit code %d\n%s\n", which.label.c_str(),
                     version.empty() ? "" : " as ", version.c_str(), v.exitCode, v.output.c_str());
      if (!options.versions)
        table.add(v.row(which.label));
    };
    if (!forEachCase(cases, options.only, run))
      return 1;
    if (options.versions)
      table.add(sum.row(version));
    all.add(sum);
  }
  std::printf("%s\n%s programs, %s dispatches equal bit for bit.\n", table.text().c_str(),
              grouped(programs).c_str(), grouped(all.equal).c_str());
  return all.exitCode ? 1 : 0;
}

} // namespace meld::bench
