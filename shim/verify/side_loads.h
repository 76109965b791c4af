// Replacements loaded beside the original code objects, for `meld verify`.
//
//   application's executable   original      <- what its symbols, launches and copies mean
//   an executable of ours      replacement   <- run by the software GPU to compare (verify_abi.h)
//
// Or versions of single kernels (MELD_SERVE under `meld verify`), each an executable of its own that
// is bound to the original's variables (shim/adapt/load_version.h), and is launched as versions.h says.
//
// Loaded when the application freezes its executable (from then on kernels have addresses), gone
// before its executable is destroyed.
//
// Thread rule: any thread; no HSA call is made under the lock. Whatever fails: the kernels count as
// not verified, with the reason, and the application is not touched.
#pragma once

#include "shim/rocr.h"
#include "shim/verify/object_map.h"
#include "shim/verify/versions.h"

#include <map>
#include <memory>
#include <mutex>

namespace meld {

class SideLoads {
public:
  /// False: there is no software GPU in the process, which is what compares.
  bool open(const std::string &folder);

  /// The original was loaded into `executable`; `replacement` is to be run beside it.
  void remember(hsa_executable_t executable, hsa_agent_t agent, ByteView original,
                std::shared_ptr<const Bytes> replacement);
  /// The same with a version of one of its kernels.
  void remember(hsa_executable_t executable, hsa_agent_t agent, ByteView original,
                VersionBeside version);
  void frozen(hsa_executable_t executable, const RocrEntries &rocr);
  /// To be called before the executable is destroyed.
  void forget(hsa_executable_t executable, const RocrEntries &rocr);

private:
  struct Side {
    hsa_agent_t agent{};
    std::shared_ptr<const Bytes> bytes;
    ObjectMap map;
    std::shared_ptr<const VersionBeside> version; ///< null: a replacement
    hsa_code_object_reader_t reader{};
    hsa_executable_t executable{};
    uint64_t descriptor = 0; ///< of one of the original's kernels, once registered
  };
  void add(hsa_executable_t executable, ByteView original, Side side);
  static void load(hsa_executable_t original, Side &side, const RocrEntries &rocr);
  static void loadReplacement(Side &side, const RocrEntries &rocr);
  static void announce(hsa_executable_t original, Side &side, const RocrEntries &rocr);

  std::mutex lock_;
  std::map<uint64_t, std::vector<Side>> byExecutable_;
};

} // namespace meld
