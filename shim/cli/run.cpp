// meld run: the program under libmeld, on the GPU or on the software GPU.
#include "shim/cli/cli.h"

#include "runtime/cache/directory.h"

#include <cerrno>
#include <cstdlib>
#include <unistd.h>

namespace meld::cli {
namespace {

struct Options {
  std::string device = "auto", counters, logLevel;
  bool report = false, plain = false, timing = false, dryRun = false;
};

std::string absolute(const std::string &path) {
  if (path.empty() || path[0] == '/')
    return path;
  char *folder = ::getcwd(nullptr, 0);
  std::string out = (folder ? std::string(folder) : ".") + "/" + path;
  std::free(folder);
  return out;
}

int run(const Cli &cli, const Options &o, std::vector<std::string> command) {
  if (command.empty())
    return complain("run: no program given; usage: meld run [options] -- ./app [arguments]",
                    kUsage);
  Install install = findInstall();
  bool software =
      o.device == "software" || (o.device == "auto" && ::access("/dev/kfd", R_OK | W_OK) != 0);
  if (!software && (!o.counters.empty() || o.timing))
    return complain("run: --counters and --timing need the software GPU (--device software)",
                    kUsage);

  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> preload;
  if (o.plain) {
    environment.emplace_back("MELD_DISABLE", "1"); // also for a libmeld.so that the user preloads
  } else {
    if (install.libmeld.empty())
      return complain("run: libmeld.so is not next to this program (../lib)");
    preload.push_back(install.libmeld);
  }
  if (software) {
    if (install.softgpu.empty())
      return complain("run: libmeld-softgpu.so is not next to this program (../lib)");
    preload.push_back(install.softgpu);
  }
  for (const std::string &library : preload)
    if (library.find_first_of(" :") != std::string::npos)
      return complain("run: LD_PRELOAD cannot hold the path '" + library + "' (space or colon)");
  if (const char *user = std::getenv("LD_PRELOAD"); user && *user)
    preload.push_back(user);
  std::string joined;
  for (const std::string &library : preload)
    joined += (joined.empty() ? "" : " ") + library;
  if (!joined.empty())
    environment.emplace_back("LD_PRELOAD", joined);
  if (!o.counters.empty())
    environment.emplace_back("MELD_COUNTERS", o.counters == "-" ? "-" : absolute(o.counters));
  if (o.timing)
    environment.emplace_back("MELD_GPU_TIMING", "1");
  if (o.report)
    environment.emplace_back("MELD_REPORT", "1");
  if (!o.logLevel.empty())
    environment.emplace_back("MELD_LOG_LEVEL", o.logLevel);

  if (o.dryRun) {
    if (cli.json()) {
      Json out = {{"device", software ? "software" : "gpu"}, {"environment", Json::object()}};
      for (const auto &[name, value] : environment)
        out["environment"][name] = value;
      out["command"] = command;
      print(out);
    } else {
      std::string line;
      for (const auto &[name, value] : environment)
        line += name + "='" + value + "' ";
      for (const std::string &word : command)
        line += word + " ";
      line.back() = '\n';
      print(line);
    }
    return kOk;
  }
  for (const auto &[name, value] : environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char *> argv;
  for (std::string &word : command)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  int error = errno;
  // As a shell answers.
  return complain(errnoText(command[0], error), error == ENOENT ? 127 : 126);
}

} // namespace

void addRun(Cli &cli) {
  auto o = std::make_shared<Options>();
  CLI::App *sub =
      cli.verb("run", "Run a HIP program under libmeld: meld run [OPTIONS] -- PROGRAM [ARGUMENTS]",
               "  meld run -- ./app --size 1024\n"
               "  meld run --counters melded.json -- ./app\n"
               "  meld run --plain --counters plain.json -- ./app   # without melding\n"
               "  meld run --device software --report -- ./app\n");
  sub->add_option("--device", o->device, "Where to run; auto: the GPU when /dev/kfd is usable")
      ->check(CLI::IsMember({"auto", "gpu", "software"}))
      ->option_text("auto|gpu|software");
  sub->add_option("--counters", o->counters,
                  "Write the software GPU's counters to this JSON file; -: a table on stderr")
      ->option_text("FILE.json");
  sub->add_flag("--timing", o->timing, "Model cycles on the software GPU");
  sub->add_flag("--report", o->report, "Say on stderr what was replaced when the program ends");
  sub->add_flag("--plain", o->plain, "Replace nothing: for comparisons");
  sub->add_option("--log", o->logLevel, "Log level: off, error, warning, info, debug, trace")
      ->option_text("LEVEL");
  sub->add_flag("--dry-run", o->dryRun, "Print what would be run");
  sub->prefix_command();
  sub->callback([&cli, sub, o] {
    cli.action = [&cli, sub, o] {
      // Without "--" the program is the first word that is no option of ours.
      return run(cli, *o, cli.command.empty() ? sub->remaining() : cli.command);
    };
  });
}

} // namespace meld::cli
