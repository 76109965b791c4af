// The `meld` command.
#include "shim/cli/cli.h"

#include <algorithm>

int main(int argc, char **argv) {
  using namespace meld::cli;
  Cli cli;
  cli.app.require_subcommand(1);
  cli.app.set_version_flag("--version", "meld " MELD_VERSION);
  cli.app.footer("Settings come from MELD_* variables: see `meld config`.\n"
                 "Exit status: 0 fine, 1 a problem was found, 2 wrong usage.");
  for (auto add : {addRun, addVerify, addBisect, addDivergence, addProfile, addValidate, addDoctor,
                   addInspect, addCompile, addExplain, addCache, addWarm, addConfig, addManual})
    add(cli);
  // The program's own arguments are none of our parser's business.
  int own = argc;
  constexpr std::string_view kTakeProgram[] = {"run",        "verify",  "bisect",
                                               "divergence", "profile", "warm"};
  if (argc > 1 && std::ranges::count(kTakeProgram, std::string_view(argv[1])))
    for (own = 2; own < argc && std::string_view(argv[own]) != "--";)
      ++own;
  for (int i = own + 1; i < argc; ++i)
    cli.command.emplace_back(argv[i]);
  try {
    cli.app.parse(own, argv);
  } catch (const CLI::ParseError &error) {
    int status = cli.app.exit(error);
    return status ? kUsage : kOk;
  }
  try {
    return cli.action ? cli.action() : kUsage;
  } catch (const std::exception &error) {
    return complain(std::string("internal error: ") + error.what());
  }
}
