#include "passes/specialize/worth.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

namespace {

class Follower {
public:
  explicit Follower(const DivergenceInfo &divergence) : divergence_(divergence) {}

  std::vector<Facts> paying(const std::vector<KnownValue> &known) {
    for (const KnownValue &one : known)
      constants_.insert({one.value, unite(one.from, {})});
    std::vector<Facts> paying;
    for (size_t i = 0; i < constants_.size(); ++i) {
      const Value *value = constants_.begin()[i].first;
      const Facts facts = constants_.begin()[i].second;
      bool pays = false;
      for (const User *user : value->users())
        if (auto *instruction = dyn_cast<Instruction>(user)) {
          pays |= paysIn(*value, *instruction);
          follow(*instruction);
        }
      if (pays && !is_contained(paying, facts))
        paying.push_back(facts);
    }
    return paying;
  }

private:
  // What depends on constants alone is a constant, too.
  void follow(const Instruction &user) {
    if (user.getType()->isVoidTy() || user.mayReadOrWriteMemory() || constants_.count(&user))
      return;
    Facts facts;
    for (const Use &use : user.operands()) {
      if (const auto known = constants_.find(use); known != constants_.end())
        facts = unite(std::move(facts), known->second);
      else if (!isa<Constant, BasicBlock>(use))
        return;
    }
    constants_.insert({&user, std::move(facts)});
  }

  bool paysIn(const Value &constant, const Instruction &user) const {
    switch (user.getOpcode()) {
    case Instruction::Br:
    case Instruction::Switch:
      return true;
    case Instruction::Select:
      return cast<SelectInst>(user).getCondition() == &constant || user.getType()->isIntegerTy(1);
    case Instruction::And:
    case Instruction::Or:
      return user.getType()->isIntegerTy(1);
    case Instruction::ICmp:
    case Instruction::FCmp:
      return decidesALoop(user);
    case Instruction::Mul:
      return divergence_.width(&user) < Width::wave;
    case Instruction::Add:
      return isStep(user);
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::FDiv:
      return user.getOperand(1) == &constant;
    default:
      return false;
    }
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
  MapVector<const Value *, Facts> constants_; ///< and what makes them so
};

} // namespace

std::vector<Facts> payingFacts(const std::vector<KnownValue> &known,
                               const DivergenceInfo &divergence) {
  return Follower(divergence).paying(known);
}

} // namespace meld::passes
