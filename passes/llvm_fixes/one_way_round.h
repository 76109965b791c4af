// meld-one-way-round: a loop that lanes leave in different rounds, and that has another in it, is
// gone round by one block that stays.
//
//     o:     c = ...                          <- the same lanes, far below, leave by it
//     inner: ...
//            br divergent, inner, x
//     x:     br divergent, o, y               <- continue
//     y:     br c, done, o
//
// Of lanes that go round by x code generation must not take c for their answer: it is whether they
// leave at y. LoopSimplify makes both ways round one, by an empty block. But CodeGenPrepare takes
// empty blocks away (it keeps preheaders, not latches), StructurizeCFG finds two edges back, and
// SIAnnotateControlFlow puts the loop's break where c is made, in front of x: whoever continues is
// taken for gone, and comes back with those who are. The loop need not end. Programs hang without
// libmeld, too (LLVM 15 to 22).
//
//     o.backedge:  asm sideeffect ""          <- no instruction, but not nothing
//                  br o
//
// A loop with several ways round may be two loops to LoopSimplify. So it is asked here, for all
// that lanes leave in different rounds. What a latch does says nothing: what is the same in all
// rounds, assumed, dead or a second counter has left it by then.
//
// Left alone are loops with no loop in them, which come out right, and latches that one branch
// leads to, by one of its ways.
//
// Terminates: one look at each loop. Cost: linear, and LoopSimplify where a loop has several ways
// round. Nothing is unsafe about it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class OneWayRoundPass : public llvm::PassInfoMixin<OneWayRoundPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
