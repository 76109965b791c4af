// meld-converged-loops: loops that are run without EXEC masks for as long as a wave agrees (Lee et
// al., CGO'13, section 4.1, "dynamic convergence preservation": there in hardware, here in
// software).
//
//   loop:                                      loop.together:
//     body                                       body
//     br stay, loop, exit     lanes leave        br ballot(!stay) == 0, loop.together, ask
//   exit:                     one by one       ask:
//                                                br ballot(stay) == 0, exit, apart
//                       =>                     apart:                 the lanes part for good
//                                                br stay, loop, exit
//                                              loop:
//                                                body
//                                                br stay, loop, exit
//                                              exit:
//
// In the first copy every way out is the wave's, not the lane's: no masks are kept, all lanes that
// came in run together, and what is the same in them stays so behind the loop. Where lanes stop
// agreeing they go over to the loop as it was, once, and end there. A way out in the middle of the
// body has the rest of that iteration copied, too (`.rest`), so that the old loop is entered by its
// header alone and stays reducible. A guard that only some lanes pass would keep the wave from
// coming to the loop; it is treated the same way, with all that it guards, before the loop is.
//
// Right whatever lanes run: a lane goes where its own condition says, whether it is asked alone or
// with others. A wave without lanes would go round for ever; code generation does not lead one to a
// loop that the scalar unit decides (SIPreEmitPeephole keeps such branches), ours as little as any
// other. A wave that parts in a loop goes on to the loop as it was before anybody goes on behind
// it, as before; the branch of a guard that parts may be laid out the other way round, so where
// lanes may wait on one of its ways for those of the other (analysis/forward_progress.h) it stays.
// Operations that look at other lanes, and calls, are not doubled. LLVM may take a ballot
// for an earlier one of the same condition: only kernels without ballots of their own
// (first_lane.h).
//
// Terminates: only a loop or guard that a wave reaches as a whole is copied, and a wave that
// reaches the original has parted before; besides, there are at most `mostCopies` copies. Costs one
// or two copies of at most `largestRegion` instructions each and, for a wave that parts, three
// scalar instructions. What it gains hangs on the run: by its own name only.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class ConvergedLoopsPass : public LoggedPass<ConvergedLoopsPass> {
public:
  using LoggedPass::LoggedPass;
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace meld::passes
