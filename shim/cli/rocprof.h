// rocprofv3 of ROCm: finding it, and the command line with which it records launches and PC samples of
// a program (runtime/profile/rocprof.h reads what it writes).
//
// Source: rocprofiler-sdk, "Using PC sampling" and "Using rocprofv3".
#pragma once

#include "runtime/profile/rocprof.h"

#include <vector>

namespace meld::cli {

struct SamplingOptions {
  std::string method = "auto"; ///< host_trap, stochastic; auto: stochastic where the device has it
  uint64_t interval = 0;       ///< microseconds (host_trap) or cycles (stochastic); 0: ours
};

/// On PATH, in $ROCM_PATH/bin or in /opt/rocm/bin. Errors: notFound, unsupported (of before ROCm 6.4,
/// the first with PC samples); they name what was looked for.
Result<std::string> findRocprof();

/// How to run `command` so that JSON comes to lie in `folder`, a file for each process. Asks `rocprof`
/// what the devices have where the method is auto.
std::vector<std::string> samplingCommand(const std::string &rocprof, const SamplingOptions &options,
                                         const std::string &folder,
                                         const std::vector<std::string> &command);

/// What lies there, by file name. Errors: as readTrace(), with the file's name; notFound where there is
/// none.
Result<std::vector<profile::Trace>> readTraces(const std::string &folder);

} // namespace meld::cli
