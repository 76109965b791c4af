#include "runtime/engine/engine.h"

#include "jit/variant/recipes.h"
#include "runtime/codeobject/comgr_names.h"
#include "runtime/engine/cache_settings.h"
#include "runtime/engine/compiler_identity.h"
#include "runtime/engine/gated_compile.h"
#include "runtime/engine/queued_compile.h"
#include "runtime/log/log.h"
#include "runtime/settings/pass_options.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace meld {
namespace {

using Clock = std::chrono::steady_clock;

/// A wait of this length nobody minds: MELD_COMPILE_WAIT ends none before.
constexpr std::chrono::milliseconds kShortWait{250};

std::vector<std::string> kernelNames(const CodeObject &object) {
  std::vector<std::string> names;
  for (const KernelMetadata &kernel : object.metadata.kernels)
    names.push_back(kernel.name);
  return names;
}

} // namespace

Engine::Engine(EngineOptions options)
    : options_(std::move(options)), profile_(options_.settings),
      identity_(compilerIdentity(options_.libmeldPath, options_.jitPath)) {
  const Settings &s = options_.settings;

  if (s.cache) {
    const CachePlan plan = planLayers(layersWanted(s, options_.libmeldPath), Surroundings::real());
    for (const std::string &warning : plan.warnings)
      log::warning(warning);
    disk_ = std::make_unique<LayeredCache>(
        plan, [](const std::string &message) { log::warning(message); });
    openRemoteLayer(plan);
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
  const std::string profile =
      version.profile.empty() ? withProfile(version, original).profile : version.profile;
  if (!profile.empty())
    key.add("profile", profile);
  // Holds the device libraries' bitcode, too; or comgr holds them, whose identity is above.
  Bytes named = withoutComgrNames(original);
  key.add("code-object", named.empty() ? original : ByteView(named));
  return key.finish();
}

VersionWanted Engine::withProfile(VersionWanted version, ByteView original) const {
  // What is counted must not depend on what was counted before.
  if (profile_.asked() && version.recipe != jit::markedRecipe.name)
    version.profile = profile_.of(original);
  return version;
}

std::optional<std::map<std::string, std::string>>
Engine::profiledVersions(ByteView original) const {
  if (!profile_.asked())
    return std::nullopt;
  const auto known = profile::parseObject(profile_.of(original));
  const auto object = CodeObject::parse(original);
  if (!known || !object)
    return std::nullopt;
  const auto hot = hotMinority(*object, *known);
  if (!hot)
    return std::nullopt;
  std::map<std::string, std::string> recipes;
  for (const std::string &kernel : *hot)
    recipes.emplace(kernel, jit::sureRecipe);
  log::info("the profile is used: of " + std::to_string(object->metadata.kernels.size()) +
            " kernels of a code object " + std::to_string(hot->size()) +
            " ran, and only these are compiled");
  return recipes;
}

Decision Engine::decide(ByteView original, const VersionWanted &wanted,
                        Patience patience) noexcept {
  Decision decision;
  try {
    return decideOrThrow(original, withProfile(wanted, original), patience);
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
    decision.permanent = true;
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
  if (!isFresh())
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
  // Metadata are read where they are needed.
  std::string metadata;
  if (!version.facts.empty() && entry->verdict != Verdict::unchanged)
    if (auto header = disk_->header(key.hex()))
      metadata = std::move(header->metadata);
  return fromEntry(std::move(*entry), metadata, original, version);
}

std::optional<Decision> Engine::fromEntry(CacheEntry entry, const std::string &metadata,
                                          const CodeObject &original,
                                          const VersionWanted &version) {
  const CacheKey &key = entry.key;
  Decision decision;
  decision.source = Source::disk;
  decision.reason = std::move(entry.reason);
  if (entry.verdict == Verdict::unchanged) {
    decision.outcome = Outcome::unchanged;
    log::info("cache hit " + shortKey(key) + ": original kept (" + decision.reason + ")");
    return decision;
  }
  // The gate again: what is on disk is input like any other.
  auto findings = gateFindings(original, entry.codeObject, options_.settings, version);
  if (!findings.empty()) {
    log::warning("cache entry " + shortKey(key) +
                 " does not pass the gate and is ignored: " + findings.front().describe());
    return std::nullopt;
  }
  if (!version.facts.empty())
    decision.facts = factsOf(metadata, version);
  if (decision.facts.empty() && !version.facts.empty()) {
    log::warning("cache entry " + shortKey(key) + " does not say what it depends on: ignored");
    return std::nullopt;
  }
  decision.outcome = Outcome::replaced;
  decision.tried = entry.verdict == Verdict::replaced;
  decision.replacement = std::make_shared<const Bytes>(std::move(entry.codeObject));
  log::info("cache hit " + shortKey(key) + ": replacement of " +
            std::to_string(decision.replacement->size()) + " bytes");
  return decision;
}

/// Nothing: another process compiles it, and the remote will have it.
std::optional<Decision> Engine::runJob(Job &job) {
  const CacheKey &key = job.key;
  const ByteView original = job.original;
  const VersionWanted &version = job.version;
  auto object = CodeObject::parse(original);
  if (!object) {
    Decision failed;
    failed.permanent = true;
    failed.reason = "code object not understood: " + object.error().message;
    return failed;
  }
  FileLock flight;
  if (disk_) {
    flight = disk_->lock(key, options_.lockWait, &ending_);
    if (!isFresh())
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
  bool claimed = false;
  if (!isFresh() && remoteWritten_ && asksRemote()) {
    const auto claim = remote_->claim(key);
    if (claim.whose == RemoteExchange::Claim::theirs)
      return std::nullopt;
    claimed = claim.whose == RemoteExchange::Claim::ours;
    if (claim.file)
      if (auto hit = fromRemote(job, *claim.file)) {
        remote_->release(key);
        remember(key, *hit);
        return *hit;
      }
  }
  const auto giveBack = [&] {
    if (claimed)
      remote_->release(key);
  };
  // Here and not on the thread that loads the code: it may hold HIP's locks, and the loader's lock may be
  // another's, who runs a library's constructor that waits for HIP.
  const auto start = Clock::now();
  auto library = jit();
  if (!library) {
    giveBack();
    Decision none;
    none.reason = library.error().message;
    if (none.reason == kEnding)
      none.outcome = Outcome::late;
    else
      log::warnOnce("jit", "no recompilation: " + none.reason);
    return none;
  }
  PlainTakes plainTakes;
  if (options_.settings.compileWait > 0)
    plainTakes = [&](std::chrono::milliseconds plain, std::chrono::milliseconds rest) {
      constexpr double days = 1e9; // a duration's range has an end
      const std::chrono::duration<double, std::milli> most(
          std::min(double(plain.count()) * options_.settings.compileWait, days));
      const auto now = Clock::now();
      const auto last = start + std::max(std::chrono::duration_cast<Clock::duration>(most),
                                         Clock::duration(kShortWait));
      std::lock_guard guard(lock_);
      job.tooLong = now + rest > last ? now : last; // nobody waits in vain
      jobDone_.notify_all();
    };
  GatedCompile made = compileAndGate(**library, *object, options_.settings, version, plainTakes);
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();

  Decision decision;
  decision.source = Source::compiled;
  decision.outcome = made.outcome;
  decision.permanent = made.compiled.permanent;
  decision.reason = std::move(made.reason);
  decision.facts = std::move(made.facts);
  if (decision.outcome == Outcome::replaced)
    decision.replacement = std::make_shared<const Bytes>(std::move(made.compiled.codeObject));
  for (const GateFinding &finding : made.refused)
    log::info("gate refused " + shortKey(key) + ": " + finding.describe());
  // One is enough to make a person look; the rest are in the info log.
  if (decision.outcome == Outcome::failed && !ending_)
    log::warnOnce("compile", "compile failed, original code is used: " + decision.reason);
  log::info(std::string(outcomeName(decision.outcome)) + " " + shortKey(key) + ", compiled in " +
            std::to_string(ms) + " ms" + (decision.reason.empty() ? "" : ": " + decision.reason));
  remember(key, decision);
  if (decision.isTransient())
    giveBack();
  if (disk_ && !decision.isTransient()) {
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
    if (remote_ && remoteWritten_)
      if (auto file = writeEntry(entry))
        remote_->put(key, std::move(*file));
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

} // namespace meld
