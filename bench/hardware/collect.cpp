#include "bench/hardware/collect.h"

#include "bench/hardware/device.h"
#include "bench/runner/each_case.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <sstream>
#include <unistd.h>

namespace meld::bench {

namespace {

constexpr const char *kSysfs = "/sys";

/// What somebody sees whose device cannot run the programs.
std::string cannotRun(const Target &target, const TimedRun &run) {
  std::string text = "the microbenchmarks do not run: exit code " + std::to_string(run.exitCode) +
                     "\n" + run.output;
  if (target.software)
    return text;
  std::string names;
  for (const std::string &name : installedGpus(kSysfs))
    names += (names.empty() ? "" : ";") + name;
  return text + "\nThe GPUs here: " + (names.empty() ? "none that the driver lists" : names) +
         ". The programs need code for them:\n  cmake -B build -DMELD_BENCH_ARCHS=\"" +
         (names.empty() ? "gfx..." : names) + "\" && cmake --build build --target bench_kernels\n";
}

/// The microbenchmarks' launches of one run. Errors: badInput.
Result<void> addMicro(Record &record, const TimedRun &run) {
  std::vector<MicroTimes> launches;
  std::istringstream in(run.output);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string tag, name;
    double operations = 0;
    if (words >> tag >> name >> operations && tag == "micro")
      launches.push_back({name, {operations}, {}});
  }
  if (launches.empty() || launches.size() != run.launches.size())
    return fail(ErrorCode::badInput, "the microbenchmarks told of " +
                                         std::to_string(launches.size()) + " launches, and " +
                                         std::to_string(run.launches.size()) + " were timed");
  if (record.micro.empty())
    for (const MicroTimes &one : launches)
      record.micro.push_back({one.name, {}, {}});
  if (record.micro.size() != launches.size())
    return fail(ErrorCode::badInput, "the microbenchmarks are others than those of the file");
  for (size_t i = 0; i < launches.size(); ++i) {
    record.micro[i].operations.push_back(launches[i].operations.front());
    record.micro[i].nanoseconds.push_back(run.launches[i].nanoseconds);
  }
  return {};
}

const char *nameOf(Code code) { return code == Code::original ? "original" : "melded"; }

/// One program, both codes. What fails is written into it.
void measureOnce(const Target &target, const Case &which, const RecordOptions &options,
                 unsigned round, ProgramTimes &program) {
  std::vector<std::string> arguments = program.arguments;
  if (options.repeats > 1)
    arguments.insert(arguments.end(), {"--repeat", std::to_string(options.repeats)});
  // Who is first changes: what drifts, or warms up, is then no gain of the second.
  std::vector<Code> order = {Code::original, Code::melded};
  if (round % 2)
    std::reverse(order.begin(), order.end());
  std::map<std::string, std::pair<double, unsigned>> sums[2];
  for (Code code : order) {
    const TimedRun run = target.run(which.program, arguments, code, target.software && round == 0);
    const auto failed = [&](const std::string &why) {
      program.failure = std::string(nameOf(code)) + ": " + why;
      std::fprintf(stderr, "\n%s, %s\n%s\n", program.benchmark.c_str(), program.failure.c_str(),
                   run.output.c_str());
    };
    if (run.exitCode != 0)
      return failed("exit code " + std::to_string(run.exitCode));
    auto sum = sumsOf(run.launches, options.repeats);
    if (!sum)
      return failed(sum.error().message);
    sums[code == Code::melded] = std::move(*sum);
    if (code == Code::melded)
      program.replaced = program.replaced || run.replaced;
    if (!run.counters.empty())
      (code == Code::melded ? program.meldedCounters : program.originalCounters) = run.counters;
  }
  for (const auto &[kernel, original] : sums[0])
    if (const auto melded = sums[1].find(kernel); melded == sums[1].end() ||
                                                  melded->second.second != original.second ||
                                                  sums[0].size() != sums[1].size()) {
      program.failure = "original and melded launch different kernels";
      return;
    }
  for (const auto &[kernel, original] : sums[0]) {
    KernelTimes &times = program.kernels[kernel];
    times.launches = original.second;
    times.original.push_back(original.first);
    times.melded.push_back(sums[1].at(kernel).first);
  }
}

void countOnce(const Target &target, const Case &which, ProgramTimes &program) {
  for (Code code : {Code::original, Code::melded}) {
    TimedRun run = target.run(which.program, program.arguments, code, true);
    if (run.exitCode == 0)
      (code == Code::melded ? program.meldedCounters : program.originalCounters) =
          std::move(run.counters);
  }
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[16];
  return gmtime_r(&now, &parts) && std::strftime(text, sizeof text, "%Y-%m-%d", &parts) ? text : "";
}

/// "round 3 of 20, 14 of 57: BIT 64; 12 minutes left".
class Progress {
public:
  Progress(size_t rounds, size_t programs) : rounds_(rounds), programs_(programs) {}
  void tell(size_t round, size_t program, const std::string &what) {
    std::string text = "round " + std::to_string(round + 1) + " of " + std::to_string(rounds_) +
                       ", " + std::to_string(program + 1) + " of " + std::to_string(programs_) +
                       ": " + what;
    const size_t left = (rounds_ - round) * programs_ - program;
    if (done_ >= programs_) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
      const double minutes = passed.count() / double(done_) * double(left) / 60;
      text += "; about " + std::to_string(static_cast<int>(minutes) + 1) + " minutes left";
    }
    tellProgress(text);
    ++done_;
  }

private:
  size_t rounds_, programs_, done_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace

Result<std::vector<Case>> casesOf(const RecordOptions &options) {
  std::vector<Case> cases = casesCalled(options.only);
  if (!options.every && options.only.empty())
    std::erase_if(cases, [](const Case &c) { return !c.quick; });
  // A program of two sets is run once.
  std::vector<Case> once;
  for (const Case &c : cases)
    if (std::none_of(once.begin(), once.end(),
                     [&](const Case &other) { return other.label == c.label; }))
      once.push_back(c);
  if (once.empty())
    return fail(ErrorCode::notFound, unknownName(options.only));
  return once;
}

std::string otherOptions(const RecordOptions &left, const RecordOptions &right) {
  if (left.size != right.size)
    return "size " + left.size + ", here " + right.size;
  if (left.rounds != right.rounds)
    return std::to_string(left.rounds) + " rounds, here " + std::to_string(right.rounds);
  if (left.repeats != right.repeats || left.microTimes != right.microTimes)
    return "other repetitions";
  if (left.only != right.only || left.every != right.every)
    return "other benchmarks";
  return "";
}

Result<void> collect(const Target &target, const std::vector<Case> &cases, Record &record,
                     const std::function<Result<void>(const Record &)> &save) {
  std::error_code error;
  if (!std::filesystem::exists(target.timesLibrary(), error))
    return fail(ErrorCode::notFound, target.timesLibrary().string() + " is not there");
  const RecordOptions &options = record.options;
  std::vector<std::string> microArguments = {"--times", std::to_string(options.microTimes)};
  if (!target.software)
    microArguments.emplace_back("--clock");
  const auto microRun = [&]() -> Result<TimedRun> {
    TimedRun run = target.run("micro", microArguments, Code::original, false);
    if (run.exitCode != 0)
      return fail(ErrorCode::unsupported, cannotRun(target, run));
    return run;
  };

  tellProgress("microbenchmarks");
  TimedRun first = MELD_TRY(microRun());
  DeviceFacts facts = MELD_TRY(factsOf(first.output));
  facts.software = target.software;
  if (facts.software)
    facts.kernel.clear(); // the host's has no part in it
  const DeviceFacts &known = record.device;
  if (!known.arch.empty() && (known.arch != facts.arch || known.software != facts.software ||
                              known.computeUnits != facts.computeUnits))
    return fail(ErrorCode::badInput, "the file is of another device: " + known.name + ", " +
                                         known.arch + "; this is " + facts.name + ", " +
                                         facts.arch);
  record.device = facts;
  if (record.date.empty())
    record.date = today();
  PowerSampler power(target.software ? std::filesystem::path()
                                     : sysfsFolderOf(first.output, kSysfs));
  record.performanceLevel = power.performanceLevel();
  record.powerProfile = power.powerProfile();
  for (const Case &which : cases)
    if (!record.find(which.label)) {
      ProgramTimes program;
      program.benchmark = which.label;
      program.set = bench::nameOf(which.set);
      program.arguments = which.arguments;
      program.arguments.insert(program.arguments.end(),
                               {"--size", problemOf(which, options.size).size});
      record.programs.push_back(std::move(program));
    }

  Progress progress(options.rounds, cases.size());
  for (unsigned round = 0; round < options.rounds; ++round) {
    const size_t microRounds = record.micro.empty() ? 0 : record.micro.front().nanoseconds.size();
    if (microRounds <= round) {
      if (round)
        first = MELD_TRY(microRun());
      MELD_TRY(addMicro(record, first));
    }
    bool any = false;
    for (size_t i = 0; i < cases.size(); ++i) {
      ProgramTimes &program = *record.find(cases[i].label);
      if (!program.failure.empty() || program.rounds() > round)
        continue;
      any = true;
      progress.tell(round, i, program.benchmark);
      measureOnce(target, cases[i], options, round, program);
      MELD_TRY(save(record));
    }
    if (any && !target.software)
      record.power.push_back(power.take());
  }

  record.counterTool = "the software GPU";
  if (!target.software) {
    const bool there = !profilerPath().empty();
    record.counterTool = there ? "rocprofv3" : "none: rocprofv3 is not there";
    bool any = false;
    for (size_t i = 0; there && i < cases.size(); ++i) {
      ProgramTimes &program = *record.find(cases[i].label);
      tellProgress("counters, " + std::to_string(i + 1) + " of " + std::to_string(cases.size()) +
                   ": " + program.benchmark);
      if (program.failure.empty())
        countOnce(target, cases[i], program);
      any = any || !program.originalCounters.empty();
    }
    if (there && !any)
      record.counterTool = "none: rocprofv3 counted nothing";
  }
  tellProgress("");
  record.complete = true;
  return save(record);
}

} // namespace meld::bench
