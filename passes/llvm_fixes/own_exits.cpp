#include "passes/llvm_fixes/own_exits.h"

#include "passes/analysis/gpu_info.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/llvm_fixes/loops_in_turns.h"
#include "passes/llvm_fixes/stay_put.h"
#include "passes/melder/place.h"
#include "passes/preserved.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyLoopExits.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// The lane's own, made and kept where `builder` stands.
Value *ownNumber(IRBuilder<> &builder, Value &condition) {
  Value *number = hiddenNumber(builder, condition);
  useHere(builder, *number, /*scalar=*/false);
  return number;
}

/// GVN takes comparisons with one `limit` for one.
Value *isSet(IRBuilder<> &builder, Value &number, unsigned limit) {
  return builder.CreateICmpUGT(&number, builder.getInt32(limit), "own");
}

bool hasSeveralWaysOut(const Loop &loop) {
  SmallVector<Loop::Edge, 8> edges;
  loop.getExitEdges(edges);
  return edges.size() > 1;
}

/// Exits and ways round that are no branches cannot be moved, or not with what is made in front of them.
bool hasOtherTerminators(const Function &function) {
  return any_of(function, [](const BasicBlock &block) {
    const Instruction &last = *block.getTerminator();
    return !isa<BranchInst>(last) && !isa<SwitchInst>(last) && last.getNumSuccessors() != 0;
  });
}

class OwnExits {
public:
  explicit OwnExits(const LoopInfo &loops) : loops_(loops) {
    for (const Loop *loop : loops.getLoopsInPreorder())
      numberOf_.try_emplace(loop, numberOf_.size());
  }

  void lookAt(const Loop &loop);
  bool change();

private:
  bool decidesOverLoopAround(const BasicBlock &block, const Loop &loop) const {
    const Loop *around = loops_.getLoopFor(&block);
    return around && around != &loop && around->contains(&loop);
  }
  void carry(Instruction &condition);
  void tellApart(PHINode &exits);

  const LoopInfo &loops_;
  DenseMap<const Loop *, unsigned> numberOf_;
  SetVector<PHINode *> apart_; ///< at exits
  /// Of a condition at the end of a block: several phis, and several edges of a switch, have the same.
  DenseMap<std::pair<BasicBlock *, Value *>, Value *> numbers_;
  MapVector<Instruction *, SmallVector<Use *, 4>>
      carried_; ///< conditions, and uses behind their loop
};

void OwnExits::lookAt(const Loop &loop) {
  SmallVector<Loop::Edge, 8> edges;
  loop.getExitEdges(edges);
  for (const auto &[from, to] : edges)
    if (decidesOverLoopAround(*to, loop))
      for (PHINode &phi : const_cast<BasicBlock *>(to)->phis())
        if (phi.getType()->isIntegerTy(1))
          apart_.insert(&phi);
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &made : *block) {
      if (!made.getType()->isIntegerTy(1) || made.isTerminator())
        continue;
      auto &condition = const_cast<Instruction &>(made);
      for (Use &use : condition.uses()) {
        auto *user = cast<Instruction>(use.getUser());
        auto *phi = dyn_cast<PHINode>(user);
        const BasicBlock &at = phi ? *phi->getIncomingBlock(use) : *user->getParent();
        if (loop.contains(&at) || !decidesOverLoopAround(at, loop))
          continue; // phis at the exits: above
        auto &uses = carried_[&condition];
        if (!is_contained(uses, &use))
          uses.push_back(&use);
      }
    }
}

void OwnExits::carry(Instruction &condition) {
  IRBuilder<> builder(firstPlaceBehind(condition));
  Value *number = ownNumber(builder, condition);
  SmallDenseMap<BasicBlock *, Value *, 4> read;
  for (Use *use : carried_[&condition]) {
    auto *phi = dyn_cast<PHINode>(use->getUser());
    BasicBlock *at =
        phi ? phi->getIncomingBlock(*use) : cast<Instruction>(use->getUser())->getParent();
    Value *&own = read[at];
    if (!own) {
      IRBuilder<> there(&*at->getFirstInsertionPt());
      own = isSet(there, *number, numberOf_.lookup(loops_.getLoopFor(at)));
    }
    use->set(own);
  }
}

void OwnExits::tellApart(PHINode &exits) {
  IRBuilder<> builder(&exits);
  PHINode *numbers = builder.CreatePHI(builder.getInt32Ty(), exits.getNumIncomingValues());
  for (unsigned i = 0; i != exits.getNumIncomingValues(); ++i) {
    BasicBlock *from = exits.getIncomingBlock(i);
    Value *&number = numbers_[{from, exits.getIncomingValue(i)}];
    if (!number) {
      builder.SetInsertPoint(from->getTerminator());
      number = ownNumber(builder, *exits.getIncomingValue(i));
    }
    numbers->addIncoming(number, from);
  }
  builder.SetInsertPoint(&*exits.getParent()->getFirstInsertionPt());
  exits.replaceAllUsesWith(isSet(builder, *numbers, 0));
}

bool OwnExits::change() {
  for (auto &[condition, uses] : carried_)
    carry(*condition);
  for (PHINode *phi : apart_)
    tellApart(*phi);
  for (PHINode *phi : apart_) // no earlier: numbers_ knows values by where they are
    phi->eraseFromParent();
  return !carried_.empty() || !apart_.empty();
}

} // namespace

PreservedAnalyses OwnExitsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || hasConvergenceTokens(function) || hasOtherTerminators(function) ||
      GpuInfo(function).kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const LoopInfo &found = analyses.getResult<LoopAnalysis>(function);
  const ReversePostOrderTraversal<const Function *> order(&function);
  if (found.empty() || containsIrreducibleCFG<const BasicBlock *>(order, found))
    return PreservedAnalyses::all();
  LoopsInTurns turns(function, analyses);
  turns.giveOneWayRound();
  // Code generation finds what is computed in the inner loop and again behind it.
  if (turns.any([](const Loop &loop) { return loop.getParentLoop(); }))
    turns.run(EarlyCSEPass());
  if (turns.any([](const Loop &loop) { return loop.getParentLoop() && hasSeveralWaysOut(loop); })) {
    turns.run(LoopSimplifyPass());
    turns.run(LowerSwitchPass());
    turns.run(UnifyLoopExitsPass());
  }
  OwnExits exits(turns.loops());
  for (const Loop *loop : turns.loops().getLoopsInPreorder())
    if (loop->getParentLoop() && turns.leftInTurns(*loop))
      exits.lookAt(*loop);
  PreservedAnalyses kept = turns.kept();
  kept.intersect(blocksKept(exits.change()));
  return kept;
}

} // namespace meld::passes
