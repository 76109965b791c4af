// meld: the whole family on one function, in the order of passes/README.md, with a clean-up of its own,
// since at the late point and by name nothing of LLVM's follows.
#pragma once

#include "passes/logged_pass.h"
#include <memory>

namespace meld::passes {

/// Functions in which one compilation's early point has found nothing to do, as they were then.
class AtRest;
std::shared_ptr<AtRest> newAtRest();

class MeldPass : public LoggedPass<MeldPass> {
public:
  /// `atRest` null: looks at everything.
  MeldPass(MeldOptions options, DecisionLog *log, Point point = Point::byName,
           std::shared_ptr<AtRest> atRest = nullptr)
      : LoggedPass(std::move(options), log, point), atRest_(std::move(atRest)) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  std::shared_ptr<AtRest> atRest_;
};

} // namespace meld::passes
