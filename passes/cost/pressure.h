// How many vector registers a region needs before and after melding, and what a lost wave costs.
//
//   left:  a = load; b = load; store a + b       before: the arms one after the other, peak 2
//   right: c = load; d = load; store c * d
//   aligned: (a|c), (b|d), then + and * apart     after: both pairs of operands live at once
//
// Backward liveness over values that differ between threads (others live in scalar registers), in
// 32-bit registers; then one backward walk over the aligned sequence, in which a pair is one value
// and a select keeps both of its inputs alive until it. Loops inside an arm count once: what is
// live around them is already live at their ends. The machine's allocator does better and worse by
// a few registers, so only a lost occupancy step is charged, not single registers; the estimate on
// machine code has the last word.
//
// Terminates: liveness grows sets until nothing changes, O(blocks * values / 64) per round, few
// rounds; computed once per function state. Thread rule: pure after construction.
#pragma once

#include "passes/analysis/divergence.h"
#include "passes/cost/cost_model.h"
#include "llvm/ADT/BitVector.h"

namespace meld::passes {

/// One place of an aligned sequence: an instruction of each side, or of one side alone.
struct MeldedItem {
  const llvm::Instruction *left = nullptr, *right = nullptr;
};

class PressureModel {
public:
  PressureModel(const llvm::Function &function, const DivergenceInfo &divergence,
                const CostModel &cost);

  /// Most 32-bit vector registers live at once in a block.
  unsigned peak(const llvm::BasicBlock &block) const;
  unsigned functionPeak() const;
  /// The same for a melded sequence that ends in front of `join` (null: nothing behind is known).
  unsigned peak(llvm::ArrayRef<MeldedItem> sequence, const llvm::BasicBlock *join) const;
  /// Waves per SIMD (NVIDIA: warps per partition) that this many vector registers allow on the
  /// function's processor.
  unsigned waves(unsigned registers) const;

private:
  unsigned words(const llvm::BitVector &live) const;
  void use(const llvm::Value *value, llvm::BitVector &live) const;
  void walkBack(const llvm::BasicBlock &block, llvm::BitVector &live, unsigned &most) const;

  const llvm::Function &function_;
  std::vector<const llvm::Value *> values_;
  std::vector<unsigned> words_;
  llvm::DenseMap<const llvm::Value *, unsigned> index_;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> liveIn_, liveOut_;
  std::string processor_;
  GpuKind kind_;
  unsigned waveSize_;
};

/// Cycles to take off a plan's gain: the share of `armsCost` that the lost waves used to hide; zero
/// while no occupancy step is lost.
int pressurePenalty(const PressureModel &pressure, llvm::ArrayRef<const llvm::BasicBlock *> arms,
                    llvm::ArrayRef<MeldedItem> sequence, const llvm::BasicBlock *join,
                    int armsCost);

/// print<meld-cost>: per block cycles, peak of vector registers; per function the waves they allow.
class CostPrinterPass : public llvm::PassInfoMixin<CostPrinterPass> {
public:
  explicit CostPrinterPass(llvm::raw_ostream &out) : out_(out) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &out_;
};

} // namespace meld::passes
