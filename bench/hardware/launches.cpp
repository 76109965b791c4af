#include "bench/hardware/launches.h"

#include "bench/hardware/device.h"
#include "bench/hardware/statistics.h"
#include "bench/runner/shell.h"
#include "runtime/host/text.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <unistd.h>

namespace meld::bench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// No program of bench/ runs for long; one that hangs on a device is not to hang us.
constexpr const char *kMostSeconds = "1800";

// One pass of the counters of GFX9: eight of the SQ.
constexpr const char *kCounters[] = {"SQ_WAVES",         "SQ_INSTS_VALU",   "SQ_INSTS_SALU",
                                     "SQ_INSTS_SMEM",    "SQ_INSTS_LDS",    "SQ_INSTS_FLAT",
                                     "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR"};

/// Of the software GPU's counter file.
Counters countersOfSoftware(const std::string &text) {
  Counters all;
  const json data = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!data.is_object() || !data.contains("dispatches"))
    return all;
  for (const json &d : data["dispatches"]) {
    const std::string kernel = d.value("kernel", "");
    if (isRuntimeKernel(kernel))
      continue;
    for (const char *name : kCounters)
      all[kernel][name] += d["counters"].value(name, uint64_t{0});
  }
  return all;
}

/// The cells of a line of CSV; quoted ones may hold commas and doubled quotes.
std::vector<std::string> cellsOfCsv(const std::string &line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

Counters countersOfProfiler(const fs::path &folder) {
  Counters all;
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(folder, error))
    if (entry.path().string().ends_with("counter_collection.csv"))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path &file : files)
    for (const auto &[kernel, counters] : countersOfCsv(contentOf(file)))
      for (const auto &[name, value] : counters)
        all[kernel][name] += value;
  return all;
}

} // namespace

fs::path Target::timesLibrary() const {
  return paths.meld.parent_path().parent_path() / "lib/libmeld-launch-times.so";
}

TimedRun Target::run(const std::string &program, const std::vector<std::string> &arguments,
                     Code code, bool counters) const {
  static std::atomic<unsigned> runs{0};
  const fs::path folder =
      paths.scratch / ("hardware-" + std::to_string(getpid()) + "." + std::to_string(runs++));
  TimedRun result;
  std::error_code error;
  if (!fs::create_directories(folder, error) && error) {
    result.output = folder.string() + ": " + error.message();
    return result;
  }
  const fs::path times = folder / "times", counterFile = folder / "counters.json";
  const fs::path profiler = counters && !software ? profilerPath() : fs::path();

  std::vector<std::string> argv = {"/usr/bin/env", "timeout", kMostSeconds};
  if (!profiler.empty()) {
    argv.insert(argv.end(), {profiler.string(), "-M", "--output-format", "csv", "-d",
                             (folder / "profile").string(), "--pmc"});
    argv.insert(argv.end(), std::begin(kCounters), std::end(kCounters));
    argv.emplace_back("--");
  }
  argv.insert(argv.end(), {paths.meld.string(), "run", "--device", software ? "software" : "gpu"});
  if (software)
    argv.emplace_back("--timing");
  if (software && counters)
    argv.insert(argv.end(), {"--counters", counterFile.string()});
  if (code == Code::original)
    argv.emplace_back("--plain");
  argv.insert(argv.end(), {"--", (paths.programs / program).string()});
  argv.insert(argv.end(), arguments.begin(), arguments.end());

  auto all = environment;
  const char *users = std::getenv("LD_PRELOAD");
  all["LD_PRELOAD"] = timesLibrary().string() + (users && *users ? std::string(" ") + users : "");
  all["LAUNCH_TIMES_FILE"] = times.string();
  if (code == Code::melded) {
    all["MELD_CACHE_DIR"] = (paths.scratch / "hardware-cache").string();
    all["MELD_COMPILE_BUDGET_MS"] = "0";
    all["MELD_ADAPT"] = "static"; // what a decision at load comes to, as in the tables
    all["MELD_REPORT"] = "1";
  }
  result.exitCode = runProcess(argv, all, result.output);
  static const std::regex replaced("replaced [1-9][0-9]*, unchanged");
  result.replaced = code == Code::melded && std::regex_search(result.output, replaced);
  if (auto launches = launchTimesOf(contentOf(times)))
    result.launches = std::move(*launches);
  if (counters)
    result.counters = software ? countersOfSoftware(contentOf(counterFile))
                               : countersOfProfiler(folder / "profile");
  fs::remove_all(folder, error);
  return result;
}

Result<std::vector<LaunchTime>> launchTimesOf(const std::string &text) {
  std::vector<LaunchTime> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    LaunchTime one;
    if (!(words >> one.nanoseconds) || !std::getline(words >> std::ws, one.kernel) ||
        one.nanoseconds < 0)
      return fail(ErrorCode::badInput, "line " + std::to_string(all.size() + 1) +
                                           " of the launch times: '" + shown(line) + "'");
    all.push_back(std::move(one));
  }
  return all;
}

Result<std::map<std::string, std::pair<double, unsigned>>>
sumsOf(const std::vector<LaunchTime> &launches, unsigned repeats) {
  const size_t each = repeats ? launches.size() / repeats : 0;
  if (!each || launches.size() % repeats)
    return fail(ErrorCode::badInput, std::to_string(launches.size()) + " launches in " +
                                         std::to_string(repeats) + " repetitions");
  std::map<std::string, std::vector<double>> sums;
  std::map<std::string, unsigned> counts;
  for (size_t repeat = repeats > 1; repeat < repeats; ++repeat) {
    std::map<std::string, double> sum;
    std::map<std::string, unsigned> count;
    for (size_t i = repeat * each; i < (repeat + 1) * each; ++i) {
      sum[launches[i].kernel] += launches[i].nanoseconds;
      ++count[launches[i].kernel];
    }
    if (!counts.empty() && count != counts)
      return fail(ErrorCode::badInput, "repetitions launch different kernels");
    counts = count;
    for (const auto &[kernel, nanoseconds] : sum)
      sums[kernel].push_back(nanoseconds);
  }
  std::map<std::string, std::pair<double, unsigned>> all;
  for (const auto &[kernel, values] : sums)
    all[kernel] = {median(values), counts[kernel]};
  return all;
}

Counters countersOfCsv(const std::string &text) {
  Counters all;
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line))
    return all;
  const auto titles = cellsOfCsv(line);
  const auto column = [&](const char *title) {
    return static_cast<size_t>(std::find(titles.begin(), titles.end(), title) - titles.begin());
  };
  const size_t kernel = column("Kernel_Name"), name = column("Counter_Name"),
               value = column("Counter_Value");
  while (std::getline(in, line)) {
    const auto cells = cellsOfCsv(line);
    if (std::max({kernel, name, value}) >= cells.size())
      continue;
    std::string of = cells[kernel];
    if (of.ends_with(".kd"))
      of.resize(of.size() - 3);
    if (!isRuntimeKernel(of))
      all[of][cells[name]] +=
          static_cast<uint64_t>(std::max(0.0, std::strtod(cells[value].c_str(), nullptr)));
  }
  return all;
}

fs::path profilerPath() {
  const char *path = std::getenv("PATH");
  std::istringstream folders(std::string(path ? path : "") + ":/opt/rocm/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder) / "rocprofv3";
        !folder.empty() && access(file.c_str(), X_OK) == 0)
      return file;
  return {};
}

} // namespace meld::bench
