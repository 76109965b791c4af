// meld manual: the man page, and docs/commands.md.
#include "runtime/command/manual_page.h"
#include "shim/cli/cli.h"

namespace meld::cli {
namespace {

std::string manual(const Cli &cli) {
  using command::roff;
  std::string out =
      command::manualHead("meld", "control-flow melding for HIP programs", MELD_VERSION) +
      command::manualVerbs(cli.app) + ".SH ENVIRONMENT\n";
  for (const SettingValue &v : settings().values)
    out += std::string(".TP\n.B ") + v.name + "\n" + roff(v.help) +
           (*v.fallback ? " (default: " + roff(v.fallback) + ")" : std::string()) + "\n";
  return out +
         ".SH EXIT STATUS\n0 fine, 1 a problem was found, 2 wrong usage; \\fBmeld run\\fR ends "
         "as the program does.\n.SH SEE ALSO\n.BR meld-gpu (1)\n";
}

/// docs/commands.md, up to what `meld-gpu manual --markdown` adds.
std::string commandsPage(const Cli &cli) {
  return "# Commands\n\nWhat `meld VERB --help` and `meld-gpu VERB --help` say. This page is "
         "written "
         "by\n`(meld manual --markdown; meld-gpu manual --markdown) > docs/commands.md`.\n\n"
         "Exit status: 0 fine, 1 a problem was found, 2 wrong usage; `meld run` ends as the "
         "program "
         "does. Verbs that\ntry a program out end with 3 when it fails by itself.\n" +
         command::markdownVerbs("meld", cli.app);
}

} // namespace

void addManual(Cli &cli) {
  CLI::App *sub = cli.verb("manual", "Print the man page", "");
  sub->group(""); // not in --help
  auto asMarkdown = std::make_shared<bool>(false);
  sub->add_flag("--markdown", *asMarkdown, "This program's part of docs/commands.md");
  sub->callback([&cli, asMarkdown] {
    cli.action = [&cli, asMarkdown] {
      print(*asMarkdown ? commandsPage(cli) : manual(cli));
      return kOk;
    };
  });
}

} // namespace meld::cli
