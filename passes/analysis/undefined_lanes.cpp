#include "passes/analysis/undefined_lanes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

namespace meld::passes {

using namespace llvm;

static constexpr unsigned undefinedDepth = 6; // instructions between an undefined value and freeze

using Phis = SmallPtrSet<const Value *, 8>;

// Whether `value` is computed from an undefined constant, or is one on some way to a phi.
static bool madeOfUndefined(const Value *value, unsigned depth, Phis &seen) {
  if (auto *constant = dyn_cast<Constant>(value))
    return isa<UndefValue>(constant) || constant->containsUndefOrPoisonElement();
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || isa<LoadInst>(instruction) || isa<CallBase>(instruction) ||
      isa<FreezeInst>(instruction))
    return false;
  const bool isPhi = isa<PHINode>(instruction);
  if (isPhi && !seen.insert(instruction).second)
    return false; // is asked already
  return (depth == 0 && !isPhi) || any_of(instruction->operands(), [&](const Use &operand) {
           return madeOfUndefined(operand, isPhi ? depth : depth - 1, seen);
         });
}

bool mayBeUndefined(const Value *operand, const Instruction &user) {
  Phis seen;
  if (isa<FreezeInst>(user))
    return madeOfUndefined(operand, undefinedDepth, seen);
  return isa<Constant>(operand) && madeOfUndefined(operand, 0, seen);
}

bool hasUndefinedLanes(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return (isa<PHINode>(instruction) || isa<FreezeInst>(instruction)) &&
           any_of(instruction.operands(),
                  [&](const Use &operand) { return mayBeUndefined(operand, instruction); });
  });
}

} // namespace meld::passes
