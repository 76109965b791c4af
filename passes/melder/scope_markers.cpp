#include "passes/melder/scope_markers.h"
#include "passes/compat.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace meld::passes {

using namespace llvm;

bool isScopeMarker(const Instruction &instruction) {
  return isa<NoAliasScopeDeclInst>(instruction) || instruction.isLifetimeStartOrEnd();
}

namespace {

Use &objectOf(Instruction &marker) { // the last one: later versions have no size in front of it
  auto &call = cast<CallBase>(marker);
  return call.getArgOperandUse(unsigned(call.arg_size()) - 1);
}

bool isStart(const Instruction &marker) {
  return cast<IntrinsicInst>(marker).getIntrinsicID() == Intrinsic::lifetime_start;
}

/// What the alloca's memory is reached through, as far as it can be seen.
struct Accesses {
  SmallVector<Instruction *, 16> accesses; ///< loads, stores, calls
  SmallVector<Instruction *, 4> markers;
  bool isAll = true; ///< false: the pointer gets to where it cannot be followed
};

Accesses accessesOf(AllocaInst &object) {
  Accesses found;
  SmallPtrSet<const Value *, 16> seen{&object};
  SmallVector<Value *, 16> pointers{&object};
  while (!pointers.empty())
    for (Use &use : pointers.pop_back_val()->uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (user->isLifetimeStartOrEnd()) {
        found.markers.push_back(user);
      } else if (isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst, PHINode, SelectInst>(
                     user)) {
        if (seen.insert(user).second)
          pointers.push_back(user);
      } else if (auto *store = dyn_cast<StoreInst>(user)) {
        found.accesses.push_back(user);
        found.isAll &= use.getOperandNo() == store->getPointerOperandIndex();
      } else if (auto *call = dyn_cast<CallBase>(user)) {
        found.accesses.push_back(user);
        found.isAll &=
            call->isDataOperand(&use) && call->doesNotCapture(call->getDataOperandNo(&use));
      } else if (isa<LoadInst, ICmpInst>(user)) {
        found.accesses.push_back(user);
      } else {
        found.isAll = false;
      }
    }
  return found;
}

/// Is the object there for the threads of the arm below `entry` alone, and anew each time?
bool isOwn(AllocaInst &object, BasicBlock *entry, const DominatorTree &dominators) {
  const Accesses found = accessesOf(object);
  return found.isAll && any_of(found.markers, [&](const Instruction *start) {
           return isStart(*start) && dominators.dominates(entry, start->getParent()) &&
                  all_of(found.accesses, [&](const Instruction *access) { // in the arm, then, too
                    return dominators.dominates(start, access);
                  });
         });
}

/// The objects that a marker may mean; null among them where one is no alloca.
SmallSetVector<AllocaInst *, 2> candidatesOf(Instruction &marker) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(objectOf(marker), objects, nullptr, /*MaxLookup=*/0);
  SmallSetVector<AllocaInst *, 2> candidates;
  for (const Value *object : objects)
    candidates.insert(const_cast<AllocaInst *>(dyn_cast<AllocaInst>(object)));
  return candidates;
}

/// The marker's operand becomes the alloca, so that no value that is melded comes between.
void nameDirectly(Instruction &marker, AllocaInst &object) {
  Use &operand = objectOf(marker);
  if (operand == &object)
    return;
  Value *pointer = &object;
  if (operand->getType() != object.getType())
    pointer = CastInst::CreatePointerBitCastOrAddrSpaceCast(
        &object, operand->getType(), object.getName(), compat::before(object.getNextNode()));
  operand.set(pointer);
}

} // namespace

void settleLifetimes(const SideMarkers &left, const SideMarkers &right) {
  if (left.lifetimes.empty() && right.lifetimes.empty())
    return;
  const DominatorTree dominators(*left.entry->getParent());
  SmallVector<Instruction *, 8> others;
  for (const SideMarkers *side : {&left, &right})
    for (Instruction *marker : side->lifetimes) {
      AllocaInst *object = findAllocaForValue(objectOf(*marker), /*OffsetZero=*/true);
      if (object && isOwn(*object, side->entry, dominators))
        nameDirectly(*marker, *object);
      else
        others.push_back(marker);
    }
  widenLifetimes(others);
}

void widenLifetimes(ArrayRef<Instruction *> markers) {
  SmallSetVector<Instruction *, 8> gone;
  for (Instruction *marker : markers)
    if (marker->isLifetimeStartOrEnd())
      gone.insert(marker);
  if (gone.empty())
    return;
  SmallVector<Instruction *, 16> all;
  for (Instruction &instruction : instructions(*gone.front()->getFunction()))
    if (instruction.isLifetimeStartOrEnd())
      all.push_back(&instruction);
  for (size_t i = 0; i < gone.size(); ++i) { // grows: a marker of two objects takes the other along
    const auto objects = candidatesOf(*gone[i]);
    for (Instruction *other : all)
      if (!gone.count(other) && any_of(candidatesOf(*other), [&](AllocaInst *object) {
            return object && objects.count(object);
          }))
        gone.insert(other);
  }
  for (Instruction *marker : gone)
    marker->eraseFromParent();
}

void renameScopes(ArrayRef<BasicBlock *> blocks, ArrayRef<BasicBlock *> copies, StringRef suffix) {
  SmallVector<MDNode *, 4> declared;
  identifyNoAliasScopesToClone(blocks, declared);
  if (!declared.empty() && !copies.empty())
    cloneAndAdaptNoAliasScopes(declared, copies, copies.front()->getContext(), suffix);
}

} // namespace meld::passes
