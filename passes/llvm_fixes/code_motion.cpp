#include "passes/llvm_fixes/code_motion.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace meld::passes {

using namespace llvm;

Value &sameBehindPhis(Value &value, const DominatorTree &dominators) {
  auto *phi = dyn_cast<PHINode>(&value);
  if (!phi)
    return value;
  Value *only = nullptr;
  SmallPtrSet<const PHINode *, 8> seen{phi};
  SmallVector<PHINode *, 8> phis{phi};
  while (!phis.empty())
    for (Value *incoming : phis.pop_back_val()->incoming_values()) {
      if (auto *further = dyn_cast<PHINode>(incoming)) {
        if (seen.insert(further).second)
          phis.push_back(further);
      } else if (!isa<UndefValue>(incoming)) {
        if (only && only != incoming)
          return value;
        only = incoming;
      }
    }
  auto *made = dyn_cast_or_null<Instruction>(only);
  return !only || (made && !dominators.dominates(made, phi)) ? value : *only;
}

/// Depth first; what hangs on itself by a phi at the entry of the cycle differs from round to round.
class CodeMotion::Search {
public:
  Search(CodeMotion &motion, const Cycle &cycle) : motion_(motion), cycle_(cycle) {}

  bool mayLeave(const Value &value) {
    enter(value);
    while (!path_.empty()) {
      auto &[instruction, operand] = path_.back();
      if (operand == instruction->getNumOperands()) {
        state_[instruction] = State::mayLeave;
        path_.pop_back();
      } else if (!enter(*instruction->getOperand(operand++))) {
        return false;
      }
    }
    return true;
  }

private:
  enum class State { unknown, onPath, mayLeave };

  /// False if it stays.
  bool enter(const Value &value) {
    auto *made =
        dyn_cast<Instruction>(&sameBehindPhis(const_cast<Value &>(value), motion_.dominators_));
    if (!made || !cycle_.contains(made->getParent()))
      return true;
    State &state = state_[made];
    if (state == State::onPath)
      return !passesEntry(*made);
    if (state == State::mayLeave)
      return true;
    if (isHeld(*made))
      return false;
    state = State::onPath;
    path_.push_back({made, 0});
    return true;
  }

  bool passesEntry(const Instruction &first) const {
    for (const auto &[instruction, operand] : reverse(path_)) {
      if (isa<PHINode>(instruction) &&
          cycle_.isEntry(const_cast<BasicBlock *>(instruction->getParent())))
        return true;
      if (instruction == &first)
        break;
    }
    return false;
  }

  bool isHeld(const Instruction &instruction) const {
    auto *call = dyn_cast<CallBase>(&instruction);
    if ((call && call->isConvergent()) || instruction.isTerminator() || instruction.isAtomic() ||
        instruction.isVolatile() || instruction.mayWriteToMemory() || instruction.mayThrow())
      return true;
    return instruction.mayReadFromMemory() && motion_.isWrittenIn(cycle_, instruction);
  }

  CodeMotion &motion_;
  const Cycle &cycle_;
  DenseMap<const Instruction *, State> state_;
  SmallVector<std::pair<const Instruction *, unsigned>, 16> path_;
};

bool CodeMotion::isWrittenIn(const Cycle &cycle, const Instruction &reader) {
  auto [known, isNew] = written_.try_emplace({&cycle, &reader}, false);
  if (isNew)
    known->second = mayBeWrittenIn(cycle, reader);
  return known->second;
}

bool CodeMotion::mayBeWrittenIn(const Cycle &cycle, const Instruction &reader) const {
  const auto read = MemoryLocation::getOrNone(&reader);
  if (read && aliases_.pointsToConstantMemory(*read))
    return false;
  for (const BasicBlock *block : cycle.blocks())
    for (const Instruction &instruction : *block)
      if (instruction.mayWriteToMemory() &&
          (!read || isModSet(aliases_.getModRefInfo(&instruction, *read))))
        return true;
  return false;
}

bool CodeMotion::mayLeave(const Value &value, const Cycle &cycle) {
  return Search(*this, cycle).mayLeave(value);
}

} // namespace meld::passes
