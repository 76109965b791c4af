// Replacements loaded beside the original code objects, for `meld verify`.
//
//   application's executable   original      <- what its symbols, launches and copies mean
//   an executable of ours      replacement   <- run by the software GPU to compare (verify_abi.h)
//
// Or versions of single kernels (MELD_SERVE under `meld verify`), each an executable of its own that
// is bound to the original's variables (shim/adapt/load_version.h).
//
// Loaded when the application freezes its executable (from then on kernels have addresses), gone
// before its executable is destroyed.
//
// Thread rule: any thread; no HSA call is made under the lock. Whatever fails: the kernels count as
// not verified, with the reason, and the application is not touched.
#pragma once

#include "shim/hsa.h"
#include "shim/verify/object_map.h"

#include <map>
#include <memory>
#include <mutex>

namespace meld {

/// The entries of ROCr's table as they were before ours.
struct SideEntries {
  decltype(CoreApiTable::hsa_code_object_reader_create_from_memory_fn) createReader;
  decltype(CoreApiTable::hsa_code_object_reader_destroy_fn) destroyReader;
  decltype(CoreApiTable::hsa_executable_create_alt_fn) createExecutable;
  decltype(CoreApiTable::hsa_executable_load_agent_code_object_fn) load;
  decltype(CoreApiTable::hsa_executable_freeze_fn) freeze;
  decltype(CoreApiTable::hsa_executable_destroy_fn) destroyExecutable;
  decltype(CoreApiTable::hsa_executable_iterate_symbols_fn) iterateSymbols;
  decltype(CoreApiTable::hsa_executable_symbol_get_info_fn) symbolInfo;
  const CoreApiTable *table; ///< as it is now, for versions
};

class SideLoads {
public:
  /// False: there is no software GPU in the process, which is what compares.
  bool open(const std::string &folder);

  /// The original was loaded into `executable`; `replacement` is to be run beside it. Or, with a
  /// name of a kernel, that kernel's version, which needs these variables of the original.
  void remember(hsa_executable_t executable, hsa_agent_t agent, ByteView original,
                std::shared_ptr<const Bytes> replacement, const std::string &kernel = {},
                const std::vector<std::string> &variables = {});
  void frozen(hsa_executable_t executable, const SideEntries &entries);
  /// To be called before the executable is destroyed.
  void forget(hsa_executable_t executable, const SideEntries &entries);

private:
  struct Side {
    hsa_agent_t agent{};
    std::shared_ptr<const Bytes> bytes;
    ObjectMap map;
    std::string kernel; ///< of a version; empty: a replacement
    std::vector<std::string> variables;
    hsa_code_object_reader_t reader{};
    hsa_executable_t executable{};
    uint64_t descriptor = 0; ///< of one of the original's kernels, once registered
  };
  static void load(hsa_executable_t original, Side &side, const SideEntries &entries);
  static void loadReplacement(Side &side, const SideEntries &entries);
  static void announce(hsa_executable_t original, Side &side, const SideEntries &entries);

  std::mutex lock_;
  std::map<uint64_t, std::vector<Side>> byExecutable_;
};

} // namespace meld
