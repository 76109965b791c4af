// The serve gear: where it is known which version of a kernel is to run, the host is given that
// version's kernel object in the place of the original's, and a launch costs what it always did.
//
//   load of an object   -> its kernels' versions are made (or come from the cache)
//   freeze              -> they are loaded beside it (load_version.h); table: original -> version
//   "KERNEL_OBJECT?"    -> the version's, where the table has one
//   destroy             -> out of the table, then unloaded behind the original
//
// The host keeps its packets' sizes from the original's metadata, so only what passes the gate for
// that (Gear::serve) is served. Which version it is, MELD_SERVE says for all kernels alike, or what
// was measured in earlier runs says for each (servedByVerdicts() in known_verdicts.h).
//
// An executable into which more than one object is loaded has no versions: a name in it may mean
// either's variable.
//
// Thread-safe; no lock is held while ROCr or the compiler works.
#pragma once

#include "runtime/engine/engine.h"
#include "runtime/report/report.h"
#include "shim/adapt/load_version.h"

#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace meld {

/// Recipes of jit/variant/recipes.h, by kernel. A kernel that is not there runs as it is.
using KernelRecipes = std::map<std::string, std::string>;

/// Why the host may not be given this version of the kernel, whatever its packets may do: a sentence for
/// people. Empty: it may.
std::string whyNotServed(const CodeObject &original, const CodeObject &version,
                         const std::string &kernel, const Settings &settings);

/// All kernels of an object by one recipe.
KernelRecipes allBy(const std::string &recipe, const CodeObject &object);

/// A version that runs with the packets as the host fills them.
struct ServableVersion {
  std::string kernel, recipe;
  CacheKey key;
  std::shared_ptr<const Bytes> bytes;
  std::vector<std::string> variables; ///< that it needs
};
/// Of the kernels in `recipes` those that have one; the others are told in the log. `source` is the
/// original's bytes. Compiles, or asks the cache.
std::vector<ServableVersion> servableVersions(ByteView source, const CodeObject &original,
                                              const KernelRecipes &recipes, Engine &engine);

class ServedVersions {
public:
  /// What is to be served of an object on that agent. May throw.
  using Chooser = std::function<KernelRecipes(hsa_agent_t, ByteView, const CodeObject &)>;

  /// An empty function: nothing is served. Before anything is loaded.
  void serve(Chooser chooser) { chooser_ = std::move(chooser); }
  /// Every kernel by this recipe; an empty one: nothing is served.
  void serveAll(const std::string &recipe);
  bool active() const { return static_cast<bool>(chooser_); }

  /// The original is in the executable now; `source` is read during the call only.
  void loaded(hsa_executable_t executable, hsa_agent_t agent, ByteView source, Engine &engine);
  /// The same with these recipes, whatever the chooser says.
  void loaded(hsa_executable_t executable, hsa_agent_t agent, ByteView source, Engine &engine,
              const KernelRecipes &recipes);
  /// Another object has come into the executable, without versions. False: it is not the first, and
  /// none in it has any from now on.
  bool noteObject(hsa_executable_t executable);
  /// Loads the versions; `report` gets those that are served from now on.
  void frozen(hsa_executable_t executable, const CoreApiTable &table, Engine &engine,
              Report &report);
  /// Before the original goes: its kernels are no longer served. The versions are the caller's, to
  /// be unloaded behind it.
  std::vector<LoadedVersion> take(hsa_executable_t executable);

  /// What the host is to launch for that kernel object: it, or its version. Any thread.
  uint64_t served(uint64_t object) const noexcept;

private:
  struct Version {
    ServableVersion made;
    LoadedKernel kernel;
    uint64_t original = 0; ///< its kernel object
    LoadedVersion loaded;
  };
  struct Executable {
    unsigned objects = 0;
    std::vector<Version> versions;
  };
  static std::vector<Version> made(const LoadedKernel &in, ByteView source,
                                   const CodeObject &original, Engine &engine,
                                   const KernelRecipes &recipes);

  Chooser chooser_;
  mutable std::mutex lock_; ///< guards what follows
  std::map<uint64_t, Executable> executables_;
  std::map<uint64_t, uint64_t> byObject_; ///< original -> version
};

} // namespace meld
