#include "passes/llvm_fixes/own_lanes.h"

#include "passes/analysis/gpu_info.h"
#include "passes/preserved.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include <utility>

namespace meld::passes {

using namespace llvm;

namespace {

bool isUndefined(const Value *value) { return isa<UndefValue>(value); }

/// The one value that the lanes have which have any; null: there are several, or all have one.
Value *onlyValue(const PHINode &phi) {
  if (!any_of(phi.incoming_values(), isUndefined) || !phi.hasConstantOrUndefValue())
    return nullptr;
  for (Value *value : phi.incoming_values())
    if (!isUndefined(value) && value != &phi)
      return value;
  return nullptr;
}

/// Undefined in every lane that comes here for the first time, and so in all.
bool hasNone(const PHINode &phi) {
  return all_of(phi.incoming_values(),
                [&](const Value *value) { return isUndefined(value) || value == &phi; });
}

/// Poison may become anything, and what is undefined anything but poison.
bool isKnownAt(const Value &value, const PHINode &phi, const DominatorTree &dominators) {
  auto *made = dyn_cast<Instruction>(&value);
  if (made && !dominators.dominates(made, &phi))
    return false;
  return all_of(
             phi.incoming_values(),
             [](const Value *other) { return isa<PoisonValue>(other) || !isUndefined(other); }) ||
         isGuaranteedNotToBePoison(&value);
}

void giveOthersTheirOwn(PHINode &phi) {
  SmallDenseMap<BasicBlock *, Value *, 4> frozen; // a switch may come by several edges
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    if (!isUndefined(phi.getIncomingValue(i)))
      continue;
    Value *&value = frozen[phi.getIncomingBlock(i)];
    if (!value)
      value = IRBuilder<>(phi.getIncomingBlock(i)->getTerminator())
                  .CreateFreeze(PoisonValue::get(phi.getType()));
    phi.setIncomingValue(i, value);
  }
}

} // namespace

PreservedAnalyses OwnLanesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || !options_.wantsKernel(function.getName()) ||
      GpuInfo(function).kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false, again = true;
  while (std::exchange(again, false))
    for (BasicBlock &block : function)
      for (PHINode &phi : make_early_inc_range(block.phis())) {
        Value *value = hasNone(phi) ? UndefValue::get(phi.getType()) : onlyValue(phi);
        if (!value || !isKnownAt(*value, phi, dominators))
          continue;
        phi.replaceAllUsesWith(value);
        phi.eraseFromParent();
        changed = again = true; // others may have one value, or none, now
      }
  for (BasicBlock &block : function)
    for (PHINode &phi : block.phis())
      if (onlyValue(phi)) {
        giveOthersTheirOwn(phi);
        changed = true;
      }
  return blocksKept(changed);
}

} // namespace meld::passes
