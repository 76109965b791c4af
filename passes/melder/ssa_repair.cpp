#include "passes/melder/ssa_repair.h"
#include "passes/compat.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

namespace meld::passes {

using namespace llvm;

void repairSsa(ArrayRef<BasicBlock *> blocks, ArrayRef<BasicBlock *> ends,
               const DominatorTree &dominators) {
  for (BasicBlock *block : blocks)
    for (Instruction &instruction : *block) {
      SmallVector<Use *, 8> broken;
      for (Use &use : instruction.uses())
        if (!dominators.dominates(&instruction, use))
          broken.push_back(&use);
      if (broken.empty())
        continue;
      SSAUpdater updater;
      updater.Initialize(instruction.getType(), "meld");
      for (BasicBlock *end : ends)
        updater.AddAvailableValue(end, PoisonValue::get(instruction.getType()));
      updater.AddAvailableValue(block, &instruction);
      for (Use *use : broken)
        updater.RewriteUse(*use);
    }
}

static PHINode *foldOne(SelectInst &select) {
  auto *l = dyn_cast<PHINode>(select.getTrueValue()),
       *r = dyn_cast<PHINode>(select.getFalseValue());
  if (!l || !r || l == r || l->getParent() != r->getParent() ||
      l->getNumIncomingValues() != r->getNumIncomingValues())
    return nullptr;
  SmallVector<std::pair<Value *, BasicBlock *>, 4> incoming;
  for (unsigned i = 0; i < l->getNumIncomingValues(); ++i) {
    BasicBlock *from = l->getIncomingBlock(i);
    int k = r->getBasicBlockIndex(from);
    if (k < 0)
      return nullptr;
    Value *lv = l->getIncomingValue(i), *rv = r->getIncomingValue(unsigned(k));
    if (isa<PoisonValue>(lv))
      incoming.push_back({rv, from});
    else if (isa<PoisonValue>(rv) || lv == rv)
      incoming.push_back({lv, from});
    else
      return nullptr;
  }
  PHINode *phi =
      PHINode::Create(l->getType(), unsigned(incoming.size()), "meld", compat::before(l));
  for (auto [value, from] : incoming)
    phi->addIncoming(value, from);
  return phi;
}

void foldShieldedPhis(ArrayRef<BasicBlock *> blocks) {
  for (BasicBlock *block : blocks)
    for (auto it = block->begin(); it != block->end();) {
      Instruction &instruction = *it++;
      if (auto *select = dyn_cast<SelectInst>(&instruction))
        if (PHINode *phi = foldOne(*select)) {
          select->replaceAllUsesWith(phi);
          select->eraseFromParent();
        }
    }
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock *block : blocks)
      for (auto it = block->begin(); it != block->end() && isa<PHINode>(*it);) {
        Instruction &phi = *it++;
        if (phi.use_empty()) {
          phi.eraseFromParent();
          changed = true;
        }
      }
  }
}

} // namespace meld::passes
