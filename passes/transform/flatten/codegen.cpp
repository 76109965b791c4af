#include "passes/transform/flatten/codegen.h"
#include "passes/compat.h"
#include "passes/melder/ballot.h"
#include "passes/melder/scope_markers.h"
#include "passes/melder/ssa_repair.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace meld::passes {

using namespace llvm;

namespace {

/// Where a lane is between two rounds. Exit k of the inner loop is `firstExit + k`: the lane waits.
enum State : unsigned { atOuter = 0, inSteps = 1, firstExit = 2 };

class Flattener {
public:
  Flattener(Function &function, const Loop &outer, const Loop &inner, FlatShape shape)
      : function_(function), context_(function.getContext()), shape_(shape),
        entry_(outer.getLoopPreheader()), outerHeader_(outer.getHeader()),
        innerEntry_(inner.getLoopPreheader()), innerHeader_(inner.getHeader()),
        outerEnd_(outer.getLoopLatch()->getTerminator()),
        innerEnd_(inner.getLoopLatch()->getTerminator()),
        nest_(outer.block_begin(), outer.block_end()),
        body_(inner.block_begin(), inner.block_end()) {
    SmallVector<BasicBlock *, 8> exits;
    inner.getUniqueExitBlocks(exits);
    for (BasicBlock *exit : exits)
      (outer.contains(exit) ? exits_ : exitsOfBoth_).push_back(exit);
  }

  BasicBlock *run() {
    dropMarkers();
    outerEnd_->setMetadata(LLVMContext::MD_loop, nullptr); // what it promised was of the nest
    innerEnd_->setMetadata(LLVMContext::MD_loop, nullptr);
    copySteps();
    makeBlocks();
    if (gate_)
      landExits();
    joinTurn();
    joinSteps();
    fillRound();
    if (gate_)
      fillGate();
    mark(*turn_);
    BranchInst::Create(round_, turn_);
    // A lane that begins anew has nothing left of its last item, and one that runs steps nothing of
    // how it left those of the last one: without these ends all of it would be carried along.
    DominatorTree dominators(function_);
    repairSsa(landed_, {entry_, anew_, steps_}, dominators);
    repairSsa(nest_, {entry_, anew_}, dominators);
    return round_;
  }

private:
  /// A phi of the inner header, and what the first step hands on for it.
  struct Carried {
    PHINode *phi;
    Value *next;
  };

  /// Scopes that begin in the nest would begin in another round than they are used in; lifetimes
  /// would, too.
  void dropMarkers() {
    SmallPtrSet<const Metadata *, 8> scopes;
    SmallVector<Instruction *, 8> declarations, lifetimes;
    for (BasicBlock *block : nest_)
      for (Instruction &instruction : *block)
        if (auto *declaration = dyn_cast<NoAliasScopeDeclInst>(&instruction)) {
          for (const MDOperand &scope : declaration->getScopeList()->operands())
            scopes.insert(scope.get());
          declarations.push_back(declaration);
        } else if (isScopeMarker(instruction)) {
          lifetimes.push_back(&instruction);
        }
    for (Instruction *declaration : declarations)
      declaration->eraseFromParent();
    widenLifetimes(lifetimes);
    if (scopes.empty())
      return;
    for (Instruction &instruction : instructions(function_))
      for (unsigned kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
        if (MDNode *list = instruction.getMetadata(kind);
            list && any_of(list->operands(),
                           [&](const MDOperand &scope) { return scopes.count(scope.get()); }))
          instruction.setMetadata(kind, nullptr);
  }

  // The body once more for every step behind the first one. A step takes the values of the
  // header's phis from the step before it, so that its own header has none.
  void copySteps() {
    for (PHINode &phi : innerHeader_->phis()) {
      carried_.push_back({&phi, phi.getIncomingValueForBlock(innerEnd_->getParent())});
      last_.push_back(carried_.back().next);
    }
    SmallVector<BasicBlock *, 8> headers = {innerHeader_};
    SmallVector<Instruction *, 8> ends = {innerEnd_};
    for (unsigned step = 1; step < shape_.steps; ++step) {
      ValueToValueMapTy map;
      SmallVector<BasicBlock *, 16> copies;
      for (BasicBlock *block : body_) {
        BasicBlock *copy = CloneBasicBlock(block, map, ".step" + Twine(step + 1), &function_);
        map[block] = copy;
        copies.push_back(copy);
      }
      for (size_t i = 0; i < carried_.size(); ++i) {
        auto *phi = cast<PHINode>(map[carried_[i].phi]);
        map[carried_[i].phi] = last_[i];
        phi->eraseFromParent();
      }
      remapInstructionsInBlocks(copies, map);
      for (size_t i = 0; i < carried_.size(); ++i)
        if (Value *mapped = map.lookup(carried_[i].next))
          last_[i] = mapped;
        else
          last_[i] = carried_[i].next;
      for (const auto *exits : {&exits_, &exitsOfBoth_})
        for (BasicBlock *exit : *exits)
          addIncoming(*exit, map);
      headers.push_back(cast<BasicBlock>(map[innerHeader_]));
      ends.push_back(cast<Instruction>(map[innerEnd_]));
      append_range(nest_, copies);
    }
    // Each leads to the next one, the last one to the first header, until it gets its place.
    end_ = ends.back();
    for (size_t step = 0; step + 1 < ends.size(); ++step)
      ends[step]->replaceSuccessorWith(headers[step], headers[step + 1]);
    end_->replaceSuccessorWith(headers.back(), innerHeader_);
  }

  void addIncoming(BasicBlock &exit, ValueToValueMapTy &map) {
    for (PHINode &phi : exit.phis())
      for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i)
        if (Value *from = map.lookup(phi.getIncomingBlock(i))) {
          Value *value = phi.getIncomingValue(i);
          Value *mapped = map.lookup(value);
          phi.addIncoming(mapped ? mapped : value, cast<BasicBlock>(from));
        }
  }

  BasicBlock *makeBlock(const char *name, BasicBlock *before) {
    auto *block =
        BasicBlock::Create(context_, outerHeader_->getName() + "." + name, &function_, before);
    nest_.push_back(block);
    return block;
  }

  void makeBlocks() {
    round_ = makeBlock("round", outerHeader_);
    steps_ = makeBlock("steps", innerHeader_);
    if (shape_.lanes > 1 && !exits_.empty())
      gate_ = makeBlock("gate", nullptr);
    anew_ = makeBlock("anew", nullptr);
    turn_ = makeBlock("turn", nullptr);
  }

  // Lanes that leave the inner loop go to the gate, with the values that they leave with.
  void landExits() {
    for (BasicBlock *&exit : exits_) {
      BasicBlock *behind =
          exit->splitBasicBlock(exit->getFirstInsertionPt(), exit->getName() + ".behind");
      nest_.push_back(behind);
      exit->getTerminator()->setSuccessor(0, gate_);
      landed_.push_back(exit);
      exit = behind;
    }
  }

  PHINode *phi(BasicBlock &block, Type *type, const char *name) {
    if (!block.empty())
      return PHINode::Create(type, 2, name, compat::before(&block.front()));
    PHINode *made = PHINode::Create(type, 2, name);
    compat::append(made, &block);
    return made;
  }

  /// Also in itself and other phis, and where the last step hands on what it held.
  void replace(PHINode *old, PHINode *by) {
    old->replaceAllUsesWith(by);
    for (Value *&last : last_)
      if (last == old)
        last = by;
  }

  Type *stateType() const { return gate_ ? Type::getInt32Ty(context_) : Type::getInt1Ty(context_); }
  Constant *state(unsigned number) const { return ConstantInt::get(stateType(), number); }

  // The outer loop's way back, the gate or the last step, and nothing else lead to the turn.
  void joinTurn() {
    BasicBlock *back = outerEnd_->getParent(), *last = end_->getParent();
    SmallVector<PHINode *, 8> phis;
    for (PHINode &old : outerHeader_->phis())
      phis.push_back(&old);
    for (PHINode *old : phis) {
      PHINode *round = phi(*round_, old->getType(), "flat");
      PHINode *turn = phi(*turn_, old->getType(), "flat.next");
      replace(old, round);
      // By a phi of its own: what it takes ends in front of `anew`, not behind it.
      PHINode *next = phi(*anew_, old->getType(), "flat.anew");
      next->addIncoming(old->getIncomingValueForBlock(back), back);
      turn->addIncoming(next, anew_);
      turn->addIncoming(round, gate_ ? gate_ : last);
      round->addIncoming(old->getIncomingValueForBlock(entry_), entry_);
      round->addIncoming(turn, turn_);
      old->eraseFromParent();
    }
    entry_->getTerminator()->replaceSuccessorWith(outerHeader_, round_);
    outerEnd_->replaceSuccessorWith(outerHeader_, anew_);
    BranchInst::Create(turn_, anew_);
    end_->replaceSuccessorWith(innerHeader_, gate_ ? gate_ : turn_);
    where_ = phi(*round_, stateType(), "where");
    PHINode *turn = phi(*turn_, stateType(), "where.next");
    where_->addIncoming(state(atOuter), entry_);
    where_->addIncoming(turn, turn_);
    turn->addIncoming(state(atOuter), anew_);
    if (gate_) {
      reached_ = phi(*gate_, stateType(), "where.reached");
      reached_->addIncoming(state(inSteps), last);
      for (unsigned k = 0; k < landed_.size(); ++k)
        reached_->addIncoming(state(firstExit + k), landed_[k]);
    }
    turn->addIncoming(gate_ ? static_cast<Value *>(reached_) : state(inSteps),
                      gate_ ? gate_ : last);
  }

  // A step begins with what the outer loop hands in, or with what the last round left.
  void joinSteps() {
    SmallVector<PHINode *, 8> entering;
    for (const Carried &one : carried_) {
      entering.push_back(phi(*steps_, one.phi->getType(), "flat.in"));
      replace(one.phi, entering.back());
    }
    for (size_t i = 0; i < carried_.size(); ++i) {
      PHINode *old = carried_[i].phi, *steps = entering[i];
      Type *type = old->getType();
      Value *last = last_[i];
      PHINode *round = phi(*round_, type, "flat.kept");
      PHINode *turn = phi(*turn_, type, "flat.left");
      round->addIncoming(PoisonValue::get(type), entry_);
      round->addIncoming(turn, turn_);
      turn->addIncoming(PoisonValue::get(type), anew_);
      if (gate_) {
        PHINode *gate = phi(*gate_, type, "flat.gate");
        gate->addIncoming(last, end_->getParent());
        for (BasicBlock *exit : landed_)
          gate->addIncoming(PoisonValue::get(type), exit);
        gates_.push_back(gate);
        turn->addIncoming(gate, gate_);
      } else {
        turn->addIncoming(last, end_->getParent());
      }
      steps->addIncoming(old->getIncomingValueForBlock(innerEntry_), innerEntry_);
      steps->addIncoming(round, round_);
      old->eraseFromParent();
    }
    innerEntry_->getTerminator()->replaceSuccessorWith(innerHeader_, steps_);
    BranchInst::Create(innerHeader_, steps_);
  }

  void fillRound() {
    mark(*round_);
    IRBuilder<> builder(round_);
    if (!gate_) {
      builder.CreateCondBr(where_, steps_, outerHeader_);
      return;
    }
    BasicBlock *rest = makeBlock("rest", outerHeader_);
    builder.CreateCondBr(builder.CreateICmpEQ(where_, state(inSteps), "runs"), steps_, rest);
    builder.SetInsertPoint(rest);
    builder.CreateCondBr(builder.CreateICmpEQ(where_, state(atOuter), "begins"), outerHeader_,
                         gate_);
    reached_->addIncoming(where_, rest);
    for (PHINode *kept : gates_)
      kept->addIncoming(PoisonValue::get(kept->getType()), rest);
  }

  // Nobody goes on while fewer than `lanes` wait, unless nobody is left in the inner loop.
  void fillGate() {
    BasicBlock *open = makeBlock("open", turn_);
    IRBuilder<> builder(gate_);
    Value *waiting = builder.CreateICmpNE(reached_, state(inSteps), "waits");
    Value *masks = ballot(builder, waiting, shape_.waveSize);
    Value *running =
        ballot(builder, builder.CreateICmpEQ(reached_, state(inSteps)), shape_.waveSize);
    Value *count = builder.CreateUnaryIntrinsic(Intrinsic::ctpop, masks);
    Value *enough = builder.CreateICmpUGE(count, ConstantInt::get(count->getType(), shape_.lanes));
    Value *none = builder.CreateICmpEQ(running, ConstantInt::get(running->getType(), 0));
    Value *opens = builder.CreateOr(enough, none, "opens");
    builder.CreateCondBr(builder.CreateAnd(waiting, opens), open, turn_);
    builder.SetInsertPoint(open);
    if (exits_.size() == 1) {
      builder.CreateBr(exits_.front());
      return;
    }
    SwitchInst *goes = builder.CreateSwitch(reached_, exits_.front(), unsigned(exits_.size()));
    for (unsigned k = 1; k < exits_.size(); ++k)
      goes->addCase(cast<ConstantInt>(state(firstExit + k)), exits_[k]);
  }

  void mark(BasicBlock &block) {
    IRBuilder<> builder(&block);
    auto *nothing = InlineAsm::get(FunctionType::get(builder.getVoidTy(), false), "", "",
                                   /*hasSideEffects=*/true);
    CallInst *call = builder.CreateCall(nothing);
    call->setConvergent();
    call->setDoesNotThrow();
  }

  Function &function_;
  LLVMContext &context_;
  const FlatShape shape_;
  BasicBlock *const entry_, *const outerHeader_, *const innerEntry_, *const innerHeader_;
  Instruction *const outerEnd_, *const innerEnd_;
  SmallVector<BasicBlock *, 32> nest_; ///< all of it, with what is new
  const SmallVector<BasicBlock *, 16> body_;
  SmallVector<BasicBlock *, 4> exits_;       ///< of the inner loop into the outer one
  SmallVector<BasicBlock *, 4> exitsOfBoth_; ///< out of both
  SmallVector<BasicBlock *, 4> landed_;      ///< in front of the gate, for each of exits_
  SmallVector<Carried, 8> carried_;          ///< by the inner header
  SmallVector<Value *, 8> last_;             ///< what the last step hands on, for each of carried_
  SmallVector<PHINode *, 8> gates_;          ///< the same in the gate
  Instruction *end_ = nullptr;               ///< of the last step
  BasicBlock *round_ = nullptr, *steps_ = nullptr, *gate_ = nullptr, *anew_ = nullptr,
             *turn_ = nullptr;
  PHINode *where_ = nullptr, *reached_ = nullptr;
};

} // namespace

bool prepareNest(Loop &outer, Loop &inner, DominatorTree &dominators, LoopInfo &loops,
                 AssumptionCache &assumptions) {
  BasicBlock *outerHeader = outer.getHeader(), *innerHeader = inner.getHeader();
  simplifyLoop(&outer, &dominators, &loops, nullptr, &assumptions, nullptr,
               /*PreserveLCSSA=*/false);
  for (const Loop *loop : {&outer, &inner})
    if (!loop->isLoopSimplifyForm())
      return false;
  // LLVM may have cut a loop with several ways back in two.
  if (outer.getHeader() != outerHeader || inner.getHeader() != innerHeader ||
      inner.getParentLoop() != &outer || inner.contains(outer.getLoopLatch()))
    return false;
  for (const Loop *loop : {&outer, &inner})
    if (llvm::count(successors(loop->getLoopLatch()), loop->getHeader()) != 1)
      return false;
  formLCSSARecursively(outer, dominators, &loops, nullptr);
  return true;
}

BasicBlock *flatten(Function &function, const Loop &outer, const Loop &inner, FlatShape shape) {
  return Flattener(function, outer, inner, shape).run();
}

} // namespace meld::passes
