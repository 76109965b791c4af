// meld manual: the man page, from the same descriptions that --help prints.
#include "shim/cli/cli.h"

namespace meld::cli {
namespace {

/// roff: a leading dot or quote starts a request, a backslash an escape, a hyphen may be broken.
std::string roff(const std::string &text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool lineStart = i == 0 || text[i - 1] == '\n';
    if (lineStart && (text[i] == '.' || text[i] == '\''))
      out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

void describe(const CLI::App &verb, const std::string &name, std::string &out) {
  out += ".SS " + roff(name) + "\n" + roff(verb.get_description()) + "\n";
  for (const CLI::Option *option : verb.get_options()) {
    if (option->get_name(false, true) == "-h,--help")
      continue;
    std::string value = option->get_option_text();
    out += ".TP\n\\fB" + roff(option->get_name(false, true)) + "\\fR" +
           (value.empty() ? "" : " \\fI" + roff(value) + "\\fR") + "\n" +
           roff(option->get_description()) + "\n";
  }
  if (std::string footer = verb.get_footer(); !footer.empty())
    out += ".PP\n.nf\n" + roff(footer) + "\n.fi\n";
  for (const CLI::App *inner : verb.get_subcommands([](const CLI::App *) { return true; }))
    describe(*inner, name + " " + inner->get_name(), out);
}

std::string manual(const Cli &cli) {
  std::string out = ".TH MELD 1 \"\" \"libmeld " MELD_VERSION "\" \"User Commands\"\n"
                    ".SH NAME\nmeld \\- control\\-flow melding for HIP programs\n"
                    ".SH SYNOPSIS\n.B meld\n.I VERB\n[\\fIOPTIONS\\fR]\n.SH VERBS\n";
  for (const CLI::App *verb : cli.app.get_subcommands([](const CLI::App *) { return true; }))
    if (!verb->get_group().empty())
      describe(*verb, verb->get_name(), out);
  out += ".SH ENVIRONMENT\n";
  for (const SettingValue &v : settings().values)
    out += std::string(".TP\n.B ") + v.name + "\n" + roff(v.help) +
           (*v.fallback ? " (default: " + roff(v.fallback) + ")" : std::string()) + "\n";
  return out +
         ".SH EXIT STATUS\n0 fine, 1 a problem was found, 2 wrong usage; \\fBmeld run\\fR ends "
         "as the program does.\n";
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
