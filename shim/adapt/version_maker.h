// The launch gear's versions: made while the application runs, of the kernels that it launches
// often, and given to the table from which the packet handler chooses.
//
//   load      the object's bytes are kept, the original is loaded
//   freeze    its kernels are in kernelTable(): asleep, or with what was measured in earlier runs
//   launches  the packet handler finds a kernel wanted, and wakes the maker's thread
//   thread    recipe by recipe: compile (or cache) -> gate -> load beside the original (OwnCalls)
//             -> kernelTable().addVariant(); at most MELD_VERSIONS with the original, none twice
//   launches  have facts in common (MELD_SPECIALIZE): the same, before the recipes; the version's
//             guard is made of the facts that it depends on. Where there is no place left, the
//             specialised version that was used the longest ago leaves, and is unloaded when no
//             launch of it can be under way (retired.h)
//   destroy   out of the table; unloaded behind the original when no launch is under way
//   exit      what was decided goes into the VerdictStore
//
// Of a kernel whose winners are known only these are made, at once, and with them the specialised
// versions that there were; the others when it is launched
// in a class that nothing is known of. What nothing can be made of leaves the table: when no kernel
// is left in it, a launch costs what it costs without us but for one look.
//
// An executable into which more than one object is loaded has no versions: a name in it may mean
// either's variable.
//
// Thread rule: any thread. While ROCr loads a version, its original cannot be destroyed by a hook
// (take() waits some milliseconds); no other lock is held while ROCr or the compiler works, and none
// while the disk does, but at the end of the process.
#pragma once

#include "shim/adapt/made_kernel.h"
#include "shim/adapt/verdict_store.h"

#include <map>
#include <mutex>
#include <optional>
#include <semaphore.h>

namespace meld::adapt {

class VersionMaker {
public:
  VersionMaker();

  /// Versions are made from now on, of what is loaded through `table`. Again when ROCr comes back.
  /// `engine` lives as long as the process.
  void begin(const CoreApiTable &table, Engine &engine);
  bool active() const noexcept { return active_.load(std::memory_order_acquire); }
  /// ROCr shuts down, or the process ends: nothing is loaded any more, what was decided is kept.
  /// Waits for a load that is under way, for a second at most.
  void end() noexcept;

  /// The original is in the executable now; `source` is read during the call only.
  void loaded(hsa_executable_t executable, hsa_agent_t agent, ByteView source);
  void frozen(hsa_executable_t executable);
  /// Before the original goes; its kernels must leave the table next. The versions are the
  /// caller's, to be unloaded behind it.
  std::vector<LoadedVersion> take(hsa_executable_t executable);

  /// Is there something left that only launches can tell, or a choice that differs from launch to
  /// launch? For the program's record.
  bool openQuestions() const;
  /// Kernels of which something was tried or decided, by name, with what was taken before.
  std::vector<MeasuredKernel> measured() const;

private:
  using Original = MadeOriginal;
  /// By the key of their object's verdicts, and by name.
  using MeasuredKernels = std::map<std::pair<std::string, std::string>, MeasuredKernel>;

  static void wake() noexcept;
  void run() noexcept;
  void tryToMake(uint64_t object) noexcept;
  void make(uint64_t object);
  void setOpen(MadeKernel &kernel, bool open);
  bool makeOne(Original &original, MadeKernel &kernel, unsigned recipe);
  void makeSpecialised(Original &original, MadeKernel &kernel, const std::string &asked);
  Result<void> addSpecialised(const Original &original, MadeKernel &kernel, size_t place,
                              const Decision &decision);
  bool makeRoom(MadeKernel &kernel);
  void unloadRetired();
  size_t mostVersions() const;
  Result<LoadedVersion> load(const Original &original, const MadeKernel &kernel,
                             const Decision &decision, bool guarded) const;
  bool isOpen(const MadeKernel &kernel, const KernelVerdict &verdict) const;
  std::optional<ObjectVerdicts> conclude(const Original &original);
  static void add(MeasuredKernels &all, const CacheKey &object, MeasuredKernel one);

  std::atomic<bool> active_{false};
  sem_t wanted_;
  bool running_ = false; ///< guarded by lock_
  const CoreApiTable *table_ = nullptr;
  Engine *engine_ = nullptr;
  std::shared_ptr<const VerdictStore> store_;

  /// Held while ROCr loads a version, and to say that an original goes.
  mutable std::timed_mutex loading_;
  /// Guards what follows. Timed: exit() may be called in a signal handler of the thread that has it.
  mutable std::timed_mutex lock_;
  std::map<uint64_t, std::shared_ptr<Original>> executables_;
  MeasuredKernels taken_; ///< of originals that are gone
  bool open_ = false;     ///< openQuestions(), of originals that are gone
};

} // namespace meld::adapt
