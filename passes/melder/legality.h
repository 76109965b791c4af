// What may be melded: memory order per thread, convergent operations, speculation, fast-math,
// address spaces, immediate arguments. docs/melding-tests.md lists the cases with their tests.
//
// The rules need no alias analysis: melding keeps each thread's own instructions in their own
// order, and threads of different arms are unordered without synchronisation. Those that
// synchronise by waiting for each other need more, of whole sides: analysis/forward_progress.h.
#pragma once

#include "llvm/IR/Instructions.h"
#include <optional>
#include <string>

namespace meld::passes {

/// Leaves no code: debug intrinsics, probes, assumptions, scope markers. Never influences a
/// decision; dropped when melded, but for the markers (scope_markers.h).
bool isIgnorable(const llvm::Instruction &instruction);

/// Talks to other lanes, must not gain control dependences, or happens once for the wave
/// (analysis/wave_state.h).
bool isConvergentOperation(const llvm::Instruction &instruction);

/// Why a block cannot be part of a melded region, or nothing.
std::optional<std::string> obstacle(const llvm::BasicBlock &block);

/// The instruction may run for threads that would not have run it, on whatever operands they hold.
bool maySpeculate(const llvm::Instruction &instruction);

/// Operand `index` may become a select of two values.
bool maySelectOperand(const llvm::Instruction &instruction, unsigned index);

/// How the right instruction's first two operands stand against the left's.
struct PairShape {
  bool straight = false; ///< operand i of left with operand i of right
  bool swapped =
      false; ///< operands 0 and 1 exchanged (commutative, or a compare with the swapped predicate)
  explicit operator bool() const { return straight || swapped; }
};

/// One instruction can do the work of both, given selects for the operands that differ.
/// `invertRight`: the right one is a compare taken with the inverse predicate (its only use, a
/// branch, has its successors exchanged).
PairShape mayPair(const llvm::Instruction &left, const llvm::Instruction &right,
                  bool invertRight = false);

} // namespace meld::passes
