#include "runtime/command/manual_page.h"

#include <algorithm>
#include <cctype>

namespace meld::command {

std::string roff(const std::string &text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    // A leading dot or quote starts a request, a backslash an escape, a hyphen may be broken.
    const bool lineStart = i == 0 || text[i - 1] == '\n';
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

static void describe(const CLI::App &verb, const std::string &name, std::string &out) {
  out += ".SS " + roff(name) + "\n" + roff(verb.get_description()) + "\n";
  for (const CLI::Option *option : verb.get_options()) {
    if (option->get_name(false, true) == "-h,--help")
      continue;
    const std::string value = option->get_option_text();
    out += ".TP\n\\fB" + roff(option->get_name(false, true)) + "\\fR" +
           (value.empty() ? "" : " \\fI" + roff(value) + "\\fR") + "\n" +
           roff(option->get_description()) + "\n";
  }
  if (const std::string footer = verb.get_footer(); !footer.empty())
    out += ".PP\n.nf\n" + roff(footer) + "\n.fi\n";
  for (const CLI::App *inner : verb.get_subcommands([](const CLI::App *) { return true; }))
    describe(*inner, name + " " + inner->get_name(), out);
}

std::string manualHead(const std::string &program, const std::string &summary,
                       const std::string &version) {
  std::string upper = program;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
  return ".TH " + roff(upper) + " 1 \"\" \"libmeld " + version +
         "\" \"User Commands\"\n.SH NAME\n" + roff(program) + " \\- " + roff(summary) +
         "\n.SH SYNOPSIS\n.B " + roff(program) + "\n.I VERB\n[\\fIOPTIONS\\fR]\n";
}

std::string manualVerbs(const CLI::App &app) {
  std::string out = ".SH VERBS\n";
  for (const CLI::App *verb : app.get_subcommands([](const CLI::App *) { return true; }))
    if (!verb->get_group().empty())
      describe(*verb, verb->get_name(), out);
  return out;
}

} // namespace meld::command
