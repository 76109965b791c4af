// The engine's compiles: who waits in which order, the threads that do the work, and the end of the
// process.
#include "runtime/engine/engine.h"
#include "runtime/engine/open_compiler.h"
#include "runtime/engine/options_gate.h"
#include "runtime/engine/queued_compile.h"
#include "runtime/engine/thread.h"
#include "runtime/host/confinement.h"
#include "runtime/host/leftovers.h"
#include "runtime/log/log.h"

#include <algorithm>
#include <ctime>
#include <thread>

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
constexpr std::chrono::milliseconds kSendWait{250}; ///< for what is to be sent to the remote
constexpr std::chrono::seconds kOpenWait{10}; ///< a compiler that is being loaded from a slow disk
constexpr std::chrono::milliseconds kExitSeen{20};
constexpr size_t kCompileStack = size_t(64) << 20;

} // namespace

Result<std::shared_ptr<Compiler>> Engine::jit() {
  {
    std::lock_guard guard(lock_);
    if (jit_)
      return jit_;
    if (!jitError_.empty())
      return fail(ErrorCode::notFound, jitError_);
    if (openNone_)
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
  if (openNone_)
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
  const bool remote = !isFresh() && asksRemote();

  std::shared_ptr<Job> job;
  bool mine = false, worker = false;
  {
    std::lock_guard guard(lock_);
    if (!jitError_.empty()) {
      Decision failed;
      failed.reason = jitError_;
      return failed;
    }
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
      job->ready = !remote || !remote_->lookUp(key);
      worker = job->ready && needsWorker();
    }
  }
  startWorker(worker);
  // The network is waited for by threads of ours alone.
  const bool waits =
      patience == Patience::untilDone || (s.compileMode != CompileMode::async && !remote);
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

/// With lock_ held: one more compile thread is to be started, and is counted.
bool Engine::needsWorker() noexcept {
  const bool more = workers_ < std::clamp(options_.settings.jobs, 1u, 64u);
  workers_ += more;
  return more;
}

void Engine::startWorker(bool counted) noexcept {
  if (counted && !runDetached([this] { work(); }, kCompileStack))
    noThread();
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
    std::optional<Decision> result(std::in_place);
    try {
      result = runJob(*job);
    } catch (const std::exception &error) {
      result->reason = "internal error"; // short enough to take no memory
      log::warnOnce("compile thread", "internal error, original code is used: ", error.what());
    } catch (...) {
      result->reason = "internal error";
    }
    guard.lock();
    if (!result && !ending_) {
      job->begun = false;
      job->ready = !remote_->await(job->key);
      continue;
    }
    if (!result) {
      result.emplace();
      result->outcome = Outcome::late;
    }
    settle(job, std::move(*result));
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
    if (!job->begun && job->ready &&
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

void Engine::finish(std::chrono::milliseconds wait) noexcept {
  if (abandoned_)
    return;
  try {
    {
      std::unique_lock guard(lock_);
      ending_ = true; // no compile joins the queue any more
      stopAskingRemote();
      optionsGate().close();
      auto idle = [&] { return jobs_.empty(); };
      bool done = jobDone_.wait_for(guard, wait, idle);
      openNone_ = true;
      // Opening one ends, and LLVM must not be half made when its exit handlers run.
      if (opening_ != 0) {
        jobDone_.wait_for(guard, kOpenWait, [&] { return opening_ == 0; });
        done = jobDone_.wait_for(guard, kCancelWait, idle);
      }
      if (!done && jit_) {
        cancelled_ = true;
        jobDone_.notify_all(); // who waits goes on with the original
        jit_->cancel();
        if (!jobDone_.wait_for(guard, kCancelWait, idle)) {
          auto library = jit_;
          guard.unlock(); // a compile that does come to its end needs it
          if (library->freeze(kFreezeMs))
            optionsGate().leaveOurs(); // a turn that it had would never end
        }
      }
    }
    if (remote_)
      remote_->finish(kSendWait);
    if (disk_)
      disk_->cleanIfNeeded();
  } catch (...) {
  }
}

} // namespace meld
