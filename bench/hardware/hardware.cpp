#include "bench/hardware/hardware.h"

#include "bench/hardware/collect.h"
#include "bench/hardware/compare.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/timing/parameters.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace meld::bench {

namespace fs = std::filesystem;

namespace {

/// Of the microbenchmarks' bodies on the software GPU, whose times have no noise: enough for what comes
/// once, as fetching the code, to be a hundredth.
constexpr unsigned kSoftwareTimes = 64;

int complain(const std::string &message, int status = 1) {
  std::fprintf(stderr, "meld validate: %s\n", message.c_str());
  return status;
}

RecordOptions recordOptions(const HardwareOptions &options) {
  const bool software = options.device == "software";
  RecordOptions record;
  record.rounds = options.rounds ? options.rounds : software ? 2 : options.quick ? 3 : 20;
  record.size = options.quick ? "small" : "full";
  record.only = options.only;
  record.every = options.every;
  if (software) { // the same in every run, and nothing to warm up
    record.repeats = 1;
    record.microTimes = kSoftwareTimes;
  }
  return record;
}

/// What is there of the file already. Errors: the file is something else.
Result<Record> begunRecord(const std::string &file, const RecordOptions &options) {
  Record fresh;
  fresh.options = options;
  if (::access(file.c_str(), F_OK) != 0)
    return fresh;
  Record begun = MELD_TRY(readRecord(file));
  if (begun.complete)
    return fail(ErrorCode::badInput, file + " is complete; name another file with -o");
  if (const std::string other = otherOptions(begun.options, options); !other.empty())
    return fail(ErrorCode::badInput, file + " was begun otherwise (" + other +
                                         "); name another file with -o, or remove it");
  std::fprintf(stderr, "going on with %s\n", file.c_str());
  return begun;
}

int measureDevice(const Paths &paths, const HardwareOptions &options) {
  const Target target{paths, options.device == "software"};
  if (!target.software && ::access("/dev/kfd", R_OK | W_OK) != 0)
    return complain("no AMD GPU can be used here: /dev/kfd is missing, or not yours to open (the "
                    "groups render and video have it). --device software rehearses on the "
                    "software GPU");
  const auto cases = casesOf(recordOptions(options));
  if (!cases)
    return complain(cases.error().message, 2);
  const std::string file = options.output.empty() ? "libmeld-hardware.json" : options.output;
  auto record = begunRecord(file, recordOptions(options));
  if (!record)
    return complain(record.error().message);
  const auto done =
      collect(target, *cases, *record, [&](const Record &so) { return writeRecord(file, so); });
  if (!done)
    return complain(done.error().message);
  unsigned failed = 0;
  for (const ProgramTimes &program : record->programs)
    failed += !program.failure.empty();
  std::printf("%s%zu programs, %u failed; written to %s\n", describe(*record).c_str(),
              record->programs.size(), failed, file.c_str());
  return failed ? 1 : 0;
}

/// The model's record of what `of` was measured with: its device, its programs, its sizes.
Result<Record> modelled(const Paths &paths, const Record &of) {
  const std::string gfx = of.device.gfx();
  const auto target = softgpu::isa::targetFromName(gfx);
  if (!target || softgpu::isa::targetName(*target) != gfx)
    return fail(ErrorCode::unsupported,
                gfx + " is not modelled; --model FILE compares with a record of another device");
  // A device of several dies, each with caches and a dispatcher of its own, is no larger die.
  unsigned die = 0;
  for (const softgpu::TimingRange &range : softgpu::timingRanges(*target))
    if (range.name == "dispatchUnits")
      die = range.value;
  const unsigned units = of.device.computeUnits;
  if (!units || units >= 2 * die)
    return fail(ErrorCode::unsupported,
                std::to_string(units) + " compute units are not modelled: " + gfx +
                    " is one die of " + std::to_string(die) +
                    ". Measure one die (partition mode CPX), or compare with "
                    "--model FILE");
  std::vector<Case> cases;
  for (const Case &which : allCases()) {
    const bool known = std::any_of(cases.begin(), cases.end(),
                                   [&](const Case &c) { return c.label == which.label; });
    if (of.find(which.label) && !known)
      cases.push_back(which);
  }
  Record record;
  record.options = of.options;
  record.options.rounds = record.options.repeats = 1;
  record.options.microTimes = kSoftwareTimes;
  const Target software{
      paths, true, {{"MELD_GPU", gfx}, {"MELD_GPU_CUS", std::to_string(of.device.computeUnits)}}};
  MELD_TRY(collect(software, cases, record, [](const Record &) { return Result<void>(); }));
  return record;
}

bool sameQuestion(const Record &left, const Record &right) {
  const auto labels = [](const Record &record) {
    std::vector<std::string> all;
    for (const ProgramTimes &program : record.programs)
      all.push_back(program.benchmark);
    return all;
  };
  return left.device.gfx() == right.device.gfx() &&
         left.device.computeUnits == right.device.computeUnits &&
         left.options.size == right.options.size && labels(left) == labels(right);
}

int compareFiles(const Paths &paths, const HardwareOptions &options) {
  std::vector<Record> records;
  for (const std::string &file : options.compare) {
    auto record = readRecord(file);
    if (!record)
      return complain(record.error().message);
    records.push_back(std::move(*record));
  }
  Record model;
  if (!options.model.empty()) {
    auto record = readRecord(options.model);
    if (!record)
      return complain(record.error().message);
    model = std::move(*record);
  }
  nlohmann::json all = nlohmann::json::array();
  bool any = false;
  for (size_t i = 0; i < records.size(); ++i) {
    const Record &silicon = records[i];
    if (options.model.empty() && (i == 0 || !sameQuestion(records[i - 1], silicon))) {
      auto record = modelled(paths, silicon);
      if (!record)
        return complain(options.compare[i] + ": " + record.error().message);
      model = std::move(*record);
      if (!options.output.empty())
        if (auto written = writeRecord(options.output, model); !written)
          return complain(written.error().message);
    }
    const Comparison comparison = compare(model, silicon);
    any = any || !comparison.kernels.empty();
    if (options.json)
      all.push_back(toJson(comparison, silicon));
    else
      std::printf("%s%s: %s\n", i ? "\n" : "", options.compare[i].c_str(),
                  comparisonText(comparison, silicon).c_str());
  }
  if (options.json)
    std::printf("%s\n", all.dump(1).c_str());
  else
    std::printf("Microbenchmarks run on the whole device: its units work on several work-groups "
                "of one launch side by side.\nRatios are original / melded, above 1: melded is "
                "faster. us: the original's "
                "launches on silicon. interval: of the median\nof the rounds' ratios, 95 %% from "
                "six rounds on. sign: where the model sees more than 1 %% and the interval does "
                "not hold 1.\n");
  return any ? 0 : 1;
}

} // namespace

int runHardware(const Paths &paths, const HardwareOptions &options) {
  if (options.hardware == !options.compare.empty())
    return complain("either --hardware or --compare FILE", 2);
  return options.hardware ? measureDevice(paths, options) : compareFiles(paths, options);
}

} // namespace meld::bench
