// Versions of kernels that are run beside their originals (MELD_SERVE under `meld verify`).
//
//   recipe        every kernel's version of that kind, where it has one
//   specialized   the specialised versions that an earlier run with MELD_ADAPT=on and MELD_SPECIALIZE=on
//                 has left in the cache, each for the launches for which its guard holds
//
// Each is launched as the measured choice would launch it (shim/adapt/kernel_table.h): the guard looks at
// the packet and the arguments, then the packet's sizes become the version's (packetFor), or the launch
// is not for this version.
//
// Thread rule: pure functions, but for the cache and the compiler that are asked.
#pragma once

#include "runtime/adapt/guard.h"
#include "runtime/engine/engine.h"
#include "runtime/gate/version_gate.h"
#include "shim/hsa.h"

namespace meld {

struct VersionBeside {
  std::string kernel;
  std::shared_ptr<const Bytes> bytes;
  std::vector<std::string> variables; ///< of the original, that it needs
  LaunchSizes original, version;
  std::string facts; ///< of a specialised version
  adapt::Guard guard;
};

/// Of the kernels of an object that is loaded on that agent; those without a version are told in the
/// log. `source` is the original's bytes. Compiles, or asks the cache.
std::vector<VersionBeside> versionsBeside(const std::string &recipe, const CoreApiTable &table,
                                          hsa_agent_t agent, ByteView source,
                                          const CodeObject &original, Engine &engine);

/// A MeldVerifyLaunch (runtime/softgpu/verify_abi.h). `context`: a std::shared_ptr<const VersionBeside>.
const char *launchBeside(const void *context, void *packet, const void *arguments,
                         uint64_t readable) noexcept;

} // namespace meld
