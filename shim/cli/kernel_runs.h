// What a recorded run tells of a kernel, counted by the software GPU or sampled on hardware: the two
// ways of `meld profile`.
#pragma once

#include "shim/cli/cli.h"
#include "shim/cli/rocprof.h"

#include "runtime/profile/profile.h"
#include "runtime/softgpu/counters/profile.h"

namespace meld::cli {

/// The version of a kernel with markers, as it was loaded.
struct MarkedKernel {
  std::string marks;       ///< of its compile's metadata, JSON
  uint64_t objectSize = 0; ///< of its code object
};

class KernelRuns {
public:
  virtual ~KernelRuns() = default;
  /// Launches and waves; of whichever code object: names are all that a dispatch tells everywhere.
  virtual profile::Kernel launchesOf(const std::string &name,
                                     const std::string &processor) const = 0;
  /// Adds what is known of the kernel's blocks; nothing where its launches went elsewhere too.
  virtual void addBlocks(profile::Kernel &kernel, const std::string &processor,
                         const MarkedKernel &marked) const = 0;
  /// For people, behind the list of kernels; lines, or "".
  virtual std::string remarks() const { return {}; }
};

std::unique_ptr<KernelRuns> countedRuns(std::vector<softgpu::KernelProfile> recorded);
std::unique_ptr<KernelRuns> sampledRuns(std::vector<profile::Trace> traces);

} // namespace meld::cli
