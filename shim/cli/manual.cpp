// meld manual: the man page.
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

} // namespace

void addManual(Cli &cli) {
  CLI::App *sub = cli.verb("manual", "Print the man page", "");
  sub->group(""); // not in --help
  sub->callback([&cli] {
    cli.action = [&cli] {
      print(manual(cli));
      return kOk;
    };
  });
}

} // namespace meld::cli
