// From the bytes of a code object to the decision what to load: memory, disk cache, compile, gate.
//
// Thread-safe. No lock is held while another library (JIT, HSA) or the disk works. Any doubt, any
// failure: the decision is "the original". Compiles run on threads of their own with a large stack
// and all signals blocked, so that neither a small stack of the application nor its signal handlers
// meet LLVM. There are at most MELD_JOBS of these threads, and none while there is nothing to do;
// the rest queues up: what the application waits for first, then
// first come, first served. What is remembered and what is queued has a bound.
//
// How long a load waits for its compile: MELD_COMPILE_BUDGET_MS at most, and no longer than
// MELD_COMPILE_WAIT times what comgr alone would take for the code, which the compile itself tells
// as soon as it has done that much (Compiler::compile). Then the original runs, and the compile goes
// on for the next load. With a budget of 0 everything is waited for.
//
// Another process may compile the same at this moment. The compile thread waits for it a second
// (EngineOptions::lockWait), a tenth of what the application waits for a compile by default, and
// then compiles, too. It does not wait for one that is stopped, nor while this process ends.
//
// With a remote layer (MELD_CACHE_REMOTE) a load that misses does not wait at all: the original runs,
// and a thread of ours asks the remote (remote_exchange.h). What it has is used from the next load on;
// what it has not is claimed there and compiled, by one process of all; the others take it from there.
// Threads of ours (Patience::untilDone) do wait, 30 s for a process that has died.
#pragma once

#include "runtime/cache/layered.h"
#include "runtime/engine/compiler.h"
#include "runtime/engine/decision.h"
#include "runtime/engine/known_profile.h"
#include "runtime/engine/memory.h"
#include "runtime/engine/remote_exchange.h"
#include "runtime/gate/version_gate.h"
#include "runtime/report/report.h"
#include "runtime/settings/settings.h"

#include <condition_variable>
#include <functional>
#include <map>

namespace meld {

struct EngineOptions {
  Settings settings;
  std::string libmeldPath;    ///< part of the key; may be empty
  std::string jitPath;        ///< libmeld-jit.so
  void (*atExit)() = nullptr; ///< to call before the compiler's exit handlers, see Compiler::atExit
  std::chrono::milliseconds lockWait{1000}; ///< for another process that compiles the same
  std::string temporaryFolder;              ///< where killed compiles leave folders; empty: nowhere
  /// How a remote layer is reached; empty: there is none, whatever the settings say.
  std::function<Result<std::unique_ptr<RemoteStore>>(const std::string &url)> openRemote;
  std::chrono::seconds remoteClaim{
      30}; ///< then a process that has claimed a compile counts as dead
};

/// How long a caller waits for a compile.
enum class Patience : uint8_t {
  asSet,     ///< MELD_COMPILE_MODE, MELD_COMPILE_BUDGET_MS: the application waits
  untilDone, ///< or until the process ends: a thread of ours waits
};

struct QueuedCompile;

class Engine {
public:
  explicit Engine(EngineOptions options);

  /// `original` must stay readable during the call only.
  /// Of a version, `replacement` is an object with that kernel alone, to be loaded beside the
  /// original; it has passed the gate for rewritten packets (Gear::launch).
  Decision decide(ByteView original, const VersionWanted &wanted = {},
                  Patience patience = Patience::asSet) noexcept;

  /// ROCr has loaded the replacement: later ones need no trial.
  void accept(const CacheKey &key) noexcept;
  /// The replacement turned out to be unusable (ROCr refused it): remember that, in memory and on
  /// disk.
  void reject(const CacheKey &key, const std::string &reason) noexcept;

  /// Waits that long for compiles in the background (not for those of other processes), then stops
  /// them, then lets the cache clean up.
  /// For the end of the process; must run before LLVM's own exit handlers (see
  /// EngineOptions::atExit).
  void finish(std::chrono::milliseconds wait) noexcept;

  /// The child of a fork has neither the compile threads nor a sane lock state: pass everything
  /// through.
  void abandon() noexcept { abandoned_ = true; }

  /// With what is known of the object's runs, whether `version` has it or not.
  CacheKey keyOf(ByteView original, const std::string &isa,
                 const VersionWanted &version = {}) const;
  /// `version` with what MELD_PROFILE knows of the object filled in; decide() does so by itself.
  VersionWanted withProfile(VersionWanted version, ByteView original) const;
  /// How each kernel is to be run as a version of its own, by recipe, since MELD_PROFILE says that most
  /// of the object's code is never run: then it is not compiled. Nothing: decide() as always.
  std::optional<std::map<std::string, std::string>> profiledVersions(ByteView original) const;
  /// Null where the cache is off.
  LayeredCache *disk() { return disk_.get(); }
  const EngineOptions &options() const { return options_; }

private:
  using Job = QueuedCompile;

  Decision decideOrThrow(ByteView original, const VersionWanted &version, Patience patience);
  std::optional<Decision> fromMemory(const CacheKey &key);
  std::optional<Decision> fromDisk(const CacheKey &key, const CodeObject &original,
                                   const VersionWanted &version);
  std::optional<Decision> fromEntry(CacheEntry entry, const std::string &metadata,
                                    const CodeObject &original, const VersionWanted &version);
  void openRemoteLayer(const CachePlan &plan);
  bool asksRemote() const noexcept;
  std::optional<Decision> fromRemote(const Job &job, ByteView file);
  bool received(const CacheKey &key, Bytes file);
  void missing(const CacheKey &key);
  void stopAskingRemote() noexcept;
  bool isFresh() const { return options_.settings.recache || !options_.settings.dumpDir.empty(); }
  bool queueIsFull(uint64_t more) const;
  Decision compileNow(const CacheKey &key, ByteView original, const VersionWanted &version,
                      Patience patience);
  void noThread() noexcept;
  void work() noexcept;
  std::shared_ptr<Job> nextJob() noexcept;
  void settle(const std::shared_ptr<Job> &job, Decision result) noexcept;
  std::optional<Decision> runJob(Job &job);
  void startWorker(bool counted) noexcept;
  bool needsWorker() noexcept;
  bool waitFor(std::unique_lock<std::mutex> &guard, const Job &job);
  void remember(const CacheKey &key, const Decision &decision);
  Result<std::shared_ptr<Compiler>> jit();

  EngineOptions options_;
  KnownProfile profile_;
  std::vector<std::pair<std::string, std::string>>
      identity_; ///< key fields that do not change in a process
  std::unique_ptr<LayeredCache> disk_;
  std::shared_ptr<const TrustedKeys> trusted_; ///< for what comes from the remote
  bool remoteWritten_ = false;
  std::atomic<bool> abandoned_{false};
  std::atomic<bool> cancelled_{false}; ///< finish() has stopped the compiles
  std::atomic<bool> ending_{false}; ///< nothing joins the queue, nobody waits for other processes

  mutable std::mutex lock_; ///< guards everything below
  std::condition_variable jobDone_;
  DecisionMemory memory_{4096, uint64_t(256) << 20};
  std::map<CacheKey, std::shared_ptr<Job>> jobs_;
  uint64_t jobsSeen_ = 0;
  uint64_t queuedBytes_ = 0; ///< of the originals in jobs_
  unsigned overdue_ = 0;     ///< of jobs_
  unsigned workers_ = 0;     ///< compile threads
  unsigned opening_ = 0;     ///< threads that load the compiler
  bool openNone_ = false;    ///< the exit handlers go on
  bool cleaned_ = false;     ///< old folders of compilers have been looked for
  std::shared_ptr<Compiler> jit_;
  std::string jitError_;

  std::unique_ptr<RemoteExchange> remote_; ///< the last: it calls back until it is gone
};

} // namespace meld
