#include "bench/scalar/cause.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::bench {

using namespace llvm;
using passes::Width;

const char *name(Cause cause) {
  switch (cause) {
  case Cause::none:
    return "none";
  case Cause::ids:
    return "ids";
  case Cause::control:
    return "control";
  case Cause::data:
    return "data";
  }
  return "?";
}

Causes::Causes(Function &function, const passes::DivergenceInfo &widths) : widths_(widths) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction &instruction : instructions(function)) {
      const Cause found = transfer(instruction);
      Cause &stored = causes_[&instruction];
      if (stored < found) {
        stored = found;
        changed = true;
      }
    }
  }
}

Cause Causes::transfer(const Instruction &instruction) const {
  const bool hasValue = !instruction.getType()->isVoidTy();
  if (hasValue && widths_.width(&instruction) >= Width::wave)
    return Cause::none;
  Cause cause = Cause::none;
  bool known = false; // something among the operands explains it
  for (const Use &operand : instruction.operands()) {
    const Cause from = causes_.lookup(operand);
    known |= from != Cause::none;
    cause = std::max(cause, from);
    // Left a loop in different rounds.
    if (from == Cause::none && !isa<BasicBlock>(operand) &&
        widths_.widthAtUse(operand, &instruction) < Width::wave && isa<Instruction>(operand) &&
        widths_.width(operand) >= Width::wave) {
      known = true;
      cause = std::max(cause, Cause::control);
    }
  }
  if (!hasValue)
    return cause;
  if (isa<PHINode>(instruction))
    return known ? cause : Cause::control;
  if (widths_.gpu().workItemId(instruction))
    return Cause::ids;
  auto *call = dyn_cast<CallBase>(&instruction);
  if (call && isa<IntrinsicInst>(call) && !call->mayReadFromMemory())
    return known ? cause : Cause::ids; // lane numbers and the like
  if (instruction.mayReadFromMemory() || call)
    return Cause::data;
  return cause;
}

} // namespace meld::bench
