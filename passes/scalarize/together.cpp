#include "passes/scalarize/together.h"
#include "passes/melder/ballot.h"
#include "passes/melder/first_lane.h"
#include "passes/scalarize/version.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr unsigned largestCondition = 8; // instructions

/// A condition or its opposite, computed anew. The two branches of a decision ask for opposites, so
/// that they hang on two values, neither of which lives in the other's block: code generation keeps
/// a condition that is used behind its loop in a mask, with three instructions in every round.
Value *again(Value *condition, bool opposite, IRBuilder<> &builder, unsigned &left) {
  using namespace PatternMatch;
  Value *a = nullptr, *b = nullptr;
  auto *compare = dyn_cast<CmpInst>(condition);
  const bool both = match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
  const bool either = !both && match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (!left || !(compare || both || either))
    return opposite ? builder.CreateNot(condition) : condition;
  --left;
  if (compare) {
    auto *copy = cast<CmpInst>(compare->clone());
    if (opposite)
      copy->setPredicate(copy->getInversePredicate());
    return builder.Insert(copy, compare->getName());
  }
  a = again(a, opposite, builder, left);
  b = again(b, opposite, builder, left);
  if (isa<SelectInst>(condition)) // b may be poison where a decides
    return both != opposite ? builder.CreateLogicalAnd(a, b) : builder.CreateLogicalOr(a, b);
  return both != opposite ? builder.CreateAnd(a, b) : builder.CreateOr(a, b);
}

class Copier {
public:
  Copier(Function &function, unsigned waveSize) : function_(function), waveSize_(waveSize) {}

protected:
  using Map = ValueToValueMapTy;

  static Value *mapped(Map &map, Value *value) {
    auto found = map.find(value);
    return found == map.end() ? value : static_cast<Value *>(found->second);
  }
  static BasicBlock *mapped(Map &map, BasicBlock *block) {
    return cast<BasicBlock>(mapped(map, static_cast<Value *>(block)));
  }

  /// The edges of a copy of `block` to blocks that are not copied with it, which `original` still
  /// has, too. `valueIn`: what the copy has for a value.
  template <typename ValueIn>
  static void leaveLike(BasicBlock *block, BasicBlock *copy, ValueIn valueIn) {
    SmallPtrSet<BasicBlock *, 4> seen;
    for (BasicBlock *successor : successors(copy))
      if (seen.insert(successor).second)
        for (PHINode &phi : successor->phis())
          if (int i = phi.getBasicBlockIndex(block); i >= 0 && phi.getBasicBlockIndex(copy) < 0)
            for (Value *value = phi.getIncomingValue(unsigned(i));
                 BasicBlock * to : successors(copy))
              if (to == successor) // one entry for each edge
                phi.addIncoming(valueIn(value), copy);
  }

  /// `from` ends in a branch that stays or leaves by `condition`. Now: all stay, or all leave, or
  /// the lanes part, in the block that is returned.
  BasicBlock *decide(BasicBlock *from, bool staysIfTrue, BasicBlock *allStay, BasicBlock *someStay,
                     BasicBlock *leave) {
    Instruction *old = from->getTerminator();
    Value *condition = cast<BranchInst>(old)->getCondition();
    auto *ask = BasicBlock::Create(function_.getContext(), from->getName() + ".ask", &function_);
    auto *apart =
        BasicBlock::Create(function_.getContext(), from->getName() + ".apart", &function_);
    IRBuilder<> builder(old);
    const DebugLoc where = old->getDebugLoc();
    unsigned left = largestCondition;
    Value *leaving = again(condition, staysIfTrue, builder, left);
    builder.CreateCondBr(nobody(builder, leaving), allStay, ask);
    builder.SetInsertPoint(ask);
    builder.SetCurrentDebugLocation(where);
    left = largestCondition;
    Value *staying = again(condition, !staysIfTrue, builder, left);
    builder.CreateCondBr(nobody(builder, staying), leave, apart);
    builder.SetInsertPoint(apart);
    builder.CreateCondBr(staying, someStay, leave);
    old->eraseFromParent();
    conditions_.push_back(condition);
    for (PHINode &phi : leave->phis()) {
      phi.replaceIncomingBlockWith(from, ask);
      phi.addIncoming(phi.getIncomingValueForBlock(ask), apart);
    }
    return apart;
  }

  /// What `blocks` compute, in the copies or originals that `here` and `there` say: uses of the
  /// ones elsewhere take whichever came by.
  template <typename Here, typename There>
  static void joinDefinitions(ArrayRef<BasicBlock *> blocks, Here here, There there) {
    SmallVector<std::pair<Instruction *, Instruction *>, 32> pairs; // before the blocks get phis
    for (BasicBlock *block : blocks)
      for (Instruction &instruction : *block)
        if (!instruction.getType()->isVoidTy())
          pairs.emplace_back(here(instruction), there(instruction));
    for (auto [value, other] : pairs)
      joinDefinitions(*value, *other);
  }

  static void joinDefinitions(Instruction &value, Instruction &other) {
    SmallVector<Use *, 8> uses;
    for (Use &use : value.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (user->getParent() != value.getParent() || isa<PHINode>(user))
        uses.push_back(&use);
    }
    SSAUpdater updater;
    updater.Initialize(value.getType(), value.getName());
    updater.AddAvailableValue(value.getParent(), &value);
    updater.AddAvailableValue(other.getParent(), &other);
    for (Use *use : uses)
      updater.RewriteUse(*use);
  }

  void finish() {
    for (const WeakTrackingVH &condition : conditions_)
      if (condition)
        RecursivelyDeleteTriviallyDeadInstructions(condition);
  }

  Function &function_;
  const unsigned waveSize_;
  Map together_;

private:
  Value *nobody(IRBuilder<> &builder, Value *condition) const {
    Value *mask = ballot(builder, condition, waveSize_);
    return builder.CreateICmpEQ(mask, ConstantInt::get(mask->getType(), 0));
  }

  SmallVector<WeakTrackingVH, 4> conditions_; ///< of branches that are gone
};

class GuardCopier : Copier {
public:
  using Copier::Copier;

  void run(const WayOut &guard, ArrayRef<BasicBlock *> region) {
    copyBlocks(region, together_, ".together");
    for (BasicBlock *block : region)
      leaveLike(block, mapped(together_, block),
                [&](Value *value) { return mapped(together_, value); });
    BasicBlock *block = guard.branch->getParent();
    BasicBlock *apart = decide(block, guard.staysIfTrue(), mapped(together_, guard.inside),
                               guard.inside, guard.outside);
    for (PHINode &phi : guard.inside->phis())
      phi.replaceIncomingBlockWith(block, apart);
    joinDefinitions(
        region, [](Instruction &i) { return &i; },
        [&](Instruction &i) { return cast<Instruction>(together_[&i]); });
    finish();
  }
};

class LoopCopier : Copier {
public:
  LoopCopier(Loop &loop, ArrayRef<WayOut> waysOut, unsigned waveSize)
      : Copier(*loop.getHeader()->getParent(), waveSize), loop_(loop), waysOut_(waysOut),
        preheader_(loop.getLoopPreheader()), blocks_(loop.block_begin(), loop.block_end()) {}

  void run() {
    copyBlocks(blocks_, together_, ".together");
    findRest();
    // Entered in the middle of a round: what it uses may be declared in front of it.
    copyBlocks(restBlocks_, rest_, ".rest", /*declaring=*/blocks_);
    BasicBlock *header = loop_.getHeader();
    preheader_->getTerminator()->replaceSuccessorWith(header, mapped(together_, header));
    for (PHINode &phi : header->phis())
      phi.removeIncomingValue(preheader_, /*DeletePHIIfEmpty=*/false);
    for (BasicBlock *block : blocks_)
      leaveLike(block, mapped(together_, block),
                [&](Value *value) { return mapped(together_, value); });
    for (BasicBlock *block : restBlocks_)
      leaveLike(block, mapped(rest_, block), [&](Value *value) {
        return rest_.count(value) ? mapped(rest_, value) : mapped(together_, value);
      });
    for (const WayOut &way : waysOut_)
      part(way);
    finishRest();
    finish();
  }

private:
  // What is left of an iteration behind a way out, up to the way back.
  void findRest() {
    SmallPtrSet<BasicBlock *, 8> reached;
    SmallVector<BasicBlock *, 8> open;
    auto reach = [&](BasicBlock *block) {
      if (block != loop_.getHeader() && loop_.contains(block) && reached.insert(block).second)
        open.push_back(block);
    };
    for (const WayOut &way : waysOut_)
      reach(way.inside);
    while (!open.empty())
      for (BasicBlock *successor : successors(open.pop_back_val()))
        reach(successor);
    for (BasicBlock *block : blocks_)
      if (reached.count(block))
        restBlocks_.push_back(block);
  }

  void part(const WayOut &way) {
    BasicBlock *block = way.branch->getParent(), *header = loop_.getHeader();
    BasicBlock *inside = way.inside == header ? header : mapped(rest_, way.inside);
    BasicBlock *apart = decide(mapped(together_, block), way.staysIfTrue(),
                               mapped(together_, way.inside), inside, way.outside);
    for (PHINode &phi : way.inside->phis()) {
      PHINode &entered = inside == header ? phi : *cast<PHINode>(rest_[&phi]);
      entered.addIncoming(mapped(together_, phi.getIncomingValueForBlock(block)), apart);
    }
  }

  // The rest is entered from the copy for waves that agree: what the iteration computed before
  // comes from there, and what both may have computed from whichever did.
  void finishRest() {
    for (BasicBlock *block : restBlocks_) {
      BasicBlock *rest = mapped(rest_, block);
      for (PHINode &phi : rest->phis())
        for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
          if (loop_.contains(phi.getIncomingBlock(i))) // not a copy: does not lead here
            phi.removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
      for (Instruction &instruction : *rest)
        for (Use &use : instruction.operands())
          if (auto *value = dyn_cast<Instruction>(use); value && loop_.contains(value))
            use.set(mapped(together_, value));
    }
    joinDefinitions(
        restBlocks_, [&](Instruction &i) { return cast<Instruction>(rest_[&i]); },
        [&](Instruction &i) { return cast<Instruction>(together_[&i]); });
  }

  Loop &loop_;
  ArrayRef<WayOut> waysOut_;
  BasicBlock *const preheader_;
  const std::vector<BasicBlock *> blocks_;
  SmallVector<BasicBlock *, 8> restBlocks_;
  Map rest_;
};

} // namespace

void copyGuarded(const WayOut &guard, ArrayRef<BasicBlock *> region, unsigned waveSize) {
  GuardCopier(*guard.inside->getParent(), waveSize).run(guard, region);
}

void copyLoop(Loop &loop, ArrayRef<WayOut> waysOut, unsigned waveSize) {
  LoopCopier(loop, waysOut, waveSize).run();
}

bool isParting(const BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  return branch && branch->isConditional() &&
         any_of(branch->getCondition()->users(), [](const User *user) {
           auto *call = dyn_cast<CallBase>(user);
           return call && isReading(*call);
         });
}

} // namespace meld::passes
