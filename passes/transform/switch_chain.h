// The mechanics of meld-switch: what cases a switch has, and taking some of them out into a chain
// of two-way branches.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include <vector>

namespace meld::passes {

/// Gives every case that is also reached by fall-through a copy for the fall-through, as long as it
/// is one block of moderate size without convergent operations. `behind`, where all cases meet
/// again, is none, even when the switch jumps to it. True when something was copied.
bool separateFallthrough(llvm::SwitchInst &choice, const llvm::BasicBlock *behind);
/// Whether it would copy anything.
bool hasFallthrough(llvm::SwitchInst &choice, const llvm::BasicBlock *behind,
                    const llvm::DominatorTree &dominators);

/// One block a switch jumps to.
struct SwitchCase {
  llvm::BasicBlock *entry = nullptr;
  std::vector<llvm::APInt> values; ///< ascending, none twice; empty for the default alone
  bool isDefault = false;
};

/// In the order in which the switch names them, the default last.
std::vector<SwitchCase> casesOf(llvm::SwitchInst &choice);

/// How many subtract-and-compare tests tell `values` from the rest.
unsigned testsFor(const SwitchCase &one);

/// Replaces `choice` by one that sends `members` (two or more of its cases, each reached from it
/// alone) to a chain of two-way branches. Returns the chain's first block.
llvm::BasicBlock *makeChain(llvm::SwitchInst &choice, std::vector<SwitchCase> members);

} // namespace meld::passes
