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

static bool isHelp(const CLI::Option &option) {
  return option.get_name(false, true) == "-h,--help";
}

static void describe(const CLI::App &verb, const std::string &name, std::string &out) {
  out += ".SS " + roff(name) + "\n" + roff(verb.get_description()) + "\n";
  for (const CLI::Option *option : verb.get_options()) {
    if (isHelp(*option))
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

static void describeAsMarkdown(const CLI::App &verb, const std::string &name, std::string &out) {
  out += "\n## " + name + "\n\n" + verb.get_description() + ".\n";
  std::string options;
  for (const CLI::Option *option : verb.get_options())
    if (!isHelp(*option)) {
      const std::string value = option->get_option_text();
      options += "- `" + option->get_name(false, true) + (value.empty() ? "" : " " + value) +
                 "`: " + option->get_description() + "\n";
    }
  if (!options.empty())
    out += "\n" + options;
  if (std::string footer = verb.get_footer(); !footer.empty()) {
    if (footer.starts_with("Examples:\n"))
      footer.erase(0, sizeof("Examples:\n") - 1);
    out += "\n```\n";
    for (size_t at = 0; at < footer.size();) { // --help indents them
      const size_t end = std::min(footer.find('\n', at), footer.size());
      const size_t first = std::min(footer.find_first_not_of(' ', at), end);
      out += footer.substr(first, end - first) + "\n";
      at = end + 1;
    }
    out += "```\n";
  }
  for (const CLI::App *inner : verb.get_subcommands([](const CLI::App *) { return true; }))
    describeAsMarkdown(*inner, name + " " + inner->get_name(), out);
}

std::string markdownVerbs(const std::string &program, const CLI::App &app) {
  std::string out;
  for (const CLI::App *verb : app.get_subcommands([](const CLI::App *) { return true; }))
    if (!verb->get_group().empty())
      describeAsMarkdown(*verb, program + " " + verb->get_name(), out);
  return out;
}

} // namespace meld::command
