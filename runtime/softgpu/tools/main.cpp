// meld-gpu: tools around the software GPU that need its executor but no HIP program.
#include "runtime/command/manual_page.h"
#include "runtime/settings/settings.h"
#include "runtime/softgpu/tools/coverage.h"
#include "runtime/softgpu/tools/disassembly.h"
#include "runtime/softgpu/tools/profile_table.h"
#include "runtime/softgpu/tools/replay.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

namespace {

int finish(const meld::Result<std::string> &result) {
  if (!result) {
    std::fprintf(stderr, "meld-gpu: %s\n", result.error().message.c_str());
    return 1;
  }
  std::fwrite(result->data(), 1, result->size(), stdout);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  using namespace meld::softgpu;
  CLI::App app{"Tools of the software GPU"};
  app.require_subcommand(1);
  app.footer("Exit status: 0 fine, 1 a problem was found, 2 wrong usage.");
  int status = 0;

  ProfileTableOptions profile;
  CLI::App *p = app.add_subcommand("profile", "Print a profile written by MELD_GPU_PROFILE");
  p->add_option("FILE", profile.file, "The JSON file")->required();
  p->add_option("--object", profile.objects,
                "Executable or code object with the kernels (default: the program that ran)");
  p->add_option("--kernel", profile.kernel, "Only kernels whose name contains this");
  p->add_flag("--by-line", profile.byLine, "Sum up per source line");
  p->callback([&] { status = finish(profileTable(profile)); });

  std::string target, kernel, file;
  bool missing = false;
  CLI::App *c = app.add_subcommand("coverage", "Opcodes that the software GPU executes");
  c->add_option("--target", target, "Only this processor");
  c->add_flag("--missing", missing, "List the missing ones by name");
  c->callback([&] { status = finish(coverageTable(target, missing)); });

  CLI::App *d = app.add_subcommand("disasm", "Disassemble the kernels of a file");
  d->add_option("FILE", file, "Executable, library, bundle or code object")->required();
  d->add_option("--kernel", kernel, "Only kernels whose name contains this");
  d->add_option("--target", target, "Only this processor");
  d->callback([&] { status = finish(disassembly(file, kernel, target)); });

  ReplayOptions again;
  std::string profileFile;
  CLI::App *r = app.add_subcommand("replay", "Run a dispatch saved by MELD_GPU_CAPTURE again");
  r->add_option("FILE", again.file, "The captured dispatch")->required();
  r->add_option("--trace", again.trace, "Write one line per instruction to this file (-: stderr)");
  r->add_option("--profile", profileFile, "Write a per-instruction profile to this JSON file");
  r->add_option("--checked", again.checks,
                "all, or any of memory, hazard, undefined, race, barrier")
      ->expected(0, 1)
      ->default_str("all");
  r->add_flag("--timing", again.timing, "Model cycles");
  r->add_option("--threads", again.threads, "Host threads")->capture_default_str();
  r->add_option("--translate", again.translate, "off, auto or always")
      ->default_str("off")
      ->check(CLI::IsMember({"off", "auto", "always"}));
  r->callback([&] {
    if (!profileFile.empty())
      setenv("MELD_GPU_PROFILE", profileFile.c_str(), 1);
    for (const std::string &warning : meld::loadSettings().gpuWarnings)
      std::fprintf(stderr, "meld-gpu: %s\n", warning.c_str());
    const auto report = replay(again);
    if (!report) {
      std::fprintf(stderr, "meld-gpu: %s\n", report.error().message.c_str());
      status = 1;
      return;
    }
    std::fputs(report->text.c_str(), stdout);
    status = report->same ? 0 : 1;
  });

  CLI::App *m = app.add_subcommand("manual", "Print the man page");
  m->group(""); // not in --help
  bool asMarkdown = false;
  m->add_flag("--markdown", asMarkdown, "This program's part of docs/commands.md");
  m->callback([&] {
    using namespace meld::command;
    if (asMarkdown) {
      std::fputs(markdownVerbs("meld-gpu", app).c_str(), stdout);
      return;
    }
    std::fputs((manualHead("meld-gpu", "tools of libmeld's software GPU", MELD_VERSION) +
                manualVerbs(app) +
                ".SH EXIT STATUS\n0 fine, 1 a problem was found, 2 wrong usage.\n.SH SEE ALSO\n"
                ".BR meld (1)\n")
                   .c_str(),
               stdout);
  });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? 2 : 0;
  }
  return status;
}
