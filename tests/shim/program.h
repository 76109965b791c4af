// Runs a program with an environment, for tests.
#pragma once

#include "tests/runtime/cache/scratch.h"
#include "tests/sanitizer.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <sys/wait.h>

namespace meld::test {

using Environment = std::map<std::string, std::string>;

struct Outcome {
  int status = -1; ///< exit code, or 128 + signal
  std::string out, err;
};

inline std::string slurpText(const std::string &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

enum class Errors { read, toNobody /* a pipe whose other end is closed */ };

inline Outcome runProgram(const std::string &command, Environment environment,
                          Errors errors = Errors::read) {
  Scratch scratch;
  const auto libraries = environment.find("LD_PRELOAD");
  for (const auto &[name, value] :
       preloaded(libraries == environment.end() ? "" : libraries->second))
    environment[name] = value;
  std::string line = "env";
  if (errors == Errors::toNobody) {
    const std::string pipe = scratch.file("pipe");
    line = "mkfifo " + pipe + "; exec 3<>" + pipe + " 2>" + pipe + " 3>&-; exec env";
  }
  for (const auto &[name, value] : environment)
    line += " '" + name + "=" + value + "'";
  line += " timeout " + std::to_string(patience(120)) + " " + command + " > " + scratch.file("out");
  if (errors == Errors::read)
    line += " 2> " + scratch.file("err");
  int status = std::system(line.c_str());
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = slurpText(scratch.file("out"));
  outcome.err = slurpText(scratch.file("err"));
  return outcome;
}

/// Another device than gfx90a, where ARRIVALS_GPU says so (tests/matrix_table.py goes through the
/// targets that the programs are built for).
inline std::string gpuUnderTest() {
  const char *asked = std::getenv("ARRIVALS_GPU");
  return asked ? asked : "gfx90a";
}

inline Environment onGpuUnderTest(Environment environment) {
  if (std::getenv("ARRIVALS_GPU"))
    environment["MELD_GPU"] = gpuUnderTest();
  return environment;
}

inline Environment plainEnvironment() {
  return onGpuUnderTest({{"LD_PRELOAD", MELD_LIB_DIR "/libmeld-softgpu.so"}});
}

/// libmeld from `folder`, a cache of its own, a report at the end; a compile may take as long as a
/// busy machine makes it.
inline Environment meldEnvironment(const Scratch &scratch,
                                   const std::string &folder = MELD_LIB_DIR) {
  return onGpuUnderTest({{"LD_PRELOAD", folder + "/libmeld.so " MELD_LIB_DIR "/libmeld-softgpu.so"},
                         {"MELD_CACHE_DIR", scratch.file("cache")},
                         {"MELD_LOG_LEVEL", "info"},
                         {"MELD_REPORT", "1"},
                         {"MELD_COMPILE_BUDGET_MS", "0"}});
}

} // namespace meld::test
