// The engine's remote layer: what happens to a compile in the queue while a remote store is asked.
#include "runtime/engine/engine.h"
#include "runtime/engine/queued_compile.h"
#include "runtime/log/log.h"

#include <vector>

namespace meld {

void Engine::openRemoteLayer(const CachePlan &plan) {
  if (plan.remote.empty() || !options_.openRemote)
    return;
  trusted_ = plan.trusted;
  remoteWritten_ = plan.remoteWritten;
  RemoteExchange::Callbacks callbacks;
  callbacks.claim = options_.remoteClaim;
  callbacks.open = [this, url = plan.remote] { return options_.openRemote(url); };
  callbacks.received = [this](const CacheKey &key, Bytes file) {
    return received(key, std::move(file));
  };
  callbacks.missing = [this](const CacheKey &key) { missing(key); };
  callbacks.warn = [](const std::string &why) {
    log::warning("the remote cache is not used any more in this process: " + why);
  };
  remote_ = std::make_unique<RemoteExchange>(std::move(callbacks));
}

bool Engine::asksRemote() const noexcept { return remote_ && remote_->usable(); }

/// What a job has from the remote, kept on this machine; nothing: the bytes, a stranger's, are no use.
std::optional<Decision> Engine::fromRemote(const Job &job, ByteView file) {
  const CacheKey &key = job.key;
  const auto object = CodeObject::parse(job.original);
  if (!object)
    return std::nullopt;
  const auto checked = [&]() -> Result<CacheEntry> {
    if (trusted_)
      MELD_TRY(trusted_->check(file, key));
    MELD_TRY(checkEntryHead(file, file.size(), &key, largestReplacement(job.original)));
    return readEntry(file, &key);
  };
  auto entry = checked();
  if (entry && entry->verdict == Verdict::measured)
    entry = fail(ErrorCode::badInput, "it holds no code");
  if (!entry) {
    log::warnOnce("remote entry", "entry " + shortKey(key) + " of the remote cache is not used: " +
                                      entry.error().message + " (further ones are not told)");
    return std::nullopt;
  }
  std::string metadata;
  if (!job.version.facts.empty())
    if (auto header = readEntryHeader(file))
      metadata = std::move(header->metadata);
  auto decision = fromEntry(std::move(*entry), metadata, *object, job.version);
  if (decision && disk_)
    disk_->storeFile(key, file);
  return decision;
}

/// On the exchange's thread.
bool Engine::received(const CacheKey &key, Bytes file) {
  std::shared_ptr<Job> job;
  {
    std::lock_guard guard(lock_);
    const auto known = jobs_.find(key);
    if (known == jobs_.end() || known->second->begun)
      return true;       // nobody waits for it any more
    job = known->second; // it is not ready: nobody else takes it
  }
  auto decision = fromRemote(*job, file);
  if (!decision)
    return false;
  std::lock_guard guard(lock_);
  memory_.insert(key, *decision);
  if (!job->done)
    settle(job, std::move(*decision));
  return true;
}

/// On the exchange's thread: the compile may begin.
void Engine::missing(const CacheKey &key) {
  bool worker = false;
  {
    std::lock_guard guard(lock_);
    const auto known = jobs_.find(key);
    if (known == jobs_.end() || known->second->ready)
      return;
    known->second->ready = true;
    worker = needsWorker();
  }
  startWorker(worker);
}

/// With lock_ held: who waits for the remote goes on with the original.
void Engine::stopAskingRemote() noexcept {
  if (!remote_)
    return;
  std::vector<std::shared_ptr<Job>> waiting;
  for (const auto &[key, job] : jobs_)
    if (!job->ready)
      waiting.push_back(job);
  for (const auto &job : waiting) {
    Decision late;
    late.outcome = Outcome::late;
    settle(job, std::move(late));
  }
}

} // namespace meld
