// Global alignment of two instruction sequences with affine gaps (Gotoh 1982).
//
//   left:  load a; mul; store        P load/load
//   right: load b; store       ->    G mul            guarded, or run by all if safe and cheap
//                                    P store/store
//
// Three states per cell: N (code that all threads run), X (inside a left-only guard), Y (right-only
// guard). Entering X or Y costs a branch; an instruction that may be speculated can also stay in N
// for free, since both sides' instructions are issued either way when the branch diverges. O(n*m)
// time and space.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Instructions.h"
#include <functional>
#include <vector>

namespace meld::passes {

struct AlignedItem {
  enum Kind : uint8_t { pair, speculateLeft, speculateRight, guardLeft, guardRight };
  Kind kind;
  llvm::Instruction *left = nullptr;
  llvm::Instruction *right = nullptr;
  bool swapped = false; ///< pair: the right side's operands 0 and 1 are exchanged
};

struct PairScore {
  bool possible = false;
  int gain = 0;
  bool swapped = false;
};

/// What running an instruction for the other side's threads too costs on average.
using SpeculationCost = std::function<int(llvm::Instruction &)>;
using PairScorer = std::function<PairScore(llvm::Instruction &left, llvm::Instruction &right)>;

/// Longer sides are not aligned (memory).
inline constexpr size_t maxAlignedLength = 20000;

/// Best alignment; `guardCost` is what opening a guarded run costs.
std::vector<AlignedItem> align(llvm::ArrayRef<llvm::Instruction *> left,
                               llvm::ArrayRef<llvm::Instruction *> right, int guardCost,
                               const SpeculationCost &speculation, const PairScorer &scorer);

/// The same with a scorer that is given the places in `left` and `right`, and is asked only about
/// instructions of one opcode.
std::vector<AlignedItem>
alignByPlace(llvm::ArrayRef<llvm::Instruction *> left, llvm::ArrayRef<llvm::Instruction *> right,
             int guardCost, const SpeculationCost &speculation,
             llvm::function_ref<PairScore(size_t left, size_t right)> scorer);

} // namespace meld::passes
