// meld divergence: where a program loses lanes. The program runs as it is, without libmeld, on the
// software GPU, which records every instruction.
#include "shim/cli/divergence_plan.h"
#include "shim/cli/recorded.h"
#include "shim/cli/verify_run.h"

#include "runtime/host/whole_file.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/tools/divergence_page.h"
#include "runtime/softgpu/tools/source_lines.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

namespace meld::cli {
namespace {

struct DivergenceOptions {
  std::string device = "auto", json, html, kernel;
  std::vector<std::string> from, objects, sources;
  softgpu::ReportLimits limits;
  bool noPlan = false;
};

constexpr int kProgramFailed = 3; ///< or it ran no kernel
constexpr size_t mostShown = 1000000;

/// Runs the program; the profiles of its processes. `status`: how it ended, as a shell has it.
Result<std::vector<softgpu::RecordedProfile>> record(const std::vector<std::string> &command,
                                                     int &status) {
  auto environment = runEnvironment(/*software=*/true, /*plain=*/true);
  if (!environment)
    return tl::unexpected(environment.error());
  const auto folder = temporaryFolder("meld-divergence");
  if (!folder)
    return tl::unexpected(folder.error());
  environment->emplace_back("MELD_GPU_PROFILE", *folder + "/%p.json");
  status = runAndWait(*environment, command);
  auto profiles = recordedProfiles(*folder);
  std::error_code error;
  std::filesystem::remove_all(*folder, error);
  return profiles;
}

softgpu::DivergenceReport analyse(std::vector<softgpu::RecordedProfile> profiles,
                                  const DivergenceOptions &o, const std::regex &wanted,
                                  std::vector<std::string> &files) {
  softgpu::DivergenceReport report;
  for (const auto &profile : profiles)
    if (!profile.program.empty() && std::ranges::count(report.programs, profile.program) == 0)
      report.programs.push_back(profile.program);
  files = o.objects;
  files.insert(files.end(), report.programs.begin(), report.programs.end());
  softgpu::SourceLines source;
  for (const std::string &file : files)
    source.open(file);
  report.notes = source.notes();
  for (const softgpu::KernelProfile &kernel : softgpu::mergedKernels(std::move(profiles))) {
    if (!std::regex_search(kernel.kernel, wanted) &&
        !std::regex_search(demangle(kernel.kernel), wanted))
      continue;
    std::vector<softgpu::RanCode> code;
    for (const auto &[offset, instruction] : kernel.instructions)
      code.push_back({offset, instruction.text});
    std::string note;
    const auto lines =
        source.of(kernel.kernel, std::string(softgpu::isa::targetName(kernel.device)), code,
                  kernel.replaced, note);
    report.kernels.push_back(
        {softgpu::divergenceOf(kernel,
                               [&](int64_t offset) -> const softgpu::SourceLine * {
                                 return lines ? lines->at(offset) : nullptr;
                               }),
         "",
         {}});
    report.kernels.back().divergence.note = note;
  }
  softgpu::sortReport(report);
  return report;
}

/// The report's source files: where the line table says, else by the same path or name in `folders`.
softgpu::SourceTexts readSources(const softgpu::DivergenceReport &report,
                                 const std::vector<std::string> &folders) {
  softgpu::SourceTexts texts;
  const auto read = [&](const std::string &name) {
    if (texts.contains(name))
      return;
    std::vector<std::string> places = {name};
    for (const std::string &folder : folders)
      for (const std::string &tail : {name, softgpu::fileName(name)})
        places.push_back(folder + "/" + tail);
    for (const std::string &place : places) {
      const auto bytes = readWholeFile(place);
      if (!bytes)
        continue;
      std::istringstream in(std::string(bytes->begin(), bytes->end()));
      for (std::string line; std::getline(in, line);)
        texts[name].push_back(std::move(line));
      return;
    }
  };
  for (const auto &kernel : report.kernels) {
    for (const auto &line : kernel.divergence.lines)
      if (line.where.line)
        read(line.where.file);
    for (const auto &point : kernel.divergence.points)
      if (point.where.line)
        read(point.where.file);
  }
  return texts;
}

Result<void> writeText(const std::string &file, const std::string &text) {
  return writeWholeFile(file, {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

int divergence(const Cli &cli, const DivergenceOptions &o,
               const std::vector<std::string> &command) {
  if (command.empty() == o.from.empty())
    return complain(
        "divergence: give a program, meld divergence [options] -- ./app [arguments], or "
        "a recorded profile, --from FILE",
        kUsage);
  if (o.from.empty() && !usesSoftwareGpu(o.device))
    return complain("divergence: only the software GPU knows which lanes ran (--device software)",
                    kUsage);
  // Whatever is wrong with the options is told before the program has run for hours.
  std::regex wanted;
  try {
    wanted = std::regex(o.kernel, std::regex::extended);
  } catch (const std::regex_error &) {
    return complain("divergence: --kernel " + o.kernel + " is not a regular expression", kUsage);
  }
  for (const std::string &file : {o.json == "-" ? std::string() : o.json, o.html})
    if (!file.empty())
      if (auto may = mayWrite(file); !may)
        return complain("divergence: " + may.error().message);
  int status = 0;
  std::vector<softgpu::RecordedProfile> profiles;
  for (const std::string &file : o.from) {
    auto one = readRecorded(file);
    if (!one)
      return complain("divergence: " + one.error().message);
    profiles.push_back(std::move(*one));
  }
  if (o.from.empty()) {
    auto recorded = record(command, status);
    if (!recorded)
      return complain("divergence: " + recorded.error().message);
    profiles = std::move(*recorded);
  }
  std::vector<std::string> files;
  softgpu::DivergenceReport report = analyse(std::move(profiles), o, wanted, files);
  if (!o.noPlan)
    planReport(report, files);

  const Json json = softgpu::divergenceJson(report);
  if (cli.json() || o.json == "-")
    print(json);
  else // the program's own output stays apart
    std::fputs(softgpu::divergenceText(report, o.limits).c_str(), o.from.empty() ? stderr : stdout);
  if (!o.json.empty() && o.json != "-")
    if (auto written =
            writeText(o.json, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        !written)
      return complain("divergence: " + written.error().message);
  if (!o.html.empty())
    if (auto written =
            writeText(o.html, softgpu::divergencePage(report, readSources(report, o.sources)));
        !written)
      return complain("divergence: " + written.error().message);
  if (status)
    complain("divergence: the program ended with status " + std::to_string(status));
  return status || (o.from.empty() && report.programs.empty()) ? kProgramFailed : kOk;
}

} // namespace

void addDivergence(Cli &cli) {
  auto o = std::make_shared<DivergenceOptions>();
  CLI::App *sub = cli.verb(
      "divergence", "Where a program loses lanes: by kernel, branch, loop and source line",
      "  meld divergence -- ./app --size 1024\n"
      "  meld divergence --html lanes.html -- ./app\n"
      "  meld divergence --kernel 'spmv|bfs' --json report.json -- ./app\n"
      "  MELD_GPU_PROFILE=profile.json meld run --plain --device software -- ./app\n"
      "  meld divergence --from profile.json --object libkernels.so\n\n"
      "The program runs with its own code on the software GPU, some hundred times slower than it "
      "would\n"
      "otherwise: give it a small problem. Source lines are there for code compiled with -g. "
      "Lanes are\n"
      "counted; cycles are modelled. The report goes to stderr, with --from to stdout.\n\n"
      "Exit status: 0 fine, 1 a problem, 2 wrong usage, 3 the program failed or ran no "
      "kernel.\n");
  sub->add_option("--device", o->device, "Only the software GPU can tell")
      ->check(CLI::IsMember({"auto", "gpu", "software"}))
      ->option_text("auto|software");
  sub->add_option("--from", o->from, "A profile that MELD_GPU_PROFILE wrote, instead of a program")
      ->option_text("FILE.json");
  sub->add_option("--object", o->objects,
                  "Also look for the kernels in this executable, library or code object")
      ->option_text("FILE");
  sub->add_option("--kernel", o->kernel, "Only kernels whose name, mangled or not, this matches")
      ->option_text("REGEX");
  sub->add_option("--top", o->limits.kernels, "Kernels in the text, worst first; 0: all")
      ->check(CLI::Range(size_t(0), mostShown))
      ->capture_default_str()
      ->option_text("N");
  sub->add_option("--points", o->limits.points, "Branches and loops of each kernel in the text")
      ->check(CLI::Range(size_t(0), mostShown))
      ->capture_default_str()
      ->option_text("N");
  sub->add_option("--json", o->json, "Write the whole report to this file; -: to stdout")
      ->option_text("FILE.json");
  sub->add_option("--html", o->html, "Write a web page with the annotated source to this file")
      ->option_text("FILE.html");
  sub->add_option("--source", o->sources, "For --html: also look for source files in this folder")
      ->option_text("FOLDER");
  sub->add_flag("--no-plan", o->noPlan,
                "Do not compile the kernels to say what libmeld does about them");
  sub->prefix_command();
  sub->callback([&cli, sub, o] {
    cli.action = [&cli, sub, o] {
      return divergence(cli, *o, cli.command.empty() ? sub->remaining() : cli.command);
    };
  });
}

} // namespace meld::cli
