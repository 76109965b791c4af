#include "shim/adapt/version_maker.h"

#include "jit/variant/recipes.h"
#include "runtime/engine/thread.h"
#include "runtime/log/log.h"
#include "shim/adapt/known_verdicts.h"
#include "shim/naming.h"
#include "shim/own_calls.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace meld::adapt {

namespace {

constexpr size_t kThreadStack = size_t(1) << 20; // compiles have threads of their own
constexpr size_t kMostMeasured = 4096; ///< for the report; further ones are left out of it
constexpr size_t kRecipes = std::size(jit::recipes);

/// The end of the process waits no longer than this for a lock. ThreadSanitizer sees locks with a limit
/// by the system's clock only.
auto endOfWait() {
#ifdef __SANITIZE_THREAD__
  using Clock = std::chrono::system_clock;
#else
  using Clock = std::chrono::steady_clock;
#endif
  return Clock::now() + std::chrono::seconds(1);
}

bool wasSpecialised(const KernelVerdict &verdict) {
  return std::any_of(verdict.specialised.begin(), verdict.specialised.end(),
                     [](const SpecialisedVerdict &one) { return !one.facts.empty(); });
}

/// Every recipe was tried, and gave nothing.
bool isRefused(const KernelVerdict &verdict) {
  return verdict.versions.empty() &&
         std::all_of(std::begin(jit::recipes), std::end(jit::recipes), [&](const auto &recipe) {
           return recipe.name == kSpecialised || verdict.refused.count(std::string(recipe.name));
         });
}

bool isWinner(const std::vector<KnownClass> &known, unsigned recipe) {
  return std::any_of(known.begin(), known.end(),
                     [&](const KnownClass &one) { return one.winner == kindOf(recipe); });
}

} // namespace

namespace {
sem_t *gWanted = nullptr;
}

VersionMaker::VersionMaker() { ::sem_init(&wanted_, 0, 0); }

void VersionMaker::wake() noexcept { ::sem_post(gWanted); }

void VersionMaker::begin(const CoreApiTable &table, Engine &engine) {
  table_ = &table;
  engine_ = &engine;
  store_ = std::make_shared<VerdictStore>(table, engine);
  gWanted = &wanted_;
  kernelTable().onWanted(&VersionMaker::wake);
  active_.store(true, std::memory_order_release);
}

void VersionMaker::loaded(hsa_executable_t executable, hsa_agent_t agent, ByteView source) {
  auto original = std::make_shared<Original>();
  original->in = {executable, agent, {}};
  original->objects = 1;
  original->bytes.assign(source.begin(), source.end());
  std::lock_guard guard(lock_);
  auto &known = executables_[executable.handle];
  if (known)
    ++known->objects;
  else
    known = std::move(original);
}

void VersionMaker::frozen(hsa_executable_t executable) {
  std::shared_ptr<Original> original;
  {
    std::lock_guard guard(lock_);
    const auto it = executables_.find(executable.handle);
    if (it == executables_.end() || it->second->objects != 1 || !it->second->kernels.empty())
      return;
    original = it->second;
  }
  const auto object = CodeObject::parse(original->bytes);
  if (!object)
    return;
  const auto key = store_->keyOf(original->in.agent, original->bytes, object->isa.targetId());
  if (!key)
    return;
  original->verdictKey = *key;
  const auto kept = store_->load(*key);
  const ObjectVerdicts before = kept.value_or(ObjectVerdicts());
  original->known = kept.has_value();
  const auto now = static_cast<uint64_t>(std::time(nullptr));
  std::vector<MadeKernel> kernels;
  for (const KernelMetadata &metadata : object->metadata.kernels) {
    MadeKernel kernel;
    kernel.name = metadata.name;
    LoadedKernel in = original->in;
    in.name = metadata.name;
    kernel.version = {kernelObject(*table_, in), launchSizes(metadata), 0};
    kernel.argumentBytes = metadata.kernargSize;
    if (!kernel.version.object)
      continue;
    if (const auto it = before.kernels.find(metadata.name); it != before.kernels.end())
      kernel.verdict = it->second;
    kernel.known = knownClasses(kernel.verdict, now);
    if (!engine_->options().settings.specialize)
      std::erase_if(kernel.known, [](const KnownClass &known) {
        return known.guards != 0 || known.winner >= kFirstSpecialised;
      });
    kernel.nothing = isRefused(kernel.verdict);
    kernels.push_back(std::move(kernel));
  }
  {
    std::lock_guard guard(lock_);
    const auto it = executables_.find(executable.handle);
    if (it == executables_.end() || it->second != original)
      return; // the process ends meanwhile: end() has taken it, and reads it
    original->kernels = std::move(kernels);
    if (!running_)
      running_ = runDetached([this] { run(); }, kThreadStack);
    if (!running_)
      return log::warnOnce("versions", "no thread to make versions of kernels: originals run");
  }
  bool wanted = false;
  for (const MadeKernel &kernel : original->kernels) {
    auto candidates = candidatesFor(*object->metadata.find(kernel.name), kernel.verdict,
                                    engine_->options().settings);
    if (kernel.nothing && !candidates)
      continue;
    // Where a trial had begun to look well, too.
    const bool soon = haveWinner(kernel.known) || (candidates && wasSpecialised(kernel.verdict)) ||
                      std::any_of(kernel.verdict.classes.begin(), kernel.verdict.classes.end(),
                                  [](const ClassVerdict &one) { return one.open; });
    kernelTable().watch(kernel.version, kernel.known, soon, std::move(candidates),
                        knownDuels(kernel.verdict, now));
    wanted |= soon;
  }
  if (wanted)
    wake();
}

void VersionMaker::run() noexcept {
  const OwnCalls own;
  for (;;) {
    while (::sem_wait(&wanted_) != 0) {
    }
    try {
      for (const uint64_t object : kernelTable().takeWanted())
        tryToMake(object);
    } catch (...) { // no memory for the list: they are asked for again
    }
  }
}

void VersionMaker::tryToMake(uint64_t object) noexcept {
  try {
    if (active())
      return make(object);
  } catch (...) {
    log::warnOnce("versions", "internal error while versions are made: originals run");
  }
  kernelTable().made(object, false); // nobody is to wait for it
}

void VersionMaker::make(uint64_t object) {
  std::shared_ptr<Original> original;
  MadeKernel *kernel = nullptr;
  {
    std::lock_guard guard(lock_);
    for (const auto &[handle, one] : executables_)
      for (MadeKernel &candidate : one->kernels)
        if (candidate.version.object == object) {
          original = one;
          kernel = &candidate;
        }
  }
  if (!kernel)
    return kernelTable().made(object, false);
  const KernelTable::Wanted wanted = kernelTable().wanted(object);
  // This thread alone changes what has been made, but for take(), which takes away what is loaded.
  const bool first = kernel->made.empty() && kernel->specialised.empty();
  const bool specialise = engine_->options().settings.specialize;
  if (first && specialise)
    for (const SpecialisedVerdict &one : kernel->verdict.specialised) {
      if (!one.facts.empty() && active()) {
        makeSpecialised(*original, *kernel, one.asked);
      } else if (one.facts.empty()) { // nothing could be made of it
        std::lock_guard guard(loading_);
        kernel->specialised.push_back({one, {}});
      }
    }
  if (!wanted.facts.empty() && active())
    makeSpecialised(*original, *kernel, toText(wanted.facts));
  // A place is kept for a specialised version, for one of each purpose, until two were asked for in
  // vain.
  const size_t most = mostVersions();
  const size_t own = most > 1 ? std::min<size_t>(wanted.purposes, most - 1) : 0;
  const auto versions = [&] {
    std::lock_guard guard(loading_);
    return kernel->versions();
  };
  const size_t loaded = [&] {
    std::lock_guard guard(loading_);
    return kernel->specialisedVersions();
  }();
  const size_t kept = wanted.moreFacts && own > loaded && kernel->specialised.size() < loaded + 2
                          ? own - loaded
                          : 0;
  const bool winnersOnly =
      first && (haveWinner(kernel->known) ||
                (specialise && wasSpecialised(kernel->verdict) && !kernel->known.empty()));
  const auto isDone = [&] {
    return kernel->nothing ||
           std::all_of(kernel->done.begin(), kernel->done.end(), [](bool d) { return d; });
  };
  if ((wanted.versions || kernel->stopped) && !kernel->nothing) {
    setOpen(*kernel, !winnersOnly);
    // Winners of earlier runs first: who has lost then has lost to them.
    bool go = true;
    for (const bool winners : {true, false})
      for (unsigned recipe = 0; go && recipe < kRecipes && versions() + kept < most && active();
           ++recipe)
        if (!kernel->done[recipe] && isWinner(kernel->known, recipe) == winners &&
            (winners || !winnersOnly))
          go = makeOne(*original, *kernel, recipe);
    setOpen(*kernel, !winnersOnly && !isDone() && versions() + kept < most);
  }
  unloadRetired();
  const bool all = isDone();
  kernel->stopped = !all && kept && versions() + kept >= most;
  const bool more = !all && versions() + kept < most && active();
  kernelTable().made(object, more);
  if (!versions() && !more && !wanted.moreFacts) {
    std::lock_guard guard(loading_);
    if (!original->gone)
      kernelTable().removeKernels({object});
  }
}

void VersionMaker::setOpen(MadeKernel &kernel, bool open) {
  std::lock_guard guard(loading_);
  kernel.open = open;
}

/// False: there is no use in going on.
bool VersionMaker::makeOne(Original &original, MadeKernel &kernel, unsigned recipe) {
  const std::string recipeName(jit::recipes[recipe].name);
  if (recipeName == kSpecialised) { // only with facts
    std::lock_guard guard(loading_);
    kernel.done[recipe] = true;
    return true;
  }
  const Decision decision =
      engine_->decide(original.bytes, {kernel.name, recipeName, ""}, Patience::untilDone);
  if (decision.outcome == Outcome::late)
    return false;
  std::lock_guard guard(loading_);
  if (original.gone || !active())
    return false;
  kernel.done[recipe] = true;
  auto made = load(original, kernel, decision, /*guarded=*/false);
  if (!made) {
    log::info("no version of " + kernel.name + " as " + recipeName + ": " + made.error().message);
    if (made.error().code == ErrorCode::io) // a full disk, no memory: not so the next time, perhaps
      kernel.failed = true;
    else
      kernel.refused[recipeName] = made.error().message;
    return true;
  }
  const KernelVersion version{made->object, made->sizes, kindOf(recipe)};
  if (kernelTable().addVariant(kernel.version, version) != Added::yes) {
    unloadVersion(*table_, *made);
    kernel.refused[recipeName] = "its sizes do not fit";
    return true;
  }
  const auto before = CodeObject::parse(original.bytes), code = CodeObject::parse(*made->bytes);
  if (!before || !code ||
      !whyNotServed(*before, *code, kernel.name, engine_->options().settings).empty())
    kernel.packetsOnly.insert(recipeName);
  kernel.loaded.push_back(std::move(*made));
  kernel.made.push_back(recipeName);
  log::info("version of " + kernel.name + " as " + recipeName + " is tried from now on");
  return true;
}

/// With loading_ held.
Result<LoadedVersion> VersionMaker::load(const Original &original, const MadeKernel &kernel,
                                         const Decision &decision, bool guarded) const {
  if (!decision.replacement)
    return fail(decision.isTransient() ? ErrorCode::io : ErrorCode::unsupported, decision.reason);
  const auto before = CodeObject::parse(original.bytes);
  const auto made = CodeObject::parse(*decision.replacement);
  if (!before || !made)
    return tl::unexpected(before ? made.error() : before.error());
  for (size_t i = 0; i < kernel.loaded.size(); ++i)
    if (isLoadedAlike(*made, *kernel.loaded[i].bytes))
      return fail(ErrorCode::unsupported, "the same code as " + kernel.made[i]);
  // Without facts it may be the same as one with: that one runs in fewer launches.
  for (const SpecialisedVersion &one : kernel.specialised)
    if (guarded && one.isLoaded() && isLoadedAlike(*made, *one.loaded.bytes))
      return fail(ErrorCode::unsupported, "the same code as for " + one.verdict.facts);
  LoadedKernel in = original.in;
  in.name = kernel.name;
  auto loaded = loadVersion(*table_, in, decision.replacement, variablesNeeded(*before, *made));
  if (loaded) {
    nameKernels(*table_, loaded->executable, {kernel.name});
    if (!decision.tried)
      engine_->accept(decision.key);
  } else if (loaded.error().code == ErrorCode::unsupported) { // ROCr would refuse it again
    engine_->reject(decision.key, loaded.error().message);
  }
  return loaded;
}

/// With loading_ held. Is there more to find out about the kernel, or to choose at each launch?
bool VersionMaker::isOpen(const MadeKernel &kernel, const KernelVerdict &verdict) const {
  const uint64_t object = kernel.version.object;
  if (!kernelTable().settled(object) || kernel.isOpen())
    return true;
  const KernelTable::KernelReport report = kernelTable().report(object);
  bool triedHere = false;
  for (const KernelTable::ClassReport &one : report.classes) {
    if (one.versions > 1 && one.trial.phase() == Trial::Phase::open)
      return true;
    triedHere |= one.versions > 1;
  }
  // Made for launches that were all there by then: the next run has them from its beginning.
  if (!report.asleep && !triedHere && kernel.versions())
    return true;
  const auto served = servable(verdict, 0);
  return !served || kernel.packetsOnly.count(*served);
}

/// With loading_ held. What was decided about the kernels of an original: for the report, and for
/// the disk, where it has to be saved.
std::optional<ObjectVerdicts> VersionMaker::conclude(const Original &original) {
  ObjectVerdicts verdicts;
  std::vector<MeasuredKernel> measured;
  bool open = false;
  for (const MadeKernel &kernel : original.kernels) {
    if (!kernel.tried()) {
      open |= isOpen(kernel, kernel.verdict);
      continue;
    }
    MeasuredKernel one = verdictOf(kernel);
    KernelVerdict &verdict = verdicts.kernels[kernel.name] = one.verdict;
    for (const auto &[recipe, why] : kernel.verdict.refused)
      verdict.refused.emplace(recipe, why);
    for (const std::string &recipe : kernel.verdict.versions)
      if (std::find(verdict.versions.begin(), verdict.versions.end(), recipe) ==
          verdict.versions.end())
        verdict.versions.push_back(recipe);
    open |= isOpen(kernel, verdict);
    measured.push_back(std::move(one));
  }
  if (const std::unique_lock guard(lock_, endOfWait()); guard) {
    open_ |= open;
    for (MeasuredKernel &one : measured)
      add(taken_, original.verdictKey, std::move(one));
  }
  // Also where nothing was tried: the object is known then, and leaves no question open.
  if (!original.kernels.empty() && (!verdicts.kernels.empty() || !original.known))
    return verdicts;
  return std::nullopt;
}

/// A module that is loaded again and again has one entry.
void VersionMaker::add(MeasuredKernels &all, const CacheKey &object, MeasuredKernel one) {
  const auto key = std::pair(object.hex(), one.name);
  const auto known = all.find(key);
  if (known == all.end()) {
    if (all.size() < kMostMeasured)
      all.emplace(key, std::move(one));
    return;
  }
  Budget sum = known->second.budget;
  sum.own += one.budget.own;
  sum.lost += one.budget.lost;
  sum.saved += one.budget.saved;
  if (!one.verdict.classes.empty() || known->second.verdict.classes.empty())
    known->second = std::move(one);
  known->second.budget = sum;
}

std::vector<LoadedVersion> VersionMaker::take(hsa_executable_t executable) {
  std::shared_ptr<Original> original;
  {
    std::lock_guard guard(lock_);
    const auto it = executables_.find(executable.handle);
    if (it == executables_.end())
      return {};
    original = it->second;
    executables_.erase(it);
  }
  std::vector<LoadedVersion> versions;
  std::optional<ObjectVerdicts> verdicts;
  {
    std::lock_guard guard(loading_);
    if (active())
      verdicts = conclude(*original);
    original->gone = true;
    for (MadeKernel &kernel : original->kernels) {
      for (LoadedVersion &loaded : kernel.loaded)
        versions.push_back(std::move(loaded));
      for (SpecialisedVersion &one : kernel.specialised)
        if (one.isLoaded())
          versions.push_back(std::exchange(one.loaded, {}));
    }
  }
  if (verdicts)
    store_->save(original->verdictKey, *verdicts);
  return versions;
}

void VersionMaker::end() noexcept {
  if (!active_.exchange(false))
    return;
  wake();
  try {
    std::unique_lock guard(loading_, endOfWait());
    if (!guard)
      return;
    std::map<uint64_t, std::shared_ptr<Original>> originals;
    {
      const std::unique_lock inner(lock_, endOfWait());
      if (!inner)
        return;
      originals.swap(executables_);
    }
    for (const auto &[handle, original] : originals) {
      if (const auto verdicts = conclude(*original))
        store_->save(original->verdictKey, *verdicts);
      original->gone = true;
    }
    new auto(std::move(originals)); // ROCr points into their versions' bytes
  } catch (...) {
  }
}

bool VersionMaker::openQuestions() const {
  const std::unique_lock guard(lock_, endOfWait());
  return !guard || open_;
}

std::vector<MeasuredKernel> VersionMaker::measured() const {
  const std::unique_lock loading(loading_, endOfWait());
  const std::unique_lock guard(lock_, endOfWait());
  if (!guard)
    return {};
  MeasuredKernels known = taken_;
  if (loading)
    for (const auto &[handle, original] : executables_)
      for (const MadeKernel &kernel : original->kernels)
        if (kernel.tried())
          add(known, original->verdictKey, verdictOf(kernel));
  std::vector<MeasuredKernel> all;
  for (auto &[key, one] : known)
    all.push_back(std::move(one));
  std::stable_sort(all.begin(), all.end(), [](const MeasuredKernel &a, const MeasuredKernel &b) {
    return a.name < b.name;
  });
  return all;
}

} // namespace meld::adapt
