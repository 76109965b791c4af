#include "passes/transform/flatten/part_loop.h"
#include "passes/compat.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace meld::passes {

using namespace llvm;

namespace {

using Blocks = SmallPtrSet<BasicBlock *, 16>;

/// What is reached from `first` in one iteration, not by the edge that `without` names.
Blocks reached(const Loop &loop, BasicBlock &first, const LoopSide *without) {
  Blocks seen;
  SmallVector<BasicBlock *, 16> work = {&first};
  seen.insert(&first);
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    const Instruction &end = *block->getTerminator();
    for (unsigned i = 0; i < end.getNumSuccessors(); ++i) {
      BasicBlock *next = end.getSuccessor(i);
      if (without && block == without->branch && i == without->successor)
        continue;
      if (next != loop.getHeader() && loop.contains(next) && seen.insert(next).second)
        work.push_back(next);
    }
  }
  return seen;
}

class LoopParter {
public:
  LoopParter(Function &function, const Loop &loop, const LoopSide &side)
      : function_(function), side_(side), entry_(loop.getLoopPreheader()),
        header_(loop.getHeader()), latch_(loop.getLoopLatch()) {
    own_.insert(side.own.begin(), side.own.end());
    shared_.insert(side.shared.begin(), side.shared.end());
  }

  BasicBlock *run() {
    copyShared();
    settlePhis();
    for (BasicBlock *block : side_.own)
      for (unsigned i = 0; i < block->getTerminator()->getNumSuccessors(); ++i)
        if (Value *copy = map_.lookup(block->getTerminator()->getSuccessor(i)))
          block->getTerminator()->setSuccessor(i, cast<BasicBlock>(copy));
    return makeOuter();
  }

private:
  void copyShared() {
    for (BasicBlock *block : side_.shared) {
      BasicBlock *copy = CloneBasicBlock(block, map_, ".aside", &function_);
      map_[block] = copy;
      copies_.push_back(copy);
    }
    remapInstructionsInBlocks(copies_, map_);
    // Out of the loop, with the copies' values.
    for (BasicBlock *block : side_.shared)
      for (BasicBlock *exit : successors(block))
        if (!shared_.count(exit) && exit != header_)
          for (PHINode &phi : exit->phis())
            addFromCopy(phi, *block);
  }

  void addFromCopy(PHINode &phi, BasicBlock &block) {
    auto *copy = cast<BasicBlock>(map_[&block]);
    if (phi.getBasicBlockIndex(copy) >= 0) // a switch that leads here twice
      return;
    Value *value = mapped(phi.getIncomingValueForBlock(&block));
    for (BasicBlock *next : successors(&block))
      if (next == phi.getParent())
        phi.addIncoming(value, copy);
  }

  Value *mapped(Value *value) {
    Value *copy = map_.lookup(value);
    return copy ? copy : value;
  }

  // Where the ways meet, the copies are reached from the side and from copies, the others not.
  void settlePhis() {
    const Blocks copies(copies_.begin(), copies_.end());
    const auto drop = [](BasicBlock &block, auto &&comesFrom) {
      for (PHINode &phi : make_early_inc_range(block.phis()))
        for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
          if (!comesFrom(phi.getIncomingBlock(i)))
            phi.removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
    };
    for (BasicBlock *copy : copies_)
      drop(*copy, [&](BasicBlock *from) { return own_.count(from) || copies.count(from); });
    for (BasicBlock *block : side_.shared)
      drop(*block, [&](BasicBlock *from) { return !own_.count(from); });
  }

  BasicBlock *makeOuter() {
    LLVMContext &context = function_.getContext();
    auto *outer = BasicBlock::Create(context, header_->getName() + ".parted", &function_, header_);
    auto *inner = BasicBlock::Create(context, header_->getName() + ".inner", &function_, header_);
    auto *latch = cast<BasicBlock>(map_[latch_]);
    for (PHINode &phi : header_->phis()) {
      PHINode *held = PHINode::Create(phi.getType(), 2, phi.getName() + ".parted");
      compat::append(held, outer);
      held->addIncoming(phi.getIncomingValueForBlock(entry_), entry_);
      held->addIncoming(mapped(phi.getIncomingValueForBlock(latch_)), latch);
      const int first = phi.getBasicBlockIndex(entry_);
      phi.setIncomingValue(unsigned(first), held);
      phi.setIncomingBlock(unsigned(first), inner);
    }
    BranchInst::Create(inner, outer);
    BranchInst::Create(header_, inner);
    entry_->getTerminator()->replaceSuccessorWith(header_, outer);
    latch->getTerminator()->replaceSuccessorWith(header_, outer);
    return outer;
  }

  Function &function_;
  const LoopSide &side_;
  BasicBlock *const entry_, *const header_, *const latch_;
  Blocks own_, shared_;
  ValueToValueMapTy map_;
  SmallVector<BasicBlock *, 8> copies_;
};

} // namespace

std::optional<LoopSide> sideOf(const Loop &loop, BasicBlock &branch, unsigned successor) {
  LoopSide side;
  side.branch = &branch;
  side.successor = successor;
  BasicBlock *first = branch.getTerminator()->getSuccessor(successor);
  if (first == loop.getHeader() || !loop.contains(first) || !loop.getLoopLatch())
    return std::nullopt;
  const Blocks with = reached(loop, *first, nullptr);
  const Blocks without = reached(loop, *loop.getHeader(), &side);
  if (without.count(first) || !with.count(loop.getLoopLatch()) ||
      !without.count(loop.getLoopLatch()))
    return std::nullopt;
  for (BasicBlock *block : loop.blocks())
    if (with.count(block))
      (without.count(block) ? side.shared : side.own).push_back(block);
  return side;
}

BasicBlock *partLoop(Function &function, const Loop &loop, const LoopSide &side) {
  return LoopParter(function, loop, side).run();
}

} // namespace meld::passes
