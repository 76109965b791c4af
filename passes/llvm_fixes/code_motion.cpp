#include "passes/llvm_fixes/code_motion.h"
#include "llvm/ADT/SetVector.h"

namespace meld::passes {

using namespace llvm;

// Beyond these nothing is said: of one branch and its value, so that the time for all grows as the code does.
static constexpr unsigned mostPhis = 32, mostInstructions = 64, mostWriters = 256;

Value &sameBehindPhis(Value &value, const DominatorTree &dominators) {
  auto *phi = dyn_cast<PHINode>(&value);
  if (!phi)
    return value;
  Value *only = nullptr;
  SmallSetVector<const PHINode *, 8> phis;
  phis.insert(phi);
  for (unsigned i = 0; i != phis.size(); ++i) {
    if (i == mostPhis)
      return value;
    for (Value *incoming : phis[i]->incoming_values()) {
      if (auto *further = dyn_cast<PHINode>(incoming)) {
        phis.insert(further);
      } else if (!isa<UndefValue>(incoming)) {
        if (only && only != incoming)
          return value;
        only = incoming;
      }
    }
  }
  if (!only)
    return value;
  // Known at the last phi it may be this round's, and the last round's by way of a phi where it is not.
  auto *made = dyn_cast<Instruction>(only);
  auto isKnown = [&](const PHINode *at) { return dominators.dominates(made, at); };
  return made && !all_of(phis, isKnown) ? value : *only;
}

/// Depth first; what hangs on itself by a phi at the entry of the cycle differs from round to round.
class CodeMotion::Search {
public:
  Search(CodeMotion &motion, const Cycle &cycle) : motion_(motion), cycle_(cycle) {}

  bool mayLeave(const Value &value) {
    if (!enter(value))
      return false;
    while (!path_.empty() && seen_ <= mostInstructions) {
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
    ++seen_;
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
  unsigned seen_ = 0;
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
  unsigned writers = 0;
  for (const BasicBlock *block : cycle.blocks())
    for (const Instruction &instruction : *block) {
      if (!instruction.mayWriteToMemory())
        continue;
      if (!read || isModSet(aliases_.getModRefInfo(&instruction, *read)))
        return true;
      if (++writers == mostWriters)
        return false;
    }
  return false;
}

bool CodeMotion::mayLeave(const Value &value, const Cycle &cycle) {
  return Search(*this, cycle).mayLeave(value);
}

} // namespace meld::passes
