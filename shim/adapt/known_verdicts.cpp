#include "shim/adapt/known_verdicts.h"

#include "jit/variant/recipes.h"
#include "shim/adapt/verdict_store.h"

#include <algorithm>
#include <ctime>
#include <set>

namespace meld::adapt {

uint8_t kindOf(std::string_view name) {
  for (unsigned recipe = 0; recipe < std::size(jit::recipes); ++recipe)
    if (jit::recipes[recipe].name == name)
      return kindOf(recipe);
  return 0;
}

std::string nameOfKind(uint8_t kind) {
  if (kind >= kFirstSpecialised)
    return std::string(kSpecialised);
  return kind ? std::string(jit::recipes[kind - 1u].name) : std::string();
}

namespace {

/// 0: there is no specialised version for these facts.
uint8_t kindOfFacts(const KernelVerdict &verdict, const std::string &facts) {
  for (size_t i = 0; i < verdict.specialised.size() && i < kMostSpecialised; ++i)
    if (!facts.empty() && verdict.specialised[i].facts == facts)
      return static_cast<uint8_t>(kFirstSpecialised + i);
  return 0;
}

} // namespace

std::vector<KnownClass> knownClasses(const KernelVerdict &verdict, uint64_t now) {
  std::vector<KnownClass> known;
  for (const ClassVerdict &one : verdict.classes) {
    const uint8_t kind =
        one.winner == kSpecialised ? kindOfFacts(verdict, one.facts) : kindOf(one.winner);
    Guards guards = 0;
    const bool all = std::all_of(one.guards.begin(), one.guards.end(), [&](const auto &facts) {
      const uint8_t guard = kindOfFacts(verdict, facts);
      guards |= guardOf(guard);
      return guard != 0;
    });
    if (!all || isStale(one, now) || (kind == 0 && (one.open || !one.winner.empty())))
      continue;
    known.push_back({one.launchClass, kind, guards, one.open, one.ratio});
  }
  return known;
}

std::vector<KnownDuel> knownDuels(const KernelVerdict &verdict, uint64_t now) {
  std::vector<KnownDuel> known;
  for (const ClassVerdict &one : verdict.classes)
    if (one.open && one.guards.empty() && !isStale(one, now))
      for (const CutDuel &duel : one.duels)
        if (const uint8_t kind = kindOf(duel.version))
          known.push_back({one.launchClass, kind, duel.past});
  return known;
}

bool haveWinner(const std::vector<KnownClass> &known) {
  return std::any_of(known.begin(), known.end(),
                     [](const KnownClass &one) { return one.winner != 0 && !one.open; });
}

std::optional<std::string> servable(const KernelVerdict &verdict, uint64_t now) {
  std::set<std::string> winners;
  for (const ClassVerdict &one : verdict.classes) {
    if (one.open || one.changes || one.winner == kSpecialised || one.faster == kSpecialised)
      return std::nullopt;
    if (!now || !isStale(one, now))
      winners.insert(one.winner.empty() ? one.faster : one.winner);
  }
  if (winners.size() > 1)
    return std::nullopt;
  return winners.empty() ? std::string() : *winners.begin();
}

ServedVersions::Chooser servedByVerdicts(const CoreApiTable &table, Engine &engine,
                                         std::atomic<bool> &open) {
  return [&open, store = std::make_shared<VerdictStore>(table, engine)](
             hsa_agent_t agent, ByteView source, const CodeObject &object) {
    KernelRecipes recipes;
    const auto key = store->keyOf(agent, source, object.isa.targetId());
    const auto verdicts = key ? store->load(*key) : std::nullopt;
    open = open || !verdicts;
    if (!verdicts)
      return recipes;
    const auto now = static_cast<uint64_t>(std::time(nullptr));
    for (const auto &[name, verdict] : verdicts->kernels) {
      const auto recipe = servable(verdict, now);
      const bool stale = std::any_of(verdict.classes.begin(), verdict.classes.end(),
                                     [&](const ClassVerdict &one) { return isStale(one, now); });
      open = open || !recipe || stale;
      if (recipe && !recipe->empty())
        recipes[name] = *recipe;
    }
    return recipes;
  };
}

} // namespace meld::adapt
