#pragma once
// What LLVM's own divergence analysis says, and with it instruction selection: a value that it
// calls divergent is computed on the vector unit, however uniform it is. Reference: Karrenberg and
// Hack, "Improving performance of OpenCL on CPUs" (CC 2012), as in LLVM's DivergenceAnalysis.cpp.
//
// That analysis misses joins, in LLVM 15 to 19 at least (21 does not): where both sides of a
// divergent branch are several blocks long, it does not reach the block behind them, and takes `phi
// [false, A], [true, B]` there for uniform (random kernel 94 of
// --delay --nests). Code generation structurizes first, after which one side of each branch is empty, and is right. So its word
// counts only where our own analysis says the same.
//
// Costs one run of that analysis before LLVM 17, and the look into a cache after. Not to be kept
// across a change of the function. One thread per function.
#include "passes/analysis/divergence.h"
#include "passes/compat.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#if LLVM_VERSION_MAJOR >= 17
#include "llvm/Analysis/UniformityAnalysis.h"
#else
#include "llvm/Analysis/DivergenceAnalysis.h"
#endif

namespace meld::passes {

class BackendView {
public:
  BackendView(llvm::Function &function, llvm::FunctionAnalysisManager &analyses,
              const DivergenceInfo &divergence)
      : divergence_(divergence),
#if LLVM_VERSION_MAJOR >= 17
        view_(analyses.getResult<llvm::UniformityInfoAnalysis>(function)) {
  }
#else
        view_(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
              analyses.getResult<llvm::PostDominatorTreeAnalysis>(function), divergence.loops(),
              analyses.getResult<llvm::TargetIRAnalysis>(function), /*KnownReducible=*/false) {
  }
#endif

  /// Whether it ends in scalar registers: a constant, or not divergent to LLVM, nor to us.
  bool isScalar(const llvm::Value &value) const {
    return llvm::isa<llvm::Constant>(value) || (isUniformToLlvm(value) && !isDivergent(value));
  }

  bool isUniformToLlvm(const llvm::Value &value) const {
    return !compat::isDivergent(view_, value);
  }

private:
  bool isDivergent(const llvm::Value &value) const {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    return instruction && instruction->isTerminator()
               ? divergence_.isDivergentBranch(instruction->getParent())
               : divergence_.width(&value) == Width::thread;
  }

  const DivergenceInfo &divergence_;
#if LLVM_VERSION_MAJOR >= 17
  const llvm::UniformityInfo &view_;
#else
  llvm::DivergenceInfo view_;
#endif
};

} // namespace meld::passes
