#include "passes/melder/place.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

using namespace llvm;

Instruction *firstPlaceBehind(const Instruction &made) {
  return isa<PHINode>(made) ? &*const_cast<BasicBlock *>(made.getParent())->getFirstInsertionPt()
                            : const_cast<Instruction &>(made).getNextNode();
}

} // namespace meld::passes
