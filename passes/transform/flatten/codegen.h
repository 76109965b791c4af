// Makes one loop of a nest that legality.h allows; decides nothing. flatten_loops.h has the picture.
#pragma once

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace meld::passes {

/// How a nest is to be flattened.
struct FlatShape {
  unsigned steps = 1; ///< of the inner loop in a round, at least 1
  unsigned lanes = 1; ///< that wait in front of what is behind the inner loop; 1: none does
  unsigned waveSize = 64;
};

/// Brings the nest into the form that flatten() takes: one way in, one latch, exits of their own,
/// values that leave by phis. False where it does not take it; it may have changed then, too.
bool prepareNest(llvm::Loop &outer, llvm::Loop &inner, llvm::DominatorTree &dominators,
                 llvm::LoopInfo &loops, llvm::AssumptionCache &assumptions);

/// Of a prepared nest. `inner` is a direct child of `outer`. Returns the header of the one loop that
/// there is now. Dominators and loops are out of date afterwards.
llvm::BasicBlock *flatten(llvm::Function &function, const llvm::Loop &outer,
                          const llvm::Loop &inner, FlatShape shape);

} // namespace meld::passes
