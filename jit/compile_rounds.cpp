// Look, prove, search, answer: which kernels of an object get other code.
//
//   look     everything optimised once, melded wherever the passes want to; code only for kernels
//            that changed; each judged against the original's code
//               | nothing changed, or nothing better and nothing to search: the original, at that
//   prove    of those that are left and leave floating-point choices: fp_survey.cpp
//   search   kernels that got worse, or whose gain may not be the meldings': compiled again with
//            some of their meldings, alone (cut.h), while their budget lasts (search_budget.h)
//   answer   the whole object with what was found; judged once more, as only that counts. Made
//            already, where the look or a try of the search happened to be just that
//
// So a kernel without anything to meld has code made of it once, in the answer, if at all. Ends:
// every try of a search is counted, and each further answer leaves one kernel more alone. Costs, in
// compiles of the whole object: at least its optimisation, at most 1 + 2 (proof) + 1 (search,
// search_budget.h) + closingRounds; mostly 1 where everything is better at once, else 2 and a bit.
#include "jit/compilation.h"

#include "jit/cancel.h"
#include "jit/error.h"
#include "jit/machine_code.h"
#include "jit/same_code.h"
#include "passes/melder/meld_choice.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace meld::jit {

namespace {

constexpr unsigned closingRounds = 3; // answers without what got worse after all
constexpr unsigned maxTries = 6;
constexpr double doubtedGain = 10; // percent; what scalarization alone may gain

bool leavesOut(const MeldSearch::LeftOut &leftOut) {
  return !leftOut.numbers.empty() || leftOut.from != MeldSearch::LeftOut().from;
}

} // namespace

double milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
      .count();
}

// ---- sizes

uint64_t Compilation::instructionsOf(const Names &kernels) const {
  uint64_t sum = 0;
  for (const std::string &name : kernels)
    sum += states_.at(name).estimateBefore.instructions;
  return sum;
}

// Then the whole object is compiled, as it may turn out to be the answer.
bool Compilation::coversMost(const Names &kernels) const {
  constexpr uint64_t part = 3, of = 4;
  return recipe_ || kernels.size() == states_.size() ||
         of * instructionsOf(kernels) >= part * instructionsOf(allKernels());
}

// ---- whole objects made on the way

std::string Compilation::stateKey() const {
  std::string key;
  for (const auto &[name, s] : states_) {
    const MeldSearch::LeftOut leftOut = s.search ? s.search->leftOut() : MeldSearch::LeftOut();
    if (s.excluded || leavesOut(leftOut)) {
      key += name + (s.excluded ? " excluded" : "");
      for (unsigned number : leftOut.numbers)
        key += ' ' + std::to_string(number);
      key += " from " + std::to_string(leftOut.from) + '\n';
    }
  }
  for (const auto &[name, point] : proven_)
    key += name + " settled " + passes::nameOf(point) + '\n';
  return key;
}

bool Compilation::lookHolds() const {
  for (const auto &[name, s] : states_)
    if (s.excluded || (s.search && leavesOut(s.search->leftOut())))
      return false;
  return all_of(settledInLook_, [&](const auto &entry) {
    const auto &[name, number] = entry;
    const auto point = proven_.find(name);
    return point != proven_.end() && point->second == passes::Point::early &&
           settledAs_.at(name) == number;
  });
}

Made Compilation::kept() const {
  return {made_, madeKernels_, decisions_, scalarized_, variables_, settling_, choice_, ir_};
}

void Compilation::take(const Made &made) {
  made_ = made.object;
  madeKernels_ = made.kernels;
  decisions_ = made.decisions;
  scalarized_ = made.scalarized;
  variables_ = made.variables;
  settling_ = made.settling;
  choice_ = made.choice;
  ir_ = made.ir;
}

// ---- verdicts

Estimate Compilation::estimateOf(const Disassembler &disassembler, const Kernel &kernel) const {
  const profile::Kernel *profiled = profile_ ? profile_->find(kernel.name) : nullptr;
  const passes::RunFacts known = profiled ? runFacts(*profiled) : passes::RunFacts();
  return estimate(disassembler.decode(kernel, known), kernel.resources, object_.processor,
                  known.wavesPerSimd);
}

Error Compilation::judgeKernels(Disassembler &disassembler, const Names *which) {
  std::set<std::string> melded;
  for (const auto &d : decisions_)
    if (d.melded)
      melded.insert(d.kernel);
  for (const auto &after : madeKernels_) {
    auto it = states_.find(after.name);
    if (it == states_.end())
      return compilerError("the new code object has an extra kernel " + after.name);
    if (which && !which->count(after.name))
      continue;
    auto &s = it->second;
    s.changed = !isSameCode(disassembler, *s.before, after);
    s.resourcesAfter = after.resources;
    if (!s.changed) {
      s.estimateAfter = s.estimateBefore;
      s.verdict = {false, 0, "unchanged"};
      continue;
    }
    s.estimateAfter = estimateOf(disassembler, after);
    if (isLeftOut(after.name)) {
      s.verdict = {false, 0, "left out, and a recompile does not give its code"};
      continue;
    }
    if (!mayDiffer(disassembler, after)) {
      s.verdict = {false, 0, "its floating point may have come out in another way"};
      continue;
    }
    // A version runs beside the original and is measured; a replacement is believed, and so is what
    // takes its place where a profile says that most of the object never runs.
    const bool measured = recipe_ && !(profile_ && recipe_->judged);
    const double believed = measured ? 0 : request_.meld.minGain;
    s.verdict =
        judge(s.estimateBefore, s.before->resources, s.estimateAfter, after.resources,
              melded.count(after.name) ? std::max(believed, request_.meld.minProfit) : believed,
              request_.meld.force);
    // Nothing was melded in it, and the compiler has found another way that costs the same.
    if (!melded.count(after.name) && s.estimateAfter.cycles == s.estimateBefore.cycles &&
        s.estimateAfter.instructions == s.estimateBefore.instructions &&
        passes::mayBeWrong(s.estimateBefore, s.estimateAfter).empty()) {
      s.changed = false;
      s.verdict = {false, 0, "unchanged"};
    }
    log(logDebug, "kernel " + after.name + ": " + (s.verdict.better ? "better: " : "not better: ") +
                      s.verdict.reason);
  }
  return Error::success();
}

bool Compilation::anyHope() const {
  return any_of(states_, [](const auto &entry) { return entry.second.isHopeful(); });
}

void Compilation::exclude(const std::string &name, std::string why) {
  auto &s = states_[name];
  s.excluded = true;
  s.excludedWhy = std::move(why);
  reason_ = "nothing profitable: " + name + ": " + s.excludedWhy;
}

// ---- the rounds

Error Compilation::rounds() {
  auto disassembler = Disassembler::create(object_.processor);
  if (!disassembler)
    return disassembler.takeError();
  for (const auto &k : kernels_) {
    auto &s = states_[k.name];
    s.before = &k;
    s.estimateBefore = estimateOf(*disassembler, k);
  }
  dumpBefore(*disassembler);

  if (request_.trust == Trust::verify) {
    auto why = untrusted();
    if (!why)
      return why.takeError();
    if (!why->empty())
      return unchanged("untrusted: " + *why);
  }
  if (marking())
    return markedVersion(*disassembler);

  if (recompileOnly()) {
    auto made = compileOnce();
    if (!made)
      return made.takeError();
    if (auto e = judgeKernels(*disassembler))
      return e;
    dumpAfter(*disassembler);
    return replaced("recompiled");
  }

  budget_.emplace(instructionsOf(allKernels()));
  reason_ = recipe_ ? "no version: nothing changes" : "nothing profitable";
  auto made = look(*disassembler);
  if (!made)
    return made.takeError();
  const bool toSettle = recipe_ && surveyed_; // a version's code is made behind the proof only
  if (!*made && !toSettle)
    return unchanged(reason_);

  Names open;
  std::vector<std::string> asking;
  if (!toSettle && (!recipe_ || recipe_->judged))
    for (const std::string &name : touched_)
      if (asksAgain(name, states_[name]))
        asking.push_back(name);
  if (*made)
    tellWhoWaits(Names(asking.begin(), asking.end()));
  if (surveyed_) {
    auto again = proveFloatingPoint(*disassembler, Names(asking.begin(), asking.end()));
    if (!again)
      return again.takeError();
    open = std::move(*again);
    erase_if(asking, [&](const std::string &name) {
      return states_[name].excluded || !states_[name].search;
    });
  } else {
    settling_ = newSettling({});
  }
  if (recipe_ && !recipe_->judged) {
    if (toSettle) {
      made = compileSettled();
      if (!made)
        return made.takeError();
      if (!*made)
        return unchanged(reason_);
      if (auto e = judgeKernels(*disassembler))
        return e;
      dumpAfter(*disassembler);
    }
    return versionMade(*disassembler);
  }
  open.merge(paidFor(std::move(asking)));
  if (auto e = search(*disassembler, std::move(open)))
    return e;
  return answer(*disassembler);
}

// Every kernel settled, everything melded that the passes want to meld.
Expected<bool> Compilation::look(Disassembler &disassembler) {
  settling_ = newSettling({}, /*everywhere=*/true);
  survey_ = Survey::looking;
  const double before = compileMs_;
  auto made = compileOnce();
  survey_ = Survey::over;
  if (!made)
    return made.takeError();
  // What has been done so far is a plain compile but for our passes, and for the code of the
  // kernels that did not change.
  plainMs_ = compileMs_ - before - firstPassesMs_;
  if (!*made && !looked_.empty()) {
    const double optimised = compileMs_;
    if (auto e = generate(touched_))
      return e;
    plainCodegenMs_ = (compileMs_ - optimised) * double(instructionsOf(allKernels())) /
                      double(std::max<uint64_t>(1, instructionsOf(touched_)));
    plainMs_ += plainCodegenMs_;
    made = true;
  }
  if (!*made)
    return false;
  if (recipe_)
    touched_ = allKernels();
  lookedAt_ = kept();
  if (auto e = judgeKernels(disassembler, &touched_))
    return e;
  dumpAfter(disassembler);
  for (const std::string &name : touched_)
    states_[name].firstGain = states_[name].verdict.gain;
  return true;
}

// Whoever waits for this compile may leave, where that cannot end in time.
void Compilation::tellWhoWaits(Names next) const {
  if (!request_.plainTakes || recipe_)
    return;
  if (surveyed_)
    for (const std::string &name : *surveyed_)
      if (states_.at(name).isHopeful())
        next.insert(name);
  // The next round is whole, or of that share of the code. Where there is none, the answer may be
  // what the look has optimised.
  const double plain = std::max(plainMs_, 0.0);
  const double rest = next.empty() ? plainCodegenMs_
                      : coversMost(next)
                          ? plain
                          : plain * double(instructionsOf(next)) /
                                double(std::max<uint64_t>(1, instructionsOf(allKernels())));
  request_.plainTakes(plain, rest);
}

// By the verdict on its last code: a search takes its step, a kernel that got worse begins one, so
// does one of which scalarization alone may be the better half, and one for which nothing helps is
// left alone. True: it is to be compiled once more.
bool Compilation::asksAgain(const std::string &name, KernelState &s) {
  const bool good = s.changed && s.verdict.better;
  if (s.search) {
    s.search->judged(choice_->count(name), good, s.estimateAfter.cycles);
    if (!s.search->searching() && !s.search->found())
      exclude(name, s.excludedWhy);
    return s.search->searching();
  }
  if (!s.changed)
    return false;
  if (good) {
    const unsigned meldings = choice_->count(name);
    if (request_.meld.force || !meldings || !scalarized_.count(name) ||
        s.verdict.gain >= doubtedGain)
      return false;
    s.search.emplace(MeldSearch::doubting(meldings, maxTries, s.estimateAfter.cycles));
    log(logDebug, "compiling again without the meldings of " + name + ", to compare");
    return true;
  }
  reason_ = "nothing profitable: " + name + ": " + s.verdict.reason;
  if (isLeftOut(name))
    return false; // left alone, and yet it changed: nothing to try
  s.excludedWhy = s.verdict.reason;
  s.search.emplace(choice_->count(name), maxTries, scalarized_.count(name));
  if (s.search->searching()) {
    log(logDebug, "compiling again with some of the meldings of " + name);
    return true;
  }
  exclude(name, s.verdict.reason);
  log(logDebug, "compiling again without melding " + name);
  return false;
}

// Who may try once more. The others take the best that they have seen.
Compilation::Names Compilation::paidFor(std::vector<std::string> asking) {
  std::stable_sort(asking.begin(), asking.end(), [&](const auto &a, const auto &b) {
    return states_[a].firstGain > states_[b].firstGain;
  });
  Names paid;
  for (const std::string &name : asking) {
    auto &s = states_[name];
    if (budget_->pay(name, s.estimateBefore.instructions, s.firstGain)) {
      paid.insert(name);
      continue;
    }
    s.outOfBudget = true;
    s.search->stop();
    if (!s.search->found())
      exclude(name, s.excludedWhy);
    log(logDebug, "kernel " + name + ": its search ends, the budget is used up");
  }
  return paid;
}

Error Compilation::search(Disassembler &disassembler, Names open) {
  while (!open.empty()) {
    if (compilesCancelled())
      return compilerError("stopped: the process ends");
    if (!coversMost(open))
      only_ = open;
    auto made = compileSettled();
    const bool whole = !only_;
    only_.reset();
    if (!made)
      return made.takeError();
    std::vector<std::string> asking;
    if (*made) {
      if (whole)
        wholes_.emplace(stateKey(), kept());
      if (auto e = judgeKernels(disassembler, &open))
        return e;
      dumpAfter(disassembler);
      for (const std::string &name : open)
        if (!states_[name].excluded && asksAgain(name, states_[name]))
          asking.push_back(name);
    } else {
      // Nothing was melded at all: no try can be judged.
      for (const std::string &name : open) {
        auto &s = states_[name];
        s.changed = false;
        s.verdict = {false, 0, "unchanged"};
        if (!s.search || !s.search->searching())
          continue;
        s.search->stop();
        if (!s.search->found())
          exclude(name, s.excludedWhy);
      }
    }
    open = paidFor(std::move(asking));
  }
  return Error::success();
}

Error Compilation::answer(Disassembler &disassembler) {
  for (unsigned left = closingRounds; left && anyHope(); --left) {
    if (compilesCancelled())
      return compilerError("stopped: the process ends");
    if (auto known = wholes_.find(stateKey()); known != wholes_.end()) {
      take(known->second);
    } else if (lookedAt_ && lookHolds()) {
      take(*lookedAt_);
      if (!looked_.empty())
        if (auto e = generate(allKernels()))
          return e;
    } else {
      auto made = compileSettled();
      if (!made)
        return made.takeError();
      if (!*made)
        return unchanged(reason_);
    }
    if (auto e = judgeKernels(disassembler))
      return e;
    dumpAfter(disassembler);
    size_t better = 0;
    bool worse = false, again = false;
    for (auto &[name, s] : states_) {
      const bool good = s.changed && s.verdict.better;
      better += good;
      if (good || !s.changed)
        continue;
      worse = true;
      reason_ = "nothing profitable: " + name + ": " + s.verdict.reason;
      if (s.excluded || isLeftOut(name))
        continue; // left alone, and yet it changed: nothing more to try
      exclude(name, s.verdict.reason);
      again = true;
      log(logDebug, "compiling again without melding " + name);
    }
    if (!again)
      return better && !worse ? replaced(std::to_string(better) + " kernel(s) improved")
                              : unchanged(reason_);
  }
  return unchanged(reason_);
}

} // namespace meld::jit
