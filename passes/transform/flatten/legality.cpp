#include "passes/transform/flatten/legality.h"
#include "passes/analysis/waiting_cycles.h"
#include "passes/analysis/wave_state.h"
#include "passes/compat.h"
#include "passes/melder/first_lane.h"
#include "passes/melder/legality.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr unsigned flatSpace = 0;

/// What the nest does with memory that lanes of a workgroup may share.
struct SharedUse {
  bool reads = false, writes = false;
};

bool mayBeShared(const Value *pointer, const DivergenceInfo &divergence) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  return space == divergence.gpu().localAddressSpace() || space == flatSpace;
}

void note(SharedUse &use, const Instruction &instruction, const DivergenceInfo &divergence) {
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    use.reads |= mayBeShared(load->getPointerOperand(), divergence);
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    use.writes |= mayBeShared(store->getPointerOperand(), divergence);
  } else if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction)) {
    if (!mayBeShared(instruction.getOperand(0), divergence))
      return;
    use.writes = true;
    use.reads |= !instruction.use_empty(); // else it hands no value to this lane
  } else if (auto *copy = dyn_cast<AnyMemIntrinsic>(&instruction)) {
    use.writes |= mayBeShared(copy->getRawDest(), divergence);
    if (auto *transfer = dyn_cast<AnyMemTransferInst>(copy))
      use.reads |= mayBeShared(transfer->getRawSource(), divergence);
  }
}

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

bool hasLds(const Function &function, const DivergenceInfo &divergence) {
  return any_of(function.getParent()->globals(), [&](const GlobalVariable &variable) {
    return variable.getAddressSpace() == divergence.gpu().localAddressSpace();
  });
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
  SharedUse shared;
  for (const BasicBlock *block : outer.blocks())
    for (const Instruction &instruction : *block) {
      if (const char *why = whyNotRun(instruction))
        return why;
      note(shared, instruction, divergence);
    }
  if (shared.reads && shared.writes && hasLds(function, divergence))
    return "lanes may hand each other values through LDS in the nest";
  if (changesMode(function))
    return "the kernel changes how it rounds";
  ReversePostOrderTraversal<Function *> order(&function);
  if (containsIrreducibleCFG<BasicBlock *>(order, divergence.loops()))
    return "a cycle with two ways in";
  if (waits(function, outer, divergence, dominators))
    return "a loop of the nest may wait for another thread";
  if (asksLanes && asksForLanes(function, divergence))
    return lanesAskedFor;
  return nullptr;
}

} // namespace meld::passes
