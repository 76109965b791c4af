// meld-bench-overhead: what libmeld costs where it does nothing for the program, side by side.
//
//   process start    a program without HIP, with and without LD_PRELOAD
//   object load      a code object of about 100 KB, cache warm, with and without libmeld; and with
//                    MELD_ADAPT=on, without a cache and where nothing is left to find out
//   pass-through     what the hook does with an object without bitcode, in memory and in a file
//   launch           an empty kernel, with and without libmeld; and with MELD_ADAPT=on, where each
//                    packet is looked at, and where nothing is left to find out; with
//                    MELD_SPECIALIZE=on where it is also seen what launches have in common
//   packet           libmeld's own part of that, for a kernel with 256 bytes of arguments
//   first load       how long the first load of an object waits for its compile, against comgr's
//                    own compile of the same bitcode with its options
//
// Every pair is measured in turns, so that both sides see the same machine; what is compared are
// medians. Exit status 1 when something is above its limit.
#include "bench/overhead/packets.h"
#include "jit/code_object.h"
#include "jit/guard.h"
#include "jit/make_code.h"
#include "jit/optimizer.h"
#include "runtime/codeobject/codeobject.h"
#include "runtime/codeobject/hostfile.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <llvm/Support/MemoryBufferRef.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using meld::bench::PacketCost;
using meld::bench::packetCosts;
using Environment = std::vector<std::pair<std::string, std::string>>;

namespace {

struct Paths {
  fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  std::string libmeld = build / "lib/libmeld.so", softgpu = build / "lib/libmeld-softgpu.so";
  std::string probe = build / "bin/hip/overhead_probe";
  std::string object = build / "bin/hip/overhead_large.hsaco",
              raw = build / "bin/hip/overhead_raw.hsaco";
};

struct Row {
  std::string what, unit;
  double plain = 0, meld = 0, cost = 0, limit = 0;
  bool ratio = false; ///< the limit is for meld / plain, not for meld - plain
  bool ok() const { return cost <= limit; }
};

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Two ways in the same rounds: the median of what each round says. Of two medians one may be of times at
/// which the machine was faster.
Row paired(const std::string &what, const std::string &unit, const std::vector<double> &plain,
           const std::vector<double> &meld, double limit, bool ratio) {
  std::vector<double> costs;
  for (size_t i = 0; i < std::min(plain.size(), meld.size()); ++i)
    costs.push_back(ratio ? meld[i] / plain[i] : meld[i] - plain[i]);
  return {what, unit, median(plain), median(meld), median(costs), limit, ratio};
}

/// Runs to its end; standard output goes to `output` where given. Returns the exit status.
int runProgram(const std::vector<std::string> &command, const Environment &environment,
               std::string *output) {
  int ends[2] = {-1, -1};
  if (output && pipe(ends))
    return -1;
  pid_t child = vfork();
  if (!child) {
    if (output)
      dup2(ends[1], STDOUT_FILENO);
    std::vector<char *> arguments, variables;
    std::vector<std::string> text;
    for (const auto &[name, value] : environment)
      text.push_back(name + "=" + value);
    for (auto &one : text)
      variables.push_back(one.data());
    for (const auto &one : command)
      arguments.push_back(const_cast<char *>(one.c_str()));
    variables.push_back(nullptr);
    arguments.push_back(nullptr);
    execve(arguments[0], arguments.data(), variables.data());
    _exit(127);
  }
  if (output) {
    close(ends[1]);
    char buffer[512];
    for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
      output->append(buffer, got);
    close(ends[0]);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

Row processStart(const Paths &paths, int rounds) {
  std::vector<double> plain, meld;
  auto once = [&](const Environment &environment) {
    const auto start = Clock::now();
    runProgram({"/bin/true"}, environment, nullptr);
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  for (int i = 0; i < rounds; ++i) {
    plain.push_back(once({}));
    meld.push_back(once({{"LD_PRELOAD", paths.libmeld}}));
  }
  return paired("process start (/bin/true)", "ms", plain, meld, 1.0, false);
}

/// The probe's numbers: milliseconds, and microseconds of launches.
struct Probed {
  std::vector<double> load, launch, changing;
};

bool probe(const Paths &paths, const Environment &environment, Probed &probed) {
  std::string text;
  long load = 0, launch = 0, changing = 0;
  if (runProgram({paths.probe, paths.object, paths.raw}, environment, &text) ||
      std::sscanf(text.c_str(), "load %ld launch %ld changing %ld", &load, &launch, &changing) != 3)
    return false;
  probed.load.push_back(double(load) / 1e6);
  probed.launch.push_back(double(launch) / 1e3);
  probed.changing.push_back(double(changing) / 1e3);
  return true;
}

bool loadAndLaunch(const Paths &paths, int rounds, std::vector<Row> &rows) {
  char scratch[] = "/tmp/meld-overhead-XXXXXX";
  if (!mkdtemp(scratch))
    return false;
  const Environment plain = {{"LD_PRELOAD", paths.softgpu}};
  const Environment meld = {{"LD_PRELOAD", paths.libmeld + " " + paths.softgpu},
                            {"MELD_CACHE_DIR", std::string(scratch) + "/cache"}};
  Probed without, with, ignored;
  bool ok = probe(paths, meld, ignored); // fills the cache
  for (int i = 0; ok && i < rounds; ++i)
    ok = probe(paths, plain, without) && probe(paths, meld, with);
  fs::remove_all(scratch);
  if (!ok)
    return false;
  const auto kilobytes = double(fs::file_size(paths.object)) / 1024;
  char name[64];
  std::snprintf(name, sizeof(name), "object load, %.0f KB, warm cache", kilobytes);
  rows.push_back(
      paired(name, "ms", without.load, with.load, 0.5 * std::max(1.0, kilobytes / 100), false));
  // Nothing of ours is on the launch path: what is left is noise.
  rows.push_back(paired("launch of an empty kernel", "us", without.launch, with.launch, 1.1, true));
  return true;
}

/// With MELD_ADAPT=on, on a device with modelled times: without them nothing is measured there, and
/// nobody looks at a launch. The kernels have no versions: a launch of one that has some waits for the
/// modelled times of those before it (PacketHandler::Queue), which no GPU does. What a choice costs is in
/// packetCosts().
bool launchChosen(const Paths &paths, int rounds, std::vector<Row> &rows) {
  char scratch[] = "/tmp/meld-overhead-XXXXXX";
  if (!mkdtemp(scratch))
    return false;
  // A load copies with a kernel of a work-group for each compute unit, and to model many takes longer, by
  // more or less, than anything that is measured here.
  const Environment plain = {
      {"LD_PRELOAD", paths.softgpu}, {"MELD_GPU_TIMING", "1"}, {"MELD_GPU_CUS", "2"}};
  Environment known = plain;
  known[0].second = paths.libmeld + " " + paths.softgpu;
  known.emplace_back("MELD_ADAPT", "on");
  Environment looking = known;
  looking.emplace_back("MELD_CACHE", "0"); // nothing is known of the program, in each run anew
  Environment collecting = looking;
  collecting.emplace_back("MELD_SPECIALIZE", "on");
  known.emplace_back("MELD_CACHE_DIR", std::string(scratch) + "/cache");
  Probed without, looked, served, collected, ignored;
  bool ok = true;
  // Each run finds out some more: nothing is open from then on.
  for (int i = 0; ok && i < 8; ++i)
    ok = probe(paths, known, ignored);
  for (int i = 0; ok && i < rounds; ++i)
    ok = probe(paths, plain, without) && probe(paths, looking, looked) &&
         probe(paths, known, served) && probe(paths, collecting, collected);
  fs::remove_all(scratch);
  if (!ok)
    return false;
  const auto more = [&](const char *what, const std::vector<double> &plainly,
                        const std::vector<double> &ours) {
    rows.push_back(paired(what, "us", plainly, ours, 0.3, false));
  };
  const double kilobytes = double(fs::file_size(paths.object)) / 1024;
  const auto loads = [&](const char *what, const std::vector<double> &ours) {
    rows.push_back(
        paired(what, "ms", without.load, ours, 0.5 * std::max(1.0, kilobytes / 100), false));
  };
  loads("object load, MELD_ADAPT=on, nothing known", looked.load);
  loads("object load, MELD_ADAPT=on, nothing open", served.load);
  more("launch, MELD_ADAPT=on, looked at", without.launch, looked.launch);
  rows.push_back(paired("launch, MELD_ADAPT=on, nothing open", "us", without.launch, served.launch,
                        1.1, true));
  more("MELD_SPECIALIZE=on, no arguments", without.launch, collected.launch);
  more("  256 bytes that change", without.changing, collected.changing);
  return true;
}

std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Of libmeld's own part alone, without HIP's, ROCr's and the device's.
void packets(std::vector<Row> &rows) {
  for (const PacketCost &one : packetCosts())
    rows.push_back({one.what, "us", 0, one.nanoseconds / 1e3, one.nanoseconds / 1e3, 0.2, false});
}

/// What shim/hooks.cpp does when a reader is made from an object that it will not touch. Loading
/// one takes ROCr so much longer that a difference of two loads would show its noise.
bool passThrough(const Paths &paths, int rounds, std::vector<Row> &rows) {
  const std::string file = readFile(paths.raw);
  auto images = meld::findDeviceImages(
      meld::ByteView(reinterpret_cast<const uint8_t *>(file.data()), file.size()));
  if (!images || images->empty())
    return false;
  const meld::ByteView object = images->front().bytes;
  struct Source {
    FILE *stream;
    uint64_t start;
  } source = {fopen(paths.raw.c_str(), "rb"), images->front().offset};
  if (!source.stream)
    return false;
  auto fromFile = [](void *context, uint64_t offset, void *to, size_t size) {
    const auto *in = static_cast<const Source *>(context);
    return pread(fileno(in->stream), to, size, off_t(in->start + offset)) == ssize_t(size);
  };
  std::vector<double> times[2];
  bool raw = true;
  for (int i = 0; raw && i < rounds; ++i)
    for (int way = 0; way < 2; ++way) {
      const auto start = Clock::now();
      raw = raw &&
            !(way ? meld::hasBitcode(object.size(), fromFile, &source) : meld::hasBitcode(object));
      times[way].push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
  fclose(source.stream);
  char name[64];
  std::snprintf(name, sizeof(name), "raw object, %.0f KB, in memory", double(object.size()) / 1024);
  rows.push_back({name, "us", 0, median(times[0]), median(times[0]), 20, false});
  rows.push_back({"the same from a file", "us", 0, median(times[1]), median(times[1]), 100, false});
  return raw;
}

/// In a child: neither side finds what the other has set up or cached.
double inChild(const std::function<bool()> &compile) {
  int ends[2];
  if (pipe(ends))
    return -1;
  pid_t child = fork();
  if (!child) {
    const auto start = Clock::now();
    const bool ok = compile();
    const double ms =
        ok ? std::chrono::duration<double, std::milli>(Clock::now() - start).count() : -1;
    (void)!write(ends[1], &ms, sizeof(ms));
    _exit(0);
  }
  double ms = -1;
  close(ends[1]);
  if (read(ends[0], &ms, sizeof(ms)) != sizeof(ms))
    ms = -1;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return ms;
}

/// The bitcode through comgr with the object's own options, its optimiser included.
bool comgrAlone(const std::string &bytes) {
  using namespace meld::jit;
  auto failed = runGuarded([&]() -> llvm::Error {
    const llvm::MemoryBufferRef original(bytes, "object");
    auto object = readDeviceObject(original);
    if (!object)
      return object.takeError();
    initializeTargets();
    CompileJob job;
    job.object = &*object;
    job.optimizer = Optimizer::comgr;
    auto options = recoverOptions(llvm::ArrayRef<std::vector<std::string>>(object->commands));
    if (!options)
      return options.takeError();
    job.options = std::move(*options);
    for (const auto &kernel : object->kernels)
      job.kernels.push_back(kernel.name);
    return makeCode(job).takeError();
  });
  if (!failed)
    return true;
  std::fprintf(stderr, "comgr alone: %s\n", llvm::toString(std::move(failed)).c_str());
  return false;
}

/// What the first load of an object waits for, in a process that begins with an empty cache and
/// default settings. A compile that takes longer goes on behind it (docs/compile-time.md); how long
/// whole compiles take stands in the table of `./dev bench compile-time`.
bool coldLoad(const Paths &paths, int rounds, Row &row) {
  // --genco makes a bundle; the compile wants what is in it.
  const std::string file = readFile(paths.object);
  auto images = meld::findDeviceImages(
      meld::ByteView(reinterpret_cast<const uint8_t *>(file.data()), file.size()));
  if (!images)
    return false;
  const std::string bytes(images->front().bytes.begin(), images->front().bytes.end());
  char scratch[] = "/tmp/meld-overhead-XXXXXX";
  if (!mkdtemp(scratch))
    return false;
  const Environment plain = {{"LD_PRELOAD", paths.softgpu}};
  std::vector<double> comgr;
  Probed without, with;
  bool ok = true;
  for (int i = 0; ok && i < rounds; ++i) {
    comgr.push_back(inChild([&] { return comgrAlone(bytes); }));
    const Environment cold = {
        {"LD_PRELOAD", paths.libmeld + " " + paths.softgpu},
        {"MELD_CACHE_DIR", std::string(scratch) + "/cache" + std::to_string(i)}};
    ok = comgr.back() >= 0 && probe(paths, plain, without) && probe(paths, cold, with);
  }
  fs::remove_all(scratch);
  std::vector<double> waits;
  for (size_t i = 0; ok && i < with.load.size(); ++i)
    waits.push_back(with.load[i] - without.load[i]);
  row = paired("first load's wait, against comgr alone", "ms", comgr, waits, 1.5, true);
  return ok;
}

/// Everything but packets().
bool wholePrograms(const Paths &paths, bool quick, std::vector<Row> &rows) {
  // The compile comes first: its children must not inherit threads.
  rows.push_back(processStart(paths, quick ? 60 : 400));
  if (!passThrough(paths, 2000, rows)) {
    std::fprintf(stderr, "meld-bench-overhead: %s is no object without bitcode\n",
                 paths.raw.c_str());
    return false;
  }
  Row compile;
  const bool compiled = coldLoad(paths, quick ? 3 : 7, compile);
  if (!compiled || !loadAndLaunch(paths, quick ? 3 : 31, rows) ||
      !launchChosen(paths, quick ? 3 : 31, rows)) {
    std::fprintf(stderr, "meld-bench-overhead: %s failed\n",
                 compiled ? paths.probe.c_str() : "a compile");
    return false;
  }
  rows.push_back(compile);
  return true;
}

void print(const std::vector<Row> &rows) {
  std::printf("%-36s %12s %12s %12s %10s\n", "", "without", "with", "cost", "limit");
  for (const Row &row : rows)
    std::printf("%-36s %9.3f %s %9.3f %s %11.3f%s %9.2f%s%s\n", row.what.c_str(), row.plain,
                row.unit.c_str(), row.meld, row.unit.c_str(), row.cost,
                row.ratio ? "x" : (" " + row.unit).c_str(), row.limit, row.ratio ? "x" : "",
                row.ok() ? "" : "  ABOVE");
  if (std::any_of(rows.begin(), rows.end(), [](const Row &row) { return !row.ok(); }))
    std::printf(
        "\nABOVE: more than its limit. Times are wall-clock: on a busy machine measure again.\n");
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"What libmeld costs, side by side."};
  bool json = false, quick = false, ownPart = false;
  app.add_flag("--json", json, "One JSON array instead of the table");
  app.add_flag("--quick", quick, "Fewer rounds");
  app.add_flag("--packets", ownPart, "Only libmeld's own part of a launch");
  CLI11_PARSE(app, argc, argv);
  std::vector<Row> rows;
  if (!ownPart && !wholePrograms(Paths(), quick, rows))
    return 1;
  packets(rows);
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const Row &row : rows)
      list.push_back({{"what", row.what},
                      {"unit", row.unit},
                      {"without", row.plain},
                      {"with", row.meld},
                      {"cost", row.cost},
                      {"limit", row.limit},
                      {"ratio", row.ratio},
                      {"ok", row.ok()}});
    std::printf("%s\n", list.dump(2).c_str());
  } else {
    print(rows);
  }
  return std::all_of(rows.begin(), rows.end(), [](const Row &row) { return row.ok(); }) ? 0 : 1;
}
