// Programs and shell commands whose output is read. Any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace meld::bench {

/// One word to the shell, whatever is in it.
std::string quoted(const std::string &text);
/// Standard output of a shell command; its errors go where ours go. Empty when it cannot be run.
std::string outputOf(const std::string &command);

/// Runs argv with extra environment; the output of both streams is added to `output`. Exit code as
/// a shell reports it.
int runProcess(const std::vector<std::string> &argv,
               const std::map<std::string, std::string> &environment, std::string &output);

} // namespace meld::bench
