#include "passes/transform/flatten/legality.h"
#include "passes/analysis/waiting_cycles.h"
#include "passes/analysis/wave_state.h"
#include "passes/compat.h"
#include "passes/melder/first_lane.h"
#include "passes/melder/legality.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr unsigned flatSpace = 0;

bool isLds(const Type &pointer, const DivergenceInfo &divergence) {
  return pointer.getPointerAddressSpace() == divergence.gpu().localAddressSpace();
}

bool hasLds(const Function &function, const DivergenceInfo &divergence) {
  return any_of(function.getParent()->globals(), [&](const GlobalVariable &variable) {
    return isLds(*variable.getType(), divergence);
  });
}

/// Whether lanes of a wave may hand each other values in the nest without a barrier, as they run in
/// lockstep. Is shown all of its instructions.
class HandOver {
public:
  HandOver(const Function &function, const DivergenceInfo &divergence)
      : divergence_(divergence), hasLds_(hasLds(function, divergence)) {}

  void note(const Instruction &instruction) {
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      read(load->getPointerOperand());
      looks_ |= load->isAtomic() && load->getSyncScopeID() != SyncScope::SingleThread;
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      write(store->getPointerOperand());
    } else if (auto *fence = dyn_cast<FenceInst>(&instruction)) {
      order(fence->getOrdering(), fence->getSyncScopeID());
    } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
      order(update->getOrdering(), update->getSyncScopeID());
      change(update->getPointerOperand(), !update->use_empty());
    } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      order(exchange->getSuccessOrdering(), exchange->getSyncScopeID());
      order(exchange->getFailureOrdering(), exchange->getSyncScopeID());
      change(exchange->getPointerOperand(), !exchange->use_empty());
    } else if (auto *copy = dyn_cast<AnyMemIntrinsic>(&instruction)) {
      write(copy->getRawDest());
      if (auto *transfer = dyn_cast<AnyMemTransferInst>(copy))
        read(transfer->getRawSource());
    }
  }

  bool throughLds() const { return readsLds_ && writesLds_; }
  bool throughOtherMemory() const { return (looks_ && !written_.empty()) || isMailbox(); }

private:
  bool mayBeLds(const Value *pointer) const {
    return isLds(*pointer->getType(), divergence_) ||
           (hasLds_ && pointer->getType()->getPointerAddressSpace() == flatSpace);
  }
  void read(const Value *pointer) { readsLds_ |= mayBeLds(pointer); }
  void write(const Value *pointer) {
    if (pointer->getType()->getPointerAddressSpace() == divergence_.gpu().privateAddressSpace())
      return;
    writesLds_ |= mayBeLds(pointer);
    written_.insert(pointer);
  }
  // An update whose result nobody uses hands no value to this lane.
  void change(const Value *pointer, bool used) {
    write(pointer);
    if (!used)
      return;
    read(pointer);
    found_.insert(pointer);
  }
  void order(AtomicOrdering ordering, SyncScope::ID scope) {
    looks_ |= isAcquireOrStronger(ordering) && scope != SyncScope::SingleThread;
  }

  bool isMailbox() const {
    return any_of(found_, [&](const Value *here) {
      return any_of(written_, [&](const Value *there) {
        return here != there && getUnderlyingObject(here, 0) == getUnderlyingObject(there, 0);
      });
    });
  }

  const DivergenceInfo &divergence_;
  const bool hasLds_; ///< that a flat pointer may lead to
  bool readsLds_ = false, writesLds_ = false;
  bool looks_ = false; ///< at what others have written: loads atomically, or acquires
  SmallSetVector<const Value *, 8> written_; ///< pointers
  SmallSetVector<const Value *, 8> found_;   ///< of updates whose result is used
};

const char *whyNotCalled(const CallBase &call) {
  if (call.isInlineAsm())
    return "assembly in the nest";
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic)
    return "a call in the nest";
  if (isConvergentOperation(call))
    return "an operation of the wave in the nest";
  if (isIgnorable(call))
    return nullptr;
  if (compat::startsWith(intrinsic->getCalledFunction()->getName(), "llvm.amdgcn.s."))
    return "an operation that wants its operands in scalar registers";
  if (isa<MemIntrinsic>(intrinsic) || !intrinsic->mayReadOrWriteMemory())
    return nullptr;
  return "an operation on memory that is not known well enough";
}

const char *whyNotRun(const Instruction &instruction) {
  if (isa<AllocaInst>(instruction))
    return "an alloca in the nest";
  if (instruction.getType()->isTokenTy())
    return "a token in the nest";
  if (instruction.isVolatile())
    return "a volatile access in the nest";
  if (instruction.isTerminator() && !isa<BranchInst>(instruction) && !isa<SwitchInst>(instruction))
    return "control that is neither a branch nor a switch";
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return whyNotCalled(*call);
  return nullptr;
}

/// A loop of the nest, the outer one included, may go round for what another thread does.
bool waits(Function &function, const Loop &outer, const DivergenceInfo &divergence,
           const DominatorTree &dominators) {
  CycleInfo cycles;
  cycles.compute(function);
  SmallPtrSet<const Cycle *, 8> seen;
  for (const BasicBlock *block : outer.blocks())
    for (const Cycle *cycle = cycles.getCycle(block);
         cycle && cycle->getDepth() >= outer.getLoopDepth() && seen.insert(cycle).second;
         cycle = cycle->getParentCycle())
      if (goesRoundForOthers(*cycle, cycles, dominators, divergence.gpu()))
        return true;
  return false;
}

} // namespace

bool leavesApart(const Loop &loop, const DivergenceInfo &divergence) {
  SmallVector<BasicBlock *, 8> exiting;
  loop.getExitingBlocks(exiting);
  return any_of(exiting, [&](BasicBlock *block) { return divergence.isDivergentBranch(block); });
}

const char *whyNotFlat(Function &function, const Loop &outer, const DivergenceInfo &divergence,
                       const DominatorTree &dominators, bool asksLanes) {
  HandOver handOver(function, divergence);
  for (const BasicBlock *block : outer.blocks())
    for (const Instruction &instruction : *block) {
      if (const char *why = whyNotRun(instruction))
        return why;
      handOver.note(instruction);
    }
  if (handOver.throughLds())
    return "lanes may hand each other values through LDS in the nest";
  if (changesMode(function))
    return "the kernel changes how it rounds";
  ReversePostOrderTraversal<Function *> order(&function);
  if (containsIrreducibleCFG<BasicBlock *>(order, divergence.loops()))
    return "a cycle with two ways in";
  if (waits(function, outer, divergence, dominators))
    return "a loop of the nest may wait for another thread";
  if (handOver.throughOtherMemory())
    return "lanes may hand each other values through memory in the nest";
  if (asksLanes && asksForLanes(function, divergence))
    return lanesAskedFor;
  return nullptr;
}

} // namespace meld::passes
