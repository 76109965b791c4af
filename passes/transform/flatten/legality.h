// Which nests of loops may be flattened.
//
// A lane keeps its own instructions in their own order; what changes is which other lanes run with
// it, and when it runs relative to them. So everything is forbidden by which a lane could notice
// other lanes:
//
//   operations of the wave   barriers, ballots, shuffles, first lanes, MODE, clocks (wave_state.h):
//                            in the whole nest, since every block of it runs for other lanes now
//   calls, assembly          may hold any of these
//   waiting                  a loop of the nest that may go round until another thread has done
//                            something (waiting_cycles.h): lanes that wait in a gate, or idle for
//                            the rest of a round, could be the ones it waits for. An atomic
//                            operation that decides over no exit waits for nobody and is allowed.
//   volatile accesses        in what order lanes make them is the program's affair
//   LDS                      read and written in one nest: programs hand values from lane to lane
//                            through it without a barrier, as lanes of a wave run in lockstep
//   other memory             the same where a nest writes it and shows that it looks at what others
//                            write: an atomic load, a fence or an update that acquires, the result
//                            of an update of an object that the nest writes elsewhere, too (a
//                            mailbox). Plain loads and stores do not count: between lanes they are
//                            a data race, and most nests have both
//   operands in scalar       scalar loads through a descriptor: what was one address for the wave
//   registers                is one for each lane, and code generation reads the first lane's
//   allocas, tokens          in a loop
//
// And nests that could only lose: an inner loop that all lanes of a wave leave together.
#pragma once

#include "passes/analysis/divergence.h"
#include "llvm/Analysis/LoopInfo.h"

namespace meld::passes {

/// A wave may leave the loop lane by lane.
bool leavesApart(const llvm::Loop &loop, const DivergenceInfo &divergence);

/// Why a nest with this outer loop must stay as it is, or null. Changes nothing. `asksLanes`: the
/// flat loop will have ballots of ours in it.
const char *whyNotFlat(llvm::Function &function, const llvm::Loop &outer,
                       const DivergenceInfo &divergence, const llvm::DominatorTree &dominators,
                       bool asksLanes);

} // namespace meld::passes
