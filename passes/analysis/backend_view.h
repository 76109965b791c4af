#pragma once
// What LLVM's own divergence analysis says, and with it instruction selection: a value that it
// calls divergent is computed on the vector unit, however uniform it is. Reference: Karrenberg and
// Hack, "Improving performance of OpenCL on CPUs" (CC 2012), as in LLVM's DivergenceAnalysis.cpp.
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
#if LLVM_VERSION_MAJOR >= 17
      : view_(analyses.getResult<llvm::UniformityInfoAnalysis>(function)) {
    (void)divergence;
  }
#else
      : view_(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
              analyses.getResult<llvm::PostDominatorTreeAnalysis>(function), divergence.loops(),
              analyses.getResult<llvm::TargetIRAnalysis>(function), /*KnownReducible=*/false) {
  }
#endif

  /// Whether it ends in scalar registers: a constant, or not divergent to LLVM.
  bool isScalar(const llvm::Value &value) const {
    return llvm::isa<llvm::Constant>(value) || !compat::isDivergent(view_, value);
  }

private:
#if LLVM_VERSION_MAJOR >= 17
  const llvm::UniformityInfo &view_;
#else
  llvm::DivergenceInfo view_;
#endif
};

} // namespace meld::passes
