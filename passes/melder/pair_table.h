// What the alignment of two blocks asks about each pair of instructions, looked up once per
// instruction: with n * m pairs the cost model and the tables of partners must not be in the inner
// loop.
#pragma once

#include "passes/cost/cost_model.h"
#include "passes/melder/align.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace meld::passes {

/// What is taken for paired while pairs are scored.
struct PairBelief {
  using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;
  const Blocks &leftBlocks, &rightBlocks;
  const llvm::DenseMap<const llvm::Value *, const llvm::Value *> &paired;
  bool hopeful; ///< instructions of the two nodes that look alike will be paired
};

/// Valid until what it was made of changes.
class PairTable {
public:
  PairTable(llvm::ArrayRef<llvm::Instruction *> left, llvm::ArrayRef<llvm::Instruction *> right,
            const CostModel &cost, const PairBelief &belief);

  /// What pairing these two, which `mayPair` allows straight or swapped, gains.
  PairScore score(size_t left, size_t right, bool straight, bool swapped) const;

private:
  struct Kind { ///< of an instruction that hope may pair; opcode 0: of none
    unsigned opcode = 0;
    const llvm::Type *type = nullptr;
  };
  struct Operand {
    const llvm::Value *value = nullptr, *partner = nullptr;
    Kind kind;
    int select = 0;
  };
  struct Place { ///< a use
    const llvm::Instruction *user = nullptr;
    const llvm::Value *partner = nullptr;
    unsigned opcode = 0, operand = 0;
    bool isPhi = false, inside = false;
  };
  struct Entry {
    const llvm::Instruction *instruction = nullptr;
    unsigned operands = 0, operandCount = 0, places = 0, placeCount = 0;
    int cost = 0, select = 0;
    bool priceFollowsSecond = false; ///< multiplications, divisions: by what, matters
  };
  struct Side {
    std::vector<Entry> entries;
    std::vector<Operand> operands;
    std::vector<Place> places;
  };

  Side sideOf(llvm::ArrayRef<llvm::Instruction *> body, const PairBelief::Blocks &blocks,
              const PairBelief &belief) const;
  int price(const Entry &left, const Entry &right, bool swapped) const;
  int bonus(const Entry &left, const Entry &right) const;

  const CostModel &cost_;
  Side left_, right_;
};

} // namespace meld::passes
