// What the dynamic linker would load for a program, found without running it: as ld.so(8) describes
// its search.
//
//   app --DT_NEEDED--> libsolver.so --DT_NEEDED--> libamdhip64.so.5
//    |  RUNPATH=$ORIGIN/../lib                       |
//    +-- LD_PRELOAD                                  +--> libhsa-runtime64.so.1 ...
//
// Breadth first, each soname once: what is loaded under a name serves everybody who asks for that
// name later, wherever its own search would have led. Ends: every name is looked up once. Costs a few
// small reads for each library. Not seen: dlopen(), glibc-hwcaps folders, prelinked namespaces.
#pragma once

#include "runtime/engine/identity.h"
#include "shim/cli/doctor/machine.h"

#include <vector>

namespace meld::doctor {

struct LoadedFile {
  std::string name;   ///< as it was asked for
  std::string path;   ///< real path; "" when it is nowhere
  std::string wanted; ///< path of who asked for it first; "" of what LD_PRELOAD names
};

struct Closure {
  std::string program; ///< real path
  DynamicSection section;
  std::vector<LoadedFile> files; ///< in the linker's order, without the program
};

/// Errors: notFound, io, unsupported (not an ELF file of x86-64).
Result<Closure> closureOf(const Machine &machine, const std::string &program);

} // namespace meld::doctor
