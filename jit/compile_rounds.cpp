#include "jit/compilation.h"

#include "jit/cancel.h"
#include "jit/error.h"
#include "jit/machine_code.h"
#include "jit/variant/waits.h"
#include "jit/optimizer.h"
#include "jit/relocatable_cache.h"
#include "jit/same_code.h"
#include "passes/melder/meld_choice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <algorithm>

using namespace llvm;

namespace meld::jit {

namespace {

constexpr unsigned maxRounds = 12;
constexpr unsigned closingRounds = 3; // the last: the answers, without what got worse, once more
constexpr unsigned maxTries = 6;
constexpr double doubtedGain = 10; // percent; what scalarization alone may gain
constexpr size_t cacheBytes = 32 << 20;

struct Shared {
  Session session;
  RelocatableCache cache{cacheBytes};
  static Shared &get() {
    static auto *shared = new Shared; // never destroyed: other threads may outlive exit handlers
    return *shared;
  }
};

} // namespace

double milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
      .count();
}

// Kernels that are not to change, and the functions they call: those are simplified, and would be
// melded, before they are inlined. A kernel that shares such a function can still be melded after
// inlining.
std::set<std::string> Compilation::leftAlone(const Module &module) const {
  std::set<std::string> names;
  std::set<const Constant *> seen;
  std::vector<const Constant *> work;
  auto reach = [&](const Value *value) {
    if (auto *constant = dyn_cast_or_null<Constant>(value);
        constant && seen.insert(constant).second)
      work.push_back(constant);
  };
  for (const auto &[name, state] : states_)
    if (state.excluded || !selected_.count(name))
      reach(module.getFunction(name));
  while (!work.empty()) {
    const Constant *constant = work.back();
    work.pop_back();
    // Held by a constant or a variable: a table of functions.
    for (const Use &operand : constant->operands())
      reach(operand);
    auto *function = dyn_cast<Function>(constant);
    if (!function || function->isDeclaration())
      continue;
    names.insert(function->getName().str());
    for (const auto &i : instructions(function))
      for (const Use &operand : i.operands())
        reach(operand);
  }
  return names;
}

// The original device link saw all units and made everything local that nobody outside can name.
// Its result says what that was.
void Compilation::linkUnits(Module &module) const {
  if (options_.deviceLink || object_.modules.size() > 1)
    internalizeModule(module, [this](const GlobalValue &value) {
      return exports_.count(value.getName().str()) != 0;
    });
}

void Compilation::keepExports(Module &module) const {
  linkUnits(module);
  // clang takes llvm.compiler.used out of the bitcode it embeds. What it held there for the host
  // alone, a variable that no kernel uses or the unit's id, would be internalised and lost.
  SmallVector<GlobalValue *, 4> unused;
  for (GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && !variable.hasLocalLinkage() && variable.use_empty() &&
        exports_.count(variable.getName().str()))
      unused.push_back(&variable);
  if (!unused.empty())
    appendToCompilerUsed(module, unused);
}

// Before the optimiser, which may raise what nobody outside has been promised.
void Compilation::noteVariables(const Module &module) {
  variables_.clear();
  for (const GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && exports_.count(variable.getName().str())) {
      const auto declared = variable.getAlign();
      variables_[variable.getName().str()] =
          (declared ? *declared : module.getDataLayout().getPreferredAlign(&variable)).value();
    }
}

// [["both","fmul float","fmul float"],...] and how many more there are; an object of thousands of
// meldings shows its first ones.
Json Compilation::sidesOf(const passes::Decision &decision) {
  constexpr size_t mostRows = 2000;
  if (decision.sides.empty() || sideRows_ + decision.sides.size() > mostRows)
    return {};
  sideRows_ += decision.sides.size();
  Json rows = Json::array();
  for (const auto &row : decision.sides)
    rows.push_back({row.whose, row.left, row.right});
  return {{"rows", std::move(rows)}, {"leftOut", decision.sidesLeftOut}};
}

Error Compilation::transform(Module &module) {
  auto begin = std::chrono::steady_clock::now();
  decisions_.clear();
  scalarized_.clear();
  sideRows_ = 0;
  std::function<void(PassBuilder &)> extend;
  passes::DecisionLog decisionLog;
  auto options = passOptions();
  if (!options)
    return options.takeError();
  passes::MeldOptions &meld = *options;
  if (recipe_ && !changesNothing_) {
    linkUnits(module);
    if (auto e = isolateVersion(module))
      return e;
  }
  meld.leaveAlone = std::make_shared<const std::set<std::string>>(
      leftAlone(module)); // includes what the request leaves out
  passes::MeldChoice::ByFunction leftOut;
  for (const auto &[name, state] : states_)
    if (state.search)
      leftOut[name] = state.search->leftOut();
  meld.settling = settling_;
  meld.choice = choice_ =
      std::make_shared<passes::MeldChoice>(std::move(leftOut), meld.meldings ? meld.meldings : ~0u);
  if (!recompileOnly() && !changesNothing_)
    extend = [&](PassBuilder &builder) {
      passes::registerMeldCallbacks(builder, meld, &decisionLog);
    };
  if (!recipe_ || changesNothing_)
    keepExports(module);
  noteVariables(module);
  if (auto e = optimize(module, options_, object_.processor, request_.meld.verify, extend,
                        &passesMs_, request_.options))
    return e;
  if (survey_ == Survey::proving)
    return Error::success();
  if (survey_ == Survey::looking) {
    noteCandidates(decisionLog);
    if (surveyed_) {
      stoppedEarly_ = true;
      return compilerError("floating point to settle");
    }
  } else if (!recompileOnly() && !changesNothing_) {
    if (auto e = checkSettled())
      return e;
  }
  for (const auto &d : decisionLog.entries()) {
    if (d.melded && passes::isScalarizer(d.pass))
      scalarized_.insert(d.kernel);
    decisions_.push_back({d.kernel, d.melded,
                          Json{{"location", d.location},
                               {"pass", d.pass},
                               {"point", nameOf(d.point)},
                               {"melded", d.melded},
                               {"reason", d.reason},
                               {"profit", d.profit},
                               {"alignment", d.alignment}},
                          sidesOf(d)});
  }
  optimiseMs_ += milliseconds(begin);
  if (dumps_.wants("ir")) {
    std::string text;
    raw_string_ostream os(text);
    module.print(os, nullptr);
    dumps_.write("after", ".ll", os.str());
  }
  if (!recompileOnly() && !changesNothing_ && decisionLog.meldedCount() == 0) {
    stoppedEarly_ = true; // no code needed: the original is what would come out
    return compilerError("nothing melded");
  }
  if (!recipe_ || changesNothing_)
    return Error::success();
  waits_ = mayWaitForWorkgroups(module);
  return bindVersion(module);
}

Expected<bool> Compilation::compileOnce() {
  ++rounds_;
  refused_.clear();
  stoppedEarly_ = false;
  CompileJob job;
  job.object = &object_;
  job.options = options_;
  for (const auto &k : kernels_)
    job.kernels.push_back(k.name);
  job.transform = [this](Module &m) { return transform(m); };
  auto &shared = Shared::get();
  job.cache = &shared.cache;
  auto begin = std::chrono::steady_clock::now();
  auto made = shared.session.compile(job);
  compileMs_ += milliseconds(begin);
  if (!made) {
    if (!stoppedEarly_)
      return made.takeError();
    consumeError(made.takeError());
    return false;
  }
  made_ = std::move(*made);
  codegenMs_ += made_.codegenMs;
  auto kernels = readKernels(*made_.bytes);
  if (!kernels)
    return kernels.takeError();
  madeKernels_ = std::move(*kernels);
  return true;
}

Error Compilation::judgeKernels(Disassembler &disassembler) {
  std::set<std::string> melded;
  for (const auto &d : decisions_)
    if (d.melded)
      melded.insert(d.kernel);
  for (const auto &after : madeKernels_) {
    auto it = states_.find(after.name);
    if (it == states_.end())
      return compilerError("the new code object has an extra kernel " + after.name);
    auto &s = it->second;
    s.changed = !isSameCode(disassembler, *s.before, after);
    s.resourcesAfter = after.resources;
    if (!s.changed) {
      s.estimateAfter = s.estimateBefore;
      s.verdict = {false, 0, "unchanged"};
      continue;
    }
    s.estimateAfter = estimate(disassembler.decode(after), after.resources, object_.processor);
    if (isLeftOut(after.name)) {
      s.verdict = {false, 0, "left out, and a recompile does not give its code"};
      continue;
    }
    if (!mayDiffer(disassembler, after)) {
      s.verdict = {false, 0, "its floating point may have come out in another way"};
      continue;
    }
    s.verdict = judge(s.estimateBefore, s.before->resources, s.estimateAfter, after.resources,
                      melded.count(after.name) ? request_.meld.minProfit : 0, request_.meld.force);
    // Nothing was melded in it, and the compiler has found another way that costs the same.
    if (!melded.count(after.name) && s.estimateAfter.cycles == s.estimateBefore.cycles &&
        s.estimateAfter.instructions == s.estimateBefore.instructions) {
      s.changed = false;
      s.verdict = {false, 0, "unchanged"};
    }
    log(logDebug, "kernel " + after.name + ": " + (s.verdict.better ? "better: " : "not better: ") +
                      s.verdict.reason);
  }
  return Error::success();
}

Error Compilation::rounds() {
  auto disassembler = Disassembler::create(object_.processor);
  if (!disassembler)
    return disassembler.takeError();
  for (const auto &k : kernels_) {
    auto &s = states_[k.name];
    s.before = &k;
    s.estimateBefore = estimate(disassembler->decode(k), k.resources, object_.processor);
  }
  dumpBefore(*disassembler);

  if (request_.trustVerify) {
    auto why = untrusted();
    if (!why)
      return why.takeError();
    if (!why->empty())
      return unchanged("untrusted: " + *why);
  }

  std::string reason = recipe_ ? "no version: nothing changes" : "nothing profitable";
  std::optional<bool> first; // the survey's compile, where it has needed no other
  if (!recompileOnly()) {
    auto made = surveyFloatingPoint(*disassembler);
    if (!made)
      return made.takeError();
    if (!surveyed_)
      first = *made;
    for (const auto &[name, s] : states_)
      if (s.excluded)
        reason = "nothing profitable: " + name + ": " + s.excludedWhy;
  }
  for (;; first.reset()) {
    if (compilesCancelled())
      return compilerError("stopped: the process ends");
    auto made = first ? Expected<bool>(*first) : compileOnce();
    if (!made)
      return made.takeError();
    if (!*made) {
      if (!endSearches())
        return unchanged(reason);
      continue;
    }
    if (auto e = judgeKernels(*disassembler))
      return e;
    dumpAfter(*disassembler);
    if (recompileOnly())
      return replaced("recompiled");
    if (recipe_ && !recipe_->judged)
      return versionMade(*disassembler);

    const auto better = std::count_if(states_.begin(), states_.end(), [](const auto &entry) {
      return entry.second.changed && entry.second.verdict.better;
    });
    switch (nextRound(reason)) {
    case Next::done:
      return better ? replaced(std::to_string(better) + " kernel(s) improved") : unchanged(reason);
    case Next::hopeless:
      return unchanged(reason);
    case Next::again:
      break;
    }
    if (rounds_ >= maxRounds)
      return unchanged(reason);
  }
}

// What is to change in the next compile, by the verdicts on this one: a search takes its step, a
// kernel that got worse begins one, so does one of which scalarization alone may be the better
// half, and one for which nothing helps is left alone.
Compilation::Next Compilation::nextRound(std::string &reason) {
  const bool closing = rounds_ + closingRounds >= maxRounds;
  bool better = false, worse = false, again = false;
  for (auto &[name, s] : states_) {
    const bool good = s.changed && s.verdict.better;
    better |= good;
    if (s.search && s.search->searching()) {
      s.search->judged(choice_->count(name), good, s.estimateAfter.cycles);
      if (closing)
        s.search->stop();
      again = true;
      if (s.search->searching() || s.search->found())
        continue;
    } else if (!s.changed) {
      continue;
    } else if (good) {
      const unsigned meldings = choice_->count(name);
      if (closing || request_.meld.force || s.search || !meldings || !scalarized_.count(name) ||
          s.verdict.gain >= doubtedGain)
        continue;
      s.search.emplace(MeldSearch::doubting(meldings, maxTries, s.estimateAfter.cycles));
      again = true;
      log(logDebug, "compiling again without the meldings of " + name + ", to compare");
      continue;
    } else {
      worse = true;
      reason = "nothing profitable: " + name + ": " + s.verdict.reason;
      if (s.excluded || isLeftOut(name))
        continue; // left alone, and yet it changed: nothing more to try
      s.excludedWhy = s.verdict.reason;
      if (!s.search && !closing) {
        s.search.emplace(choice_->count(name), maxTries, scalarized_.count(name));
        if (s.search->searching()) {
          again = true;
          log(logDebug, "compiling again with some of the meldings of " + name);
          continue;
        }
      }
    }
    s.excluded = again = true;
    log(logDebug, "compiling again without melding " + name);
  }
  if (!again)
    return worse ? Next::hopeless : Next::done;
  const bool hope = better || any_of(states_, [](const auto &entry) {
                      const auto &search = entry.second.search;
                      return search && (search->searching() || search->found());
                    });
  return hope ? Next::again : Next::hopeless;
}

// Nothing was melded at all: no try of the searches can be judged. True when one of them has an
// answer from before.
bool Compilation::endSearches() {
  bool found = false, ended = false;
  for (auto &[name, s] : states_) {
    if (!s.search || !s.search->searching())
      continue;
    ended = true;
    s.search->stop();
    found |= s.search->found();
    s.excluded = !s.search->found();
  }
  return ended && found;
}

} // namespace meld::jit
