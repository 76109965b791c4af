#include "passes/llvm_fixes/stay_before_barrier.h"
#include "passes/analysis/address_spaces.h"
#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/stay_put.h"
#include "passes/preserved.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace meld::passes {

using namespace llvm;

namespace {

bool orders(const Instruction &instruction) {
  if (isa<FenceInst>(instruction))
    return true;
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isConvergent() && call->mayHaveSideEffects();
}

bool readsWhatMayChange(const Instruction &instruction) {
  if (!instruction.mayReadFromMemory() || instruction.hasMetadata(LLVMContext::MD_invariant_load))
    return false;
  auto *load = dyn_cast<LoadInst>(&instruction);
  return !load || load->getPointerAddressSpace() != constantSpace;
}

/// Loads that could leave the block across what orders memory.
void candidatesOf(BasicBlock &block, SmallVectorImpl<Instruction *> &found) {
  bool ordered = false;
  SmallPtrSet<const Instruction *, 32> stays; // and what is made before it has to stay, too
  for (Instruction &instruction : reverse(block)) {
    ordered |= orders(instruction);
    if (!canSink(instruction) || any_of(instruction.users(), [&](const User *user) {
          return stays.count(cast<Instruction>(user));
        })) {
      stays.insert(&instruction);
      continue;
    }
    if (ordered && !instruction.use_empty() && readsWhatMayChange(instruction) &&
        hasRegisterType(instruction))
      found.push_back(&instruction);
  }
}

} // namespace

PreservedAnalyses StayBeforeBarrierPass::run(Function &function,
                                             FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || !options_.wantsKernel(function.getName()) ||
      hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  SmallVector<Instruction *, 8> candidates;
  for (BasicBlock &block : function)
    candidatesOf(block, candidates);
  if (candidates.empty())
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  if (divergence.gpu().kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const BackendView backend(function, analyses, divergence);
  for (Instruction *load : candidates) // scalar loads are those of memory that no store has touched
    keepHere(*load, load->hasMetadata("amdgpu.noclobber") && backend.isScalar(*load));
  return blocksKept(true);
}

} // namespace meld::passes
