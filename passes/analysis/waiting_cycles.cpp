#include "passes/analysis/waiting_cycles.h"
#include "passes/analysis/own_memory.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// Values that other threads wrote may be seen from here on.
bool ordersMemory(const Instruction &instruction) {
  if (instruction.isVolatile() || isa<FenceInst>(instruction))
    return true;
  if (auto *call = dyn_cast<CallBase>(&instruction)) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    return !(intrinsic && intrinsic->isAssumeLikeIntrinsic()) &&
           (call->mayReadOrWriteMemory() || call->isInlineAsm());
  }
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return isStrongerThanMonotonic(load->getOrdering());
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return isStrongerThanMonotonic(update->getOrdering());
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return isStrongerThanMonotonic(exchange->getSuccessOrdering()) ||
           isStrongerThanMonotonic(exchange->getFailureOrdering());
  return false;
}

class Judge {
public:
  Judge(const Cycle &cycle, const CycleInfo &cycles, const DominatorTree &dominators,
        const GpuInfo &gpu)
      : cycle_(cycle), cycles_(cycles), dominators_(dominators), gpu_(gpu) {}

  bool waits() {
    SmallVector<const Value *, 8> decisions; // of the exits
    bool exits = false;
    for (const BasicBlock *block : cycle_.blocks()) {
      const Instruction *end = block->getTerminator();
      for (const Instruction &instruction : *block)
        orders_ |= ordersMemory(instruction);
      if (all_of(successors(block), [&](const BasicBlock *next) { return inside(next); }))
        continue;
      exits = true;
      const Value *decision = decisionOf(*end);
      if (!decision)
        return true; // a call that may unwind, or an address to jump to
      decisions.push_back(decision);
    }
    if (!exits)
      return true;
    for (const Value *decision : decisions)
      ask(decision, Polling::counts);
    return follow() && !isRetriedUpdate();
  }

private:
  /// Does an ordinary load at one address count? Not where a counter is compared with it.
  enum class Polling : uint8_t { counts, ends };

  bool inside(const BasicBlock *block) const { return isInside(block, &cycle_, cycles_); }
  const Instruction *inCycle(const Value *value) const {
    auto *instruction = dyn_cast<Instruction>(value);
    return instruction && inside(instruction->getParent()) ? instruction : nullptr;
  }

  static const Value *decisionOf(const Instruction &terminator) {
    if (auto *branch = dyn_cast<BranchInst>(&terminator))
      return branch->isConditional() ? branch->getCondition() : nullptr;
    auto *choice = dyn_cast<SwitchInst>(&terminator);
    return choice ? choice->getCondition() : nullptr;
  }

  void ask(const Value *value, Polling polling) {
    if (const Instruction *instruction = inCycle(value))
      if (asked_[unsigned(polling)].insert(instruction).second)
        open_.push_back({instruction, polling});
  }

  // True when something on the way may change by what others do.
  bool follow() {
    while (!open_.empty()) {
      auto [instruction, polling] = open_.pop_back_val();
      if (auto *load = dyn_cast<LoadInst>(instruction)) {
        if (load->isVolatile() || load->isAtomic())
          return true;
        if (!isOnlyOurs(*load, gpu_) && polling == Polling::counts &&
            (orders_ || staysTheSame(load->getPointerOperand())))
          return true;
      } else if (auto *call = dyn_cast<CallBase>(instruction)) {
        if (call->mayReadOrWriteMemory() || call->mayHaveSideEffects() || call->isInlineAsm())
          return true;
      } else if (instruction->mayReadOrWriteMemory()) {
        return true; // atomic updates; of other kinds none is known
      } else if (auto *phi = dyn_cast<PHINode>(instruction); phi && !isCarried(*phi)) {
        if (!askForPaths())
          return true;
      } else if (auto *compare = dyn_cast<CmpInst>(instruction)) {
        const Value *left = compare->getOperand(0), *right = compare->getOperand(1);
        ask(left, isCounter(right) ? Polling::ends : polling);
        ask(right, isCounter(left) ? Polling::ends : polling);
        continue;
      }
      for (const Value *operand : instruction->operands())
        ask(operand, polling);
    }
    return false;
  }

  // A phi of the one header has its first value in the first round and the other in all further
  // ones; any other depends on the path that was taken.
  bool isCarried(const PHINode &phi) const {
    if (!cycle_.isReducible() || phi.getParent() != cycle_.getHeader())
      return false;
    return count_if(phi.blocks(), [&](const BasicBlock *from) { return inside(from); }) == 1;
  }

  bool askForPaths() {
    if (pathsAsked_)
      return true;
    pathsAsked_ = true;
    for (const BasicBlock *block : cycle_.blocks()) {
      const Instruction *end = block->getTerminator();
      if (end->getNumSuccessors() < 2)
        continue;
      const Value *decision = decisionOf(*end);
      if (!decision)
        return false;
      ask(decision, Polling::counts);
    }
    return true;
  }

  static const Value *withoutCasts(const Value *value) {
    for (const CastInst *cast; (cast = dyn_cast<CastInst>(value));)
      value = cast->getOperand(0);
    return value;
  }

  // A header's phi that a fixed step is added to in every round, or the sum.
  bool isCounter(const Value *value) const {
    auto isStep = [&](const Value *sum, const PHINode &phi) {
      auto *add = dyn_cast<Instruction>(withoutCasts(sum));
      if (!add || !inside(add->getParent()) ||
          (add->getOpcode() != Instruction::Add && add->getOpcode() != Instruction::Sub &&
           add->getOpcode() != Instruction::GetElementPtr) ||
          add->getNumOperands() != 2)
        return false;
      for (unsigned i : {0u, 1u})
        if (withoutCasts(add->getOperand(i)) == &phi)
          return !inCycle(add->getOperand(1 - i)) && !isZero(*add->getOperand(1 - i));
      return false;
    };
    auto isCounting = [&](const PHINode &phi) {
      return inside(phi.getParent()) && isCarried(phi) && all_of(phi.blocks(), [&](auto *from) {
               return !inside(from) || isStep(phi.getIncomingValueForBlock(from), phi);
             });
    };
    value = withoutCasts(value);
    if (auto *phi = dyn_cast<PHINode>(value))
      return isCounting(*phi);
    auto *sum = dyn_cast<Instruction>(value);
    return sum && any_of(sum->operands(), [&](const Value *operand) {
             auto *phi = dyn_cast<PHINode>(withoutCasts(operand));
             return phi && isCounting(*phi) && isStep(sum, *phi);
           });
  }

  static bool isZero(const Value &value) {
    auto *constant = dyn_cast<Constant>(&value);
    return constant && constant->isNullValue();
  }

  // Computed anew in each round perhaps, but from the same.
  bool staysTheSame(const Value *value) const {
    SmallVector<const Value *, 8> open{value};
    SmallPtrSet<const Value *, 8> seen;
    while (!open.empty()) {
      const Instruction *instruction = inCycle(open.pop_back_val());
      if (!instruction || !seen.insert(instruction).second)
        continue;
      if (isa<PHINode>(instruction))
        return false;
      for (const Value *operand : instruction->operands())
        open.push_back(operand);
    }
    return true;
  }

  // A compare-and-exchange of what the last round, or a load in this one, has found there; it ends
  // the cycle once it succeeds, and nothing else in the cycle writes.
  bool isRetriedUpdate() const {
    if (!cycle_.isReducible())
      return false;
    const AtomicCmpXchgInst *exchange = nullptr;
    for (const BasicBlock *block : cycle_.blocks())
      for (const Instruction &instruction : *block) {
        if (!instruction.mayWriteToMemory() || isa<FenceInst>(instruction) ||
            isa<LoadInst>(instruction))
          continue;
        auto *found = dyn_cast<AtomicCmpXchgInst>(&instruction);
        if (!found || exchange)
          return false;
        exchange = found;
      }
    return exchange && staysTheSame(exchange->getPointerOperand()) &&
           expectsWhatItFound(*exchange) && any_of(cycle_.blocks(), [&](const BasicBlock *block) {
             return isEveryRound(*block) && leavesOnSuccess(*block, *exchange);
           });
  }

  bool isEveryRound(const BasicBlock &block) const {
    return all_of(predecessors(cycle_.getHeader()), [&](const BasicBlock *from) {
      return !inside(from) || dominators_.dominates(&block, from);
    });
  }

  // The same bits: what is compared must be all that was found.
  static const Value *sameBits(const Value *value) {
    while (isa<BitCastInst>(value) || isa<PtrToIntInst>(value) || isa<IntToPtrInst>(value))
      value = cast<CastInst>(value)->getOperand(0);
    return value;
  }

  static bool isPart(const Value *value, const AtomicCmpXchgInst &exchange, unsigned index) {
    auto *part = dyn_cast<ExtractValueInst>(sameBits(value));
    return part && part->getAggregateOperand() == &exchange && part->getIndices()[0] == index;
  }

  bool expectsWhatItFound(const AtomicCmpXchgInst &exchange) const {
    const Value *expected = sameBits(exchange.getCompareOperand());
    if (auto *load = dyn_cast<LoadInst>(expected))
      return inCycle(load) && load->getPointerOperand() == exchange.getPointerOperand();
    auto *phi = dyn_cast<PHINode>(expected);
    return phi && inCycle(phi) && isCarried(*phi) && all_of(phi->blocks(), [&](auto *from) {
             return !inside(from) || isPart(phi->getIncomingValueForBlock(from), exchange, 0);
           });
  }

  bool leavesOnSuccess(const BasicBlock &block, const AtomicCmpXchgInst &exchange) const {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional())
      return false;
    auto leaves = [&](bool way) { return !inside(branch->getSuccessor(way ? 0 : 1)); };
    if (isPart(branch->getCondition(), exchange, 1))
      return leaves(true);
    auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
    if (!compare || !compare->isEquality())
      return false;
    const Value *expected = sameBits(exchange.getCompareOperand());
    for (unsigned i : {0u, 1u})
      if (isPart(compare->getOperand(i), exchange, 0) &&
          sameBits(compare->getOperand(1 - i)) == expected)
        return leaves(compare->getPredicate() == ICmpInst::ICMP_EQ);
    return false;
  }

  const Cycle &cycle_;
  const CycleInfo &cycles_;
  const DominatorTree &dominators_;
  const GpuInfo &gpu_;
  bool orders_ = false, pathsAsked_ = false;
  SmallPtrSet<const Instruction *, 16> asked_[2];
  SmallVector<std::pair<const Instruction *, Polling>, 16> open_;
};

} // namespace

bool isInside(const BasicBlock *block, const Cycle *cycle, const CycleInfo &cycles) {
  if (!cycle)
    return true;
  const Cycle *own = cycles.getCycle(block);
  while (own && own->getDepth() > cycle->getDepth())
    own = own->getParentCycle();
  return own == cycle;
}

bool goesRoundForOthers(const Cycle &cycle, const CycleInfo &cycles,
                        const DominatorTree &dominators, const GpuInfo &gpu) {
  return Judge(cycle, cycles, dominators, gpu).waits();
}

} // namespace meld::passes
