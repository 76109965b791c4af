// meld-fuzz-source: random HIP programs, plain against melded, on the software GPU, bit for bit.
//
//   meld-fuzz-source --count 1000 [--seed 1] [--modes default,forced,all] [--cpus gfx90a,gfx900]
//                    [--state FILE] [--report FILE] [--keep DIR]
//   meld-fuzz-source --nests [--count 1000]     nests of loops, flattened (nests.cpp)
//   meld-fuzz-source --cpus gfx942 --no-O0      with LLVM 17
//   meld-fuzz-source --seed 17 --print
//   meld-fuzz-source --seed 17 --reduce [--modes forced] [--cpus gfx90a]
//
// Every seed is one kernel (generator.h); `--batch` of them stand in one file. A batch is a process
// of its own: what ends it, a crash of the compiler or the time limit, is tried again kernel by
// kernel. With --state, the batches that a file names are not run again, so that a long run can be
// stopped and taken up. Exit code 1 when anything was found.
#include "tests/fuzz/source/oracle.h"
#include "tests/fuzz/source/reduce.h"
#include "tests/fuzz/source/tally_json.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace meld::fuzz;
using namespace meld::fuzz::source;

namespace {

struct Run {
  uint64_t first = 1, count = 300;
  unsigned batch = 50, jobs = 1, limit = 20; ///< limit: seconds of processor time for one kernel
  Settings settings;
  std::string state, report;
};

/// A batch in a process of its own. What the child writes to its pipe: lines "stage ...", and one
/// "done {json}".
struct Child {
  pid_t pid = 0;
  int fd = -1;
  uint64_t first = 0, count = 0;
  std::string said;
};

std::string temporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "meld-fuzz-source.XXXXXX").string();
  if (!mkdtemp(name.data()))
    std::exit(2);
  return name;
}

void writeAll(int fd, const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n <= 0)
      return;
    at += static_cast<size_t>(n);
  }
}

Child start(const Run &run, uint64_t first, uint64_t count, const Program *given = nullptr) {
  int fds[2];
  if (pipe(fds) != 0)
    std::exit(2);
  Child child;
  child.first = first, child.count = count;
  child.pid = fork();
  if (child.pid == 0) {
    close(fds[0]);
    const rlim_t seconds = run.limit * count + 30;
    const rlimit limit{seconds, seconds};
    setrlimit(RLIMIT_CPU, &limit);
    const rlimit noCore{0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    Settings settings = run.settings;
    settings.folder = temporaryFolder();
    settings.stage = [fd = fds[1]](const std::string &text) {
      writeAll(fd, "stage " + text + "\n");
    };
    settings.stage(settings.folder + " made");
    Program program;
    if (given)
      program = *given;
    else
      for (uint64_t seed = first; seed < first + count; ++seed)
        program.kernels.push_back(generateSource(seed, settings.nests));
    const Tally tally = examine(program, settings);
    if (count > 1) // what clang refuses keeps the others from running
      for (const Finding &f : tally.findings)
        if (f.mode == "front end" || f.what.rfind("compile: ", 0) == 0)
          _exit(3);
    std::filesystem::remove_all(settings.folder);
    writeAll(fds[1], "done " + toJson(tally).dump() + "\n");
    _exit(0);
  }
  close(fds[1]);
  child.fd = fds[0];
  return child;
}

class Crew {
public:
  explicit Crew(const Run &run) : run_(run) {}

  Tally work() {
    readState();
    uint64_t next = run_.first;
    const uint64_t end = run_.first + run_.count;
    while (next < end || !again_.empty() || !children_.empty()) {
      while (children_.size() < run_.jobs && (next < end || !again_.empty())) {
        if (!again_.empty()) {
          children_.push_back(start(run_, again_.back().first, again_.back().second));
          again_.pop_back();
          continue;
        }
        const uint64_t count = std::min<uint64_t>(run_.batch, end - next);
        if (!finished_.count({next, count}))
          children_.push_back(start(run_, next, count));
        next += count;
      }
      if (!children_.empty())
        listen();
    }
    return std::move(total_);
  }

private:
  void readState() {
    std::ifstream file(run_.state);
    for (std::string text; std::getline(file, text);) {
      const auto json = nlohmann::json::parse(text, nullptr, false);
      if (json.is_discarded()) // the run was stopped while it wrote
        continue;
      const uint64_t first = json["first"], count = json["count"];
      if (first < run_.first || first + count > run_.first + run_.count ||
          !finished_.insert({first, count}).second)
        continue;
      total_.add(tallyOf(json["tally"]));
    }
  }

  void listen() {
    std::vector<pollfd> fds;
    for (const Child &c : children_)
      fds.push_back({c.fd, POLLIN, 0});
    if (poll(fds.data(), fds.size(), -1) < 0)
      return;
    for (size_t i = fds.size(); i-- > 0;) {
      if (!fds[i].revents)
        continue;
      char buffer[4096];
      const ssize_t n = read(fds[i].fd, buffer, sizeof buffer);
      if (n > 0) {
        children_[i].said.append(buffer, static_cast<size_t>(n));
        continue;
      }
      const Child child = children_[i];
      children_.erase(children_.begin() + static_cast<ptrdiff_t>(i));
      ended(child);
    }
  }

  void ended(const Child &child) {
    close(child.fd);
    int status = 0;
    waitpid(child.pid, &status, 0);
    const size_t done = child.said.rfind("done {");
    if (done != std::string::npos && WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return keep(child, tallyOf(nlohmann::json::parse(child.said.substr(done + 5))));
    const size_t begin = child.said.find("stage ") + 6, end = child.said.find(" made\n");
    if (end != std::string::npos && begin < end)
      std::filesystem::remove_all(child.said.substr(begin, end - begin));
    if (child.count > 1) { // whose fault? Half and half.
      const uint64_t half = child.count / 2;
      again_.push_back({child.first + half, child.count - half});
      again_.push_back({child.first, half});
      return;
    }
    const size_t last = child.said.rfind("stage ");
    std::string stage = last == std::string::npos ? "start" : child.said.substr(last + 6);
    while (!stage.empty() && stage.back() == '\n')
      stage.pop_back();
    Tally tally;
    tally.all.kernels = 1;
    const std::string what =
        WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)
            ? "not finished in time: " + stage
            : "the process died (status " + std::to_string(status) + "): " + stage;
    if (stage.rfind("plain", 0) == 0 || stage.rfind("front", 0) == 0)
      tally.ambiguous.emplace(child.first, what);
    else
      tally.findings.push_back({child.first, "", stage, what}), tally.all.findings = 1;
    keep(child, tally);
  }

  void keep(const Child &child, const Tally &tally) {
    std::set<uint64_t> told;
    for (const Finding &f : tally.findings) {
      if (!told.insert(f.seed).second) // in another mode, too
        continue;
      std::printf("seed %llu: %s %s: %s\n  meld-fuzz-source %s--seed %llu --count 1 --cpus %s "
                  "--modes %s\n  %s\n",
                  static_cast<unsigned long long>(f.seed), f.cpu.c_str(), f.mode.c_str(),
                  f.what.c_str(), run_.settings.nests ? "--nests " : "",
                  static_cast<unsigned long long>(f.seed), f.cpu.c_str(), f.mode.c_str(),
                  generateSource(f.seed, run_.settings.nests).features.names().c_str());
      if (!run_.settings.keep.empty()) {
        std::filesystem::create_directories(run_.settings.keep);
        Program program;
        program.kernels.push_back(generateSource(f.seed, run_.settings.nests));
        std::ofstream(run_.settings.keep + "/" + std::to_string(f.seed) + ".hip") << program.text();
      }
    }
    for (const auto &[seed, what] : tally.ambiguous)
      std::printf("seed %llu: ambiguous: %s\n", static_cast<unsigned long long>(seed),
                  what.c_str());
    std::fflush(stdout);
    total_.add(tally);
    if (!run_.state.empty())
      std::ofstream(run_.state, std::ios::app) << nlohmann::json{{"first", child.first},
                                                                 {"count", child.count},
                                                                 {"tally", toJson(tally)}}
                                                      .dump()
                                               << "\n";
  }

  const Run &run_;
  std::vector<Child> children_;
  std::vector<std::pair<uint64_t, uint64_t>> again_; ///< first seeds and counts
  std::set<std::pair<uint64_t, uint64_t>> finished_;
  Tally total_;
};

/// What came of one program, for the reducer: a kind, empty where nothing is wrong or it does not
/// compile.
std::string verdict(const Run &run, const Program &program) {
  Child child = start(run, program.kernels[0].seed, 1, &program);
  char buffer[4096];
  for (ssize_t n; (n = read(child.fd, buffer, sizeof buffer)) > 0;)
    child.said.append(buffer, static_cast<size_t>(n));
  close(child.fd);
  int status = 0;
  waitpid(child.pid, &status, 0);
  const size_t done = child.said.rfind("done {");
  if (done == std::string::npos) {
    const size_t last = child.said.rfind("stage ");
    return "died: " + child.said.substr(last);
  }
  const Tally tally = tallyOf(nlohmann::json::parse(child.said.substr(done + 5)));
  auto kind = [](const std::string &what) {
    return what.find("does not end") != std::string::npos ? "does not end"
           : what.find("compile") != std::string::npos    ? "does not compile"
                                                          : "differs";
  };
  for (const auto &[seed, what] : tally.ambiguous)
    return std::string("plain ") + kind(what);
  for (const Finding &f : tally.findings)
    if (f.mode != "front end")
      return f.cpu + " " + f.mode + " " + kind(f.what);
  return "";
}

int reduceSeed(const Run &run) {
  Program program;
  program.kernels.push_back(generateSource(run.first, run.settings.nests));
  const std::string what = verdict(run, program);
  if (what.empty()) {
    std::fprintf(stderr, "seed %llu: nothing is wrong\n",
                 static_cast<unsigned long long>(run.first));
    return 1;
  }
  program.kernels[0].program = reduce(program.kernels[0].program, [&](const Piece &piece) {
    Program candidate = program;
    candidate.kernels[0].program = piece;
    return verdict(run, candidate) == what;
  });
  std::cout << "// " << what << "\n" << program.text();
  return 0;
}

void printTable(const Tally &tally) {
  std::printf("%-28s %8s %8s %8s\n", "feature", "kernels", "melded", "findings");
  for (size_t i = 0; i < featureCount; ++i)
    std::printf("%-28s %8llu %8llu %8llu\n", featureName(i),
                static_cast<unsigned long long>(tally.features[i].kernels),
                static_cast<unsigned long long>(tally.features[i].melded),
                static_cast<unsigned long long>(tally.features[i].findings));
  for (const auto &[what, seconds] : tally.seconds)
    std::printf("%-28s %8.1f s of processor time\n", what.c_str(), seconds);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Random HIP programs, plain against melded on the software GPU, bit for bit."};
  Run run;
  bool print = false, table = false, reduces = false;
  app.add_option("--count", run.count, "Kernels to try")->capture_default_str();
  app.add_option("--seed", run.first, "First seed")->capture_default_str();
  app.add_option("--batch", run.batch, "Kernels in a file")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--jobs", run.jobs, "Processes")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--limit", run.limit, "Seconds of processor time for one kernel")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--cpus", run.settings.cpus, "Targets: of gfx90a, gfx900, gfx942")
      ->delimiter(',')
      ->check(checkCpu);
  app.add_option("--modes", run.settings.modes,
                 "default, forced, all; without it, all three; flattened; delayed")
      ->delimiter(',')
      ->check(CLI::IsMember({"default", "forced", "all", "flattened", "delayed"}));
  app.add_flag("--nests", run.settings.nests,
               "Kernels made of nests of loops; mode flattened where no other is asked for");
  app.add_flag_callback(
      "--no-O0", [&] { run.settings.unoptimised = false; },
      "Do not ask plain -O0: LLVM 17 gets it wrong so often that few kernels would be believed");
  app.add_option("--meldings", run.settings.meldings,
                 "Only so many meldings of a function, to find the one to blame");
  app.add_option("--state", run.state,
                 "File of finished batches, for a run that is taken up again");
  app.add_option("--report", run.report, "Write a summary as JSON");
  app.add_option("--keep", run.settings.keep, "Folder for the source of findings");
  app.add_flag("--print", print, "Only print the program of --seed");
  app.add_flag("--reduce", reduces,
               "Print the program of --seed made smaller; best with one of --cpus and --modes");
  app.add_flag("--table", table, "Print what each feature found");
  CLI11_PARSE(app, argc, argv);
  if (run.settings.nests && run.settings.modes.empty())
    run.settings.modes = {"flattened"};
  if (print) {
    Program program;
    for (uint64_t seed = run.first; seed < run.first + (app.count("--count") ? run.count : 1);
         ++seed)
      program.kernels.push_back(generateSource(seed, run.settings.nests));
    std::cout << program.text();
    return 0;
  }
  initializeCompiler();
  if (reduces)
    return reduceSeed(run);
  const Tally total = Crew(run).work();
  if (table)
    printTable(total);
  std::set<uint64_t> found;
  for (const Finding &f : total.findings)
    found.insert(f.seed);
  std::printf("%llu kernels, %llu with something melded (%llu meldings), %zu ambiguous, %zu "
              "findings in %zu kernels\n",
              static_cast<unsigned long long>(total.all.kernels),
              static_cast<unsigned long long>(total.all.melded),
              static_cast<unsigned long long>(total.meldings), total.ambiguous.size(),
              total.findings.size(), found.size());
  if (total.flat && total.nestedWork.vector && total.flatWork.vector) {
    const auto share = [](const Work &w) {
      return 100.0 * double(w.lanes) / (64.0 * double(w.vector));
    };
    std::printf(
        "%llu nests flattened; nested: %llu instructions, %.1f %% of lanes active; flat: %llu, "
        "%.1f %%\n",
        static_cast<unsigned long long>(total.flat),
        static_cast<unsigned long long>(total.nestedWork.instructions), share(total.nestedWork),
        static_cast<unsigned long long>(total.flatWork.instructions), share(total.flatWork));
  }
  if (!run.report.empty() && !(std::ofstream(run.report) << toJson(total).dump(2) << "\n"))
    return 2;
  return total.findings.empty() ? 0 : 1;
}
