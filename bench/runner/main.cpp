// meld-bench: runs the benchmark programs side by side on the software GPU and prints tables.
#include "bench/hardware/hardware.h"
#include "bench/runner/choice.h"
#include "bench/runner/compile_time.h"
#include "bench/runner/demo.h"
#include "bench/runner/estimates.h"
#include "bench/runner/list.h"
#include "bench/runner/pairs.h"
#include "bench/runner/scalar.h"
#include "bench/runner/sizes.h"
#include "bench/runner/specialise.h"
#include "bench/runner/static_counts.h"
#include "bench/runner/suite.h"
#include "bench/runner/validation.h"
#include "bench/runner/verified.h"

#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  CLI::App app{"Runs the benchmark programs side by side on the software GPU and prints tables."};
  app.require_subcommand(1);
  const char *only = "Benchmarks, programs or a set with this in the name";
  CLI::App *demo = app.add_subcommand("demo", "Bitonic sort, plain and under libmeld");
  CLI::App *run =
      app.add_subcommand("run", "Every benchmark: original, each pass alone, all of libmeld");
  meld::bench::SuiteOptions options;
  run->add_option("--only", options.only, only);
  run->add_option(
         "--size", options.size,
         "Of every program's problem: small, large, or full, whose launches fill the device; "
         "otherwise full and small, with --quick small")
      ->check(CLI::IsMember({"small", "large", "full"}));
  run->add_flag("--json", options.json, "One JSON object instead of the tables");
  run->add_flag("--quick", options.quick, "One size of each program, without the passes alone");
  const auto addBands = [](CLI::App *command, bool &bands, unsigned &jobs, const char *of) {
    command->add_flag("--bands", bands, of);
    command->add_option("--jobs", jobs, "Runs at a time, with --bands (default: all cores)")
        ->check(CLI::Range(1u, 256u));
  };
  addBands(run, options.bands, options.jobs,
           "Each ratio with its least and its most over the ranges of the model's parameters: "
           "nine runs instead of one");
  run->add_option("--page", options.page,
                  "Write the results as a web page here; a run of everything writes one anyway, "
                  "results.html in the build folder");
  run->footer(
      "Other tables: ./dev bench validate, pairs, scalar, static, divergence, compile-time, "
      "overhead, nvptx or executor;\nbuild/bin/meld-bench sizes. What they show: "
      "docs/benchmarks.md.");
  CLI::App *list = app.add_subcommand("list", "Every benchmark, its program and its arguments");
  meld::bench::ListOptions listOptions;
  list->add_option("--only", listOptions.only, only);
  list->add_option("--size", listOptions.size, "Of every program's problem")
      ->check(CLI::IsMember({"small", "large", "full"}))
      ->capture_default_str();
  list->add_flag("--json", listOptions.json, "One JSON array instead of the table");
  CLI::App *sizes = app.add_subcommand(
      "sizes", "Every program in its small and its large size, original and under libmeld");
  meld::bench::SizesOptions sizesOptions;
  sizes->add_option("--only", sizesOptions.only, only);
  sizes->add_flag("--json", sizesOptions.json, "One JSON array instead of the table");
  CLI::App *verified = app.add_subcommand(
      "verify", "Every program under `meld verify`: each dispatch twice, results compared");
  meld::bench::VerifiedOptions verifiedOptions;
  verified->add_option("--only", verifiedOptions.only, only);
  verified->add_option("--size", verifiedOptions.size, "small, large, or as the tables have it")
      ->check(CLI::IsMember({"default", "small", "large"}))
      ->capture_default_str();
  verified->add_flag("--versions", verifiedOptions.versions,
                     "Each kind of version in turns (MELD_SERVE), instead of the replacement");
  CLI::App *estimates = app.add_subcommand(
      "estimate", "What was estimated of each kernel before it ran, against modelled cycles");
  meld::bench::EstimateOptions estimateOptions;
  estimates->add_option("--only", estimateOptions.only, only);
  estimates
      ->add_option("--size", estimateOptions.size, "Of every program's problem; both: full, small")
      ->check(CLI::IsMember({"both", "small", "large", "full"}))
      ->capture_default_str();
  estimates->add_flag("--all", estimateOptions.all, "All block sizes of each program");
  estimates->add_flag("--profile", estimateOptions.profile,
                      "Run each under meld profile first, and compile with MELD_PROFILE");
  estimates->add_flag("--json", estimateOptions.json, "One JSON object instead of the table");
  CLI::App *choice = app.add_subcommand(
      "choice", "What the measured choice between versions (MELD_ADAPT=on) comes to");
  meld::bench::ChoiceOptions choiceOptions;
  choice->add_option("--only", choiceOptions.only, only);
  choice->add_option("--size", choiceOptions.size, "Of every program's problem")
      ->check(CLI::IsMember({"small", "large", "full"}))
      ->capture_default_str();
  choice->add_option("--launches", choiceOptions.launches, "Of each kernel, at least")
      ->check(CLI::Range(2u, 100000u))
      ->capture_default_str();
  choice->add_option("--noise", choiceOptions.noise, "On the times, as MELD_GPU_NOISE");
  choice->add_flag("--all", choiceOptions.all, "All block sizes of each program");
  choice->add_flag("--json", choiceOptions.json, "One JSON array instead of the tables");
  addBands(choice, choiceOptions.bands, choiceOptions.jobs,
           "What the next run gains with its least and its most over the ranges of the model's "
           "parameters: eight more short runs");
  choice->add_flag("--keep", choiceOptions.keep, "Begin with what the last time has found out");
  CLI::App *specialise = app.add_subcommand(
      "specialise", "What versions for the arguments of launches (MELD_SPECIALIZE=on) come to");
  meld::bench::SpecialiseOptions specialiseOptions;
  specialise->add_option("--only", specialiseOptions.only, "Programs with this in the name");
  specialise->add_option("--size", specialiseOptions.size, "Of every program's problem")
      ->check(CLI::IsMember({"small", "large"}))
      ->capture_default_str();
  specialise->add_option("--launches", specialiseOptions.launches, "Of each kernel, at least")
      ->check(CLI::Range(2u, 100000u))
      ->capture_default_str();
  addBands(specialise, specialiseOptions.bands, specialiseOptions.jobs,
           "What the next run gains with its least and its most over the ranges of the model's "
           "parameters: eight more short runs");
  specialise->add_flag("--json", specialiseOptions.json, "One JSON array instead of the table");
  CLI::App *validate =
      app.add_subcommand("validate", "The timing model against published figures of the devices");
  bool validateJson = false;
  validate->add_flag("--json", validateJson, "One JSON array instead of the tables");
  bool published = false;
  validate->add_flag("--published", published,
                     "Instead, run the programs of the control-flow melding paper and print how "
                     "near its speedups ours are (a report: nothing is fitted to them)");
  CLI::App *pairs = app.add_subcommand(
      "pairs", "The timing model against published before/after pairs of optimisations");
  meld::bench::PairsOptions pairsOptions;
  pairs->add_option("--only", pairsOptions.only,
                    "Pairs, programs or sources with this in the name");
  pairs->add_option("--device", pairsOptions.device, "Only pairs that were measured on this one")
      ->check(CLI::IsMember({"gfx90a", "gfx900", "gfx906", "gfx908"}));
  CLI::Option *pairsQuick =
      pairs->add_flag("--quick", pairsOptions.quick,
                      "One or two of each program, in small sizes: right or wrong, no ratios");
  pairs->add_flag("--json", pairsOptions.json, "One JSON object instead of the tables")
      ->excludes(pairsQuick);
  pairs->add_flag("--markdown", pairsOptions.markdown, "The tables of docs/timing-model.md")
      ->excludes(pairsQuick);
  CLI::App *hardware = app.add_subcommand(
      "hardware", "Every program on a GPU, original and melded in turns; model against silicon. "
                  "`meld validate` is the same");
  meld::bench::HardwareOptions hardwareOptions;
  hardware->add_flag("--hardware", hardwareOptions.hardware, "Measure; writes one JSON file");
  hardware->add_option("--compare", hardwareOptions.compare, "Files to set against the model");
  hardware
      ->add_option("--device", hardwareOptions.device,
                   "gpu; software: a rehearsal on the software GPU")
      ->check(CLI::IsMember({"gpu", "software"}))
      ->capture_default_str();
  hardware->add_option("--only", hardwareOptions.only, only);
  hardware->add_option("--rounds", hardwareOptions.rounds, "Of each program")
      ->check(CLI::Range(1u, 1000u));
  hardware->add_flag("--quick", hardwareOptions.quick, "Small problems, three rounds");
  hardware->add_flag("--all", hardwareOptions.every, "All block sizes of each program");
  hardware->add_option("-o,--output", hardwareOptions.output, "The file to write");
  hardware->add_option("--model", hardwareOptions.model,
                       "With --compare: this file of the software GPU instead of running it now");
  hardware->add_flag("--json", hardwareOptions.json, "One JSON array instead of the tables");
  CLI::App *compileTime = app.add_subcommand(
      "compile-time", "The passes' share of the time to compile, and how it grows");
  meld::bench::CompileTimeOptions compileOptions;
  compileTime->add_option("--only", compileOptions.only, only);
  compileTime->add_flag("--json", compileOptions.json, "One JSON object instead of the tables");
  compileTime->add_flag("--quick", compileOptions.quick, "Two programs, two lengths, one run each");
  CLI::App *scalar = app.add_subcommand(
      "scalar", "What is the same in all threads of a wave, and what scalarization makes of it");
  meld::bench::ScalarOptions scalarOptions;
  scalar->add_option("--only", scalarOptions.only, only);
  scalar->add_flag("--gap", scalarOptions.gap,
                   "Only what the oracle sees and no analysis claims, by the reason why not");
  scalar->add_flag("--json", scalarOptions.json, "One JSON array instead of the tables");
  CLI::App *counts = app.add_subcommand(
      "static", "Instructions, registers and occupancy of each kernel, original and melded");
  meld::bench::StaticOptions staticOptions;
  counts->add_option("--only", staticOptions.only, only);
  counts->add_option("--arch", staticOptions.processors, "Processors")->capture_default_str();
  counts->add_flag("--all", staticOptions.every, "Also the programs outside the melding paper");
  counts->add_flag("--json", staticOptions.json, "One JSON array instead of the table");
  CLI11_PARSE(app, argc, argv);
  const auto paths = meld::bench::Paths::fromExecutable();
  if (demo->parsed())
    return meld::bench::runDemo(paths);
  if (run->parsed())
    return meld::bench::runSuite(paths, options);
  if (list->parsed())
    return meld::bench::runList(listOptions);
  if (sizes->parsed())
    return meld::bench::runSizes(paths, sizesOptions);
  if (verified->parsed())
    return meld::bench::runVerified(paths, verifiedOptions);
  if (estimates->parsed())
    return meld::bench::runEstimates(paths, estimateOptions);
  if (choice->parsed())
    return meld::bench::runChoice(paths, choiceOptions);
  if (specialise->parsed())
    return meld::bench::runSpecialise(paths, specialiseOptions);
  if (validate->parsed() && published) {
    meld::bench::SuiteOptions melding;
    melding.only = "melding";
    melding.json = validateJson;
    return meld::bench::runSuite(paths, melding);
  }
  if (validate->parsed())
    return meld::bench::runValidation(paths, validateJson);
  if (pairs->parsed())
    return meld::bench::runPairs(paths, pairsOptions);
  if (hardware->parsed())
    return meld::bench::runHardware(paths, hardwareOptions);
  if (compileTime->parsed())
    return meld::bench::runCompileTime(paths, compileOptions);
  if (scalar->parsed())
    return meld::bench::runScalar(paths, scalarOptions);
  if (counts->parsed())
    return meld::bench::runStatic(paths, staticOptions);
  return 2;
}
