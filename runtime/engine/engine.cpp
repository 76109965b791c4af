#include "runtime/engine/engine.h"

#include "runtime/codeobject/comgr_names.h"
#include "runtime/engine/gated_compile.h"
#include "runtime/engine/identity.h"
#include "runtime/engine/open_compiler.h"
#include "runtime/engine/thread.h"
#include "runtime/host/confinement.h"
#include "runtime/host/leftovers.h"
#include "runtime/log/log.h"
#include "runtime/settings/pass_options.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <unistd.h>

namespace meld {
namespace {

using Clock = std::chrono::steady_clock;

/// Compiles in the queue: an application that loads faster than anyone can compile does not fill
/// the memory with copies of its code.
constexpr size_t kMostJobs = 1000;
constexpr uint64_t kMostQueued = uint64_t(512) << 20;
/// A compile stops by itself between two passes; code generation that is under way does not, and
/// LLVM has inputs on which it never ends: its thread is frozen then. An application's exit is
/// delayed by no more than these two (and MELD_EXIT_WAIT_MS before).
constexpr std::chrono::milliseconds kCancelWait{300};
constexpr unsigned kFreezeMs = 2000;
constexpr std::chrono::seconds kOpenWait{10}; ///< a compiler that is being loaded from a slow disk
constexpr std::chrono::milliseconds kExitSeen{20};
constexpr char kEnding[] = "the process ends";
constexpr size_t kCompileStack = size_t(64) << 20;
/// A wait of this length nobody minds: MELD_COMPILE_WAIT ends none before.
constexpr std::chrono::milliseconds kShortWait{250};

/// An entry whose code object is larger than this is not read: it cannot be a recompile of the
/// original.
uint64_t largestReplacement(ByteView original) {
  return 4 * uint64_t(original.size()) + (uint64_t(16) << 20);
}

std::string shortKey(const CacheKey &key) { return key.hex().substr(0, 12); }

std::vector<std::string> kernelNames(const CodeObject &object) {
  std::vector<std::string> names;
  for (const KernelMetadata &kernel : object.metadata.kernels)
    names.push_back(kernel.name);
  return names;
}

/// Variables that reach the compiler inside comgr. Those that only log or cache are not among them.
std::vector<std::pair<std::string, std::string>> compilerVariables() {
  std::vector<std::pair<std::string, std::string>> out;
  static constexpr std::string_view kHarmless[] = {
      "AMD_COMGR_CACHE",          "AMD_COMGR_CACHE_DIR",     "AMD_COMGR_CACHE_POLICY",
      "AMD_COMGR_SAVE_TEMPS",     "AMD_COMGR_REDIRECT_LOGS", "AMD_COMGR_EMIT_VERBOSE_LOGS",
      "AMD_COMGR_TIME_STATISTICS"};
  for (char **entry = environ; entry && *entry; ++entry) {
    std::string_view text = *entry;
    size_t equals = text.find('=');
    if (equals == std::string_view::npos)
      continue;
    std::string_view name = text.substr(0, equals);
    bool relevant = name.rfind("AMD_COMGR_", 0) == 0 || name == "CCC_OVERRIDE_OPTIONS";
    if (relevant &&
        std::find(std::begin(kHarmless), std::end(kHarmless), name) == std::end(kHarmless))
      out.emplace_back(std::string(name), std::string(text.substr(equals + 1)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string identityOf(const std::string &path) {
  if (path.empty())
    return "none";
  auto identity = fileIdentity(path);
  return identity ? *identity : "unreadable: " + identity.error().message;
}

} // namespace

/// One compile in the queue or in flight; others that want the same key wait for it.
struct Engine::Job {
  CacheKey key;
  Bytes original;
  VersionWanted version;
  uint64_t number = 0; ///< in the order of arrival
  bool begun = false;
  bool done = false;
  bool overdue = false; ///< someone has waited for as long as they may
  bool patient = false; ///< only a thread of ours waits
  /// By then it has taken as much longer than comgr alone as anyone waits for; unknown at first.
  std::optional<Clock::time_point> tooLong;
  Decision result;
};

Engine::Engine(EngineOptions options) : options_(std::move(options)) {
  const Settings &s = options_.settings;
  std::string jitFolder = folderOf(options_.jitPath);
  identity_.emplace_back("libmeld", identityOf(options_.libmeldPath));
  identity_.emplace_back("libmeld-jit", identityOf(options_.jitPath));
  // LLVM is what libmeld-jit.so is linked with; comgr is opened by it by name.
  for (const std::string &name : neededLibraries(options_.jitPath))
    if (name.rfind("libLLVM", 0) == 0)
      identity_.emplace_back(name,
                             identityOf(findLibrary(name, {jitFolder, MELD_LLVM_LIBRARY_DIR})));
  identity_.emplace_back("comgr", identityOf(findLibrary(MELD_COMGR_LIBRARY, {jitFolder})));
  for (auto &[name, value] : compilerVariables())
    identity_.emplace_back("environment " + name, value);

  if (s.cache) {
    DiskCacheOptions cache;
    cache.directory = DiskCache::chooseDirectory(s.cacheDir, secure_getenv("XDG_CACHE_HOME"),
                                                 secure_getenv("HOME"));
    cache.maxSize = s.cacheMaxSize;
    cache.readonly = s.cacheReadonly;
    cache.warn = [](const std::string &message) { log::warning(message); };
    disk_ = std::make_unique<DiskCache>(std::move(cache));
  }
}

CacheKey Engine::keyOf(ByteView original, const std::string &isa,
                       const VersionWanted &version) const {
  const Settings &s = options_.settings;
  KeyBuilder key;
  key.add("format", kCacheFormat);
  for (const auto &[name, value] : identity_)
    key.add(name, value);
  key.add("isa", isa);
  key.add("pass-options", passOptions(s));
  key.add("trust", s.trust);
  if (!version.empty()) {
    key.add("version-kernel", version.kernel);
    key.add("version-recipe", version.recipe);
    key.add("version-facts", version.facts);
  }
  // Holds the device libraries' bitcode, too; or comgr holds them, whose identity is above.
  Bytes named = withoutComgrNames(original);
  key.add("code-object", named.empty() ? original : ByteView(named));
  return key.finish();
}

Decision Engine::decide(ByteView original, const VersionWanted &version,
                        Patience patience) noexcept {
  Decision decision;
  try {
    return decideOrThrow(original, version, patience);
  } catch (const std::exception &error) {
    log::warnOnce("decide", "internal error, original code is used: ", error.what());
  } catch (...) {
    log::warnOnce("decide", "internal error, original code is used");
  }
  return decision;
}

Decision Engine::decideOrThrow(ByteView original, const VersionWanted &version, Patience patience) {
  Decision decision;
  if (abandoned_) {
    decision.outcome = Outcome::disabled;
    return decision;
  }
  auto object = CodeObject::parse(original);
  if (!object) {
    decision.reason = "code object not understood: " + object.error().message;
    log::info(decision.reason);
    return decision;
  }
  const std::string isa = object->isa.targetId();
  CacheKey key = keyOf(original, isa, version);
  auto finished = [&](Decision d) {
    d.key = key;
    d.isa = isa;
    d.kernels = version.empty() ? kernelNames(*object) : std::vector{version.kernel};
    return d;
  };
  if (auto hit = fromMemory(key))
    return finished(std::move(*hit));
  // A dump needs a compile; MELD_RECACHE asks for one.
  bool fresh = options_.settings.recache || !options_.settings.dumpDir.empty();
  if (!fresh)
    if (auto hit = fromDisk(key, *object, version)) {
      remember(key, *hit);
      return finished(std::move(*hit));
    }
  return finished(compileNow(key, original, version, patience));
}

std::optional<Decision> Engine::fromMemory(const CacheKey &key) {
  Decision decision;
  {
    std::lock_guard guard(lock_);
    const Decision *known = memory_.find(key);
    if (!known)
      return std::nullopt;
    decision = *known;
  }
  decision.source = Source::memory;
  log::info(std::string(outcomeName(decision.outcome)) + " " + shortKey(key) +
            ", as decided before in this process");
  return decision;
}

void Engine::remember(const CacheKey &key, const Decision &decision) {
  std::lock_guard guard(lock_);
  memory_.insert(key, decision);
}

std::optional<Decision> Engine::fromDisk(const CacheKey &key, const CodeObject &original,
                                         const VersionWanted &version) {
  if (!disk_)
    return std::nullopt;
  auto entry = disk_->load(key, largestReplacement(original.elf.bytes()));
  if (!entry)
    return std::nullopt;
  Decision decision;
  decision.source = Source::disk;
  decision.reason = std::move(entry->reason);
  if (entry->verdict == Verdict::unchanged) {
    decision.outcome = Outcome::unchanged;
    log::info("cache hit " + shortKey(key) + ": original kept (" + decision.reason + ")");
    return decision;
  }
  // The gate again: what is on disk is input like any other.
  auto findings = gateFindings(original, entry->codeObject, options_.settings, version);
  if (!findings.empty()) {
    log::warning("cache entry " + shortKey(key) +
                 " does not pass the gate and is ignored: " + findings.front().describe());
    return std::nullopt;
  }
  // Metadata are read where they are needed.
  if (!version.facts.empty())
    if (const auto header = disk_->header(key.hex()))
      decision.facts = factsOf(header->metadata, version);
  if (decision.facts.empty() && !version.facts.empty()) {
    log::warning("cache entry " + shortKey(key) + " does not say what it depends on: ignored");
    return std::nullopt;
  }
  decision.outcome = Outcome::replaced;
  decision.tried = entry->verdict == Verdict::replaced;
  decision.replacement = std::make_shared<const Bytes>(std::move(entry->codeObject));
  log::info("cache hit " + shortKey(key) + ": replacement of " +
            std::to_string(decision.replacement->size()) + " bytes");
  return decision;
}

Result<std::shared_ptr<Compiler>> Engine::jit() {
  {
    std::lock_guard guard(lock_);
    if (jit_)
      return jit_;
    if (!jitError_.empty())
      return fail(ErrorCode::notFound, jitError_);
    if (ending_)
      return fail(ErrorCode::unsupported, kEnding);
    ++opening_;
  }
  auto library = openCompiler(options_.settings, options_.jitPath);
  if (library && options_.atExit) {
    (*library)->atExit(options_.atExit);
    // The process may have begun to end while LLVM's global objects were made, and be destroying
    // them. Handlers run newest first: what was just registered is next then.
    std::this_thread::sleep_for(kExitSeen);
  }
  std::lock_guard guard(lock_);
  --opening_;
  jobDone_.notify_all();
  if (jit_) // another thread was faster
    return jit_;
  if (ending_)
    return fail(ErrorCode::unsupported, kEnding);
  if (!library) {
    jitError_ = library.error().message;
    return library;
  }
  jit_ = *library;
  return jit_;
}

Decision Engine::compileNow(const CacheKey &key, ByteView original, const VersionWanted &version,
                            Patience patience) {
  const Settings &s = options_.settings;
  Decision late;
  late.outcome = Outcome::late;
  late.reason = "compile not finished, original code is used for now";

  if (confinedSince()) {
    Decision failed;
    failed.reason = "the application has confined itself since: nothing is compiled any more";
    log::info(failed.reason);
    return failed;
  }
  // Here and not on the compile thread, which would race with the end of the process.
  auto library = jit();
  if (!library && ending_) {
    late.reason = kEnding;
    return late;
  }
  if (!library) {
    log::warnOnce("jit", "no recompilation: " + library.error().message);
    Decision failed;
    failed.reason = library.error().message;
    return failed;
  }

  std::shared_ptr<Job> job;
  bool mine = false, worker = false;
  {
    std::lock_guard guard(lock_);
    if (auto it = jobs_.find(key); it != jobs_.end()) {
      job = it->second;
      job->patient &= patience == Patience::untilDone;
    } else {
      if (ending_) {
        late.reason = kEnding;
        return late;
      }
      if (queueIsFull(original.size())) {
        late.reason = "too many compiles are waiting, original code is used";
        return late;
      }
      // All that takes memory comes before others can find the job: nobody waits for ever for one
      // that never began.
      job = std::make_shared<Job>();
      job->key = key;
      job->original.assign(original.begin(), original.end());
      job->version = version;
      job->number = ++jobsSeen_;
      job->patient = patience == Patience::untilDone;
      jobs_.emplace(key, job);
      queuedBytes_ += original.size();
      mine = true;
      worker = workers_ < std::clamp(s.jobs, 1u, 64u);
      workers_ += worker;
    }
  }
  if (worker && !runDetached([this] { work(); }, kCompileStack))
    noThread();
  const bool waits = patience == Patience::untilDone || s.compileMode != "async";
  if (!waits && mine)
    return late;

  std::unique_lock guard(lock_);
  // A thread that comes back to HIP late in the exit finds HIP's global objects gone.
  auto done = [&] { return job->done || cancelled_; };
  if (!waits) {
    if (!done())
      return late;
  } else if (patience == Patience::untilDone || !s.compileBudgetMs) {
    jobDone_.wait(guard, done);
  } else if ((overdue_ && !done()) || !waitFor(guard, *job)) {
    // One compile runs at a time. Behind one that takes too long nobody waits again: it may be one
    // of those that never end.
    if (!job->overdue) {
      job->overdue = true;
      ++overdue_;
    }
    guard.unlock();
    log::info(shortKey(key) + ": " + late.reason);
    return late;
  }
  return job->done ? job->result : late;
}

/// False when it is not done and nobody waits any longer.
bool Engine::waitFor(std::unique_lock<std::mutex> &guard, const Job &job) {
  const auto last = Clock::now() + std::chrono::milliseconds(options_.settings.compileBudgetMs);
  for (;;) {
    if (job.done || cancelled_)
      return true;
    const auto until = job.tooLong ? std::min(last, *job.tooLong) : last;
    if (Clock::now() >= until)
      return false;
    jobDone_.wait_until(guard, until);
  }
}

/// With lock_ held.
bool Engine::queueIsFull(uint64_t more) const {
  return jobs_.size() >= kMostJobs || (!jobs_.empty() && queuedBytes_ + more > kMostQueued);
}

/// A worker that was counted did not come into being.
void Engine::noThread() noexcept {
  {
    std::lock_guard guard(lock_);
    if (--workers_) // the others get to it
      return;
    while (auto job = nextJob()) {
      Decision none;
      none.reason = "no thread";
      settle(job, std::move(none));
    }
  }
  log::warnOnce("thread", "no thread for a compile, original code is used");
}

void Engine::work() noexcept {
  std::unique_lock guard(lock_);
  while (auto job = nextJob()) {
    job->begun = true;
    guard.unlock();
    Decision result;
    try {
      result = runJob(*job);
    } catch (const std::exception &error) {
      result.reason = "internal error"; // short enough to take no memory
      log::warnOnce("compile thread", "internal error, original code is used: ", error.what());
    } catch (...) {
      result.reason = "internal error";
    }
    guard.lock();
    settle(job, std::move(result));
  }
  --workers_;
  // Once, after the first compiles, on a thread that nobody waits for. From here on the engine is
  // not touched: it may go.
  std::string folder;
  if (!std::exchange(cleaned_, true) && !ending_)
    folder = std::move(options_.temporaryFolder);
  guard.unlock();
  if (!folder.empty())
    (void)removeOldCompilerFolders(folder, std::time(nullptr));
}

/// With lock_ held.
std::shared_ptr<Engine::Job> Engine::nextJob() noexcept {
  std::shared_ptr<Job> next;
  for (const auto &[key, job] : jobs_)
    if (!job->begun &&
        (!next || std::pair(job->patient, job->number) < std::pair(next->patient, next->number)))
      next = job;
  return next;
}

/// With lock_ held.
void Engine::settle(const std::shared_ptr<Job> &job, Decision result) noexcept {
  job->result = std::move(result);
  job->done = true;
  overdue_ -= job->overdue;
  queuedBytes_ -= job->original.size();
  jobs_.erase(job->key);
  jobDone_.notify_all();
}

Decision Engine::runJob(Job &job) {
  const CacheKey &key = job.key;
  const ByteView original = job.original;
  const VersionWanted &version = job.version;
  auto object = CodeObject::parse(original);
  if (!object) {
    Decision failed;
    failed.reason = "code object not understood: " + object.error().message;
    return failed;
  }
  FileLock flight;
  bool fresh = options_.settings.recache || !options_.settings.dumpDir.empty();
  if (disk_) {
    flight = disk_->lock(key, options_.lockWait, &ending_);
    if (!fresh)
      if (auto hit = fromDisk(key, *object, version)) { // another process was faster
        remember(key, *hit);
        return *hit;
      }
    if (!flight.held() && ending_) {
      Decision late;
      late.outcome = Outcome::late;
      late.reason = kEnding;
      return late;
    }
  }
  auto library = jit();
  if (!library) {
    Decision failed;
    failed.reason = library.error().message;
    return failed;
  }
  auto start = Clock::now();
  PlainTakes plainTakes;
  if (options_.settings.compileWait > 0)
    plainTakes = [&](std::chrono::milliseconds plain) {
      constexpr double days = 1e9; // a duration's range has an end
      const std::chrono::duration<double, std::milli> most(
          std::min(double(plain.count()) * options_.settings.compileWait, days));
      std::lock_guard guard(lock_);
      job.tooLong = start + std::max(std::chrono::duration_cast<Clock::duration>(most),
                                     Clock::duration(kShortWait));
      jobDone_.notify_all();
    };
  GatedCompile made = compileAndGate(**library, *object, options_.settings, version, plainTakes);
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();

  Decision decision;
  decision.source = Source::compiled;
  decision.outcome = made.outcome;
  decision.reason = std::move(made.reason);
  decision.facts = std::move(made.facts);
  if (decision.outcome == Outcome::replaced)
    decision.replacement = std::make_shared<const Bytes>(std::move(made.compiled.codeObject));
  for (const GateFinding &finding : made.refused)
    log::info("gate refused " + shortKey(key) + ": " + finding.describe());
  // One is enough to make a person look; the rest are in the info log.
  if (decision.outcome == Outcome::failed && !cancelled_)
    log::warnOnce("compile", "compile failed, original code is used: " + decision.reason);
  log::info(std::string(outcomeName(decision.outcome)) + " " + shortKey(key) + ", compiled in " +
            std::to_string(ms) + " ms" + (decision.reason.empty() ? "" : ": " + decision.reason));
  remember(key, decision);
  if (disk_ && (decision.outcome != Outcome::failed || made.compiled.permanent)) {
    CacheEntry entry;
    entry.key = key;
    entry.verdict = decision.replacement ? Verdict::untried : Verdict::unchanged;
    entry.created = std::time(nullptr);
    entry.tool = (*library)->version();
    entry.reason = decision.reason;
    entry.metadata = std::move(made.compiled.metadata);
    if (decision.replacement)
      entry.codeObject = *decision.replacement;
    disk_->store(entry);
  }
  return decision;
}

void Engine::accept(const CacheKey &key) noexcept {
  try {
    {
      std::lock_guard guard(lock_);
      if (Decision *known = memory_.find(key))
        known->tried = true;
    }
    if (disk_)
      disk_->markTried(key);
  } catch (...) {
  }
}

void Engine::reject(const CacheKey &key, const std::string &reason) noexcept {
  try {
    Decision decision;
    decision.outcome = Outcome::unchanged;
    decision.reason = reason;
    remember(key, decision);
    if (disk_) {
      CacheEntry entry;
      entry.key = key;
      entry.created = std::time(nullptr);
      entry.reason = reason;
      disk_->store(entry);
    }
  } catch (...) {
  }
}

void Engine::finish(std::chrono::milliseconds wait) noexcept {
  if (abandoned_)
    return;
  try {
    {
      std::unique_lock guard(lock_);
      ending_ = true; // no compile begins, no compiler is opened any more
      // Opening one always ends, and LLVM must not be half made when its exit handlers run.
      jobDone_.wait_for(guard, kOpenWait, [&] { return opening_ == 0; });
      auto idle = [&] { return jobs_.empty(); };
      if (!jobDone_.wait_for(guard, wait, idle) && jit_) {
        cancelled_ = true;
        jobDone_.notify_all(); // who waits goes on with the original
        jit_->cancel();
        if (!jobDone_.wait_for(guard, kCancelWait, idle)) {
          auto library = jit_;
          guard.unlock(); // a compile that does come to its end needs it
          library->freeze(kFreezeMs);
        }
      }
    }
    if (disk_)
      disk_->cleanIfNeeded();
  } catch (...) {
  }
}

} // namespace meld
