// Whose floating point can be settled so that it stays what the original's is (see
// passes/transform/fp_choices.h).
//
//   the look: all kernels settled early, everything melded
//        | melded kernels with choices to settle, whose code is better or may get so: the candidates
//   settled early, not melded, compiled  --the original's code--> early; the look's code holds
//        | other code
//   settled late, not melded, compiled   --the original's code--> late: melded there alone
//        | other code
//   left as it is
//
// The settled function means one result. That its code is the original's proves that it is the
// original's result, whatever rule it was settled by; and that it leaves no choice, that melding
// keeps the result. The optimiser is deterministic, and nothing is changed in a compile before a
// function is settled that could lead it elsewhere; it is checked all the same: a function has to
// look the same, right after settling, in the survey and in each later compile. So the proof may be
// made with the candidates alone (cut.h).
//
// Costs one or two compiles of the candidates, and nothing for others.
#include "jit/compilation.h"

#include "jit/error.h"
#include "jit/same_code.h"

using namespace llvm;

namespace meld::jit {

using passes::FpSettling;

namespace {

constexpr const char *notSettled =
    "its floating point leaves choices to the compiler, and the original's could not be repeated";

} // namespace

Expected<Compilation::Names> Compilation::proveFloatingPoint(const Disassembler &disassembler,
                                                             const Names &asked) {
  FpSettling::Points candidates;
  const bool all = recipe_; // no code yet by which one could be ruled out
  for (const std::string &name : *surveyed_)
    if (all || asked.count(name) || states_[name].isHopeful())
      candidates[name] = passes::Point::early;
  Names elsewhere;
  for (auto point : {passes::Point::early, passes::Point::late}) {
    if (candidates.empty())
      break;
    Names names;
    for (auto &[name, where] : candidates) {
      where = point;
      names.insert(name);
    }
    if (!coversMost(names))
      only_ = names;
    settling_ = newSettling(candidates);
    settling_->only = true;
    survey_ = Survey::proving;
    auto code = compileOnce();
    survey_ = Survey::over;
    only_.reset();
    if (!code)
      return code.takeError();
    const auto numbers = settling_->settledFunctions();
    for (const auto &kernel : madeKernels_) {
      auto number = numbers.find(kernel.name);
      auto state = states_.find(kernel.name);
      if (number == numbers.end() || state == states_.end() ||
          !isSameCode(disassembler, *state->second.before, kernel))
        continue;
      proven_[kernel.name] = point;
      settledAs_[kernel.name] = number->second;
      candidates.erase(kernel.name);
      log(logDebug, "kernel " + kernel.name + ": floating point settled " + passes::nameOf(point));
      if (point == passes::Point::early && !all)
        continue;
      elsewhere.insert(kernel.name);
      state->second.search.reset();
      state->second.changed = false;
    }
  }
  for (const auto &[name, unused] : candidates) {
    exclude(name, notSettled);
    log(logDebug, "kernel " + name + ": left alone: " + notSettled);
  }
  settling_ = newSettling(proven_);
  return elsewhere;
}

std::shared_ptr<FpSettling> Compilation::newSettling(FpSettling::Points points, bool everywhere) {
  auto settling = everywhere ? FpSettling::everywhere() : FpSettling::at(std::move(points));
  settling->contractAll = options_.fpContract == "fast";
  return settling;
}

// After the optimiser, while looking: the kernels that were settled and melded, or nothing when
// there was none to settle, or when nothing at all was melded.
void Compilation::noteCandidates(const passes::DecisionLog &decisions) {
  surveyed_.reset();
  const auto settled = settling_->settledFunctions();
  settledInLook_ = settled;
  if (settled.empty() || !decisions.meldedCount())
    return;
  surveyed_.emplace();
  for (const auto &decision : decisions.entries())
    if (decision.melded && settled.count(decision.kernel) && states_.count(decision.kernel))
      surveyed_->insert(decision.kernel);
}

// What a melded callee, say, has changed of a kernel whose choices are still open.
bool Compilation::mayDiffer(const Disassembler &disassembler, const Kernel &after) const {
  if (recompileOnly() || !settling_->openFunctions().count(after.name))
    return true;
  return isSameCode(disassembler, *states_.at(after.name).before, after);
}

Compilation::Names Compilation::settledOtherwise() const {
  Names names;
  for (const auto &[name, number] : settling_->settledFunctions())
    if (auto proven = settledAs_.find(name); proven == settledAs_.end() || proven->second != number)
      names.insert(name);
  return names;
}

Expected<bool> Compilation::compileSettled() {
  for (;;) { // ends: each time somebody is settled no more
    settling_ = newSettling(proven_);
    auto made = compileOnce();
    if (!made || *made || settledOtherwise_.empty())
      return made;
    bool ours = false;
    for (const std::string &name : settledOtherwise_) {
      ours |= proven_.erase(name) != 0;
      if (states_.count(name))
        exclude(name, notSettled);
    }
    if (!ours)
      return compilerError("the floating point of " + *settledOtherwise_.begin() +
                           " is settled unasked");
  }
}

} // namespace meld::jit
