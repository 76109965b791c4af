// A version of a kernel (jit/variant) loaded beside its original, bound to the original's
// variables.
//
//   original, loaded: gcount at 0x7f..1000 ---- define "gcount" = that address ----v
//   version's code object: undefined gcount --> executable of its own --> load --> freeze
//
// The definitions come before the load: ROCr resolves relocations while it loads, and refuses a
// name that nobody has defined. The original may be frozen or not, and is not changed. It goes
// through the entries of the table as they are now, so that another tool sees the version as it
// sees any code object; the caller marks the calls as libmeld's own (shim/own_calls.h).
//
// Whatever fails, nothing is left behind, and the original runs as before.
// Thread rule: any thread; one load takes milliseconds.
#pragma once

#include "runtime/gate/version_gate.h"
#include "shim/hsa.h"

#include <memory>

namespace meld {

/// ROCr keeps pointers into the bytes until the executable is gone.
struct LoadedVersion {
  std::shared_ptr<const Bytes> bytes;
  hsa_code_object_reader_t reader{};
  hsa_executable_t executable{};
  uint64_t object = 0; ///< HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT
  LaunchSizes sizes;
  size_t deviceBytes = 0; ///< what its segments take there, in pages
};

/// A kernel as the application's executable has it.
struct LoadedKernel {
  hsa_executable_t executable{};
  hsa_agent_t agent{};
  std::string name; ///< as in metadata, without ".kd"
};

/// Whether the table has all that a load takes.
bool canLoadVersions(const CoreApiTable &table) noexcept;

/// The kernel object of an executable's kernel; 0 where there is none.
uint64_t kernelObject(const CoreApiTable &table, const LoadedKernel &kernel) noexcept;

/// Errors: badInput (the bytes are no version of that kernel), notFound (the original lacks a
/// variable), unsupported (ROCr refused a step), io (it had no memory).
/// `variables`: variablesNeeded() of the two objects.
Result<LoadedVersion> loadVersion(const CoreApiTable &table, const LoadedKernel &original,
                                  std::shared_ptr<const Bytes> bytes,
                                  const std::vector<std::string> &variables);

/// No launch of it may be under way.
void unloadVersion(const CoreApiTable &table, const LoadedVersion &version) noexcept;

/// Versions that this process has loaded.
struct LoadedTotals {
  struct Count {
    size_t versions = 0, deviceBytes = 0;
    size_t objectBytes = 0; ///< of code objects, which the host keeps
  };
  Count now, most;                 ///< most: at one time
  size_t loaded = 0, unloaded = 0; ///< since its start
};
/// Any thread.
LoadedTotals loadedTotals();

} // namespace meld
