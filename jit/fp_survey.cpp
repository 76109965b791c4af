// Whose floating point can be settled so that it stays what the original's is (see
// passes/transform/fp_choices.h).
//
//   optimised and melded with all kernels settled, no code made
//        | melded kernels with choices to settle: the candidates
//   settled early, not melded, compiled  --the original's code--> early
//        | other code
//   settled late, not melded, compiled   --the original's code--> late: melded there alone
//        | other code
//   left as it is
//
// The settled function means one result. That its code is the original's proves that it is the
// original's result, whatever rule it was settled by; and that it leaves no choice, that melding
// keeps the result. The optimiser is deterministic, and nothing is changed in a compile before a
// function is settled that could lead it elsewhere; it is checked all the same: a function has to
// look the same, right after settling, in the survey and in each later compile.
//
// Costs one run of the optimiser, and one or two compiles, where a kernel with choices is melded;
// nothing for others.
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

// The compile stops after the optimiser unless nothing needs settling: then it is the first round.
Expected<bool> Compilation::surveyFloatingPoint(const Disassembler &disassembler) {
  settling_ = newSettling({}, /*everywhere=*/true);
  survey_ = Survey::looking;
  auto made = compileOnce();
  survey_ = Survey::over;
  if (!made)
    return made.takeError();
  if (!surveyed_.has_value())
    return made;
  FpSettling::Points candidates, proven;
  for (const std::string &name : *surveyed_)
    candidates[name] = passes::Point::early;
  for (auto point : {passes::Point::early, passes::Point::late}) {
    if (candidates.empty())
      break;
    for (auto &[name, where] : candidates)
      where = point;
    settling_ = newSettling(candidates);
    settling_->only = true;
    survey_ = Survey::proving;
    auto code = compileOnce();
    survey_ = Survey::over;
    if (!code)
      return code.takeError();
    const auto numbers = settling_->settledFunctions();
    for (const auto &kernel : madeKernels_) {
      auto number = numbers.find(kernel.name);
      auto state = states_.find(kernel.name);
      if (number == numbers.end() || state == states_.end() ||
          !isSameCode(disassembler, *state->second.before, kernel))
        continue;
      proven[kernel.name] = point;
      settledAs_[kernel.name] = number->second;
      candidates.erase(kernel.name);
      log(logDebug, "kernel " + kernel.name + ": floating point settled " + passes::nameOf(point));
    }
  }
  for (const auto &[name, unused] : candidates) {
    states_[name].excluded = true;
    states_[name].excludedWhy = notSettled;
    log(logDebug, "kernel " + name + ": left alone: " + notSettled);
  }
  settling_ = newSettling(std::move(proven));
  return false;
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

Error Compilation::checkSettled() const {
  for (const auto &[name, number] : settling_->settledFunctions())
    if (auto proven = settledAs_.find(name); proven == settledAs_.end() || proven->second != number)
      return compilerError("the floating point of " + name + " is not settled as it was before");
  return Error::success();
}

} // namespace meld::jit
