// One ROCm in the process, and the one that libmeld compiles with? HIP, ROCr and comgr of different
// releases load together and fail later: at the first kernel, or with wrong results. It happens where
// a module of the machine and a path in a program (RUNPATH) lead to different folders.
#include "shim/cli/doctor/checks.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace meld::doctor {
namespace {

/// What the releases of ROCm have in common, by the part of the soname before ".so".
constexpr const char *kRocm[] = {"libamdhip64",      "libhsa-runtime64", "libamd_comgr",
                                 "libhiprtc",        "libhsakmt",        "librocprofiler-register",
                                 "librocprofiler64", "libroctx64",       "libroctracer64"};

/// "libamdhip64" of "libamdhip64.so.5.2.21153"; "" of all that is no part of ROCm.
std::string partOf(const std::string &path) {
  const std::string name = fileNameOf(path);
  for (const char *part : kRocm)
    if (name.starts_with(std::string(part) + ".so") || name.starts_with(std::string(part) + "-"))
      return part;
  return {};
}

/// The installation that a library is of: /opt/rocm-6.0.2 whatever the folder below it, else its folder.
std::string installation(const std::string &path) {
  for (size_t at = 0; (at = path.find("/rocm", at)) != std::string::npos; ++at) {
    const size_t end = path.find('/', at + 1);
    if (end != std::string::npos && (path[at + 5] == '/' || path[at + 5] == '-'))
      return path.substr(0, end);
  }
  return folderOf(path);
}

std::string joined(const std::set<std::string> &words) {
  std::string out;
  for (const std::string &word : words)
    out += (out.empty() ? "" : ", ") + word;
  return out;
}

/// What holds for a program's libraries as for what is mapped. `paths`: real paths, in any order.
Findings checkTogether(const std::set<std::string> &paths, const std::string &comgr) {
  std::map<std::string, std::set<std::string>> parts,
      installations; // part or installation -> paths
  for (const std::string &path : paths)
    if (const std::string part = partOf(path); !part.empty()) {
      parts[part].insert(path);
      installations[installation(path)].insert(fileNameOf(path));
    }
  Findings out;
  for (const auto &[part, files] : parts)
    if (files.size() > 1)
      out.push_back(
          {Health::problem, "ROCm versions",
           std::to_string(files.size()) + " of " + part + " in one process: " + joined(files),
           "build the program and its libraries with one ROCm, or correct LD_LIBRARY_PATH and "
           "RUNPATH",
           nlohmann::ordered_json(files)});
  if (out.empty() && installations.size() > 1) {
    std::string text =
        "the process has parts of " + std::to_string(installations.size()) + " installations:";
    for (const auto &[folder, files] : installations)
      text += " " + folder + " (" + joined(files) + ")";
    out.push_back({Health::warn, "ROCm versions", text,
                   "let LD_LIBRARY_PATH or the loaded modules name one ROCm",
                   nlohmann::ordered_json(installations)});
  }
  if (!comgr.empty() && parts.count("libamd_comgr") && !parts["libamd_comgr"].count(comgr))
    out.push_back({Health::warn, "comgr",
                   "libmeld compiles with " + comgr + ", and the program has " +
                       joined(parts["libamd_comgr"]),
                   "take a libmeld that was built for the program's ROCm"});
  if (out.empty()) {
    std::string text = parts.empty() ? "no part of ROCm is linked" : "one installation:";
    for (const auto &[folder, files] : installations)
      text += " " + folder + " (" + joined(files) + ")";
    out.push_back({Health::ok, "ROCm versions", text, ""});
  }
  return out;
}

} // namespace

Findings checkRocm(const Closure &closure, const std::string &comgr) {
  Findings out;
  std::set<std::string> paths;
  for (const LoadedFile &file : closure.files) {
    if (!file.path.empty()) {
      paths.insert(file.path);
      continue;
    }
    if (file.wanted.empty())
      out.push_back(
          {Health::warn, "libraries", file.name + " in LD_PRELOAD is nowhere", "mend LD_PRELOAD"});
    else
      out.push_back(
          {Health::problem, "libraries",
           file.wanted + " needs " + file.name + ", which is nowhere: the program does not start",
           "load the module it belongs to, or name its folder in LD_LIBRARY_PATH"});
  }
  for (Finding &finding : checkTogether(paths, comgr))
    out.push_back(std::move(finding));
  return out;
}

Findings checkMapped(const std::string &root, int pid, const std::string &comgr) {
  const std::string name = "process " + std::to_string(pid);
  std::ifstream maps(root + "/proc/" + std::to_string(pid) + "/maps");
  std::set<std::string> paths;
  for (std::string line; std::getline(maps, line);)
    if (const size_t slash = line.find('/'); slash != std::string::npos)
      paths.insert(line.substr(slash));
  if (paths.empty())
    return {
        {Health::problem, name, "its maps cannot be read: it has ended, or is another user's", ""}};
  auto has = [&](const char *library) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string &path) { return fileNameOf(path) == library; });
  };
  Findings out;
  const bool deleted = std::any_of(paths.begin(), paths.end(), [](const std::string &path) {
    return !partOf(path).empty() && path.ends_with(" (deleted)");
  });
  if (!has("libmeld.so"))
    out.push_back(
        {Health::problem, name, "libmeld.so is not in it", "start it with `meld run -- PROGRAM`"});
  else
    out.push_back({Health::ok, name,
                   std::string("libmeld.so is in it") +
                       (has("libmeld-jit.so") ? ", and has compiled" : "") +
                       (has("libmeld-softgpu.so") ? "; on the software GPU" : ""),
                   ""});
  if (deleted)
    out.push_back({Health::warn, name,
                   "parts of its ROCm have been replaced on disk since it started",
                   "start it again"});
  for (Finding &finding : checkTogether(paths, comgr))
    out.push_back(std::move(finding));
  return out;
}

} // namespace meld::doctor
