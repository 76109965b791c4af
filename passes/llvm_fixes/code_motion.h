// Whether later passes may take a value out of a cycle that it is made in, or find that it is another.
//
//     loop: i = phi [0, entry], [i + 1, loop]     stays: it hangs on itself
//           a = icmp ugt f, 1                     may go: f is from outside
//           b = and a, (icmp eq (load q), 0)      may go unless something in the loop may write to q
//           c = phi [true, entry], [a, loop]      may go: peeling the first round leaves a
//           d = freeze (readfirstlane f)          stays: convergent
//
// For passes about what LLVM gets wrong behind us, which runs its own code motion in IR and in
// machine code, with its own view of aliases: "may" errs towards yes. What a pass behind ours makes
// of the shape of a cycle (unswitching, threading of jumps) is not seen.
//
// Terminates: each instruction of the cycle is looked at once a question. Cost: up to 64
// instructions a question, and once for a load and a cycle up to 256 alias queries; what is larger
// may leave.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

/// The one value that a phi can have, directly or by other phis, if it is known at each of them.
/// Undefined ones do not count. Any other value as it is.
llvm::Value &sameBehindPhis(llvm::Value &value, const llvm::DominatorTree &dominators);

class CodeMotion {
public:
  CodeMotion(llvm::AAResults &aliases, const llvm::DominatorTree &dominators)
      : aliases_(aliases), dominators_(dominators) {}

  /// What is made outside of `cycle` may be.
  bool mayLeave(const llvm::Value &value, const llvm::Cycle &cycle);

private:
  class Search;
  bool isWrittenIn(const llvm::Cycle &cycle, const llvm::Instruction &reader);
  bool mayBeWrittenIn(const llvm::Cycle &cycle, const llvm::Instruction &reader) const;

  llvm::AAResults &aliases_;
  const llvm::DominatorTree &dominators_;
  llvm::DenseMap<std::pair<const llvm::Cycle *, const llvm::Instruction *>, bool> written_;
};

} // namespace meld::passes
