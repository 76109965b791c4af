// meld-fuzz-kernels: random kernels, melded against unmelded, on the software GPU, bit for bit.
//
//   meld-fuzz-kernels --count 2000 [--seed 1] [--cpu gfx90a] [--keep DIR]
//   meld-fuzz-kernels --flatten        nests of loops, flattened against nested
//   meld-fuzz-kernels --delay          loops with a side, delayed against as it was
//   meld-fuzz-kernels --nests          the same, with kernels made of nests (kernel_nests.cpp)
//   meld-fuzz-kernels --against CPU    one kernel's code for two targets: each is executed by what the
//                                      software GPU has for it, and leaves the same memory
//
// Every seed is one kernel (kernel_ast.h). It is compiled twice through the product's own pipeline:
// as it is, and with the passes in; odd seeds meld whatever is legal, however unprofitable. Both
// run on the same inputs. A difference, a compiler failure or a fault is a finding: its seed is
// printed and, with --keep, the IR is written. Exit code 1 when anything was found. A kernel whose
// plain code LLVM does not finish within --limit seconds, or gets wrong by two other compilations
// without our passes, is skipped and counted; one that only the melded code keeps LLVM busy with is
// a finding. One whose melded code the product's verdict would refuse for a fault of LLVM that it
// knows (cost/estimate.h) is counted as refused.
#include "runtime/softgpu/isa/inst.h"
#include "tests/fuzz/kernel_compare.h"
#include "tests/fuzz/kernel_crew.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace meld;
using namespace meld::fuzz;

namespace {

void print(const Setup &setup, const Tally &total) {
  std::printf(
      "%llu kernels, %llu with something melded (%llu regions), %llu skipped, %llu refused, "
      "%llu findings\n",
      static_cast<unsigned long long>(total.kernels), static_cast<unsigned long long>(total.melded),
      static_cast<unsigned long long>(total.regions),
      static_cast<unsigned long long>(total.skipped),
      static_cast<unsigned long long>(total.refused),
      static_cast<unsigned long long>(total.findings));
  const double lanes = softgpu::isa::traitsOf(setup.target.executor()).waveSize;
  if (!setup.flat.empty() && total.plainVector && total.meldedVector)
    std::printf(
        "%llu nests flattened, %llu left; more lanes active in %llu kernels, fewer in %llu\n"
        "nested: %llu instructions, %.1f %% of lanes active; flat: %llu, %.1f %%\n",
        static_cast<unsigned long long>(total.flat), static_cast<unsigned long long>(total.left),
        static_cast<unsigned long long>(total.moreActive),
        static_cast<unsigned long long>(total.fewerActive),
        static_cast<unsigned long long>(total.plainInstructions),
        100.0 * double(total.plainLanes) / (lanes * double(total.plainVector)),
        static_cast<unsigned long long>(total.meldedInstructions),
        100.0 * double(total.meldedLanes) / (lanes * double(total.meldedVector)));
}

nlohmann::json summary(const Setup &setup, uint64_t first, const Tally &total) {
  return {{"cpu", setup.target.cpu},
          {"generator", setup.generator},
          {"first seed", first},
          {"kernels", total.kernels},
          {"melded kernels", total.melded},
          {"melded regions", total.regions},
          {"instructions plain", total.plainInstructions},
          {"instructions melded", total.meldedInstructions},
          {"skipped", total.skipped},
          {"refused", total.refused},
          {"findings", total.findings}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Random kernels, melded against unmelded on the software GPU, bit for bit."};
  uint64_t count = 2000, seed = 1;
  unsigned jobs = 2;
  Setup setup;
  std::string reportFile;
  app.add_option("--count", count, "Kernels to try")->capture_default_str();
  app.add_option("--seed", seed, "First seed")->capture_default_str();
  app.add_option("--jobs", jobs, "Worker processes")->capture_default_str();
  app.add_option("--cpu", setup.target.cpu,
                 "Target: gfx90a, gfx900, gfx942, gfx950, gfx1030, gfx1030-wave64, gfx1100, "
                 "gfx1100-wave64, gfx1201 or gfx1201-wave64")
      ->capture_default_str()
      ->check(checkCpu);
  app.add_option("--generator", setup.generator, "Of kernels: 1 to 6; old findings keep theirs")
      ->capture_default_str()
      ->check(CLI::Range(1u, newestGenerator));
  app.add_option("--limit", setup.limit, "Seconds for one kernel")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_flag("--tiers", setup.tiers,
               "Interpreted against translated, instead of plain against melded");
  app.add_option(
         "--against", setup.other.cpu,
         "Code for this target against the same kernel's for --cpu, instead of plain against "
         "melded")
      ->check(checkCpu);
  app.add_flag_callback(
      "--flatten", [&] { setup.flat = "flatten-loops"; },
      "Only kernels with nests of loops that meld-flatten-loops takes, with steps and lanes "
      "by their seed; prints active lanes of both");
  app.add_flag_callback(
      "--delay", [&] { setup.flat = "delay-iterations"; },
      "The same of loops that meld-delay-iterations takes");
  bool nests = false;
  app.add_flag(
      "--nests", nests,
      "Kernels made of nests of loops: --flatten, or --delay where it is asked for, --generator 5");
  app.add_flag("--why", setup.why, "Print what became of each nest");
  app.add_option("--report", reportFile, "Write a summary as JSON");
  app.add_flag("--no-early", setup.noEarly, "Leave the early pipeline point out");
  app.add_flag("--no-late", setup.noLate, "Leave the late pipeline point out");
  CLI::Option *passes = app.add_option("--passes", setup.passes, "As MELD_PASSES");
  app.add_option("--meldings", setup.meldings,
                 "Only so many meldings of a kernel, to find the one to blame");
  app.add_option("--keep", setup.keep, "Folder for the IR of findings");
  std::vector<std::string> objects;
  app.add_option("--objects", objects,
                 "Only run these code objects on the inputs of --seed and compare");
  for (const char *chosenBySeed : {"--flatten", "--delay", "--nests"})
    passes->excludes(chosenBySeed);
  CLI11_PARSE(app, argc, argv);
  if (nests && setup.flat.empty())
    setup.flat = "flatten-loops";
  if (nests)
    setup.generator = nestGenerator;
  if (!objects.empty())
    return compareObjects(setup, seed, objects);

  const Tally total = runSeeds(setup, seed, count, jobs);
  if (isatty(2))
    std::fprintf(stderr, "\r\033[K");
  print(setup, total);
  if (!reportFile.empty() &&
      !(std::ofstream(reportFile) << summary(setup, seed, total).dump(2) << "\n")) {
    std::fprintf(stderr, "cannot write %s\n", reportFile.c_str());
    return 2;
  }
  return total.findings ? 1 : 0;
}
