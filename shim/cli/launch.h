// Starting a program under libmeld: what `meld run`, `meld verify` and `meld bisect` share.
#pragma once

#include "shim/cli/cli.h"

namespace meld::cli {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// auto, gpu or software: is it the software GPU?
bool usesSoftwareGpu(const std::string &device);

/// LD_PRELOAD, and what else the program's environment needs. `plain`: without libmeld.
/// Errors: notFound where our libraries are not beside this program, unsupported where LD_PRELOAD
/// cannot hold their paths.
Result<Environment> runEnvironment(bool software, bool plain);

/// Becomes the program; returns only when it cannot be started: 127 or 126, as a shell answers.
int execute(const Environment &environment, std::vector<std::string> command);

/// Runs the program and waits for it; its exit status as a shell has it, 128 + n after signal n.
/// Ctrl-C is the program's meanwhile. `quiet`: what it prints is thrown away.
int runAndWait(const Environment &environment, const std::vector<std::string> &command,
               bool quiet = false);

std::string absolutePath(const std::string &path);

} // namespace meld::cli
