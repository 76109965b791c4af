#include "shim/adapt/made_kernel.h"

#include "runtime/host/pattern.h"
#include "shim/adapt/known_verdicts.h"

#include <algorithm>
#include <ctime>

namespace meld::adapt {

namespace {

/// Facts that nothing could be made of are told apart from new ones in later runs, so many of them.
constexpr size_t kMostRefused = 8;

std::string factsOfKind(const MadeKernel &kernel, uint8_t kind) {
  return kind < kFirstSpecialised
             ? std::string()
             : kernel.specialised[size_t{kind} - kFirstSpecialised].verdict.facts;
}

/// In the order of their texts: the order in which they were asked for differs from run to run.
std::vector<std::string> factsOf(const MadeKernel &kernel, Guards guards) {
  std::vector<std::string> facts;
  for (size_t i = 0; i < kernel.specialised.size(); ++i)
    if (guards & guardOf(kindOfSpecialised(i)))
      facts.push_back(kernel.specialised[i].verdict.facts);
  std::sort(facts.begin(), facts.end());
  return facts;
}

bool areSameLaunches(const ClassVerdict &a, const ClassVerdict &b) {
  return a.launchClass == b.launchClass && a.guards == b.guards;
}
bool areSameWinners(const ClassVerdict &a, const ClassVerdict &b) {
  return a.winner == b.winner && a.facts == b.facts;
}

/// What became of the versions' duels in a class in which not all is tried; where a version has beaten
/// the original, only who has lost.
std::vector<CutDuel> duelsOf(const KernelTable::ClassReport &report) {
  std::vector<CutDuel> duels;
  for (unsigned v = 1; v < report.versions; ++v) {
    const PastDuel past = report.trial.pastDuel(v);
    if (report.kinds[v] < kFirstSpecialised && !past.isNothing())
      duels.push_back({nameOfKind(report.kinds[v]), past});
  }
  return duels;
}

/// Of versions that were not made in this run.
void keepDuels(ClassVerdict &verdict, const ClassVerdict &before,
               const std::vector<std::string> &made) {
  if (!areSameWinners(verdict, before))
    return;
  for (const CutDuel &duel : before.duels)
    if (std::find(made.begin(), made.end(), duel.version) == made.end())
      verdict.duels.push_back(duel);
}

/// Those that are loaded, and the last ones of which nothing could be made.
std::vector<SpecialisedVerdict> specialisedOf(const MadeKernel &kernel,
                                              const KernelTable::KernelReport &report) {
  std::vector<SpecialisedVerdict> all, refused;
  for (size_t i = 0; i < kernel.specialised.size(); ++i) {
    SpecialisedVerdict one = kernel.specialised[i].verdict;
    if (kernel.specialised[i].isLoaded()) {
      one.launches = report.specialised[i].held;
      one.other = report.specialised[i].failed;
      all.push_back(std::move(one));
    } else if (one.facts.empty()) {
      refused.push_back(std::move(one));
    }
  }
  const size_t from = refused.size() - std::min(refused.size(), kMostRefused);
  std::move(refused.begin() + static_cast<ptrdiff_t>(from), refused.end(), std::back_inserter(all));
  return all;
}

/// What was found out beside versions that are there no more is of no use.
bool areLoaded(const KernelVerdict &verdict, const std::vector<std::string> &facts) {
  return std::all_of(facts.begin(), facts.end(), [&](const std::string &one) {
    return std::any_of(verdict.specialised.begin(), verdict.specialised.end(),
                       [&](const SpecialisedVerdict &v) { return v.facts == one; });
  });
}

/// As the compiler chooses kernels (jit/compile.cpp). A pattern that is none was complained about.
bool isSelected(const std::string &kernel, const Settings &settings) {
  const auto matches = [&](const std::string &pattern, bool otherwise) {
    const auto compiled = Pattern::compile(pattern);
    return pattern.empty() || !compiled ? otherwise : compiled->matches(kernel);
  };
  return matches(settings.kernelInclude, true) && !matches(settings.kernelExclude, false);
}

} // namespace

bool MadeKernel::tried() const {
  return !specialised.empty() ||
         std::any_of(done.begin(), done.end(), [](bool one) { return one; });
}

size_t MadeKernel::specialisedVersions() const {
  return static_cast<size_t>(std::count_if(specialised.begin(), specialised.end(),
                                           [](const auto &one) { return one.isLoaded(); }));
}

size_t MadeKernel::versions() const { return made.size() + specialisedVersions(); }

std::unique_ptr<Candidates> candidatesFor(const KernelMetadata &kernel, const KernelVerdict &before,
                                          const Settings &settings) {
  if (!settings.specialize || settings.versions < 2 || !isSelected(kernel.name, settings))
    return nullptr;
  std::vector<Candidates::Range> ranges;
  for (const KernelArg &arg : kernel.args) {
    const bool value = arg.valueKind == "by_value", pointer = arg.valueKind == "global_buffer";
    if ((value || pointer) && arg.size <= kMostArgumentBytes && arg.offset <= kMostArgumentBytes &&
        arg.offset + arg.size <= kernel.kernargSize)
      ranges.push_back(
          {static_cast<uint16_t>(arg.offset), static_cast<uint16_t>(arg.size), pointer});
  }
  std::vector<Facts> asked;
  for (const SpecialisedVerdict &one : before.specialised)
    if (const auto facts = parseFacts(one.asked))
      asked.push_back(*facts);
  return std::make_unique<Candidates>(std::move(ranges), settings.specializeAfter, asked);
}

MeasuredKernel verdictOf(const MadeKernel &kernel) {
  MeasuredKernel measured;
  measured.name = kernel.name;
  measured.verdict.versions = kernel.made;
  measured.verdict.refused = kernel.refused;
  const KernelTable::KernelReport report = kernelTable().report(kernel.version.object);
  // Without MELD_SPECIALIZE what earlier runs have found out stays as it is.
  const bool specialises = !kernel.specialised.empty();
  measured.verdict.specialised =
      specialises ? specialisedOf(kernel, report) : kernel.verdict.specialised;
  measured.budget = report.budget;
  const auto now = static_cast<uint64_t>(std::time(nullptr));
  for (const KernelTable::ClassReport &one : report.classes) {
    const Trial &trial = one.trial;
    if (one.versions < 2)
      continue;
    ClassVerdict verdict;
    // What is decided among some versions is not decided where others are still to be made.
    const bool asBefore =
        std::any_of(kernel.known.begin(), kernel.known.end(), [&](const KnownClass &known) {
          return known.launchClass == one.launchClass && known.guards == one.guards && !known.open;
        });
    verdict.open = trial.phase() == Trial::Phase::open || (kernel.isOpen() && !asBefore);
    if (verdict.open && !one.guards)
      verdict.duels = duelsOf(one);
    if (verdict.open && !trial.incumbent() && verdict.duels.empty())
      continue;
    verdict.launchClass = one.launchClass;
    verdict.guards = factsOf(kernel, one.guards);
    const unsigned winner = trial.incumbent();
    verdict.winner = nameOfKind(one.kinds[winner]);
    verdict.facts = factsOfKind(kernel, one.kinds[winner]);
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
    const auto same = std::find_if(measured.verdict.classes.begin(), measured.verdict.classes.end(),
                                   [&](const ClassVerdict &c) { return areSameLaunches(c, old); });
    const bool open = std::any_of(report.classes.begin(), report.classes.end(), [&](const auto &c) {
      return c.launchClass == old.launchClass && factsOf(kernel, c.guards) == old.guards &&
             c.versions > 1 && c.trial.phase() == Trial::Phase::open;
    });
    if (specialises && !areLoaded(measured.verdict, old.guards))
      continue;
    if (same == measured.verdict.classes.end() && !open && !isStale(old, now))
      measured.verdict.classes.push_back(old);
    else if (same == measured.verdict.classes.end())
      continue;
    else if (same->open)
      keepDuels(*same, old, kernel.made);
    else if (old.open)
      same->changes += old.changes;
    else if (!same->pairs)
      *same = old; // resumed and nothing has changed, or nothing was tried beside it
    else
      same->changes += std::max(old.changes, areSameWinners(*same, old) ? 0u : 1u);
  }
  return measured;
}

} // namespace meld::adapt
