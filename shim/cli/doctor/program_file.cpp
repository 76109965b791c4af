// Can the dynamic linker put libmeld into this program?
#include "shim/cli/doctor/checks.h"

#include "runtime/host/text.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace meld::doctor {
namespace {

/// The linker runs the program in secure mode: LD_PRELOAD is ignored but for the system's own
/// libraries, and libmeld does nothing (ld.so(8), "Secure-execution mode").
Findings checkRights(const Machine &machine, const std::string &path, const struct stat &info) {
  struct statvfs mounted;
  if (!::statvfs(path.c_str(), &mounted) && (mounted.f_flag & ST_NOSUID))
    return {}; // such rights do not count there
  const char *why = nullptr;
  if ((info.st_mode & S_ISUID) && info.st_uid != machine.user)
    why = "it is setuid";
  else if ((info.st_mode & S_ISGID) && (info.st_mode & S_IXGRP) && info.st_gid != ::getegid())
    why = "it is setgid";
  else if (::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
    why = "it has file capabilities";
  if (!why)
    return {};
  return {{Health::problem, "program rights",
           path + ": " + why + ", so the dynamic linker takes LD_PRELOAD away",
           "run a copy without these rights (cp does not keep them)"}};
}

} // namespace

Findings checkProgramFile(const Machine &machine, const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info))
    return {{Health::problem, "program", errnoText(path, errno), ""}};
  if (!S_ISREG(info.st_mode))
    return {{Health::problem, "program", path + " is not a regular file", ""}};
  if (auto section = dynamicSection(path)) {
    if (!section->dynamic)
      return {{Health::problem, "program",
               path + " is linked statically: nothing can be preloaded into it",
               "link it dynamically"}};
    if (Findings rights = checkRights(machine, path, info); !rights.empty())
      return rights;
    return {{Health::ok, "program",
             path + (section->interpreter.empty() ? ": a library" : ": linked dynamically"), ""}};
  } else if (section.error().code != ErrorCode::unsupported) {
    return {{Health::problem, "program", section.error().message, ""}};
  }
  char head[128] = "";
  std::ifstream file(path, std::ios::binary);
  file.read(head, sizeof(head) - 1);
  if (head[0] == '#' && head[1] == '!') {
    const std::string line(head + 2, std::string(head + 2).find_first_of("\n"));
    return {{Health::warn, "program",
             path + " is a script of " + shown(line) + "; what it starts is not looked at",
             "name the program itself"}};
  }
  Elf64_Ehdr header;
  std::memcpy(&header, head, sizeof(header));
  if (std::memcmp(head, ELFMAG, SELFMAG))
    return {{Health::warn, "program", path + " is no program", ""}};
  if (header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_AMDGPU)
    return {{Health::ok, "program", path + ": device code alone", ""}};
  return {{Health::problem, "program", path + " is a program of another machine than x86-64", ""}};
}

} // namespace meld::doctor
