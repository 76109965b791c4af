#include "passes/llvm_fixes/own_exits.h"

#include "passes/analysis/backend_view.h"
#include "passes/analysis/divergence.h"
#include "passes/decisions.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/llvm_fixes/stay_put.h"
#include "passes/melder/place.h"
#include "passes/preserved.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// In a vector register, where `builder` stands: -1 in each lane in which the condition is true, else 0.
Value *ownNumber(IRBuilder<> &builder, Value &condition) {
  return hidden(builder, *builder.CreateSExt(&condition, builder.getInt32Ty()));
}

Value *isSet(IRBuilder<> &builder, Value &number) {
  return builder.CreateICmpNE(&number, builder.getInt32(0), "own");
}

/// Which edges out of the loop, by their numbers, may be taken from a block in the same round. Blocks from which none are not there.
using Exits = SmallVector<unsigned, 4>;
using Ways = DenseMap<const BasicBlock *, Exits>;

Ways waysOut(const Loop &loop, ArrayRef<Loop::Edge> edges) {
  Ways ways;
  for (unsigned number = 0; number != edges.size(); ++number) {
    SmallVector<const BasicBlock *, 8> open{edges[number].first};
    SmallPtrSet<const BasicBlock *, 16> seen{edges[number].first};
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      ways[block].push_back(number);
      if (block == loop.getHeader())
        continue; // before it is the round before
      for (const BasicBlock *before : predecessors(block))
        if (loop.contains(before) && seen.insert(before).second)
          open.push_back(before);
    }
  }
  return ways;
}

class OwnExits {
public:
  OwnExits(const LoopInfo &loops, const DivergenceInfo &divergence, const BackendView &backend)
      : loops_(loops), divergence_(divergence), backend_(backend) {}

  void lookAt(const Loop &loop);
  bool change();

private:
  bool decidesOverLoopAround(const BasicBlock &block, const Loop &loop) const {
    const Loop *around = loops_.getLoopFor(&block);
    return around && around != &loop && around->contains(&loop);
  }
  bool choosesWay(const Instruction &terminator, const Loop &loop, const Ways &ways) const;
  void carry(Instruction &condition);
  void tellApart(PHINode &exits);

  const LoopInfo &loops_;
  const DivergenceInfo &divergence_;
  const BackendView &backend_;
  SetVector<Instruction *> exits_; ///< branches and switches to which LLVM has scalar conditions
  SetVector<PHINode *> apart_;     ///< at exits
  MapVector<Instruction *, SmallVector<Use *, 4>>
      carried_; ///< conditions, and uses behind their loop
};

/// What is not the same for all who are there may lead out of the loop by other ways than what is.
bool OwnExits::choosesWay(const Instruction &terminator, const Loop &loop, const Ways &ways) const {
  if ((!isa<BranchInst>(terminator) && !isa<SwitchInst>(terminator)) ||
      terminator.getNumSuccessors() < 2 || isa<Constant>(terminator.getOperand(0)))
    return false;
  std::optional<Exits> first;
  bool differ = false;
  for (const BasicBlock *next : successors(&terminator)) {
    if (!loop.contains(next))
      return backend_.isScalar(terminator);
    if (next == loop.getHeader())
      continue;
    const auto found = ways.find(next);
    if (found == ways.end())
      continue; // goes round
    differ |= first && *first != found->second;
    first = found->second;
  }
  return differ && backend_.isScalar(terminator);
}

void OwnExits::lookAt(const Loop &loop) {
  if (!loop.getParentLoop() || divergence_.exitWidth(loop) >= Width::wave)
    return;
  SmallVector<Loop::Edge, 8> edges;
  loop.getExitEdges(edges);
  if (edges.size() > 1) {
    const Ways ways = waysOut(loop, edges);
    for (const BasicBlock *block : loop.blocks())
      if (auto &terminator = *const_cast<BasicBlock *>(block)->getTerminator();
          choosesWay(terminator, loop, ways))
        exits_.insert(&terminator);
  }
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
  useHere(builder, *number, /*scalar=*/false);
  SmallDenseMap<BasicBlock *, Value *, 4> read;
  for (Use *use : carried_[&condition]) {
    auto *phi = dyn_cast<PHINode>(use->getUser());
    BasicBlock *at =
        phi ? phi->getIncomingBlock(*use) : cast<Instruction>(use->getUser())->getParent();
    Value *&own = read[at];
    if (!own) {
      IRBuilder<> there(&*at->getFirstInsertionPt());
      own = isSet(there, *number);
    }
    use->set(own);
  }
}

void OwnExits::tellApart(PHINode &exits) {
  IRBuilder<> builder(&exits);
  PHINode *numbers = builder.CreatePHI(builder.getInt32Ty(), exits.getNumIncomingValues());
  SmallDenseMap<BasicBlock *, Value *, 4> known; // a switch may come by several edges
  for (unsigned i = 0; i != exits.getNumIncomingValues(); ++i) {
    BasicBlock *from = exits.getIncomingBlock(i);
    Value *&number = known[from];
    if (!number) {
      builder.SetInsertPoint(from->getTerminator());
      number = ownNumber(builder, *exits.getIncomingValue(i));
      useHere(builder, *number, /*scalar=*/false);
    }
    numbers->addIncoming(number, from);
  }
  builder.SetInsertPoint(&*exits.getParent()->getFirstInsertionPt());
  exits.replaceAllUsesWith(isSet(builder, *numbers));
  exits.eraseFromParent();
}

bool OwnExits::change() {
  for (auto &[condition, uses] : carried_)
    carry(*condition);
  for (PHINode *phi : apart_)
    tellApart(*phi);
  for (Instruction *terminator : exits_) {
    IRBuilder<> builder(terminator);
    Value &condition = *terminator->getOperand(0);
    Value *own = nullptr;
    if (condition.getType()->isIntegerTy(1))
      own = isSet(builder, *ownNumber(builder, condition));
    else
      own = hidden(builder, condition);
    if (own)
      terminator->setOperand(0, own);
  }
  return !carried_.empty() || !apart_.empty() || !exits_.empty();
}

} // namespace

PreservedAnalyses OwnExitsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || hasConvergenceTokens(function))
    return PreservedAnalyses::all();
  const auto &loops = analyses.getResult<LoopAnalysis>(function);
  if (all_of(loops, [](const Loop *loop) { return loop->isInnermost(); }))
    return PreservedAnalyses::all();
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  if (divergence.gpu().kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const BackendView backend(function, analyses, divergence);
  OwnExits exits(loops, divergence, backend);
  for (const Loop *loop : loops.getLoopsInPreorder())
    exits.lookAt(*loop);
  return blocksKept(exits.change());
}

} // namespace meld::passes
