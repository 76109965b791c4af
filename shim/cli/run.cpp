// meld run: the program under libmeld, on the GPU or on the software GPU.
#include "shim/cli/launch.h"

namespace meld::cli {
namespace {

struct RunOptions {
  std::string device = "auto", counters, logLevel;
  bool report = false, plain = false, timing = false, dryRun = false;
};

int run(const Cli &cli, const RunOptions &o, std::vector<std::string> command) {
  if (command.empty())
    return complain("run: no program given; usage: meld run [options] -- ./app [arguments]",
                    kUsage);
  const bool software = usesSoftwareGpu(o.device);
  if (!software && (!o.counters.empty() || o.timing))
    return complain("run: --counters and --timing need the software GPU (--device software)",
                    kUsage);
  auto prepared = runEnvironment(software, o.plain);
  if (!prepared)
    return complain("run: " + prepared.error().message);
  Environment environment = std::move(*prepared);
  if (!o.counters.empty())
    environment.emplace_back("MELD_COUNTERS", o.counters == "-" ? "-" : absolutePath(o.counters));
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
  return execute(environment, std::move(command));
}

} // namespace

void addRun(Cli &cli) {
  auto o = std::make_shared<RunOptions>();
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
