// Is there a GPU that this user may use, and does a batch system start us?
#include "shim/cli/doctor/checks.h"

#include "runtime/cache/surroundings.h"

#include <algorithm>
#include <dirent.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meld::doctor {
namespace {

bool exists(const std::string &path) { return ::access(path.c_str(), F_OK) == 0; }

/// The container's kind; "" outside of one.
std::string container(const Machine &machine) {
  for (const char *name : {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"})
    if (!machine.variable(name).empty())
      return "Apptainer";
  if (exists(machine.root + "/.dockerenv"))
    return "Docker";
  if (exists(machine.root + "/run/.containerenv"))
    return "Podman";
  if (const std::string kind = machine.variable("container"); !kind.empty())
    return kind; // systemd's convention
  return {};
}

std::string howToStart(const std::string &kind) {
  if (kind == "Apptainer")
    return "start the container with --rocm";
  return "start the container with --device=/dev/kfd --device=/dev/dri and the groups that own "
         "them "
         "(--group-add)";
}

/// "group render (107)", and whether others of the group may use the file.
std::string groupOf(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info))
    return {};
  const group *entry = ::getgrgid(info.st_gid);
  return std::string("group ") + (entry ? entry->gr_name : "?") + " (" +
         std::to_string(info.st_gid) + ")";
}

std::vector<std::string> renderNodes(const std::string &folder) {
  std::vector<std::string> nodes;
  if (DIR *dir = ::opendir(folder.c_str())) {
    while (const dirent *entry = ::readdir(dir))
      if (std::string(entry->d_name).starts_with("renderD"))
        nodes.push_back(folder + "/" + entry->d_name);
    ::closedir(dir);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

} // namespace

Findings checkDevice(const Machine &machine, bool software) {
  const std::string kfd = machine.root + "/dev/kfd", where = container(machine);
  const std::string place = where.empty() ? "" : " (in a container: " + where + ")";
  const std::string join = where.empty() ? "" : "; in a container its number counts: --group-add";
  if (!exists(kfd)) {
    const std::string advice =
        where.empty() ? "load the amdgpu driver, where there is such a device" : howToStart(where);
    if (software)
      return {{Health::warn, "GPU driver",
               "no /dev/kfd" + place + "; `meld run` takes the software GPU", advice}};
    return {
        {Health::problem, "GPU driver", "no /dev/kfd" + place + ", and no software GPU", advice}};
  }
  if (!machine.mayUse(kfd))
    return {{Health::problem, "GPU driver",
             "/dev/kfd is there, but this user may not use it" + place,
             "its owner is " + groupOf(kfd) + ": let the user be in it, and log in again" + join}};
  const std::vector<std::string> nodes = renderNodes(machine.root + "/dev/dri");
  const auto usable = std::count_if(nodes.begin(), nodes.end(),
                                    [&](const auto &node) { return machine.mayUse(node); });
  if (nodes.empty())
    return {{Health::problem, "GPU driver",
             "/dev/kfd is usable, but there is no /dev/dri/renderD*" + place,
             where.empty() ? "load the amdgpu driver" : howToStart(where)}};
  if (!usable)
    return {{Health::problem, "GPU driver",
             "/dev/kfd is usable, but none of " + std::to_string(nodes.size()) +
                 " render nodes in /dev/dri" + place,
             "their owner is " + groupOf(nodes.front()) +
                 ": let the user be in it, and log in again" + join}};
  return {{Health::ok, "GPU driver",
           "/dev/kfd and " + std::to_string(usable) + " of " + std::to_string(nodes.size()) +
               " render nodes are usable" + place,
           ""}};
}

Findings checkBatch(const Machine &machine) {
  const std::string name = batchSystem([&](const char *variable) -> const char * {
    auto it = machine.environment.find(variable);
    return it == machine.environment.end() ? nullptr : it->second.c_str();
  });
  if (name.empty())
    return {{Health::ok, "batch system", "none seen", ""}};
  std::string text = name;
  for (const char *variable : {"SLURM_NTASKS", "LSB_DJOB_NUMPROC", "FLUX_JOB_SIZE", "PMI_SIZE"})
    if (const std::string count = machine.variable(variable); !count.empty()) {
      text += ", " + count + " processes";
      break;
    }
  for (const char *variable : {"SLURM_JOB_NUM_NODES", "PBS_NUM_NODES", "FLUX_JOB_NNODES"})
    if (const std::string count = machine.variable(variable); !count.empty()) {
      text += " on " + count + " nodes";
      break;
    }
  return {{Health::ok, "batch system", text, ""}};
}

} // namespace meld::doctor
