// Operations that are not one lane's own affair: they ask or tell other lanes, or they happen once
// per wave whatever lanes run ("RDNA and CDNA ISA", chapters "Program state" and "Scalar ALU").
//
//   br %c, L, R          L: s_setreg(MODE, round to zero)    one register for 64 lanes
//                           x = fmul a, b                    R's fmul, done next to it or between
//                           s_setreg(MODE, nearest)          the two, rounds like L's
//                        R: y = fmul a, d
//
// LLVM has an attribute for the first kind (`convergent`) and none for the second: s_setreg is to
// it a call that may write memory, like one lane's atomic. So there is one list, by name of
// intrinsic with the reason (wave_state.cpp), for all passes. What is not on it and may have an
// effect counts as changing the wave's state: targets get new intrinsics with every release.
//
// What each kind forbids:
//   lanes    to be paired, copied to more lanes or fewer, moved past a branch
//   once     the same: two of them are two events of the wave
//   changes  besides, to run code of the other side between: what the sides do hangs on the state
// A change of MODE goes further: to instruction selection floating point hangs on nothing but its
// operands, so within one block only the order of the source keeps it between two changes. Where a
// function changes MODE, branches around floating point stay, and with them the blocks.
//
// Inline assembly with side effects may change anything unless it is empty. A call does what the
// callee does, as far as it is defined here; a function without a body does what its attributes
// say, and keeps MODE as it was (AMDGPU calling convention).
//
// Costs a look into a table per call; for calls of defined functions a walk over at most 4,000
// instructions of them, and what is beyond that counts as changing state. Thread rule: none,
// nothing is kept.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instructions.h"

namespace meld::passes {

enum class WaveUse : uint8_t {
  none,    ///< the lane's own arithmetic or memory
  lanes,   ///< the result or effect hangs on which lanes run
  once,    ///< happens once for the wave, and nothing that follows hangs on it
  changes, ///< changes what the wave has once: MODE, EXEC, M0, priority, ...
};

struct WaveOperation {
  WaveUse use = WaveUse::none;
  const char *why = ""; ///< a phrase for decisions; static
  /// What changes state may be MODE: rounding, denormals, exceptions.
  bool changesMode = false;
};

/// What `instruction` does to its wave.
WaveOperation waveOperation(const llvm::Instruction &instruction);

/// Anything in `function`, calls included, may change MODE.
bool changesMode(const llvm::Function &function);

/// The result may hang on the MODE register: floating point.
bool hangsOnMode(const llvm::Instruction &instruction);
/// Why what is between the end of `from` and `join` (all that can be reached without passing it;
/// null: to the end of the function) may not be run in another order of sides, or null: it changes
/// the wave's state, or it hangs on MODE in a function that `modeChanges`.
const char *stateForbids(const llvm::BasicBlock &from, const llvm::BasicBlock *join,
                         bool modeChanges);

} // namespace meld::passes
