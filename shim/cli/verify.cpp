// meld verify: the program with every dispatch of a replaced kernel run twice, by the original and
// by the replacement, and what they wrote compared.
#include "shim/cli/verify_run.h"

#include <filesystem>

namespace meld::cli {
namespace {

struct VerifyOptions {
  std::string device = "auto", report, output, logLevel;
};

constexpr int kNotProven = 3; ///< no difference, but the program failed or nothing could be said

Json toJson(const VerifyReport &report) {
  Json kernels = Json::array();
  for (const auto &[name, k] : report.kernels)
    kernels.push_back({{"name", name.kernel},
                       {"facts", name.facts},
                       {"dispatches", k.dispatches},
                       {"equal", k.equal},
                       {"different", k.different},
                       {"notRepeatable", k.notRepeatable},
                       {"notVerified", k.notVerified}});
  return {{"status", report.status},
          {"processes", report.processes},
          {"kernels", std::move(kernels)},
          {"differences", report.differences}};
}

std::string kernelTable(const VerifyReport &report) {
  std::vector<std::vector<std::string>> rows = {
      {"KERNEL", "DISPATCHES", "EQUAL", "DIFFERENT", "NOT REPEATABLE", "NOT VERIFIED"}};
  std::string versions; // their facts are too long for a column
  unsigned specialised = 0;
  for (const auto &[name, k] : report.kernels) {
    std::string label = demangle(name.kernel);
    if (!name.facts.empty()) {
      const std::string mark = "[" + std::to_string(++specialised) + "]";
      label += " " + mark;
      versions += mark + " specialised for " + name.facts + "\n";
    }
    std::string reasons;
    for (const auto &[reason, count] : k.notVerified)
      reasons += (reasons.empty() ? "" : "; ") + std::to_string(count) + ": " + reason;
    rows.push_back({label, std::to_string(k.dispatches), std::to_string(k.equal),
                    std::to_string(k.different), std::to_string(k.notRepeatable),
                    reasons.empty() ? "0" : reasons});
  }
  return table(rows) + versions;
}

/// The sums in one line.
std::string verdict(const VerifyReport &report) {
  VerifiedKernel sum;
  uint64_t notVerified = 0;
  for (const auto &[name, k] : report.kernels) {
    sum.dispatches += k.dispatches;
    sum.equal += k.equal;
    sum.different += k.different;
    sum.notRepeatable += k.notRepeatable;
    for (const auto &[reason, count] : k.notVerified)
      notVerified += count;
  }
  if (!sum.dispatches)
    return !report.processes ? "no process used the software GPU: nothing was verified"
           : settings().settings.serve == "specialized"
               ? "no specialised version is known: run the program with MELD_ADAPT=on and "
                 "MELD_SPECIALIZE=on first (and MELD_GPU_TIMING=1 on the software GPU)"
               : "no replaced kernel was dispatched";
  std::string out = std::to_string(report.kernels.size()) + " kernels, " +
                    std::to_string(sum.dispatches) + " dispatches: " + std::to_string(sum.equal) +
                    " equal, " + std::to_string(sum.different) + " different";
  if (sum.notRepeatable)
    out += ", " + std::to_string(sum.notRepeatable) + " not repeatable";
  if (notVerified)
    out += ", " + std::to_string(notVerified) + " not verified";
  return out;
}

int verify(const VerifyOptions &o, const std::vector<std::string> &command) {
  if (command.empty())
    return complain("verify: no program given; usage: meld verify [options] -- ./app [arguments]",
                    kUsage);
  if (!usesSoftwareGpu(o.device))
    return complain("verify: only the software GPU knows what a kernel wrote (--device software)",
                    kUsage);
  auto environment = runEnvironment(/*software=*/true, /*plain=*/false);
  if (!environment)
    return complain("verify: " + environment.error().message);
  if (!o.logLevel.empty())
    environment->emplace_back("MELD_LOG_LEVEL", o.logLevel);
  std::error_code error;
  std::string folder = o.output.empty() ? std::string() : absolutePath(o.output);
  if (folder.empty()) {
    auto made = temporaryFolder("meld-verify");
    if (!made)
      return complain("verify: " + made.error().message);
    folder = *made;
  } else if (std::filesystem::create_directories(folder, error); error) {
    return complain("verify: " + folder + ": " + error.message());
  }
  auto report = verifyOnce(*environment, command, folder, /*quiet=*/false);
  if (o.output.empty())
    std::filesystem::remove(folder, error); // stays when there are captures in it
  if (!report)
    return complain("verify: " + report.error().message);

  std::string text;
  if (!report->kernels.empty())
    text += kernelTable(*report);
  for (const Json &difference : report->differences)
    text += differenceText(difference);
  std::fprintf(stderr, "%smeld verify: %s\n", text.c_str(), verdict(*report).c_str());
  if (report->status)
    std::fprintf(stderr, "meld verify: the program ended with status %d\n", report->status);
  if (o.report == "-") {
    print(toJson(*report));
  } else if (!o.report.empty()) {
    const std::string json =
        toJson(*report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    const auto *bytes = reinterpret_cast<const uint8_t *>(json.data());
    if (auto written = writeWholeFile(o.report, {bytes, json.size()}); !written)
      return complain("verify: " + written.error().message);
  }
  return report->different() ? kProblem : report->status || !report->processes ? kNotProven : kOk;
}

} // namespace

void addVerify(Cli &cli) {
  auto o = std::make_shared<VerifyOptions>();
  CLI::App *sub =
      cli.verb("verify", "Prove melding right for a run: compare each dispatch with the original's",
               "  meld verify -- ./app --size 1024\n"
               "  meld verify --report verified.json --output captures -- ./app\n"
               "  MELD_GPU=gfx90a,gfx900 meld verify -- ./app\n\n"
               "Every dispatch of a replaced kernel runs by the original code and, from the same "
               "memory, by\n"
               "the replacement. The program gets the original's results.\n\n"
               "Exit status: 0 no difference, 1 a difference, 2 wrong usage, 3 no difference but "
               "the program\n"
               "failed or did not use the software GPU.\n");
  sub->add_option("--device", o->device, "Only the software GPU can verify")
      ->check(CLI::IsMember({"auto", "gpu", "software"}))
      ->option_text("auto|software");
  sub->add_option("--report", o->report, "Write the results to this file; -: to stdout")
      ->option_text("FILE.json");
  sub->add_option("--output", o->output, "Folder for captures of differences; else under $TMPDIR")
      ->option_text("FOLDER");
  sub->add_option("--log", o->logLevel, "Log level: off, error, warning, info, debug, trace")
      ->option_text("LEVEL");
  sub->prefix_command();
  sub->callback([&cli, sub, o] {
    cli.action = [&cli, sub, o] {
      return verify(*o, cli.command.empty() ? sub->remaining() : cli.command);
    };
  });
}

} // namespace meld::cli
