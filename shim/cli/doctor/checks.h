// The checks of meld doctor. Each looks at one thing and changes nothing: it reads files, opens no
// device, runs no program. Messages name what they are about; where there is something to do, the
// advice says what.
//
// Thread rule: one thread. Nothing throws but for memory.
#pragma once

#include "runtime/cache/layers.h"
#include "runtime/engine/jit_library.h"
#include "shim/cli/doctor/closure.h"
#include "shim/cli/doctor/finding.h"
#include "shim/cli/doctor/machine.h"

namespace meld::doctor {

/// /dev/kfd and the render nodes: there, and usable by this user; in a container or not.
/// `software`: there is a software GPU to fall back to.
Findings checkDevice(const Machine &machine, bool software);

/// A batch system, and how many processes it says the job has.
Findings checkBatch(const Machine &machine);

/// What else takes part in ROCr's calls or in symbol lookup: profilers, audit libraries.
/// `program`, of which the dynamic section tells whether it may open HIP by itself; may be null.
Findings checkTools(const Machine &machine, const Closure *program);

/// The layers of the cache: which there are and why, how much is in them, is there room.
Findings checkCache(const CachePlan &plan);

/// What kind of file it is: can the dynamic linker put libmeld into it at all?
Findings checkProgramFile(const Machine &machine, const std::string &path);

/// Libraries of the program that are missing; several ROCm installations in one process.
/// `comgr`: the one that libmeld compiles with, "" when there is none.
Findings checkRocm(const Closure &closure, const std::string &comgr);

/// The same for what a running process has mapped, and is libmeld there?
Findings checkMapped(const std::string &root, int pid, const std::string &comgr);

/// The folders that MELD_BITCODE_PATH (`path`) names, and how many files are in them.
Findings checkSideBitcode(const std::string &path);

/// Which kernels of the file carry IR, or have some beside (`bitcodePath`), which do not and why.
/// Libraries of `closure` are looked at, too. `jit` may be null: then only what the sections tell.
Findings checkKernels(const std::string &path, const Closure &closure, const JitLibrary *jit,
                      const std::string &bitcodePath = {});

inline constexpr char kSideBitcodeCheck[] = "MELD_BITCODE_PATH";
inline constexpr char kNameAdvice[] =
    "a code object's file is HASH.bc, with the hash that meld inspect prints";

} // namespace meld::doctor
