#include "passes/scalarize/version.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace meld::passes {

using namespace llvm;

Instruction *versionPoint(Function &function, Instruction *last) {
  BasicBlock &entry = function.getEntryBlock();
  Instruction *point = last ? last->getNextNode() : &*entry.getFirstInsertionPt();
  // An alloca outside of the entry block would be dynamic.
  for (Instruction *at = point; at; at = at->getNextNode())
    if (isa<AllocaInst>(at))
      point = at->getNextNode();
  return point;
}

void versionOn(Function &function, Instruction *last,
               function_ref<Value *(IRBuilder<> &)> condition) {
  BasicBlock *entry = &function.getEntryBlock();
  BasicBlock *rest = entry->splitBasicBlock(versionPoint(function, last), "rest");
  SmallVector<BasicBlock *, 16> originals, copies;
  for (BasicBlock &block : function)
    if (&block != entry)
      originals.push_back(&block);
  ValueToValueMapTy map;
  for (BasicBlock *block : originals) {
    BasicBlock *copy = CloneBasicBlock(block, map, ".unproven", &function);
    map[block] = copy;
    copies.push_back(copy);
  }
  for (BasicBlock *copy : copies)
    for (Instruction &instruction : *copy)
      RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  Instruction *through = entry->getTerminator();
  IRBuilder<> builder(through);
  builder.CreateCondBr(condition(builder), rest, cast<BasicBlock>(map[rest]),
                       MDBuilder(function.getContext()).createBranchWeights(2000, 1));
  through->eraseFromParent();
}

} // namespace meld::passes
