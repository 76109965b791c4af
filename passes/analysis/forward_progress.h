// Which code must keep its order because threads of one wave may wait for each other in it.
//
//          D: br c            A wave runs the side A for some of its threads and then the side B
//         /        \          for the others, or B and then A: code generation chooses, by the
//        A          B         shape of the graph, and the IR does not say how. A thread in lock()
//     lock()      lock()      goes round until another has come to unlock().
//     work        work
//     unlock()    unlock()    Melded, `work` would be done for both at once: behind both lock()
//         \        /          and before both unlock(). The thread that gets the lock does not
//            J                come to unlock() before the other one has it, too: no end.
//
// Theorem. Call code a wait if it may end only after something that another thread does
// (waiting_cycles.h; barriers, and calls and assembly in which there may be one), and an effect if
// other threads could notice it. Let a change of the code between a branch and where its ways meet
// keep the order of each thread's own waits and effects, and keep the order in which the machine
// comes to a wait of one way and to a wait or effect of another. Then every wave that came to its
// end still does. Sketch: take the first wait, in the order of the new run, that does not end. What
// it ended by was done before it or by another wave. The effects of its own wave that came before
// it still come before it, and none comes before it that did not; other waves saw the same sequence
// of effects as far as it got, so they did what they did. So it has what it ended by, and nothing
// that takes it away again: a contradiction.
//
// Both orders of the sides being possible, the second condition holds for certain only where no
// change is made. Hence the rule that all transforms follow:
//
//   Where one way out of a branch has a wait and another way has a wait or an effect, the branch
//   and what is between it and where the ways meet again is left as it is.
//
// Not even code without effects is joined there: a branch in two pieces is two choices of code
// generation. Where only one way has effects and waits, the others have nothing whose place could
// be noticed, so they may be joined with it; but a wait stands in no pair, since threads of the
// other side would then wait in it, too. Two ifs in a row have an order that code generation cannot
// change, so there (triangles.h) any wait forbids to make one diamond of them.
//
// A call that does not come back (an assertion that fails, its message on its way to the host) is
// no wait: whatever its threads wait for, they do nothing for others any more.
//
// Code that several ways share comes behind what each has to itself and does not count, unless a
// third way does not share it. A loop around the branch does not count either: each round ends.
//
// Terminates: walks over blocks, each once per way. Cost: linear in the function, times the nesting
// of its loops, when first asked; then, only where a function has waits, linear in the region per
// branch. Functions that are called are looked into once per analysis, to a depth of 16; what
// cannot be looked into, and recursion, counts as waiting. Everything errs to "waits".
#pragma once

#include "passes/analysis/waiting_cycles.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/PassManager.h"
#include <memory>

namespace meld::passes {

/// What a decision says where the rule has refused.
inline constexpr const char *waitsReason = "threads of one side may wait for those of the other";

/// Whether other threads could notice that it is run, or the order in which it is run.
bool hasEffect(const llvm::Instruction &instruction);

/// Of one function, as it is when first asked. The trees must outlive it. Thread rule: none of its
/// own.
class ForwardProgress {
public:
  ForwardProgress(llvm::Function &function, const llvm::DominatorTree &dominators,
                  const llvm::PostDominatorTree &postDominators);
  ~ForwardProgress();

  /// The block holds a wait, or is part of a cycle that is one and does not contain `from`.
  bool mayWait(const llvm::BasicBlock &block, const llvm::BasicBlock &from) const;

  /// The ways out of `head` must keep their order: the rule above.
  bool keepsOrder(const llvm::BasicBlock &head) const;

  /// A wait stands on one of the ways that meet in `join`, below where they part.
  bool waitsAbove(const llvm::BasicBlock &join) const;

  /// A wait is reached from `head` before `join`, which may be null: the end of the function.
  bool waitsBetween(const llvm::BasicBlock &head, const llvm::BasicBlock *join) const;

  /// `block` is not part of the innermost cycle, also one of several entries, that `from` is in:
  /// threads come to it when all have left.
  bool isBehindCycleOf(const llvm::BasicBlock &from, const llvm::BasicBlock &block) const;

  /// Each block with a wait and each cycle that is one, for tests.
  void print(llvm::raw_ostream &out) const;

private:
  struct Facts;
  const Facts &facts() const;

  llvm::Function &function_;
  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &postDominators_;
  mutable std::unique_ptr<Facts> facts_;
};

class ForwardProgressPrinterPass : public llvm::PassInfoMixin<ForwardProgressPrinterPass> {
public:
  explicit ForwardProgressPrinterPass(llvm::raw_ostream &out) : out_(out) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &out_;
};

} // namespace meld::passes
