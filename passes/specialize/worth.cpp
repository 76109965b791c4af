#include "passes/specialize/worth.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

namespace {

class Follower {
public:
  explicit Follower(const DivergenceInfo &divergence) : divergence_(divergence) {}

  std::vector<Facts> paying(const Function &kernel, const std::vector<KnownValue> &known) {
    findJudged(kernel);
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
      return cast<SelectInst>(user).getCondition() == &constant || user.getType()->isIntegerTy(1) ||
             judged_.count(&user);
    case Instruction::PHI:
      return judged_.count(&user);
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

  // Choices whose result is compared with a constant, and that decides something: where a value that
  // may be chosen is known, the comparison of it is.
  void findJudged(const Function &kernel) {
    SmallVector<const Value *, 16> left;
    const auto look = [&](const Value *value) {
      if (isa<Instruction>(value) && judged_.insert(value).second)
        left.push_back(value);
    };
    for (const Instruction &instruction : instructions(kernel))
      if (isa<ICmpInst>(instruction) && isa<ConstantInt>(instruction.getOperand(1)) &&
          any_of(instruction.users(), isDecision))
        look(instruction.getOperand(0));
    while (!left.empty()) {
      const Value *value = left.pop_back_val();
      if (auto *choice = dyn_cast<SelectInst>(value)) {
        look(choice->getTrueValue());
        look(choice->getFalseValue());
      } else if (isa<PHINode>(value) || isBitwise(*value)) {
        for_each(cast<Instruction>(value)->operands(), look);
      }
    }
  }
  static bool isDecision(const User *user) {
    return isa<BranchInst, SelectInst>(user) || isBitwise(*user);
  }
  static bool isBitwise(const Value &value) {
    auto *operation = dyn_cast<Instruction>(&value);
    return operation && (operation->getOpcode() == Instruction::And ||
                         operation->getOpcode() == Instruction::Or);
  }

  const DivergenceInfo &divergence_;
  MapVector<const Value *, Facts> constants_; ///< and what makes them so
  SmallPtrSet<const Value *, 16> judged_;
};

} // namespace

std::vector<Facts> payingFacts(const Function &kernel, const std::vector<KnownValue> &known,
                               const DivergenceInfo &divergence) {
  return Follower(divergence).paying(kernel, known);
}

} // namespace meld::passes
