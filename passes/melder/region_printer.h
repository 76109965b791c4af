// print<meld-regions>: what the melder sees at each conditional branch, and what it would do.
//
//   branch %entry thread: left [%a] [%b %c %d]  right [%e]  -> regions, gain 44 of 180 cycles (24 %)
#pragma once

#include "llvm/IR/PassManager.h"

namespace meld::passes {

class RegionPrinterPass : public llvm::PassInfoMixin<RegionPrinterPass> {
public:
  explicit RegionPrinterPass(llvm::raw_ostream &out) : out_(out) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &out_;
};

} // namespace meld::passes
