#include "passes/scalarize/dynamic_convergence.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/compat.h"
#include "passes/decisions.h"
#include "passes/melder/ballot.h"
#include "passes/melder/first_lane.h"
#include "passes/melder/keep_apart.h"
#include "passes/melder/legality.h"
#include "passes/scalarize/version.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t largestRegion = 200; // instructions that one guard may double
constexpr double ballotCost = 6;      // the ballot, its two tests and a branch, in instructions

/// A branch that only lanes with `lane` == `scalar` take.
struct Guard {
  BranchInst *branch = nullptr;
  ICmpInst *compare = nullptr;
  Value *lane = nullptr, *scalar = nullptr;
  BasicBlock *first = nullptr; ///< of the guarded code
  SmallVector<BasicBlock *, 8> region;
  double gain = 0;
};

class Finder {
public:
  Finder(const DivergenceInfo &divergence, const BackendView &backend,
         const DominatorTree &dominators)
      : divergence_(divergence), backend_(backend), dominators_(dominators) {}

  /// False when the branch is no such guard at all; else `why` says what stands against it.
  bool find(BranchInst &branch, Guard &guard, const char *&why) const {
    if (!branch.isConditional() || !divergence_.isDivergentBranch(branch.getParent()))
      return false;
    guard.branch = &branch;
    guard.compare = dyn_cast<ICmpInst>(branch.getCondition());
    why = "the guard is no comparison for equality: agreement makes nothing scalar";
    if (!guard.compare || !guard.compare->isEquality() ||
        !guard.compare->getOperand(0)->getType()->isIntegerTy())
      return true;
    const bool equal = guard.compare->getPredicate() == ICmpInst::ICMP_EQ;
    why = "neither side of the comparison is scalar";
    for (unsigned i : {0u, 1u})
      if (isScalar(*guard.compare->getOperand(1 - i), *guard.compare) &&
          !isScalar(*guard.compare->getOperand(i), *guard.compare)) {
        guard.lane = guard.compare->getOperand(i);
        guard.scalar = guard.compare->getOperand(1 - i);
      }
    if (!guard.lane)
      return true;
    guard.first = branch.getSuccessor(equal ? 0 : 1);
    why = "the guarded code is reached from elsewhere";
    if (branch.getSuccessor(0) == branch.getSuccessor(1) || !guard.first->getSinglePredecessor())
      return true;
    why = collect(guard);
    return true;
  }

private:
  bool isScalar(const Value &value, const Instruction &user) const {
    return isa<Constant>(value) ||
           (backend_.isScalar(value) && divergence_.firstLaneWidth(&value, &user) >= Width::wave);
  }

  const char *collect(Guard &guard) const {
    SmallVector<BasicBlock *, 16> all;
    dominators_.getDescendants(guard.first, all);
    guard.region.assign(all.begin(), all.end());
    size_t size = 0;
    for (BasicBlock *block : guard.region) {
      if (block->isEHPad() || block->hasAddressTaken())
        return "the guarded code cannot be copied";
      for (Instruction &instruction : *block) {
        if (++size > largestRegion)
          return "the guarded code is too long to be copied";
        auto *call = dyn_cast<CallBase>(&instruction);
        if (call &&
            (isConvergentOperation(*call) || call->cannotDuplicate() || !isa<IntrinsicInst>(call)))
          return "the guarded code has a call or a convergent operation";
        if (isa<AllocaInst>(instruction) || instruction.getType()->isTokenTy())
          return "the guarded code cannot be copied";
      }
    }
    guard.gain = gainOf(guard);
    return nullptr;
  }

  // What hangs on the compared value and on scalars alone, by weight.
  double gainOf(const Guard &guard) const {
    SmallPtrSet<const Value *, 16> becomes = {guard.lane};
    double gain = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock *block : guard.region)
        for (const Instruction &instruction : *block)
          if (!becomes.count(&instruction) && becomesScalar(instruction, becomes)) {
            becomes.insert(&instruction);
            gain += weightOf(*block) * (isa<LoadInst>(instruction) ? 4 : 1);
            changed = true;
          }
    }
    return gain;
  }

  bool becomesScalar(const Instruction &instruction,
                     const SmallPtrSetImpl<const Value *> &becomes) const {
    if (instruction.getType()->isVoidTy() || isa<PHINode>(instruction) ||
        isa<CallBase>(instruction) || instruction.isTerminator() ||
        isScalar(instruction, instruction))
      return false;
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (instruction.mayReadOrWriteMemory() && (!load || !load->isSimple()))
      return false;
    bool hangs = false;
    for (const Use &operand : instruction.operands()) {
      if (becomes.count(operand))
        hangs = true;
      else if (!isScalar(*operand, instruction))
        return false;
    }
    return hangs;
  }

  double weightOf(const BasicBlock &block) const {
    return double(1u << (2 * std::min(3u, divergence_.loops().getLoopDepth(&block))));
  }

  const DivergenceInfo &divergence_;
  const BackendView &backend_;
  const DominatorTree &dominators_;
};

void versionGuard(const Guard &guard, unsigned waveSize) {
  BasicBlock *block = guard.branch->getParent();
  ValueToValueMapTy map;
  map[guard.lane] = guard.scalar;
  copyBlocks(guard.region, map, ".together");
  const SmallPtrSet<BasicBlock *, 8> inside(guard.region.begin(), guard.region.end());
  for (BasicBlock *original : guard.region)
    for (BasicBlock *successor : successors(original))
      if (!inside.count(successor))
        for (PHINode &phi : successor->phis())
          for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i)
            if (phi.getIncomingBlock(i) == original) {
              Value *value = phi.getIncomingValue(i);
              auto mapped = map.find(value);
              phi.addIncoming(mapped == map.end() ? value : static_cast<Value *>(mapped->second),
                              cast<BasicBlock>(map[original]));
            }

  // The old branch moves behind the test.
  BasicBlock *apart = block->splitBasicBlock(guard.branch, block->getName() + ".apart");
  auto *first = cast<BasicBlock>(map[guard.first]);
  for (PHINode &phi : first->phis())
    phi.replaceIncomingBlockWith(apart, block);
  block->getTerminator()->eraseFromParent();
  IRBuilder<> builder(block);
  builder.SetCurrentDebugLocation(guard.branch->getDebugLoc());
  Value *same = guard.compare;
  if (guard.compare->getPredicate() != ICmpInst::ICMP_EQ)
    same = builder.CreateICmpEQ(guard.lane, guard.scalar);
  Value *agree = ballot(builder, same, waveSize);
  Value *running = ballot(builder, builder.getTrue(), waveSize);
  Value *all = builder.CreateICmpEQ(agree, running);
  // Nobody running is no agreement: scalar loads do not ask EXEC.
  Value *some = builder.CreateICmpNE(agree, ConstantInt::get(agree->getType(), 0));
  Value *together = builder.CreateAnd(all, some, "together");
  builder.CreateCondBr(together, first, apart);
}

} // namespace

PreservedAnalyses DynamicConvergencePass::run(Function &function,
                                              FunctionAnalysisManager &analyses) {
  if (!options_.wantsKernel(function.getName()) || !worthLooking(function))
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  if (divergence.gpu().kind() != GpuKind::amdgpu || !divergence.gpu().isKernel())
    return PreservedAnalyses::all();
  DecisionRecorder recorder(function, analyses, log_, "meld-dynamic-convergence", point_);
  const bool force = options_.force;
  const unsigned waveSize = divergence.gpu().waveSize();
  const char *never = asksForLanes(function, divergence) ? lanesAskedFor : nullptr;
  std::vector<Guard> chosen;
  {
    BackendView backend(function, analyses, divergence);
    Finder finder(divergence, backend, analyses.getResult<DominatorTreeAnalysis>(function));
    SmallPtrSet<BasicBlock *, 32> taken; // copied once: a guard inside another waits
    for (BasicBlock &block : function) {
      auto *branch = dyn_cast<BranchInst>(block.getTerminator());
      Guard guard;
      const char *why = nullptr;
      if (!branch || taken.count(&block) || !finder.find(*branch, guard, why))
        continue;
      why = why ? why : never;
      if (!why && !force && guard.gain < ballotCost)
        why = "too little becomes scalar where the wave agrees";
      if (!why && any_of(guard.region, [&](BasicBlock *b) { return taken.count(b); }))
        why = "part of the guarded code is copied already";
      Decision decision = recorder.at(*branch);
      decision.melded = !why;
      decision.reason = why ? why : "a copy for waves that agree";
      if (!why) {
        decision.alignment = std::to_string(guard.region.size()) + " blocks copied";
        taken.insert(guard.region.begin(), guard.region.end());
        chosen.push_back(std::move(guard));
      }
      recorder.record(std::move(decision), branch->getDebugLoc());
    }
  }
  for (const Guard &guard : chosen)
    versionGuard(guard, waveSize);
  if (!chosen.empty())
    keepApart(function);
  return chosen.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace meld::passes
