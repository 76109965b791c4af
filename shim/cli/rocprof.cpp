#include "shim/cli/rocprof.h"

#include "runtime/host/text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace meld::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char *kName = "rocprofv3";
constexpr const char *kNeeded = "rocprofiler-sdk of ROCm 6.4 or later";
constexpr uint64_t kMicroseconds = 100;
constexpr uint64_t kCycles = uint64_t(1) << 16; // hardware wants a power of two

/// Where it may be, in this order.
std::vector<std::string> folders() {
  std::vector<std::string> found;
  const char *path = std::getenv("PATH");
  std::string rest = path ? path : "";
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (colon)
      found.push_back(rest.substr(0, colon));
    rest.erase(0, colon + 1);
  }
  if (const char *rocm = std::getenv("ROCM_PATH"); rocm && *rocm)
    found.push_back(std::string(rocm) + "/bin");
  found.push_back("/opt/rocm/bin");
  return found;
}

/// What a program prints when asked; "" where it cannot be started.
std::string answerOf(const std::string &program, const std::string &option) {
  std::string quoted = "'";
  for (const char c : program)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  FILE *pipe = ::popen((quoted + "' " + option + " 2>/dev/null").c_str(), "re");
  if (!pipe)
    return {};
  std::string text;
  char part[4096];
  while (const size_t size = std::fread(part, 1, sizeof part, pipe))
    text.append(part, size);
  ::pclose(pipe);
  return text;
}

/// "    rocm_version: 6.4.1" -> "6.4.1"
std::string fieldOf(const std::string &text, const std::string &name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line.compare(first, name.size() + 1, name + ":") != 0)
      continue;
    const size_t value = line.find_first_not_of(' ', first + name.size() + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

bool isAtLeast(const std::string &version, unsigned major, unsigned minor) {
  unsigned has[2] = {0, 0};
  return std::sscanf(version.c_str(), "%u.%u", &has[0], &has[1]) >= 1 &&
         (has[0] > major || (has[0] == major && has[1] >= minor));
}

} // namespace

Result<std::string> findRocprof() {
  for (const std::string &folder : folders()) {
    const std::string path = folder + "/" + kName;
    std::error_code error;
    if (!fs::is_regular_file(path, error) || ::access(path.c_str(), X_OK) != 0)
      continue;
    const std::string answer = answerOf(path, "--version");
    const std::string rocm = fieldOf(answer, "rocm_version"), own = fieldOf(answer, "version");
    // Some builds do not know of which ROCm they are; 0.6 came with 6.4.
    if (rocm.empty() ? isAtLeast(own, 0, 6) : isAtLeast(rocm, 6, 4))
      return path;
    return fail(ErrorCode::unsupported,
                path +
                    (rocm.empty() && own.empty()
                         ? " does not tell its version"
                         : " is of " + (rocm.empty() ? "version " + own : "ROCm " + rocm)) +
                    "; PC samples need " + kNeeded);
  }
  return fail(ErrorCode::notFound, std::string("there is no ") + kName +
                                       " on PATH, in $ROCM_PATH/bin or in /opt/rocm/bin; PC "
                                       "samples need " +
                                       kNeeded);
}

std::vector<std::string> samplingCommand(const std::string &rocprof, const SamplingOptions &options,
                                         const std::string &folder,
                                         const std::vector<std::string> &command) {
  std::string method = options.method;
  if (method == "auto") {
    std::string devices = answerOf(rocprof, "--list-avail");
    std::ranges::transform(devices, devices.begin(),
                           [](unsigned char c) { return std::tolower(c); });
    method = devices.find("stochastic") == std::string::npos ? "host_trap" : "stochastic";
  }
  const bool hostTrap = method == "host_trap";
  const uint64_t interval =
      options.interval ? options.interval : (hostTrap ? kMicroseconds : kCycles);
  std::vector<std::string> line{rocprof,
                                "--kernel-trace",
                                "--pc-sampling-beta-enabled",
                                "--pc-sampling-method",
                                method,
                                "--pc-sampling-unit",
                                hostTrap ? "time" : "cycles",
                                "--pc-sampling-interval",
                                std::to_string(interval),
                                "--output-format",
                                "json",
                                "--output-directory",
                                folder,
                                "--output-file",
                                "%pid%",
                                "--"};
  line.insert(line.end(), command.begin(), command.end());
  return line;
}

Result<std::vector<profile::Trace>> readTraces(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto &entry : fs::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file(error) && entry.path().filename().string().ends_with("results.json"))
      files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<profile::Trace> traces;
  for (const std::string &file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in)
      return fail(ErrorCode::io, file + ": cannot be opened");
    auto trace = profile::readTrace(in);
    if (!trace)
      return fail(trace.error().code, file + ": " + trace.error().message);
    traces.push_back(std::move(*trace));
  }
  if (traces.empty())
    return fail(ErrorCode::notFound, "rocprofv3 has written no results; what it says stands above");
  return traces;
}

} // namespace meld::cli
