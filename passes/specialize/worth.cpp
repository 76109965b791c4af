#include "passes/specialize/worth.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

namespace {

class Follower {
public:
  explicit Follower(const DivergenceInfo &divergence) : divergence_(divergence) {}

  bool pays(const Value &value) {
    follow(value);
    for (unsigned i = 0; i < constants_.size(); ++i)
      for (const User *user : constants_[i]->users())
        if (auto *instruction = dyn_cast<Instruction>(user); instruction && paysIn(*instruction))
          return true;
    return false;
  }

private:
  void follow(const Value &value) { constants_.insert(&value); }
  bool isConstant(const Value *value) const {
    return isa<Constant>(value) || constants_.count(value);
  }

  bool paysIn(const Instruction &user) {
    switch (user.getOpcode()) {
    case Instruction::Br:
    case Instruction::Switch:
      return true;
    case Instruction::Select:
      if (constants_.count(cast<SelectInst>(user).getCondition()))
        return true;
      break;
    case Instruction::ICmp:
    case Instruction::FCmp:
      if (decidesALoop(user))
        return true;
      break;
    case Instruction::Mul:
      if (divergence_.width(&user) < Width::wave)
        return true;
      break;
    case Instruction::Add:
      if (isStep(user))
        return true;
      break;
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::FDiv:
      if (constants_.count(user.getOperand(1)))
        return true;
      break;
    default:
      break;
    }
    // What depends on it alone is a constant, too.
    if (!user.getType()->isVoidTy() && !user.mayReadOrWriteMemory() &&
        all_of(user.operands(), [&](const Use &use) {
          return isConstant(use) || isa<BasicBlock>(use) || isa<Function>(use);
        }))
      follow(user);
    return false;
  }

  // Of a loop: i = i + n.
  static bool isStep(const Instruction &sum) {
    return any_of(sum.operands(), [&](const Use &operand) {
      auto *phi = dyn_cast<PHINode>(operand);
      return phi && is_contained(phi->incoming_values(), &sum);
    });
  }

  // The bound of a loop, of what changes from round to round.
  bool decidesALoop(const Instruction &compare) const {
    return any_of(compare.users(), [&](const User *user) {
      auto *branch = dyn_cast<BranchInst>(user);
      const Loop *loop = branch ? divergence_.loops().getLoopFor(branch->getParent()) : nullptr;
      return loop && loop->isLoopExiting(branch->getParent());
    });
  }

  const DivergenceInfo &divergence_;
  SetVector<const Value *> constants_;
};

} // namespace

bool paysAsConstant(const Value &value, const DivergenceInfo &divergence) {
  return Follower(divergence).pays(value);
}

} // namespace meld::passes
