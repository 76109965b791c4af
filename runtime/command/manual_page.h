// Pieces of a man page (man(7)) and of docs/commands.md, from the same descriptions that --help prints.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace meld::command {

/// The text as man shows it: dots and quotes at the start of a line, backslashes and hyphens mean
/// something to roff.
std::string roff(const std::string &text);

/// The page up to its list of verbs: title, name, synopsis.
/// @param summary without a full stop
std::string manualHead(const std::string &program, const std::string &summary,
                       const std::string &version);

/// One section for each verb that --help lists, with its options.
std::string manualVerbs(const CLI::App &app);

/// The same as Markdown, a heading for each verb: "## meld run".
std::string markdownVerbs(const std::string &program, const CLI::App &app);

} // namespace meld::command
