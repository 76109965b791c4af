#include "shim/cli/verify_run.h"

#include "runtime/cache/directory.h"
#include "runtime/host/whole_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace meld::cli {
namespace {

uint64_t number(const Json &object, const char *key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number_unsigned() ? it->get<uint64_t>() : 0;
}

std::string string(const Json &object, const char *key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// Adds one process's file to the report.
void add(VerifyReport &report, const Json &file) {
  ++report.processes;
  for (const Json &kernel : file.value("kernels", Json::array())) {
    VerifiedKernel &sum = report.kernels[{string(kernel, "name"), string(kernel, "facts")}];
    sum.dispatches += number(kernel, "dispatches");
    sum.equal += number(kernel, "equal");
    sum.different += number(kernel, "different");
    sum.notRepeatable += number(kernel, "notRepeatable");
    const Json reasons = kernel.value("notVerified", Json::object());
    for (const auto &[reason, count] : reasons.items())
      sum.notVerified[reason] += count.is_number_unsigned() ? count.get<uint64_t>() : 0;
  }
  for (const Json &difference : file.value("differences", Json::array()))
    report.differences.push_back(difference);
}

} // namespace

bool VerifyReport::different() const {
  return std::ranges::any_of(kernels, [](const auto &k) { return k.second.different != 0; });
}

Result<std::string> temporaryFolder(const std::string &stem) {
  const char *where = std::getenv("TMPDIR");
  std::string name = std::string(where && *where ? where : "/tmp") + "/" + stem + "-XXXXXX";
  if (!::mkdtemp(name.data()))
    return fail(ErrorCode::io, errnoText(name, errno));
  return name;
}

Result<VerifyReport> verifyOnce(Environment environment, const std::vector<std::string> &command,
                                const std::string &folder, bool quiet) {
  environment.emplace_back("MELD_VERIFY_RUNS", "1");
  environment.emplace_back("MELD_VERIFY_DIR", folder);
  // A replacement that comes too late would not be looked at.
  environment.emplace_back("MELD_COMPILE_MODE", "sync");
  if (!std::getenv("MELD_COMPILE_BUDGET_MS"))
    environment.emplace_back("MELD_COMPILE_BUDGET_MS", "0");
  VerifyReport report;
  report.status = runAndWait(environment, command, quiet);
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".json")
      files.push_back(entry.path());
  if (error)
    return fail(ErrorCode::io, folder + ": " + error.message());
  std::ranges::sort(files);
  for (const auto &file : files) {
    auto bytes = MELD_TRY(readWholeFile(file));
    const Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (!json.is_object())
      return fail(ErrorCode::badInput, file.string() + " is no report");
    add(report, json);
    std::filesystem::remove(file, error);
  }
  return report;
}

std::string nameText(const VerifiedName &name) {
  return demangle(name.kernel) + (name.facts.empty() ? "" : " for " + name.facts);
}

std::string differenceText(const Json &d) {
  std::string out = nameText({string(d, "kernel"), string(d, "facts")}) + ", dispatch " +
                    std::to_string(number(d, "dispatch"));
  if (const std::string device = string(d, "device"); !device.empty())
    out += ", " + device;
  out += ": " + string(d, "what") + "\n";
  for (const Json &word : d.value("words", Json::array())) {
    out += "  " + string(word, "address") + ": original " + string(word, "original") +
           ", replacement " + string(word, "replacement");
    if (const std::string variable = string(word, "variable"); !variable.empty())
      out += "  (variable " + demangle(variable) + ")";
    else if (const uint64_t size = number(word, "size"))
      out += "  (offset " + std::to_string(number(word, "offset")) + " in the allocation of " +
             std::to_string(size) + " bytes at " + string(word, "allocation") + ")";
    else
      out += "  (in no allocation)";
    out += "\n";
  }
  for (const Json &file : d.value("captures", Json::array()))
    if (file.is_string())
      out += "  meld-gpu replay " + file.get<std::string>() + "\n";
  return out;
}

} // namespace meld::cli
