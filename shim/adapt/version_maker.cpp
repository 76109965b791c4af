#include "shim/adapt/version_maker.h"

#include "jit/variant/recipes.h"
#include "runtime/log/log.h"
#include "shim/adapt/known_verdicts.h"
#include "shim/engine/thread.h"
#include "shim/naming.h"
#include "shim/own_calls.h"

#include <algorithm>
#include <ctime>

namespace meld::adapt {

namespace {

constexpr size_t kThreadStack = size_t(1) << 20; // compiles have threads of their own
constexpr std::chrono::seconds kEndWait{1};
constexpr size_t kMostMeasured = 4096; ///< for the report; further ones are left out of it
constexpr size_t kRecipes = std::size(jit::recipes);

/// Whether the loader makes the same of both: what it does not load (`.meld`) may differ.
bool isLoadedAlike(const CodeObject &a, ByteView other) {
  const auto b = CodeObject::parse(other);
  if (!b)
    return false;
  const auto loadedSections = [](const CodeObject &object) {
    std::vector<std::tuple<std::string_view, uint64_t, std::string_view>> sections;
    for (const ElfSection &one : object.elf.sections())
      if (one.flags & SHF_ALLOC)
        sections.emplace_back(
            one.name, one.address,
            std::string_view(reinterpret_cast<const char *>(one.bytes.data()), one.bytes.size()));
    return sections;
  };
  return loadedSections(a) == loadedSections(*b);
}

bool isWinner(const std::vector<KnownClass> &known, unsigned recipe) {
  return std::any_of(known.begin(), known.end(),
                     [&](const KnownClass &one) { return one.winner == kindOf(recipe); });
}

} // namespace

struct VersionMaker::Kernel {
  std::string name;
  KernelVersion version; ///< the original
  std::vector<KnownClass> known;
  KernelVerdict verdict;             ///< from before
  std::array<bool, kRecipes> done{}; ///< made, or found to give nothing
  std::vector<std::string> made;
  std::map<std::string, std::string> refused;
  std::vector<LoadedVersion> loaded;

  bool tried() const {
    return std::any_of(done.begin(), done.end(), [](bool one) { return one; });
  }
};

struct VersionMaker::Original {
  LoadedKernel in; ///< executable and agent
  unsigned objects = 0;
  Bytes bytes;
  CacheKey verdictKey;
  bool known = false; ///< there is an entry of verdicts, if perhaps an empty one
  bool gone = false;  ///< guarded by loading_
  /// The vector does not change once the executable is frozen; a kernel's content is the maker's
  /// thread's, under loading_.
  std::vector<Kernel> kernels;
};

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
  std::vector<Kernel> kernels;
  for (const KernelMetadata &metadata : object->metadata.kernels) {
    Kernel kernel;
    kernel.name = metadata.name;
    LoadedKernel in = original->in;
    in.name = metadata.name;
    kernel.version = {kernelObject(*table_, in), launchSizes(metadata), 0};
    if (!kernel.version.object)
      continue;
    if (const auto it = before.kernels.find(metadata.name); it != before.kernels.end())
      kernel.verdict = it->second;
    kernel.known = knownClasses(kernel.verdict, now);
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
  for (const Kernel &kernel : original->kernels) {
    const bool nothingToTry = kernel.verdict.versions.empty() && !kernel.verdict.refused.empty();
    if (nothingToTry)
      continue;
    // Where a trial had begun to look well, too.
    const bool soon = haveWinner(kernel.known) ||
                      std::any_of(kernel.verdict.classes.begin(), kernel.verdict.classes.end(),
                                  [](const ClassVerdict &one) { return one.open; });
    kernelTable().watch(kernel.version, kernel.known, soon);
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
        if (active())
          make(object);
        else // nobody is to wait for it
          kernelTable().made(object, false);
    } catch (...) {
      log::warnOnce("versions", "internal error while versions are made: originals run");
    }
  }
}

void VersionMaker::make(uint64_t object) {
  std::shared_ptr<Original> original;
  Kernel *kernel = nullptr;
  {
    std::lock_guard guard(lock_);
    for (const auto &[handle, one] : executables_)
      for (Kernel &candidate : one->kernels)
        if (candidate.version.object == object) {
          original = one;
          kernel = &candidate;
        }
  }
  if (!kernel)
    return kernelTable().made(object, false);
  // What only this thread changes, it may read without loading_.
  const size_t most = std::clamp(engine_->options().settings.versions, 1u, kMaxVersions) - 1;
  const bool winnersOnly = kernel->made.empty() && haveWinner(kernel->known);
  for (unsigned recipe = 0; recipe < kRecipes && kernel->made.size() < most && active(); ++recipe)
    if (!kernel->done[recipe] && (!winnersOnly || isWinner(kernel->known, recipe)))
      if (!makeOne(*original, *kernel, recipe))
        break;
  const bool all = std::all_of(kernel->done.begin(), kernel->done.end(), [](bool d) { return d; });
  const bool more = !all && kernel->made.size() < most && active();
  kernelTable().made(object, more);
  if (kernel->made.empty() && !more) {
    std::lock_guard guard(loading_);
    if (!original->gone)
      kernelTable().removeKernels({object});
  }
}

/// False: there is no use in going on.
bool VersionMaker::makeOne(Original &original, Kernel &kernel, unsigned recipe) {
  const std::string recipeName(jit::recipes[recipe].name);
  const Decision decision =
      engine_->decide(original.bytes, {kernel.name, recipeName}, Patience::untilDone);
  if (decision.outcome == Outcome::late)
    return false;
  std::lock_guard guard(loading_);
  if (original.gone || !active())
    return false;
  kernel.done[recipe] = true;
  auto made = load(original, kernel, decision);
  if (!made) {
    log::info("no version of " + kernel.name + " as " + recipeName + ": " + made.error().message);
    kernel.refused[recipeName] = made.error().message;
    return true;
  }
  const KernelVersion version{made->object, made->sizes, kindOf(recipe)};
  if (kernelTable().addVariant(kernel.version, version) != Added::yes) {
    unloadVersion(*table_, *made);
    kernel.refused[recipeName] = "its sizes do not fit";
    return true;
  }
  kernel.loaded.push_back(std::move(*made));
  kernel.made.push_back(recipeName);
  log::info("version of " + kernel.name + " as " + recipeName + " is tried from now on");
  return true;
}

/// With loading_ held.
Result<LoadedVersion> VersionMaker::load(const Original &original, const Kernel &kernel,
                                         const Decision &decision) const {
  if (!decision.replacement)
    return fail(ErrorCode::unsupported, decision.reason);
  const auto before = CodeObject::parse(original.bytes);
  const auto made = CodeObject::parse(*decision.replacement);
  if (!before || !made)
    return tl::unexpected(before ? made.error() : before.error());
  for (size_t i = 0; i < kernel.loaded.size(); ++i)
    if (isLoadedAlike(*made, *kernel.loaded[i].bytes))
      return fail(ErrorCode::unsupported, "the same code as " + kernel.made[i]);
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

/// With loading_ held.
MeasuredKernel VersionMaker::verdictOf(const Kernel &kernel) const {
  MeasuredKernel measured;
  measured.name = kernel.name;
  measured.verdict.versions = kernel.made;
  measured.verdict.refused = kernel.refused;
  const KernelTable::KernelReport report = kernelTable().report(kernel.version.object);
  measured.budget = report.budget;
  const auto now = static_cast<uint64_t>(std::time(nullptr));
  for (const KernelTable::ClassReport &one : report.classes) {
    const Trial &trial = one.trial;
    if (one.versions < 2 || (trial.phase() == Trial::Phase::open && !trial.incumbent()))
      continue;
    ClassVerdict verdict;
    verdict.open = trial.phase() == Trial::Phase::open;
    verdict.launchClass = one.launchClass;
    const unsigned winner = trial.incumbent();
    verdict.winner = nameOfKind(one.kinds[winner]);
    if (verdict.winner.empty())
      verdict.faster = nameOfKind(one.kinds[trial.tooSmall()]);
    verdict.ratio = trial.ratio();
    verdict.original = trial.typical(0);
    verdict.time = trial.typical(winner);
    const Trial::Evidence &evidence = trial.evidence();
    verdict.pairs = evidence.pairs;
    verdict.wins = evidence.wins;
    verdict.losses = evidence.losses;
    verdict.low = evidence.low;
    verdict.high = evidence.high;
    verdict.changes = trial.changes();
    verdict.launches = trial.launches();
    verdict.when = now;
    measured.verdict.classes.push_back(verdict);
  }
  // What was known and has not been launched in this run, or not long enough to be doubted, stays.
  for (const ClassVerdict &old : kernel.verdict.classes) {
    const auto same =
        std::find_if(measured.verdict.classes.begin(), measured.verdict.classes.end(),
                     [&](const ClassVerdict &c) { return c.launchClass == old.launchClass; });
    const bool open = std::any_of(report.classes.begin(), report.classes.end(), [&](const auto &c) {
      return c.launchClass == old.launchClass && c.versions > 1 &&
             c.trial.phase() == Trial::Phase::open;
    });
    if (same == measured.verdict.classes.end() && !open && !isStale(old, now))
      measured.verdict.classes.push_back(old);
    else if (same != measured.verdict.classes.end() && same->winner == old.winner && !same->pairs)
      *same = old; // resumed, and nothing has changed
    else if (same != measured.verdict.classes.end())
      same->changes += std::max(old.changes, same->winner != old.winner ? 1u : 0u);
  }
  return measured;
}

/// With loading_ held. Is there more to find out about the kernel, or to choose at each launch?
bool VersionMaker::isOpen(const Kernel &kernel, const KernelVerdict &verdict) const {
  const uint64_t object = kernel.version.object;
  if (!kernelTable().settled(object))
    return true;
  for (const KernelTable::ClassReport &one : kernelTable().report(object).classes)
    if (one.versions > 1 && one.trial.phase() == Trial::Phase::open)
      return true;
  return !servable(verdict, 0).has_value();
}

/// With loading_ held. What was decided about the kernels of an original goes to the disk.
void VersionMaker::keep(Original &original) {
  ObjectVerdicts verdicts;
  std::vector<MeasuredKernel> measured;
  bool open = false;
  for (const Kernel &kernel : original.kernels) {
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
  // Also where nothing was tried: the object is known then, and leaves no question open.
  if (!original.kernels.empty() && (!verdicts.kernels.empty() || !original.known))
    store_->save(original.verdictKey, verdicts);
  std::lock_guard guard(lock_);
  open_ |= open;
  for (MeasuredKernel &one : measured)
    add(taken_, original.verdictKey, std::move(one));
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
  std::lock_guard guard(loading_);
  if (active())
    keep(*original);
  original->gone = true;
  for (Kernel &kernel : original->kernels)
    for (LoadedVersion &loaded : kernel.loaded)
      versions.push_back(std::move(loaded));
  return versions;
}

void VersionMaker::end() noexcept {
  if (!active_.exchange(false))
    return;
  wake();
  try {
    std::unique_lock guard(loading_, kEndWait);
    if (!guard)
      return;
    std::map<uint64_t, std::shared_ptr<Original>> originals;
    {
      std::lock_guard inner(lock_);
      originals.swap(executables_);
    }
    for (const auto &[handle, original] : originals) {
      keep(*original);
      original->gone = true;
    }
  } catch (...) {
  }
}

bool VersionMaker::openQuestions() const {
  std::lock_guard guard(lock_);
  return open_;
}

std::vector<MeasuredKernel> VersionMaker::measured() const {
  std::unique_lock loading(loading_, kEndWait);
  std::lock_guard guard(lock_);
  MeasuredKernels known = taken_;
  if (loading)
    for (const auto &[handle, original] : executables_)
      for (const Kernel &kernel : original->kernels)
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
