#include "passes/llvm_fixes/own_lanes.h"

#include "passes/analysis/divergence.h"
#include "passes/analysis/gpu_info.h"
#include "passes/llvm_fixes/hidden.h"
#include "passes/preserved.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

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

/// Poison may become anything, and what is undefined anything but poison: InstSimplify, which takes
/// phis away as well, forgets the second in LLVM 15.
bool isKnownAt(const Value &value, const PHINode &phi, const DominatorTree &dominators) {
  auto *made = dyn_cast<Instruction>(&value);
  if (made && !dominators.dominates(made, &phi))
    return false;
  return all_of(
             phi.incoming_values(),
             [](const Value *other) { return isa<PoisonValue>(other) || !isUndefined(other); }) ||
         isGuaranteedNotToBePoison(&value);
}

unsigned membersOf(const Type &type) {
  return type.isStructTy() ? type.getStructNumElements() : unsigned(type.getArrayNumElements());
}

/// Nobody has made that element of the vector. Behind so many steps that is taken for so: in
/// unreachable code there is no end.
bool lacks(const Value *value, unsigned element) {
  for (unsigned steps = 0; steps < 64; ++steps) {
    if (auto *constant = dyn_cast<Constant>(value)) {
      const Constant *part = constant->getAggregateElement(element);
      return part && isUndefined(part);
    }
    if (auto *insert = dyn_cast<InsertElementInst>(value)) {
      auto *index = dyn_cast<ConstantInt>(insert->getOperand(2));
      if (index && index->equalsInt(element))
        return isUndefined(insert->getOperand(1));
      value = insert->getOperand(0);
    } else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(value)) {
      const int from = shuffle->getMaskValue(element);
      auto *type = dyn_cast<FixedVectorType>(shuffle->getOperand(0)->getType());
      if (from < 0 || !type)
        return from < 0;
      const unsigned elements = type->getNumElements();
      value = shuffle->getOperand(unsigned(from) < elements ? 0 : 1);
      element = unsigned(from) % elements;
    } else {
      return false;
    }
  }
  return true;
}

bool isMissing(const Value *value);

/// The same of a member of a structure or array. What is put into a part of it is not looked into.
bool lacksMember(const Value *value, unsigned member) {
  for (unsigned steps = 0; steps < 64; ++steps) {
    if (auto *constant = dyn_cast<Constant>(value)) {
      const Constant *part = constant->getAggregateElement(member);
      return part && isMissing(part);
    }
    auto *insert = dyn_cast<InsertValueInst>(value);
    if (!insert)
      return false;
    if (insert->getIndices().front() == member)
      return insert->getNumIndices() > 1 || isMissing(insert->getInsertedValueOperand());
    value = insert->getAggregateOperand();
  }
  return true;
}

/// All of it, an element of a vector or a member: code generation takes phis apart. Those of many
/// members, which programs hardly have as values, are taken for that.
bool isMissing(const Value *value) {
  Type *type = value->getType();
  if (isUndefined(value) || isa<ConstantData>(value))
    return isUndefined(value);
  auto lacksAny = [&](unsigned parts, auto lacksOne) {
    return any_of(seq(0u, parts), [&](unsigned part) { return lacksOne(value, part); });
  };
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return lacksAny(vector->getNumElements(), lacks);
  return type->isAggregateType() &&
         (membersOf(*type) > 64 || lacksAny(membersOf(*type), lacksMember));
}

/// What LLVM 15 and 16 keep in several registers that belong together. Of those that nobody has
/// made they copy the first ones there are, which is no instruction; but a register of that copy
/// they take for copied, and so take a copy of the same one for done (MachineCopyPropagation).
bool isTuple(Type &type, const DataLayout &layout) {
  return LLVM_VERSION_MAJOR < 17 && type.isSingleValueType() && !isa<ScalableVectorType>(type) &&
         layout.getTypeSizeInBits(&type).getFixedValue() > 32;
}

/// Where code generation goes wrong if it sees that such a value is undefined, as a whole or in a
/// member. Conditions are masks of the wave, and those in vectors, too.
bool goesWrong(Type &type, const DataLayout &layout) {
  return type.isIntOrIntVectorTy(1) || isTuple(type, layout) ||
         (type.isAggregateType() &&
          any_of(type.subtypes(), [&](Type *part) { return goesWrong(*part, layout); }));
}

/// `value` with its members made anew.
template <typename Make> Value *withMembers(IRBuilder<> &builder, Value &value, Make make) {
  Value *result = &value;
  for (unsigned member : seq(0u, membersOf(*value.getType()))) {
    Value *part = builder.CreateExtractValue(&value, member);
    result = builder.CreateInsertValue(result, make(*part), member);
  }
  return result;
}

/// Any value, of the place's own. Of a vector each element is the same: wide registers that nothing
/// defines end LLVM 22's coalescer. A condition is false, as code generation takes one that is
/// undefined to be where it merges the lanes' conditions into a mask. But where it has false to
/// merge it with it then copies the undefined mask, for all lanes (SILowerI1Copies, up to LLVM 21
/// at least).
Value *anyOfOwn(IRBuilder<> &builder, Type *type, const DataLayout &layout, bool inLanes) {
  if (type->isIntOrIntVectorTy(1))
    return ConstantInt::getFalse(type);
  if (type->isAggregateType())
    return withMembers(builder, *PoisonValue::get(type), [&](Value &part) {
      return anyOfOwn(builder, part.getType(), layout, inLanes);
    });
  if (Value *tuple = isTuple(*type, layout) ? anyTuple(builder, type, inLanes) : nullptr)
    return tuple;
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return builder.CreateFreeze(PoisonValue::get(type));
  Value *element = builder.CreateFreeze(PoisonValue::get(vector->getElementType()));
  return builder.CreateVectorSplat(vector->getNumElements(), element);
}

/// The same frozen value, but none that code generation finds to be undefined where it then goes
/// wrong: that false is what it merges a condition with it may find, too. What is no lane's own
/// stays uniform, so no tuple is hidden then.
Value *hiddenWhereNeeded(IRBuilder<> &builder, Value &frozen, const DataLayout &layout,
                         bool inLanes) {
  Type *type = frozen.getType();
  if (!goesWrong(*type, layout))
    return &frozen;
  if (type->isAggregateType())
    return withMembers(builder, frozen, [&](Value &part) {
      return hiddenWhereNeeded(builder, part, layout, inLanes);
    });
  if (type->isIntOrIntVectorTy(1))
    return hiddenCondition(builder, frozen);
  Value *tuple = inLanes ? hiddenTuple(builder, frozen) : nullptr;
  return tuple ? tuple : &frozen;
}

using Values = SmallPtrSet<const Value *, 16>;

/// One edge enters a loop, one goes round: all lanes of a wave that are there have come by the same.
bool isOfRounds(const PHINode &phi, const DominatorTree &dominators) {
  auto goesRound = [&](unsigned edge) {
    const BasicBlock *from = phi.getIncomingBlock(edge);
    return dominators.isReachableFromEntry(from) && dominators.dominates(phi.getParent(), from);
  };
  return phi.getNumIncomingValues() == 2 && goesRound(0) != goesRound(1);
}

/// Made of undefined values, by what is not looked into here: code generation may find that it is
/// undefined, too. Of phis those of rounds (code generation may find that nobody goes round, or
/// nobody with that element of a vector): others get own values. Vectors that are put together, and
/// other values, are as isMissing() says; loads are where such a value is stored to that pointer.
Values madeOfUndefined(Function &function, const DominatorTree &dominators) {
  Values found;
  auto mayBeMissing = [&](const Value *value) { return isMissing(value) || found.count(value); };
  auto mayBe = [&](const Instruction &made) {
    auto *phi = dyn_cast<PHINode>(&made);
    return (!phi || isOfRounds(*phi, dominators)) && any_of(made.operands(), mayBeMissing);
  };
  Values loaded; // pointers whose loads are looked at
  SmallVector<Instruction *, 16> open;
  for (Instruction &instruction : instructions(function))
    if (!isa<InsertElementInst>(instruction) && !isa<ShuffleVectorInst>(instruction) &&
        !isa<InsertValueInst>(instruction) && mayBe(instruction))
      open.push_back(&instruction);
  while (!open.empty()) {
    Instruction *made = open.pop_back_val();
    if (isa<FreezeInst>(made) || !found.insert(made).second)
      continue;
    for (User *user : made->users())
      if (mayBe(*cast<Instruction>(user)))
        open.push_back(cast<Instruction>(user));
    auto *store = dyn_cast<StoreInst>(made);
    Value *to = store ? store->getPointerOperand() : nullptr;
    if (to && !isa<ConstantData>(to) && loaded.insert(to).second) // of those nobody knows the users
      for (User *user : to->users())
        if (auto *load = dyn_cast<LoadInst>(user); load && load->getFunction() == &function)
          open.push_back(load);
  }
  return found;
}

class OwnLanes {
public:
  OwnLanes(Function &function, const DominatorTree &dominators, const DivergenceInfo *divergence)
      : function_(function), dominators_(dominators), divergence_(divergence),
        layout_(function.getParent()->getDataLayout()),
        madeOfUndefined_(madeOfUndefined(function, dominators)) {}

  bool run() {
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(instructions(function_)))
      if (auto *frozen = dyn_cast<FreezeInst>(&instruction))
        changed |= hide(*frozen);
    for (BasicBlock &block : function_)
      for (PHINode &phi : block.phis())
        if (!isOfRounds(phi, dominators_))
          changed |= giveOthersTheirOwn(phi);
    return changed;
  }

private:
  bool mayBeMissing(const Value &value) const {
    return isMissing(&value) || madeOfUndefined_.count(&value);
  }
  /// Or goes to none but phis that are: nobody needs it in scalar registers then.
  bool isInLanes(const Value &value) const {
    auto is = [&](const Value *other) { return divergence_->width(other) < Width::wave; };
    return divergence_ && (is(&value) || all_of(value.users(), [&](const User *user) {
                             return isa<PHINode>(user) && is(user);
                           }));
  }

  /// What others have frozen is one value to all who use it, so it is made once.
  bool hide(FreezeInst &frozen) const {
    if (!goesWrong(*frozen.getType(), layout_) || !mayBeMissing(*frozen.getOperand(0)))
      return false;
    IRBuilder<> builder(&frozen);
    Value *own = nullptr;
    if (isUndefined(frozen.getOperand(0))) {
      own = anyOfOwn(builder, frozen.getType(), layout_, isInLanes(frozen));
    } else {
      Instruction *same = builder.Insert(frozen.clone());
      same->takeName(&frozen);
      own = hiddenWhereNeeded(builder, *same, layout_, isInLanes(frozen));
    }
    frozen.replaceAllUsesWith(own);
    frozen.eraseFromParent();
    return true;
  }

  bool giveOthersTheirOwn(PHINode &phi) const {
    SmallDenseMap<BasicBlock *, Value *, 4> own; // a switch may come by several edges
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      Value *missing = phi.getIncomingValue(i);
      Instruction &place = *phi.getIncomingBlock(i)->getTerminator();
      if (!mayBeMissing(*missing) || missing == &place)
        continue;
      Value *&value = own[phi.getIncomingBlock(i)];
      if (IRBuilder<> builder(&place); !value)
        value = isUndefined(missing) ? anyOfOwn(builder, phi.getType(), layout_, isInLanes(phi))
                                     : hiddenWhereNeeded(builder, *builder.CreateFreeze(missing),
                                                         layout_, isInLanes(phi));
      phi.setIncomingValue(i, value);
    }
    return !own.empty();
  }

  Function &function_;
  const DominatorTree &dominators_;
  const DivergenceInfo *divergence_;
  const DataLayout &layout_;
  const Values madeOfUndefined_;
};

/// Phis whose lanes all may have one value; what is undefined by what it is made of, and integers
/// that are constant by that, of which others may be undefined.
bool resolve(Function &function, const DominatorTree &dominators) {
  const SimplifyQuery query(function.getParent()->getDataLayout(), nullptr, &dominators);
  SetVector<Instruction *> open; // the last is looked at first
  bool changed = false;
  for (BasicBlock &block : reverse(function))
    for (Instruction &instruction : reverse(block))
      open.insert(&instruction);
  while (!open.empty()) {
    Instruction &instruction = *open.pop_back_val();
    Value *value = nullptr;
    if (auto *phi = dyn_cast<PHINode>(&instruction)) {
      value = hasNone(*phi) ? UndefValue::get(phi->getType()) : onlyValue(*phi);
      if (value && !isKnownAt(*value, *phi, dominators))
        value = nullptr;
    } else if (wouldInstructionBeTriviallyDead(&instruction)) {
      value = simplifyInstruction(&instruction, query);
      if (value && !isUndefined(value) && !isa<ConstantInt>(value))
        value = nullptr;
    }
    if (!value)
      continue;
    for (User *user : instruction.users()) // they may have one value, or none, now
      if (user != &instruction)
        open.insert(cast<Instruction>(user));
    instruction.replaceAllUsesWith(value);
    instruction.eraseFromParent();
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses OwnLanesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.isDeclaration() || !options_.wantsKernel(function.getName()) ||
      GpuInfo(function).kind() != GpuKind::amdgpu)
    return PreservedAnalyses::all();
  const DominatorTree &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = resolve(function, dominators);
  const DivergenceInfo *divergence = nullptr; // of tuples alone it is asked
  if (LLVM_VERSION_MAJOR < 17) {
    analyses.invalidate(function, blocksKept(changed));
    divergence = analyses.getResult<DivergenceAnalysis>(function).get();
  }
  changed |= OwnLanes(function, dominators, divergence).run();
  return blocksKept(changed);
}

} // namespace meld::passes
