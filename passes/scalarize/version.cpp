#include "passes/scalarize/version.h"
#include "passes/melder/scope_markers.h"
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

// The two copies never run both, so nothing that one writes is what the other reads.
static void keepApart(ArrayRef<BasicBlock *> first, ArrayRef<BasicBlock *> second) {
  LLVMContext &context = first.front()->getContext();
  MDBuilder metadata(context);
  MDNode *domain = metadata.createAnonymousAliasScopeDomain("meld");
  MDNode *scope =
      MDNode::get(context, {metadata.createAnonymousAliasScope(domain, "meld: proven copy")});
  auto mark = [&](Instruction &instruction, unsigned kind) {
    instruction.setMetadata(kind, MDNode::concatenate(instruction.getMetadata(kind), scope));
  };
  for (BasicBlock *block : first)
    for (Instruction &instruction : *block)
      if (instruction.mayWriteToMemory())
        mark(instruction, LLVMContext::MD_alias_scope);
  for (BasicBlock *block : second)
    for (Instruction &instruction : *block)
      if (instruction.mayReadFromMemory())
        mark(instruction, LLVMContext::MD_noalias);
}

SmallVector<BasicBlock *, 16> copyBlocks(ArrayRef<BasicBlock *> blocks, ValueToValueMapTy &map,
                                         const char *suffix, ArrayRef<BasicBlock *> declaring) {
  SmallVector<BasicBlock *, 16> copies;
  for (BasicBlock *block : blocks) {
    BasicBlock *copy = CloneBasicBlock(block, map, suffix, block->getParent());
    map[block] = copy;
    copies.push_back(copy);
  }
  for (BasicBlock *copy : copies)
    for (Instruction &instruction : *copy)
      RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  renameScopes(declaring.empty() ? blocks : declaring, copies, suffix);
  return copies;
}

void versionOn(Function &function, Instruction *last, bool inARow,
               function_ref<Value *(IRBuilder<> &)> condition) {
  LLVMContext &context = function.getContext();
  BasicBlock *entry = &function.getEntryBlock();
  BasicBlock *rest = entry->splitBasicBlock(versionPoint(function, last), "rest");
  SmallVector<BasicBlock *, 16> originals;
  for (BasicBlock &block : function)
    if (&block != entry)
      originals.push_back(&block);
  ValueToValueMapTy map;
  const SmallVector<BasicBlock *, 16> copies = copyBlocks(originals, map, ".unproven");

  MDNode *likely = MDBuilder(context).createBranchWeights(2000, 1);
  auto *copied = cast<BasicBlock>(map[rest]), *unproven = copied;
  Instruction *through = entry->getTerminator();
  IRBuilder<> builder(through);
  Value *holds = condition(builder);
  if (inARow) {
    keepApart(originals, copies);
    unproven = BasicBlock::Create(context, "proven.done", &function, copied);
    BasicBlock *done = BasicBlock::Create(context, "done", &function);
    ReturnInst::Create(context, done);
    for (BasicBlock *block : originals)
      if (auto *leave = dyn_cast<ReturnInst>(block->getTerminator())) {
        IRBuilder<>(leave).CreateBr(unproven);
        leave->eraseFromParent();
      }
    IRBuilder<>(unproven).CreateCondBr(holds, done, copied, likely);
  }
  builder.CreateCondBr(holds, rest, unproven, likely);
  through->eraseFromParent();
}

} // namespace meld::passes
