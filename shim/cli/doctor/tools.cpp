// Who else stands between the program and ROCr. libmeld gets in by ROCr's list of tools, behind what
// is there already; only where that way is closed do symbols decide, and then RTLD_DEEPBIND matters
// (docs/interception.md, "How libmeld gets in").
#include "shim/cli/doctor/checks.h"

#include <algorithm>
#include <unistd.h>

namespace meld::doctor {
namespace {

std::vector<std::string> words(const std::string &text, const char *separators) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at)
      out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// A path that is not there: ROCr and the linker say so, and go on without it.
std::string missing(const std::vector<std::string> &paths) {
  for (const std::string &path : paths)
    if (path.find('/') != std::string::npos && ::access(path.c_str(), R_OK))
      return path;
  return {};
}

bool namesProfiler(const std::string &path) {
  const std::string name = fileNameOf(path);
  return name.find("rocprof") != std::string::npos || name.find("roctracer") != std::string::npos ||
         name.find("omnitrace") != std::string::npos ||
         name.find("rocprofsys") != std::string::npos;
}

bool linksHip(const Closure &program) {
  return std::any_of(program.files.begin(), program.files.end(), [](const LoadedFile &file) {
    return fileNameOf(file.name).starts_with("libamdhip64.so");
  });
}

} // namespace

Findings checkTools(const Machine &machine, const Closure *program) {
  Findings out;
  if (const std::string list = machine.variable("HSA_TOOLS_LIB"); !list.empty()) {
    if (const std::string path = missing(words(list, " \"")); !path.empty())
      out.push_back({Health::warn, "HSA_TOOLS_LIB", path + " is not there",
                     "unset HSA_TOOLS_LIB, or mend the path"});
    else
      out.push_back(
          {Health::ok, "HSA_TOOLS_LIB", list + " (kept; libmeld adds itself behind it)", ""});
  }

  const std::string registered = machine.variable("ROCP_TOOL_LIBRARIES");
  const bool closed =
      !registered.empty() && machine.variable("HSA_TOOLS_ROCPROFILER_V1_TOOLS") == "0";
  if (closed)
    out.push_back({Health::warn, "profiler",
                   registered +
                       " is ROCr's only tool: HSA_TOOLS_ROCPROFILER_V1_TOOLS=0 keeps libmeld from "
                       "being one next to it, and it gets in by its symbols alone",
                   "leave HSA_TOOLS_ROCPROFILER_V1_TOOLS unset: libmeld sets it"});
  else if (!registered.empty())
    out.push_back({Health::ok, "profiler",
                   registered + " (kept; it sees the kernels that libmeld has loaded)", ""});
  for (const char *name : {"ROCP_TOOL_LIB", "HSA_VEN_AMD_AQLPROFILE_LOG", "ROCP_METRICS"})
    if (const std::string value = machine.variable(name); !value.empty() && registered.empty()) {
      out.push_back({Health::warn, "profiler",
                     std::string(name) +
                         " is set, so rocprof is at work: one run of it reads counters of "
                         "whatever version of a kernel is launched",
                     "MELD_ADAPT=static keeps a kernel's version the same through a run"});
      break;
    }

  const std::vector<std::string> preload = words(machine.variable("LD_PRELOAD"), ": ");
  if (const std::string path = missing(preload); !path.empty())
    out.push_back(
        {Health::warn, "LD_PRELOAD", path + " is not there", "mend the path in LD_PRELOAD"});
  for (const std::string &path : preload)
    if (namesProfiler(path) && registered.empty())
      out.push_back({Health::ok, "profiler", path + " is preloaded (kept)", ""});
  if (const std::string audit = machine.variable("LD_AUDIT"); !audit.empty())
    out.push_back(
        {Health::warn, "LD_AUDIT",
         audit + " is asked before each symbol is bound, and may answer in libmeld's place",
         "unset LD_AUDIT, unless it is known to leave hsa_* and hip* alone"});

  if (closed && program && !linksHip(*program))
    out.push_back({Health::problem, "RTLD_DEEPBIND",
                   "the program opens HIP by itself (it is not linked with it): opened with "
                   "RTLD_DEEPBIND, HIP does not see libmeld's symbols, and no other way is open",
                   "leave HSA_TOOLS_ROCPROFILER_V1_TOOLS unset"});
  if (out.empty())
    out.push_back({Health::ok, "tools", "no profiler, no audit library", ""});
  return out;
}

} // namespace meld::doctor
