#include "passes/analysis/undefined_lanes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

namespace meld::passes {

using namespace llvm;

static constexpr unsigned undefinedDepth = 6; // instructions between an undefined value and freeze

// Whether `value` is computed from an undefined constant; phis have been asked themselves.
static bool madeOfUndefined(const Value *value, unsigned depth) {
  if (auto *constant = dyn_cast<Constant>(value))
    return isa<UndefValue>(constant) || constant->containsUndefOrPoisonElement();
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || isa<PHINode>(instruction) || isa<LoadInst>(instruction) ||
      isa<CallBase>(instruction) || isa<FreezeInst>(instruction))
    return false;
  return depth == 0 || any_of(instruction->operands(), [&](const Use &operand) {
           return madeOfUndefined(operand, depth - 1);
         });
}

bool mayBeUndefined(const Value *operand, const Instruction &user) {
  if (isa<FreezeInst>(user))
    return madeOfUndefined(operand, undefinedDepth);
  return isa<Constant>(operand) && madeOfUndefined(operand, 0);
}

bool hasUndefinedLanes(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return (isa<PHINode>(instruction) || isa<FreezeInst>(instruction)) &&
           any_of(instruction.operands(),
                  [&](const Use &operand) { return mayBeUndefined(operand, instruction); });
  });
}

} // namespace meld::passes
